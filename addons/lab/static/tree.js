// The search tree page: step through searches of a tree.

import "/static/appearance.js";
import { DECISIVE } from "/static/drawing.js";
import { $, ask, attempt, save, report } from "/static/page.js";
import { animationOf } from "./tree_export.js";
import { Form } from "./tree_form.js";
import { Lecture } from "./tree_lecture.js";
import { Levels } from "./tree_levels.js";
import { Simulations } from "./tree_mcts.js";
import { draw as drawPanel, drawBoard, fileName, makePanel } from "./tree_panel.js";
import { Walk, movesTo, scoreText, withChildren } from "./tree_walk.js";

const NAMES = { minimax: "Minimax", alphabeta: "Alpha-beta", pvs: "PVS", mcts: "Monte Carlo tree search" };
const VIEWS = { fold: "folded", follow: "followed" }; // the view each button selects; if neither is pressed, the tree is drawn whole
const BOX = 46; // box width in a Monte Carlo tree
const MOST_TICKS = 30; // maximum number of redraws per second; a faster run advances several frames at a time
const LAST = 10_000_000; // stands for the last frame of a search of unknown length
const PATIENCE_MS = 300; // after this time a button shows that the server is searching
const AROUND = 500; // when going back, a piece starts this many frames before the requested one
const MAIN = document.querySelector("main");
const state = { request: null, panels: [], levels: null, frame: 0, chosen: null, timer: null, view: "whole", isLoading: false };
let form = null;
let lecture = null;
let wanted = 0; // number of the latest request; earlier answers are dropped

// ---- a tree

// Show the requested tree. Return whether no newer request was made in the meantime.
async function show(request) {
  halt();
  const number = ++wanted;
  const answer = await showingWork($("form").querySelector("[type=submit]"), () => ask("/api/tree", request));
  if (number !== wanted) return false;
  report(null); // clear the error of an earlier request
  Object.assign(state, { request, levels: null, frame: 0, chosen: null });
  const isWalk = answer.shown !== "level";
  const isWindow = ["whole", "pieces"].includes(answer.shown);
  $("panels").classList.toggle("side-by-side", isWindow && answer.walks.length > 1);
  $("panels").replaceChildren();
  for (const side of [0, 1]) $(`legend${side}`).textContent = playerText(answer, side);
  for (const id of ["run", "last", "pace"]) $(id).hidden = !isWalk;
  for (const id of ["fold", "leaves"]) $(id).hidden = answer.shown !== "whole";
  $("follow").hidden = !["whole", "simulations"].includes(answer.shown);
  for (const item of document.querySelectorAll(".legend .walks")) item.hidden = !isWindow;
  // In Monte Carlo tree search each side chooses the highest value.
  for (const part of document.querySelectorAll(".legend .aims")) part.hidden = answer.shown === "simulations";
  $("simulated").hidden = answer.shown !== "simulations";
  $("folded").hidden = true;
  if (isWindow) showWalks(answer);
  else if (isWalk) showSimulations(answer);
  else showLevels(answer);
  form.show(answer, request);
  tell();
  return true;
}

// Return a player's name, followed by the letter used in positions and values.
function playerText({ players, sides }, side) {
  return sides[side].toLowerCase() === players[side].toLowerCase() ? players[side] : `${players[side]} (${sides[side]})`;
}

function showWalks(answer) {
  const nodes = answer.nodes && withChildren(answer.nodes);
  state.panels = answer.walks.map((found) => {
    const title = NAMES[found.algorithm];
    const size = nodes ? `${nodes.length} positions` : "too large to be drawn whole";
    const panel = makePanel(answer, title, `Search tree of ${title}, ${size}; each step is described in a sentence`, saveRun);
    const walk = new Walk(nodes ?? withChildren(found.nodes), found, answer);
    return Object.assign(panel, { algorithm: found.algorithm, leaves: answer.leaves, walk, sizes: boxSizes(walk.nodes, answer.walks, answer.sides) });
  });
  const fits = (view) => {
    plan(view);
    return state.panels.every((panel) => panel.view.isReadable);
  };
  paint((nodes && ["whole", "folded"].find(fits)) ?? "followed");
  const scores = answer.walks.flatMap(({ steps }) => steps).map(({ value }) => value);
  explainWins(answer, scores);
}

