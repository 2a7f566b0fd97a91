// The practice page: presents mistakes and endgames one by one, with hints in steps. The server judges the answers and
// schedules the positions. The layout is that of the play page.

import "/static/appearance.js";
import { press, showActions } from "/static/actions.js";
import { BoardView } from "/static/board.js";
import { made, moveText, scoreText } from "/static/drawing.js";
import { Keys } from "/static/keys.js";
import { $, ask, attempt, fillSelect } from "/static/page.js";

const HINT_COUNT = 3;
const TRAINED_LEVEL = 5; // the opponent's level after a trained opening
const TITLES = { mistakes: "Your mistakes", openings: "Your openings", endgames: "Endgames" };
const NONE =
  "Practice uses your own mistakes. Play a game and press Review at its end: each move that lost 2 discs or more, where one answer is clearly best, becomes a position here.";

const board = new BoardView($("board"), (move) => answer(move));
// The kind of practice, the server's overview, the keys of the queued positions, the postponed ones, and
// the session: its number of positions, and how many were right at the first try.
const state = { kind: "mistakes", level: "", overview: null, queue: [], later: new Set(), size: 0, right: 0 };
// The current position: the number of hints given, the answer, whether the first answer has been counted, and whether the
// answer's line is on the board.
let now = { problem: null, given: 0, answer: null, isCounted: false, isLine: false };

// ---- the current position

async function load() {
  const { kind, level } = state;
  $("anew").hidden = true;
  const asked = new URLSearchParams({ kind, ...(kind === "endgames" && level && { level }) });
  try {
    state.overview = await ask(`/api/practice?${asked}`);
  } catch (error) {
    $("anew").hidden = !error.message.includes("is left as it is");
    await showBoard();
    throw error;
  }
  const levels = state.overview.levels.map(({ level, count, right }) => {
    return [String(level), `${level}: ${count} position${count === 1 ? "" : "s"}${right === null ? "" : `, you solve ${right} %`}`];
  });
  fillSelect($("level"), [["", "any, from easy to hard"], ...levels], state.level);
  state.queue = state.overview.queue.filter((key) => !state.later.has(key));
}

// Show the next position, or a summary of the day if there are no more.
async function next() {
  if (!state.queue.length && !state.size) await begin();
  const key = state.queue.shift();
  now = { problem: key ? await ask(`/api/practice/position?${new URLSearchParams({ key })}`) : null, given: 0, answer: null, isCounted: false, isLine: false };
  if (!now.problem) {
    if (state.size) await load(); // the changes made by the session
    await showBoard();
  }
  draw();
}

// Begin a session.
async function begin() {
  await load();
  Object.assign(state, { size: state.queue.length, right: 0 });
}

async function showBoard() {
  const { steps, ...game } = await ask("/api/replay", { game: "othello" });
  board.begin(game);
  board.show({ ...steps[0], legal: [] });
}

const isAsked = () => now.problem !== null && now.answer === null;

function answer(move) {
  attempt(async () => {
    if (!isAsked()) return;
    const { problem, given, isCounted } = now;
    const found = await ask("/api/practice/answer", { key: problem.key, move, hints: given, counts: !isCounted });
    if (now.problem !== problem) return;
    if (!isCounted && found.right) state.right++;
    Object.assign(now, { answer: found, isCounted: true, again: found.again || now.again });
    state.overview.due = found.due;
    draw();
    $("next").focus({ preventScroll: true });
  });
}

function later() {
  state.later.add(now.problem.key);
  state.size--;
  return next();
}

function hint() {
  now.given = Math.min(now.given + 1, HINT_COUNT);
  draw();
}

function retry() {
  Object.assign(now, { answer: null, isLine: false });
  draw();
  $("board").querySelector("button[tabindex='0']")?.focus({ preventScroll: true });
}

function more() {
  state.queue = [...(state.overview.queue.length ? state.overview.queue : state.overview.more)];
  Object.assign(state, { size: state.queue.length, right: 0 });
  return next();
}

function change(kind) {
  if (kind !== state.kind) state.later.clear();
  Object.assign(state, { kind, queue: [], size: 0 });
  return next();
}

// ---- drawing

