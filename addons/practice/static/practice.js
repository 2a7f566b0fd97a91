// The practice page. It presents mistakes and endgames one at a time, with step-by-step hints. The server judges the
// answers and schedules the positions. The layout is shared with the play page.

import "/static/appearance.js";
import { press } from "/static/actions.js";
import { BoardView } from "/static/board.js";
import { made, moveText, scoreText } from "/static/drawing.js";
import { Keys } from "/static/keys.js";
import { $, ask, attempt, fillSelect, showOnly } from "/static/page.js";

const HINTS = ["Idea", "Where", "Choice"];
const HINT_COUNT = HINTS.length;
const TRAINED_LEVEL = 5; // the opponent's level after a trained opening
const TITLES = { mistakes: "My mistakes", openings: "Openings", endgames: "Endgames", learn: "Learn" };
const NONE =
  "Practice uses mistakes from your own games. Play a game, then press Review: each position in which you lost 2 discs or more, although one move was clearly best, appears here.";

const board = new BoardView($("board"), (move) => answer(move));
// level: the difficulty of endgames, or "" for all; step: the step of Learn Othello, or "" for the list; overview: the
// server's reply; queue: the keys of the positions still to come; later: those of the postponed positions. size: the
// session's number of positions; repeats: whether the session repeats positions with wrong answers, which does not count;
// results: its first answers { problem, found, given }.
const state = { kind: "mistakes", level: "", step: "", overview: null, queue: [], later: new Set(), size: 0, repeats: false, results: [] };
// The current position. given: the number of hints given; answer: the server's verdict on the answer, or null;
// isAwaited: whether the verdict or the next position has not arrived yet; isCounted: whether no further answer counts;
// isLine: whether the better line is on the board.
let now = { problem: null, given: 0, answer: null, isCounted: false, isLine: false };

// ---- the current position

async function load() {
  const { kind, level, step } = state;
  $("anew").hidden = true;
  const asked = new URLSearchParams({ kind, ...(kind === "endgames" && level && { level }), ...(kind === "learn" && step && { step }) });
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
  state.step = state.overview.step;
  fillSelect($("level"), [["", "any, from easy to hard"], ...levels], state.level);
  state.queue = state.overview.queue.filter((key) => !state.later.has(key));
}

// Show the next position, or a summary of the day if there are no more.
async function next() {
  if (!state.queue.length && !state.size) await begin();
  const key = state.queue.shift();
  const before = now;
  before.isAwaited = true;
  let problem = null;
  try {
    if (key) problem = await ask(`/api/practice/position?${new URLSearchParams({ key })}`);
  } finally {
    before.isAwaited = false;
  }
  now = { problem, given: 0, answer: null, isCounted: state.repeats, isLine: false };
  if (!now.problem) {
    if (state.size) await load(); // the session has changed the overview
    await showBoard();
  }
  draw();
}

// Begin a session.
async function begin() {
  await load();
  beginWith(state.queue);
}

function beginWith(queue, repeats = false) {
  Object.assign(state, { queue: [...queue], size: queue.length, repeats, results: [] });
}

async function showBoard() {
  const { steps, ...game } = await ask("/api/replay", { game: "othello" });
  board.begin(game);
  board.show({ ...steps[0], legal: [] });
}

const isAsked = () => now.problem !== null && now.answer === null && !now.isAwaited;