function showSimulations(answer) {
  const label = `The tree that ${answer.simulations.length} simulations grow; each phase is described in a sentence`;
  const panel = makePanel(answer, NAMES.mcts, label, saveRun);
  Object.assign(panel, { walk: new Simulations(answer), sizes: { every: BOX } });
  panel.bar.remove();
  state.panels = [panel];
  paint("followed");
  explainWins(answer, []);
}

// Lay out the trees. view: "whole"; "folded", without branches the search never visits; or "followed", only the search's
// path with the moves next to it.
function plan(view) {
  state.view = view;
  for (const { walk, view: picture, game, sizes } of state.panels) {
    picture.plan(walk.nodes, game.sides, sizes, { folded: view === "folded" ? walk.folded : new Map(), way: view === "followed" ? walk.way : null });
  }
}

// Redraw the trees.
function paint(view = state.view) {
  for (const panel of state.panels) Object.assign(panel.view, { rows: null, hasLeaves: $("leaves").ariaPressed === "true" });
  plan(view);
  for (const panel of state.panels) panel.view.paint();
  for (const panel of state.panels) draw(panel);
  fit();
  if (state.chosen !== null) choose(state.chosen);
  for (const [id, name] of Object.entries(VIEWS)) $(id).ariaPressed = view === name;
  $("folded").hidden = view !== "folded";
}

function fit(least) {
  for (const { view } of state.panels) view.fit(least);
}

// Return the box widths. Boxes are as wide as their longest text; a leaf is at least as wide as the move to it.
function boxSizes(nodes, walks, sides) {
  const length = (score) => (score === undefined ? 0 : score === null ? 2 : scoreText(score, sides).length);
  const longest = (measure) => walks.flatMap(({ steps }) => steps).reduce((most, step) => Math.max(most, measure(step)), 0);
  const move = Math.max(...nodes.map((node) => node.move?.length ?? 0));
  const value = longest((step) => length(step.value));
  return {
    leaf: Math.max(9 * move, 18 + 8.5 * value),
    beside: 8 + 6.1 * Math.max(move, 1 + value),
    inner: 62 + 6.5 * longest(({ alpha, beta }) => length(alpha) + length(beta)),
  };
}

function showLevels(answer) {
  const { algorithm } = state.request;
  const label = "Search tree; arrow keys move between positions, and Enter opens or closes one";
  const panel = makePanel(answer, `Level by level, searched by ${NAMES[algorithm === "all" ? "pvs" : algorithm]}`, label);
  state.panels = [panel];
  state.levels = new Levels(panel.view, answer, answer, below, () => tellLevels(panel));
  panel.walk = state.levels;
  tellLevels(panel);
}

function below(path, level) {
  const { moves, depth } = state.request;
  return ask("/api/tree", { ...state.request, moves: [moves, ...path].join(" "), depth: depth === null ? null : depth - level, level: true });
}

// Save a run as a GIF. The page ignores clicks and keys in the meantime, because it shows the run while recording it.
async function saveRun(panel, button) {
  halt();
  const { at } = panel.walk.now;
  const show = (frame) => {
    panel.walk.goTo(frame);
    draw(panel);
    button.textContent = `GIF ${Math.round((100 * frame) / panel.walk.end)} %`;
  };
  MAIN.inert = true;
  try {
    const file = await animationOf(panel, show, Math.max(5, Math.round(100 / 2 ** Number($("speed").value))));
    save(file, fileName(panel, "gif"));
  } finally {
    show(at);
    button.textContent = "GIF";
    MAIN.inert = false;
    button.focus();
  }
}

// Explain how wins are written if any displayed score is a win.
function explainWins(game, scores) {
  $("wins").hidden = !scores.some((score) => Math.abs(score ?? 0) > DECISIVE);
  $("wins").textContent = `\u201c${game.sides[0]} in 3\u201d: ${playerText(game, 0)} wins three plies later`;
}

// ---- the picture

function draw(panel) {
  drawPanel(panel, state.view === "followed");
}

