// The page on which games are played, watched and replayed.

import { movesOf } from "./address.js";
import { Analysis } from "./analysis.js";
import { BoardView } from "./board.js";
import { Connection } from "./connection.js";
import { drawControls } from "./controls.js";
import { Copies } from "./copies.js";
import { Display } from "./display.js";
import { drawEnding } from "./ending.js";
import { Editor } from "./editor.js";
import { Hint } from "./hint.js";
import { KeptGames } from "./kept.js";
import { leafByKeys } from "./keys.js";
import { drawThinking } from "./lines.js";
import { listMoves } from "./moves.js";
import { NewGame } from "./new_game.js";
import { $, ask, attempt, confirmFirst, report } from "./page.js";
import { drawClocks, drawPlayers, isLast, sideToAnswer } from "./players.js";
import { recall, remember } from "./replaced.js";
import { Review } from "./review.js";
import { status } from "./status.js";
import { listenToTranscripts } from "./transcripts.js";
import { Variations } from "./trying.js";
import { joined } from "./variations.js";

const TITLE = document.title;
const state = {
  levels: [], // their names and ratings
  game: null,
  seats: [],
  steps: [],
  at: 0,
  turn: null,
  thinking: [],
  verdict: null,
  socket: null,
  session: null,
  stored: "", // where the server has the game that is shown
  before: [], // the games that were replaced, the last one at the end
  heard: 0,
  trouble: "",
  shown: null,
  fresh: false, // whether the first board waits for a game to begin, which a move on it does
  first: null, // a move that was chosen before the referee asked for it, and the number of moves before it
  ended: null, // the step on which the game ended
};
setInterval(() => drawClocks(state), 100);
const board = new BoardView($("board"), (move) => board.step === state.steps[state.at] && choose(move)); // what is chosen is a move of the position that is drawn
const editor = new Editor(board, (text) => replay(state.game.game, text, ""));
const analysis = new Analysis(() => draw());
const hint = new Hint(() => draw());
const review = new Review(
  analysis,
  () => draw(),
  (step) => variations.follow(step),
  (line, before) => attempt(() => variations.play(line, before)),
);
const display = new Display(board, () => draw());
const copies = new Copies(state, isCovered, say);
const variations = new Variations(state, show);
const newGame = new NewGame(() => attempt(chooseGame, $("parameters")));
const kept = new KeptGames(replayStored);
const connection = new Connection(state, { hear, gone: lose, changed: () => draw() });

// ---- a game on the server

function join(name) {
  wanted++;
  Object.assign(state, { first: null, stored: "" });
  connection.join(name);
}

// The game of the session is not on the server any more.
function lose() {
  attempt(async () => {
    leave();
    if (!state.steps.length) await orUsual(showShared);
    const next = $("kept-section").hidden ? "Begin another" : "What was played of it is in My games";
    say(`That game is gone: it was ended on another page, nobody watched it, or the server was started anew. ${next}.`);
  });
}

function leave() {
  Object.assign(state, { trouble: "", shown: null, stored: "", fresh: false });
  connection.leave();
}

// Show the game before; what is shown now comes back behind all others.
function goBack() {
  const { game, seats, steps, at, verdict, ended, session, stored, reviewed } = recall(state, review.steps);
  editor.close();
  wanted++;
  leave();
  begin(game, seats);
  Object.assign(state, { steps, at, verdict, ended, stored });
  review.steps = reviewed;
  if (session && !verdict) join(session);
  draw();
}