function draw() {
  const { problem, answer, isLine } = now;
  const { overview, kind } = state;
  $("kind").textContent = TITLES[kind];
  const due = { mistakes: overview.due, openings: overview.openings }[kind] ?? 0;
  $("due").hidden = !due;
  $("due").textContent = `${due} due`;
  for (const button of document.querySelectorAll("[data-kind]")) {
    const count = { mistakes: overview.due, openings: overview.openings }[button.dataset.kind];
    button.textContent = `${TITLES[button.dataset.kind].replace("Your m", "M").replace("Your o", "O")}${count ? ` ${count}` : ""}`;
    button.ariaPressed = button.dataset.kind === kind;
  }
  $("levels").hidden = kind !== "endgames";
  drawNote();
  drawTotals();
  showActions(actions());
  $("progress").hidden = !problem || !state.size;
  if (!problem) return drawEnd();
  const place = state.size - state.queue.length;
  Object.assign($("progress"), { value: place - Number(!answer), max: state.size });
  $("place").textContent = `${place} of ${state.size}`;
  $("status").textContent = answer ? "" : `${problem.players[problem.step.toMove]} to move. Find the best move.`;
  $("about").textContent = answer ? "" : `${hopeText(problem)} Click a square or type its name.`;
  $("again").textContent = answer ? (now.again ?? "") : "";
  $("hint-text").textContent = now.given ? "Next hint" : "Hint";
  $("hint").disabled = now.given === HINT_COUNT;
  $("line").ariaPressed = isLine;
  $("game").href = `/play#${new URLSearchParams({ replay: `/api/kept/${encodeURIComponent(problem.place)}` })}`;
  drawPosition();
  drawLines();
  drawFacts();
}

// Return the names of the buttons to show.
function actions() {
  const { problem, answer } = now;
  if (!problem) return ["play", ...(moreCount() ? ["more"] : []), "endgames"];
  if (!answer) return ["hint", "answer", "later"];
  return ["next", ...(answer.right ? [] : ["retry"]), "line", ...(problem.place ? ["game"] : [])];
}

// The number of positions in another session.
const moreCount = () => state.overview.queue.length || state.overview.more.length;

function drawPosition() {
  const { problem, answer, isLine, given } = now;
  board.begin(problem);
  if (!answer) {
    const area = given ? problem.hints[given - 1].squares : [];
    board.show(problem.step, { open: true, lines: [], area });
  } else if (isLine) {
    board.show({ ...problem.step, legal: [] }, { open: false, lines: [{ pv: answer.lines[0].line }] });
  } else {
    const better = answer.right ? [] : answer.lines[0].line.slice(0, 1);
    const wrong = answer.right ? null : answer.step.placed[0];
    const shown = answer.move === answer.lines[0].line[0].move && !answer.right ? problem.step : answer.step;
    board.show({ ...shown, legal: [] }, { open: false, lines: [], better, wrong: shown === answer.step ? wrong : null });
  }
}

function drawNote() {
  const { problem, answer, given } = now;
  const note = $("note");
  note.hidden = !problem || (!answer && !given);
  if (note.hidden) return;
  note.className = `box ${answer ? (answer.right ? "good" : "bad") : "warn"}`;
  if (answer) {
    const [said] = answer.text.match(/^(Right: [^.]*\.|[^:]*:|.*)/);
    note.replaceChildren(made("p", "", made("b", "", said), answer.text.slice(said.length)));
    return;
  }
  const lamps = Array.from({ length: HINT_COUNT }, (_, index) => made("i", index < given ? "given" : ""));
  const steps = made("div", { className: "hints", ariaHidden: true }, ...lamps);
  const texts = problem.hints
    .slice(0, given)
    .map(({ text }, index) => made("p", index + 1 < given ? "quiet" : "", made("b", "", `Hint ${index + 1} of ${HINT_COUNT}.`), ` ${text}`));
  note.replaceChildren(steps, ...texts.reverse());
}

function drawLines() {
  const { answer } = now;
  $("lines").hidden = !answer;
  const rows = (answer?.lines ?? []).map(({ value, line }, index) => {
    const cell = made("td", "r", scoreText(value) || "0");
    return made("tr", "", made("td", "", made(index ? "span" : "b", "", moveText(line[0]))), cell, made("td", "", line.slice(1).map(moveText).join(" ")));
  });
  $("lines").tBodies[0].replaceChildren(...rows);
}

function drawFacts() {
  const { problem, answer } = now;
  const facts = [["From", problem.source]];
  if (problem.kind !== "endgame") facts.push(["You played", answer ? `${answer.played}, which ${answer.lost}` : "hidden until you answer"]);
  facts.push(["Seen", answer?.seen ?? problem.seen]);
  $("facts").replaceChildren(...facts.flatMap(([name, text]) => [made("dt", "", name), made("dd", "", text)]));
}

