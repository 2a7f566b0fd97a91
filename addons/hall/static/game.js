// One game of a class, move by move.

import { BoardView } from "/static/board.js";
import { made, madeButton, scoreText } from "/static/drawing.js";
import { describe, lostText, sentence, textsOf, totals } from "/static/review_text.js";
import { drawGraph } from "/static/graph.js";
import { $, ask, attempt } from "/static/page.js";
import { moveTexts, useCoordinates } from "./common.js";

const BUTTONS = { first: -Infinity, before: -1, after: 1, last: Infinity }; // moves by which each button advances
const KEYS = { ArrowLeft: "before", ArrowRight: "after", Home: "first", End: "last" };
const view = new BoardView($("board"), null);
const PAUSE_MS = 1000;
const state = { number: "", game: null, at: 0, buttons: [], timer: 0, review: "" };

function go(change) {
  const last = state.game.steps.length - 1;
  state.at = Math.max(0, Math.min(last, state.at + change));
  const step = state.game.steps[state.at];
  view.show({ ...step, legal: [] }, { open: false, lines: [], better: step.found?.mark ? step.found.line : [] });
  for (const [index, button] of state.buttons.entries()) button.ariaPressed = index + 1 === state.at || null;
  for (const side of [0, 1]) {
    const { name } = state.game.seats[side];
    $(`player${side}`).replaceChildren(made("span", `disc side${side}`), made("b", "", name), made("span", "", String(step.counts?.[side] ?? "")));
  }
  const took = step.elapsed === undefined ? "" : `, ${step.elapsed} ms`;
  const score = step.score === undefined || step.score === null ? "" : `, ${scoreText(step.score)}`;
  $("said").textContent = state.at ? `Move ${state.at} of ${last}: ${moveTexts(step)}${took}${score}` : "Start of the game";
  for (const id of ["first", "before"]) $(id).disabled = state.at === 0;
  for (const id of ["after", "last"]) $(id).disabled = state.at === last;
  drawFound(step);
}

// ---- the review

function drawFound(step) {
  const { steps, players, point } = state.game;
  const isReviewed = steps.some(({ found }) => found);
  for (const id of ["mistake", "totals", "graph", "found"]) $(id).hidden = !isReviewed;
  $("review").hidden = isReviewed;
  if (!isReviewed) return;
  $("found").textContent = step.found?.line.length ? sentence(step, state.game) : "";
  $("found").className = step.found?.mark ? "box bad" : "box";
  $("found").hidden = !$("found").textContent;
  drawGraph($("graph"), steps, state.at, players, point, { choose: (ply) => go(ply - state.at), describe: (each) => describe(each, state.game) });
}

// Go to the person's next mistake after the displayed move, or else to the first one. For a teacher, the mistakes of
// both players count.
function goToMistake() {
  const marked = state.game.steps.filter(({ found, before }) => found?.mark && (!state.game.own.length || state.game.own.includes(before.toMove)));
  const next = marked.find(({ ply }) => ply > state.at) ?? marked[0];
  if (next) go(next.ply - state.at);
  else $("progress").textContent = "No mistakes found.";
}

async function readReview(path, method) {
  clearTimeout(state.timer);
  const { number } = state;
  const { moves, done, of, error } = await (method === "POST" ? ask(path, {}) : ask(path));
  if (number !== state.number) return;
  $("progress").textContent = error || (done === null ? "" : done ? `${done} of ${of} moves` : "Waiting for another review to finish.");
  $("review").disabled = done !== null;
  if (done !== null) state.timer = setTimeout(() => attempt(() => readReview(path)), PAUSE_MS);
  if (!moves) return;
  const { steps } = state.game;
  for (const [index, found] of moves.entries()) steps[index + 1].found = found;
  for (const [index, button] of state.buttons.entries())
    button.textContent = `${index + 1}. ${moveTexts(steps[index + 1])} ${lostText(steps[index + 1])}${textsOf(steps[index + 1])[0]}`.trim();
  $("totals").replaceChildren(...totals(steps.slice(1), state.game));
  go(0);
}

async function start() {
  const [number, assignment = ""] = location.hash.slice(1).split("/");
  const address = (what) => `/api/games/${number}${what}${assignment && `?assignment=${assignment}`}`;
  const game = await ask(address(""));
  for (const [ply, step] of game.steps.entries()) Object.assign(step, { ply, number: ply, before: game.steps[ply - 1] });
  Object.assign(state, { number, game, at: 0, review: address("/review") });
  document.title = `Game ${number}`;
  $("title").textContent = `Game ${number}`;
  $("totals").replaceChildren();
  const { verdict } = game;
  $("verdict").textContent = verdict ? [verdict.result, verdict.detail].filter(Boolean).join(": ") : "";
  state.buttons = game.steps.slice(1).map((step, index) => madeButton(`${index + 1}. ${moveTexts(step)}`, () => go(index + 1 - state.at)));
  $("moves").replaceChildren(...state.buttons);
  view.begin(game);
  go(game.steps.length - 1);
  await readReview(state.review);
}

for (const [id, change] of Object.entries(BUTTONS)) $(id).addEventListener("click", () => go(change));
$("review").addEventListener("click", () => attempt(() => readReview(state.review, "POST")));
$("mistake").addEventListener("click", goToMistake);
addEventListener("keydown", ({ key }) => key in KEYS && state.game && go(BUTTONS[KEYS[key]]));
addEventListener("hashchange", () => attempt(start));
await attempt(async () => useCoordinates(await ask("/api/me")));
await attempt(start);