function answer(move) {
  attempt(async () => {
    if (!isAsked()) return;
    const asked = now;
    const { problem, given, isCounted } = asked;
    asked.isAwaited = true; // a second click is not a second answer
    const found = await ask("/api/practice/answer", { key: problem.key, move, hints: given, counts: !isCounted }).finally(() => {
      asked.isAwaited = false;
    });
    if (now.problem !== problem) return;
    if (!now.answered) state.results.push({ problem, found, given });
    Object.assign(now, { answer: found, answered: true, isCounted: true, again: found.again || now.again });
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
  if (state.kind === "learn") return change("learn", nextStep().name);
  beginWith(state.overview.queue.length ? state.overview.queue : state.overview.more);
  return next();
}

// Repeat the positions with wrong answers. The new answers do not count.
function again() {
  beginWith(
    wrongOnes().map(({ problem }) => problem.key),
    true,
  );
  return next();
}

const wrongOnes = () => state.results.filter(({ found }) => !found.right);

// End the session before all positions are answered.
function stop() {
  Object.assign(state, { queue: [], size: state.results.length });
  return next();
}

function change(kind, step = "") {
  if (kind !== state.kind) state.later.clear();
  Object.assign(state, { kind, step, queue: [], size: 0, results: [] });
  return next();
}

// ---- drawing

function draw() {
  const { problem, answer, isLine } = now;
  const { overview, kind } = state;
  const counts = { mistakes: overview.due, openings: overview.openings };
  const due = counts[kind] ?? 0;
  $("due").textContent = due ? `${due} due${kind === "mistakes" && overview.new ? `, ${overview.new} new` : ""}` : "";
  for (const button of document.querySelectorAll("[data-kind]")) {
    const count = counts[button.dataset.kind];
    button.textContent = `${TITLES[button.dataset.kind]}${count ? ` ${count}` : ""}`;
    button.ariaPressed = button.dataset.kind === kind;
  }
  $("levels").hidden = kind !== "endgames";
  drawLesson();
  drawNote();
  drawDamaged();
  $("main").className = problem ? "table" : "page";
  if (!problem) return drawEnd();
  showOnly($("actions"), actions());
  const place = state.size - state.queue.length;
  $("place").textContent = `${place} of ${state.size}`;
  drawDots($("dots"), answer ? 0 : 1);
  $("status").textContent = answer ? "" : `${problem.players[problem.step.toMove]} to move. Find the best move.`;
  $("about").replaceChildren(...(answer ? [] : [hopeText(problem), made("span", "wideonly", " Click a square or type its name.")]));
  $("hint-text").textContent = now.given ? "Next hint" : "Hint";
  $("hint").disabled = now.given === HINT_COUNT;
  $("line").ariaPressed = isLine;
  $("game").href = gameAddress(problem);
  drawPosition();
  drawLines();
  drawHints();
  drawMastery();
}

const gameAddress = ({ place, ply }) => `/play#${new URLSearchParams({ replay: `/api/kept/${encodeURIComponent(place)}`, at: ply })}`;

// Show the text of the step of Learn Othello, and the list of steps.
function drawLesson() {
  const { course } = state.overview;
  const step = course.find(({ name }) => name === state.step);
  for (const id of ["lesson", "course"]) $(id).hidden = !course.length;
  $("learn").hidden = course.length > 0;
  $("lesson-title").textContent = step ? `${course.indexOf(step) + 1}. ${step.title}` : "";
  $("lesson-text").replaceChildren(...(step?.text ?? []).map((text) => made("p", "", text)));
  const row = ({ name, title, solved, count }, index) => {
    const link = made("a", { href: `#kind=learn&step=${name}` }, title);
    return made(
      "li",
      "",
      made("span", "quiet", String(index + 1)),
      link,
      made("span", solved === count ? "badge good" : "badge soft", `${solved} of ${count}`),
    );
  };
  $("course-steps").replaceChildren(...course.map(row));
}

// Return the names of the buttons to show.
function actions() {
  const { problem, answer } = now;
  if (!answer) return ["hint", "answer", "later"];
  return ["next", ...(answer.right ? [] : ["retry"]), "line", ...(problem.place ? ["game"] : [])];
}

// Draw a dot for each position of the session: right, wrong, right with hints, current, or still to come.
function drawDots(container, current) {
  const kinds = state.results.map(kindOf);
  if (current && now.answered) kinds.pop(); // the position is being retried
  if (current) kinds.push("now");
  const rest = Array(Math.max(0, state.size - kinds.length)).fill("");
  container.replaceChildren(...[...kinds, ...rest].map((kind) => made("i", kind)));
  const right = state.results.filter(({ found }) => found.right).length;
  container.ariaLabel = `${right} of ${state.results.length} right so far`;
}

const kindOf = ({ found, given }) => (found.right ? (given ? "hinted" : "right") : "wrong");

// The first step of Learn Othello, after the current one if possible, with positions to solve.
function nextStep() {
  const { course } = state.overview;
  const at = course.findIndex(({ name }) => name === state.step);
  return [...course.slice(at + 1), ...course.slice(0, at + 1)].find(({ solved, count }) => solved < count);
}

// The number of positions in the next session.
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
  const { problem, answer } = now;
  $("note").hidden = !problem || !answer;
  if ($("note").hidden) return;
  $("note").className = `box ${answer.right ? "good" : "bad"}`;
  const [said] = answer.text.match(/^(Right: [^.]*\.|The answer [^.]*\.|[^:]*:|.*)/);
  $("note").replaceChildren(made("b", "", said), answer.text.slice(said.length));
}

// List the hints given so far, and show their cost: how much sooner the position comes back.
function drawHints() {
  const { problem, given, isCounted } = now;
  const rows = HINTS.map((name, index) => {
    const text = index < given ? made("span", "", problem.hints[index].text) : made("span", "quiet", "not shown yet");
    return made("li", index < given ? "given" : "", made("b", "", name), text);
  });
  $("hints").replaceChildren(...rows);
  const { days, days_with_hints: hinted } = problem.mastery;
  const cost = given ? `again in ${daysText(hinted)}${hinted < days ? ` instead of ${days}` : ""}` : `again in ${daysText(days)}`;
  $("cost").textContent = `${given} of ${HINT_COUNT} used`;
  if (problem.kind !== "lesson") $("cost").textContent += ` \u00b7 ${isCounted ? "this try does not count" : `if right, ${cost}`}`;
}

const daysText = (days) => (days === 1 ? "1 day" : `${days} days`);
const timesText = (count) => ["", "once", "twice"][count] ?? `${count} times`;

// Draw the progress with the position: a step for each right answer in a row, then the steps left until it is learnt.
function drawMastery() {
  const { problem, answer } = now;
  const { right, left } = answer?.mastery ?? problem.mastery;
  const isNew = (answer?.seen ?? problem.seen) === "never";
  for (const id of ["known", "steps", "mastery"]) $(id).hidden = problem.kind === "lesson"; // it does not come back by itself
  $("known").textContent = isNew ? "New" : left ? "Learning" : "Known";
  $("steps").replaceChildren(...Array.from({ length: right + left }, (_, index) => made(index < right ? "i" : "b")));
  $("steps").ariaLabel = `Step ${right} of ${right + left}`;
  const more = left ? `${left} ${right ? "more " : ""}right answer${left === 1 ? "" : "s"} ${right ? "" : "in a row "}and you know it.` : "You know it.";
  const row = right ? `Right ${timesText(right)} in a row. ` : "";
  $("mastery").textContent = `${row}${more}${answer ? ` ${now.again ?? ""}` : ""}`;
  const played = !problem.place ? "" : answer ? ` You played ${answer.played}, which ${answer.lost}.` : " Your move in the game is hidden until you answer.";
  $("facts").textContent = `From ${problem.source}.${played}${isNew ? "" : ` Answered ${answer?.seen ?? problem.seen}.`}`;
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

// Show the session's results and the next actions or, if there are no positions, how to get some.
function drawEnd() {
  const { count, asked, right, queue, answered, learnt, tomorrow, course } = state.overview;
  const { size, results } = state;
  const isRight = ({ found }) => found.right;
  $("status").textContent = !count ? "Nothing to practise yet" : queue.length ? "Session done" : "Done for today";
  if (!count) $("about").textContent = `${NONE} Until then there are 2,000 endgames, from easy to hard.`;
  else $("about").textContent = asked ? `Today ${asked} position${asked === 1 ? "" : "s"}, ${right} right on the first try.` : "Nothing is due.";
  for (const part of ["score", "all-dots", "results"]) $(part).hidden = !results.length;
  $("figure").textContent = `${results.filter(isRight).length} of ${results.length}`;
  drawDots($("all-dots"), 0);
  $("results").replaceChildren(...results.map(resultRow));
  const wrong = wrongOnes().length;
  $("again").hidden = !wrong;
  $("again").textContent = wrong === 1 ? "Try the wrong one again" : `Try the ${wrong} wrong ones again`;
  $("more").hidden = !moreCount();
  $("more").textContent = `Practise ${moreCount()} more`;
  if (course.length) {
    $("status").textContent = results.length ? "Step done" : "Learn Othello";
    const [solved, all] = ["solved", "count"].map((key) => course.reduce((sum, each) => sum + each[key], 0));
    $("about").textContent = `${course.length} steps, from the rules to reviewing your games. ${solved} of ${all} positions solved.`;
    $("more").hidden = !nextStep();
    $("more").textContent = `${results.length ? "Next step" : solved ? "Continue" : "Begin"}: ${nextStep()?.title}`;
  }
  const [first, ...others] = [$("again"), $("more"), $("play")].filter((button) => !button.hidden);
  first.classList.add("primary");
  for (const button of others) button.classList.remove("primary");
  const parts = [learnt, answered - learnt, count - answered];
  $("all").replaceChildren(...parts.map((size, index) => meterPart(size, `m${index + 1}`)));
  $("all").ariaLabel = $("totals").textContent = `${parts[0]} known, ${parts[1]} learning, ${parts[2]} new; ${tomorrow} due tomorrow`;
  for (const part of ["all-title", "all", "totals"]) $(part).hidden = !count || course.length > 0;
  drawReasons();
  $("session").hidden = [...$("session").children].every((part) => part.hidden);
  state.size = 0; // the next position starts a new session
  if (size) first.focus({ preventScroll: true });
}

function meterPart(size, kind) {
  const part = made("i", kind);
  part.style.flex = size;
  return part;
}

// Return a row for an answer: the verdict, the moves, the position's source, and when it comes back.
function resultRow({ problem, found, given }) {
  const [kind, text] = found.right ? (given ? ["drawn", `${given} hint${given === 1 ? "" : "s"}`] : ["won", "Right"]) : ["lost", "Wrong"];
  const other = found.move === found.best ? found.played : found.move;
  const moves = other && other !== found.best ? `${found.best}, not ${other}` : found.best;
  const facts = made("small", "", [problem.source, found.again.replace("It comes", "comes").replace(/\.$/, "")].filter(Boolean).join(" \u00b7 "));
  const link = problem.place ? made("a", { href: gameAddress(problem) }, moves) : made("b", "", moves);
  return made(
    "li",
    "",
    made("span", `result ${kind}`, text),
    made("span", "", link, facts),
    made("span", { className: "quiet", ariaHidden: true }, problem.place ? "\u203a" : ""),
  );
}

function drawDamaged() {
  const { damaged } = state.overview;
  $("damaged").hidden = !damaged.length;
  $("damaged").textContent = `${damaged[0]}${damaged.length > 1 ? `; ${damaged.length - 1} more` : ""}. It is skipped.`;
}

function drawReasons() {
  const { reasons, losses } = state.overview;
  $("reasons").hidden = !reasons.length;
  $("reasons").tBodies[0].replaceChildren(
    ...reasons.map(({ name, right, count: all, trend }) => made("tr", "", made("td", "", name, trend && `, ${trend}`), made("td", "r", `${right} of ${all}`))),
  );
  drawLosses(losses);
}

// Show the costliest opening, with a link to train it, and the losses by phase.
function drawLosses(losses) {
  $("losses").hidden = !losses?.phases.length;
  if ($("losses").hidden) return;
  const { opening, phases } = losses;
  const texts = phases.map(({ name, lost }) => `${name} ${lost}`).join(", ");
  const parts = [made("p", "", `Discs lost per game: ${texts}.`)];
  if (opening) {
    const train = made(
      "a",
      { className: "button", href: `/play#${new URLSearchParams({ play: TRAINED_LEVEL, trains: opening.name })}` },
      `Train ${opening.name}`,
    );
    parts.unshift(made("p", "row", `You lose most in ${opening.name}: ${opening.lost} discs per game, over ${opening.games} games. `, train));
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

// Return a handler that moves to the next position. It ignores the second click of a double click (`detail` is 2), and
// further clicks until the position has arrived.
const advancing =
  (act) =>
  ({ detail }) =>
    detail < 2 && !now.isAwaited && attempt(act);

const clicks = {
  next: advancing(next),
  hint: ({ detail }) => (detail < 2 || now.given) && hint(), // a double click on "Next" gives no hint
  answer: () => answer(null),
  retry,
  line: () => {
    now.isLine = !now.isLine;
    draw();
  },
  more: () => attempt(more),
  again: () => attempt(again),
  stop: () => attempt(stop),
  endgames: () => attempt(() => change("endgames")),
  learn: () => attempt(() => change("learn")),
  later: advancing(later),
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

addEventListener("hashchange", () => location.reload());

await attempt(async () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.get("kind") in TITLES) state.kind = asked.get("kind");
  state.step = asked.get("step") ?? "";
  const wanted = asked.get("key"); // a position linked from a review
  if (wanted) {
    await begin();
    beginWith([wanted, ...state.queue.filter((key) => key !== wanted)]);
  }
  await next();
});