// Show the summary of the day, or where positions come from.
function drawEnd() {
  const { count, asked, right, queue } = state.overview;
  const again = asked - right;
  const { size } = state;
  $("place").textContent = "";
  $("lines").hidden = true;
  $("facts").replaceChildren();
  $("more").textContent = `Practise ${moreCount()} more`;
  $("status").textContent = !count ? "Nothing to practise yet" : size ? `${state.right} of ${size} right` : queue.length ? "" : "Done for today";
  state.size = 0; // the next position starts a new session
  if (!count) $("about").textContent = `${NONE} Until then there are 2,000 endgames, from easy to hard.`;
  else if (!asked) $("about").textContent = "Nothing is due.";
  else
    $("about").textContent =
      `${asked} ${asked === 1 ? "position" : "positions"}: ${right} right${again ? `, ${again} ${again === 1 ? "comes" : "come"} back tomorrow` : ""}.`;
  $("again").textContent = "";
  $("play").focus({ preventScroll: true });
}

function drawTotals() {
  const { count, learnt, tomorrow, damaged, reasons, losses } = state.overview;
  $("damaged").hidden = !damaged.length;
  $("damaged").textContent = `${damaged[0]}${damaged.length > 1 ? `; ${damaged.length - 1} more` : ""}. It is skipped.`;
  $("totals").hidden = now.problem !== null || !count;
  $("reasons").hidden = $("totals").hidden || !reasons.length;
  $("reasons").tBodies[0].replaceChildren(
    ...reasons.map(({ name, right, count: all, trend }) => made("tr", "", made("td", "", name, trend && `, ${trend}`), made("td", "r", `${right} of ${all}`))),
  );
  drawLosses($("totals").hidden ? null : losses);
  const cell = (number, text) => made("div", "", made("span", "big", String(number)), made("p", "quiet", text));
  $("totals").replaceChildren(cell(tomorrow, "due tomorrow"), cell(learnt, `learnt, of ${count}`));
}

// Show the costliest opening, with a link to train it, and the losses by phase.
function drawLosses(losses) {
  $("losses").hidden = !losses?.phases.length;
  if ($("losses").hidden) return;
  const { opening, phases } = losses;
  const texts = phases.map(({ name, lost }) => `${name} ${lost}`).join(", ");
  const parts = [made("p", "", `Discs lost in a game: ${texts}.`)];
  if (opening) {
    const train = made(
      "a",
      { className: "button", href: `/play#${new URLSearchParams({ play: TRAINED_LEVEL, trains: opening.name })}` },
      `Train ${opening.name}`,
    );
    parts.unshift(made("p", "row", `You lose most in ${opening.name}: ${opening.lost} discs a game, in ${opening.games} games. `, train));
  }
  $("losses").replaceChildren(...parts);
}

function hopeText({ value, point }) {
  const points = Math.round(Math.abs(value) / 100);
  const said = `${points} ${point}${points === 1 ? "" : "s"}`;
  if (points === 0) return "You draw if you find it.";
  return value > 0 ? `You lead by ${said} if you find it.` : `You are behind by ${said} even if you find it.`;
}

// ---- startup

const clicks = {
  next: () => attempt(next),
  hint,
  answer: () => answer(null),
  retry,
  line: () => {
    now.isLine = !now.isLine;
    draw();
  },
  more: () => attempt(more),
  endgames: () => attempt(() => change("endgames")),
  later: () => attempt(later),
  anew: () =>
    attempt(async () => {
      await ask("/api/practice/anew", {});
      await change(state.kind);
    }),
};
for (const [id, act] of Object.entries(clicks)) $(id).addEventListener("click", act);
for (const button of document.querySelectorAll("[data-kind]")) button.addEventListener("click", () => attempt(() => change(button.dataset.kind)));
$("level").addEventListener("change", () => {
  state.level = $("level").value;
  attempt(() => change("endgames"));
});

const typed = () => (isAsked() ? now.problem.step.legal : []).map((each) => [moveText(each), () => answer(each.move)]);
new Keys(
  {
    h: () => press("hint"),
    u: () => press("retry"),
    b: () => press("line"),
    n: () => press("play"),
    "?": () => $("keys").showModal(),
    Enter: ({ target }) => (target.closest("button, a, summary") && !target.closest("#board") ? false : press("next")),
  },
  typed,
);

await attempt(async () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.get("kind") in TITLES) state.kind = asked.get("kind");
  const wanted = asked.get("key"); // a position linked from a review
  if (wanted) {
    await begin();
    state.queue = [wanted, ...state.queue.filter((key) => key !== wanted)];
    state.size = state.queue.length;
  }
  await next();
});