function tellLevels(panel) {
  const levels = state.levels;
  if (!levels) return;
  const { at, sentence, board } = levels.now;
  panel.counts.textContent = `Positions opened: ${at + 1}`;
  panel.sentence.textContent = sentence;
  drawBoard(panel, board);
  const scores = levels.nodes.map(({ value }) => value);
  explainWins(levels.game, scores);
  tell();
}

// Describe the displayed step to screen readers, and disable buttons that have no effect.
function tell() {
  const sentences = state.panels.map(({ title, walk }) => (state.panels.length > 1 ? `${title}: ` : "") + walk.now.sentence);
  if (!state.timer) $("status").textContent = sentences.join(" ");
  const isBegin = state.panels.every(({ walk }) => walk.now.at === 0);
  for (const id of ["reset", "back"]) $(id).ariaDisabled = isBegin;
  for (const id of ["step", "last"]) $(id).ariaDisabled = isDone();
}

function isDone() {
  return state.panels.every((panel) => panel.walk.done);
}

// ---- steps

// Move each panel by this many frames, backwards if negative. All panels count from the beginning, so that a shorter
// search waits at its end and moves back only when the others reach that frame again.
function go(count) {
  const frame = Math.max(0, Math.min(LAST, state.frame + count));
  if (state.panels.every(({ walk }) => walk.has(frame))) return goTo(frame);
  return attempt(async () => {
    if (await showingWork($("last"), () => load(frame))) goTo(frame);
  });
}

// Show on a button that the server is searching, if its answer takes a while.
async function showingWork(button, work) {
  const usual = button.textContent;
  const later = setTimeout(() => Object.assign(button, { textContent: "Searching \u2026", ariaBusy: true }), PATIENCE_MS);
  try {
    return await work();
  } finally {
    clearTimeout(later);
    Object.assign(button, { textContent: usual, ariaBusy: null });
  }
}

function goTo(frame) {
  state.chosen = null;
  for (const panel of state.panels) {
    panel.view.choose(null);
    panel.walk.goTo(frame);
    draw(panel);
  }
  state.frame = Math.max(...state.panels.map((panel) => panel.walk.now.at));
  tell();
}

// Load the pieces that contain a frame. Return whether they arrived and no newer request was made.
async function load(frame) {
  if (state.isLoading) return false;
  state.isLoading = true;
  const number = wanted;
  try {
    for (const panel of state.panels.filter(({ walk }) => !walk.has(frame))) {
      const first = frame > panel.walk.now.at ? frame : Math.max(0, frame - AROUND);
      const { walks } = await ask("/api/tree", { ...state.request, algorithm: panel.algorithm, first });
      if (number !== wanted) return false;
      panel.walk = new Walk(withChildren(walks[0].nodes), walks[0], panel.game);
    }
    return true;
  } finally {
    state.isLoading = false;
  }
}

function run() {
  if (state.timer) halt();
  else if (!state.levels && !isDone()) {
    $("run").textContent = "Pause";
    $("run").ariaPressed = true;
    tick();
  }
}

function tick() {
  const rate = 2 ** Number($("speed").value); // frames per second
  const timer = setTimeout(async () => {
    await go(Math.max(1, Math.round(rate / MOST_TICKS)));
    if (state.timer !== timer) return; // halted in the meantime
    if (isDone()) halt();
    else tick();
  }, 1000 / Math.min(rate, MOST_TICKS));
  state.timer = timer;
}

function halt() {
  clearTimeout(state.timer);
  state.timer = null;
  $("run").textContent = "Run";
  $("run").ariaPressed = false;
  if (state.panels.length) tell();
}

const ACTIONS = {
  step: () => (state.levels ? attempt(() => state.levels.step()) : go(1)),
  back: () => (state.levels ? state.levels.close() : go(-1)),
  reset: () => (state.levels ? state.levels.reset() : go(-Infinity)),
  last: () => (state.levels ? undefined : go(Infinity)),
  run,
};

async function act(name) {
  if (state.panels.length === 0) return;
  if (name !== "run") halt();
  await ACTIONS[name]();
}

for (const name of Object.keys(ACTIONS)) $(name).addEventListener("click", () => act(name));