function hear(message) {
  if (message.type === "snapshot") {
    begin(message, message.seats, state.shown === message.id);
    Object.assign(state, { trouble: "", shown: message.id });
    newGame.take(message, message.seats);
    Object.assign(state, { steps: joined(message.steps), at: message.steps.length - 1, thinking: message.thinking, fresh: false });
    end(message.verdict, message.kept);
    hearTurn(message.turn);
    $("new").open = false;
  } else if (message.type === "step") {
    const follows = state.at === state.steps.length - 1;
    state.steps[message.ply] = message.step;
    joined(state.steps);
    display.sound();
    state.turn = null;
    state.thinking = [];
    if (follows) state.at = message.ply;
  } else if (message.type === "turn") {
    state.thinking = [];
    hearTurn(message.turn);
  } else if (message.type === "thinking") state.thinking = message.thinking;
  else if (message.type === "end") {
    Object.assign(state, { steps: joined(message.steps ?? state.steps), turn: null, thinking: [] });
    end(message.verdict, message.kept);
    display.sound(true);
    kept.refresh();
  } else if (message.type === "error") report(message.error);
  draw();
}

function hearTurn(turn) {
  state.turn = turn;
  state.heard = performance.now();
  if (!turn) return;
  if (state.first?.ply === last() && mayPlay()) play(state.first.move);
  state.first = null;
}

// Keep how the game ended, if it has, and what is kept with it by this name.
function end(verdict, kept = null) {
  state.verdict = verdict;
  state.ended = verdict || !state.session ? state.steps.at(-1) : null;
  if (kept) attempt(() => variations.read(kept));
}

// again: whether it is the game that was shown before the connection was lost.
function begin(game, seats, again = false) {
  state.game = game;
  state.seats = seats;
  state.steps = [];
  state.verdict = state.turn = state.ended = null;
  state.thinking = [];
  board.begin(game);
  analysis.begin(!again && seats.some((seat) => seat.person));
}

// A move was chosen on the board: it is played, begins a game, or is tried beside the game that is shown.
function choose(move) {
  if (mayPlay()) play(move);
  else if (isNext()) state.first = { move, ply: state.at };
  else if (state.fresh && !analysis.on) begun({ first: { move, ply: 0 } });
  else if (mayTry()) attempt(() => variations.play([move], state.steps[state.at]));
}

// Whether moves may be tried: in a game that is over or replayed, and on a board for analysis.
function mayTry() {
  return !state.session || state.verdict !== null;
}

function play(move) {
  report(null);
  connection.send({ ply: state.steps.length - 1, move });
}

// Whether a person plays with hidden cards, so that the server does not tell the page all of the position.
function isCovered() {
  return state.game.kind === "hidden" && Boolean(state.session) && !state.verdict && state.seats.some((seat) => seat.person);
}

function mayPlay() {
  return isAsked() && state.socket !== null && state.at === last();
}

// Whether the referee waits for a person's move.
function isAsked() {
  return Boolean(state.seats[sideToAnswer(state)]?.person);
}

// Whether a person is going to be asked for a move in the position that is shown: the referee may still start an engine.
function isNext() {
  const step = state.steps[state.at];
  return Boolean(state.socket) && !state.verdict && !state.turn && state.at === last() && Boolean(state.seats[step.toMove]?.person);
}

// ---- drawing

function draw() {
  const step = state.steps[state.at];
  if (!step) {
    if (state.trouble) say(state.trouble);
    return;
  }
  const live = state.at === state.steps.length - 1;
  analysis.show({ game: state.game, steps: state.steps, at: state.at, finished: mayTry() });
  const lines = analysis.on ? analysis.lines : live ? state.thinking : [];
  editor.show(state.game, step);
  const hinted = hint.linesOf(step);
  drawBoard(step, bookLines(step) ?? (analysis.on ? lines : (hinted ?? lines)));
  drawPlayers(state, step);
  drawThinking(lines, Boolean(state.session) && !state.verdict, analysis.on);
  drawControls(state, { isAsked: mayPlay(), isCovered: isCovered(), canTakeBack: lastOfPerson() > 0 });
  copies.show(step);
  review.show(state);
  variations.draw(step, mayTry());
  drawEnding(state);
  say(status(state, step, mayPlay()));
  document.title = `${isAsked() ? "Your move - " : ""}${TITLE}`; // the person may look at another tab
  listMoves(
    $("moves"),
    state,
    (each) => review.textsOf(each),
    (each) => variations.follow(each),
  ); // last: it measures the page, which is laid out once for that
}

// The book's moves in a position, as lines of a search; null where it has none, or they are not asked for.
function bookLines(step) {
  return $("book").checked && step.book?.length ? step.book : null;
}

// Whoever chose a button below the board, which is drawn anew, is on the first one again when there are some, and else
// on the board for the next move.
function drawBoard(step, lines) {
  const had = $("board").contains(document.activeElement);
  if (editor.drafted) board.show(editor.drafted);
  else board.show(step, { open: mayPlay() || isNext() || mayTry(), lines, better: analysis.on ? [] : review.betterThan(step), isOver: isLast(state, step) });
  if (document.activeElement !== document.body) isOnChoice = false;
  else if (had) isOnChoice = true;
  if (isOnChoice && mayPlay())
    ($("board").querySelector(".choices button") ?? $("board").querySelector("button[tabindex='0']"))?.focus({ preventScroll: true });
}

let isOnChoice = false;

function say(text) {
  if ($("status").textContent !== text) $("status").textContent = text;
}

function show(ply) {
  state.at = Math.max(0, Math.min(state.steps.length - 1, ply));
  draw();
}

// ---- buttons and keys

$("first").addEventListener("click", () => show(0));
$("back").addEventListener("click", () => show(state.at - 1));
$("forward").addEventListener("click", () => show(state.at + 1));
$("last").addEventListener("click", () => show(state.steps.length - 1));
$("hint").addEventListener("click", () => attempt(() => hint.ask(analysis.question(state.steps.slice(0, state.at + 1)), state.steps[state.at])));
$("book").addEventListener("change", () => draw());
confirmFirst($("resign"), "Really resign?", () => mayPlay() && play("resign"));
$("return").addEventListener("click", goBack);
$("takeback").addEventListener("click", () => attempt(takeBack));
confirmFirst(
  $("playon"),
  "Leave this game?",
  () => attempt(() => open({ start: state.steps[0]?.position ?? "", moves: movesOf(state.steps, state.at) })),
  () => !mayTry(),
);

leafByKeys(state, show);

function last() {
  return state.steps.length - 1;
}

// Begin anew before the last move that a person made; the referee itself takes nothing back.
async function takeBack() {
  const players = state.seats.map((seat) => seat.request);
  await open({ start: state.steps[0].position, moves: movesOf(state.steps, lastOfPerson() - 1), players, instead: state.session });
}

// The ply of the last move that a person made; -1 if there is none.
function lastOfPerson() {
  return state.steps.findLastIndex((_, ply) => ply > 0 && state.seats[state.steps[ply - 1].toMove]?.person);
}

// ---- a new game

// Name the sides of the game that was chosen, and show its board where no game would be lost.
async function chooseGame() {
  const number = wanted;
  newGame.describe(await ask(`/api/game?name=${encodeURIComponent(newGame.game)}`));
  if (number !== wanted || state.session || state.steps.length > 1) return; // something else was asked for meanwhile
  await replay(newGame.game, "", "", true);
}

// first: a move that a person has chosen already.
// again: whether it is the same game once more; instead: the session whose game goes on in this one.
async function open({ start = "", moves = "", players = newGame.players(), first = null, again = false, instead = "" }) {
  const game = moves || start || again ? state.game.game : newGame.game;
  const { fresh } = state;
  state.fresh = false; // a second click begins no second game
  const asked = { game, opening: moves, position: start, black: players[0], white: players[1], instead };
  const made = await ask("/api/sessions", asked).catch((error) => {
    state.fresh = fresh;
    throw error;
  });
  if (!instead) remember(state, review.steps);
  $("thinking-box").hidden = true;
  editor.close();
  scrollTo(0, 0); // on a telephone the form stands below the board
  join(made.id);
  state.first = first;
}