document.addEventListener("keydown", (event) => {
  if (MAIN.inert || event.target.closest("input, textarea, select, #board") || event.ctrlKey || event.altKey || event.metaKey) return;
  if ((state.levels && levelKey(event)) || lecture?.turn(event.key)) return event.preventDefault();
  const zoom = { "+": "larger", "-": "smaller", 0: "whole" }[event.key];
  if (zoom) return $(zoom).click();
  const name = { ArrowRight: "step", ArrowLeft: "back", Home: "reset", End: "last", " ": "run" }[event.key];
  if (name === undefined || (event.key === " " && event.target.closest("button, summary"))) return;
  event.preventDefault();
  act(name);
});

// ---- a tree level by level

function levelKey(event) {
  const levels = state.levels;
  if (!event.target.closest(".node")) return false;
  if (event.key === "Enter" || event.key === " ") {
    toggle(levels.selected);
    return true;
  }
  const place = levels.neighbour(event.key);
  if (place === undefined) return event.key.startsWith("Arrow");
  levels.select(place);
  return true;
}

async function toggle(place) {
  const levels = state.levels;
  if (levels.isOpenable(place)) await attempt(() => levels.open(place));
  else if (levels.opened.at(-1) === place && place !== 0) levels.close();
  else levels.select(place);
}

$("panels").addEventListener("click", (event) => {
  const group = event.target.closest(".node");
  if (!group) return;
  const place = Number(group.dataset.place);
  if (state.levels) toggle(place);
  else choose({ place, panel: state.panels.find(({ scroll }) => scroll.contains(group)) });
});

// ---- another root

// Preview a position of a tree until the next step. Only one panel shows it if the searches come in pieces, because
// pieces have no positions in common.
function choose({ place, panel: chosen }) {
  halt();
  state.chosen = { place, panel: chosen };
  for (const panel of chosen.walk.piece ? [chosen] : state.panels) {
    panel.view.choose(place);
    drawBoard(panel, panel.walk.nodes[place].board);
    panel.sentence.textContent = `${panel.walk.name(place)} is selected. \u201cSearch from here\u201d draws only its tree.`;
  }
  tell();
}

$("from").addEventListener("click", () =>
  attempt(async () => {
    const { panels, request, chosen } = state;
    if (!panels.length) return;
    const { walk } = chosen?.panel ?? panels[0];
    const path = movesTo(walk.nodes, chosen?.place ?? walk.now.current ?? 0);
    const depth = request.depth === null ? null : Math.max(0, request.depth - path.length);
    await look({ ...request, moves: [request.moves, ...path].filter(Boolean).join(" "), depth });
  }),
);

// ---- zoom

function zoomBy(factor) {
  for (const { view } of state.panels) view.zoom(view.scale * factor);
}

const ZOOMS = { smaller: () => zoomBy(1 / 1.25), larger: () => zoomBy(1.25), whole: () => fit(0) };
for (const [id, zoom] of Object.entries(ZOOMS))
  $(id).addEventListener("click", () => {
    zoom();
    for (const { view, walk } of state.panels) view.follow(walk.now.current ?? 0);
  });

for (const [id, view] of Object.entries(VIEWS)) $(id).addEventListener("click", () => paint(state.view === view ? "whole" : view));

$("leaves").addEventListener("click", () => {
  $("leaves").ariaPressed = $("leaves").ariaPressed !== "true";
  paint();
});

$("full").addEventListener("click", () => attempt(() => (document.fullscreenElement ? document.exitFullscreen() : $("stage").requestFullscreen())));
document.addEventListener("fullscreenchange", () => {
  $("full").ariaPressed = document.fullscreenElement !== null;
  fit();
});

// ---- requests

// Show the tree of a request and store the request in the address.
async function look(request = form.request()) {
  form.fill(request);
  if (await show(request)) form.keep(request);
}

// Show the tree that the address specifies, or the example of a lecture, with defaults for missing values.
async function lookAgain() {
  const example = lecture.read();
  const request = form.read(example?.address);
  form.fill(request);
  if (!(await show(request)) || !example) return;
  await go(example.frame);
  lecture.explain();
}

window.addEventListener("popstate", () => attempt(lookAgain));

await attempt(async () => {
  form = new Form(await ask("/api/trees"), look);
  lecture = new Lecture((await ask("/api/lectures")).lectures);
  await lookAgain();
});