// Begin with these players; what is wrong stands at its field of the form.
function begun(options = {}) {
  const fieldOf = (message) => (message.startsWith("game") ? $("parameters") : $("form").lastElementChild);
  attempt(() => open(options), fieldOf);
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  begun();
});
$("studyboard").addEventListener("click", () =>
  attempt(async () => {
    await replay(newGame.game, "", "");
    $("new").open = false;
    say("Moves for both sides are played here, and lines tried.");
  }, $("parameters")),
);
$("rematch").addEventListener("click", () => begun({ players: state.seats.map((seat) => seat.request), again: true }));
$("swap").addEventListener("click", () => begun({ players: state.seats.map((seat) => seat.request).reverse(), again: true }));

// ---- replay

let wanted = 0; // counts what is to be shown; an answer that comes after the next request is not

// fresh: whether the board waits for a game to begin.
async function replay(game, start, moves, fresh = false) {
  const seats = ["", ""].map((name) => ({ name, person: false, limit: null }));
  await showReplay(async () => ({ seats, verdict: null, ...(await ask("/api/replay", { game, start, moves })) }), fresh);
}

// Show a game that the server has at an address.
async function replayStored(path) {
  await showOpened(async () => ({ ...(await ask(path)), stored: path }));
}

// Show a game of a file, and choose its players where they are known.
async function showOpened(read) {
  await showReplay(read);
  if (state.seats.every((seat) => seat.request)) newGame.take(state.game, state.seats);
  $("new").open = false;
  draw();
  scrollTo(0, 0);
}

// Show what the address of the page says: a game or a position, and one of its moves. Without one it is the usual board.
async function showShared() {
  if (!shared.has("game")) {
    await chooseGame();
    return;
  }
  newGame.choose(shared.get("game"));
  await replay(shared.get("game"), shared.get("start") ?? "", shared.get("moves") ?? "");
  newGame.describe(state.game);
  show(Number(shared.get("at") ?? last()));
}

// Show the game that the address of the page names, in its line and at its move; without that game they alone are shown.
async function showStored(path) {
  try {
    await replayStored(path);
  } catch (error) {
    if (!shared.has("game")) throw error;
    await showShared();
    return;
  }
  if (!shared.has("moves")) return;
  variations.find(shared.get("moves").split(" "));
  show(Number(shared.get("at") ?? last()));
}

// Show something, and where that fails, as for an address that was cut short, the usual board and what is wrong.
async function orUsual(what) {
  try {
    await what();
  } catch (error) {
    newGame.choose("othello");
    await chooseGame();
    throw error;
  }
}

async function showReplay(read, fresh = false) {
  const number = ++wanted;
  const found = await read();
  if (number !== wanted) return;
  remember(state, review.steps);
  leave();
  begin(found, found.seats);
  Object.assign(state, { steps: joined(found.steps), at: found.steps.length - 1, fresh, stored: found.stored ?? "" });
  end(found.verdict);
  variations.grow(found.lines);
  draw();
}

listenToTranscripts(replay, (record) => showOpened(() => ask("/api/opened", { record })), { shown: () => state.game.game, chosen: () => newGame.game });

// ---- the beginning

const shared = new URLSearchParams(location.hash.slice(1)); // what the address said when the page was opened
addEventListener("hashchange", () => location.reload());

await attempt(async () => {
  const server = await ask("/api/server");
  state.levels = server.levels;
  newGame.fill(server);
  analysis.fill(server.analysts);
  $("kept-section").hidden = !server.keeps;
  const [session, stored] = [shared.get("session"), shared.get("replay")];
  if (session) join(session);
  else if (stored?.startsWith("/api/")) await orUsual(() => showStored(stored));
  else await orUsual(showShared);
  if (state.fresh) say("Choose the players and begin, or play the first move.");
});
