// The page on which games are played, watched and replayed.

import { Analysis, lossTexts } from "./analysis.js";
import { BoardView } from "./board.js";
import { scoreText } from "./drawing.js";
import { Editor } from "./editor.js";
import { drawGraph } from "./graph.js";
import { Hint } from "./hint.js";
import { listMoves } from "./moves.js";
import { NewGame } from "./new_game.js";
import { $, ask, attempt, fillSelect, report, serverAddress } from "./page.js";
import { COLORS, drawClocks, drawPlayers, seatName, sentence, sideToAnswer } from "./players.js";

const AGAIN_MS = 1000; // until a lost connection is tried again
const GONE = 4404;
const MOST_ROWS = 4; // of the lines of a search

const state = {
  game: null,
  seats: [],
  steps: [],
  at: 0,
  turn: null,
  thinking: [],
  verdict: null,
  socket: null,
  session: null,
  heard: 0,
  trouble: "",
  shown: null,
};
setInterval(() => drawClocks(state), 100);
const board = new BoardView($("board"), (move) => board.step === state.steps[state.at] && play(move)); // what is chosen is a move of the position that is drawn
const editor = new Editor(board, (text) => replay(state.game.game, text, ""));
const analysis = new Analysis(() => draw());
const hint = new Hint(() => draw());
const newGame = new NewGame(() => attempt(chooseGame));

// ---- a game on the server

function join(name) {
  wanted++;
  state.socket?.close();
  state.session = name;
  history.replaceState(null, "", `#${name}`);
  const socket = new WebSocket(`${serverAddress()}/sessions/${name}`);
  state.socket = socket;
  socket.addEventListener("message", (event) => {
    if (state.socket === socket) hear(JSON.parse(event.data));
  });
  socket.addEventListener("close", (event) => {
    if (state.socket !== socket) return;
    state.socket = null;
    if (event.code === GONE) {
      attempt(async () => {
        if (state.steps.length) leave();
        else await replay(newGame.game, "", "");
        say("That game is gone: it was ended on another page, nobody watched it, or the server was started anew. Begin another.");
      });
    } else if (!state.verdict) lost(name);
  });
}

// Try again to reach a game, unless this page is not let in any more.
async function lost(name) {
  const answer = await fetch("/api/server").catch(() => null);
  const isRefused = answer?.status === 403;
  if (state.session !== name || state.socket) return;
  if (isRefused) state.trouble = `The server was started anew, and does not know this page: ${(await answer.text()).trim()}.`;
  else state.trouble = "The connection is lost; it is tried again. If the server was ended, start it again and open the address that it prints.";
  draw();
  if (!isRefused) setTimeout(() => state.session === name && !state.socket && join(name), AGAIN_MS);
}

function leave() {
  Object.assign(state, { trouble: "", shown: null });
  state.socket?.close();
  state.socket = state.session = null;
  history.replaceState(null, "", location.pathname);
}

function hear(message) {
  if (message.type === "snapshot") {
    begin(message, message.seats, state.shown === message.id);
    Object.assign(state, { trouble: "", shown: message.id });
    newGame.take(message, message.seats);
    Object.assign(state, { steps: message.steps, at: message.steps.length - 1, verdict: message.verdict, thinking: message.thinking });
    hearTurn(message.turn);
    $("new").open = false;
  } else if (message.type === "step") {
    const follows = state.at === state.steps.length - 1;
    state.steps[message.ply] = message.step;
    state.turn = null;
    state.thinking = [];
    if (follows) state.at = message.ply;
  } else if (message.type === "turn") {
    state.thinking = [];
    hearTurn(message.turn);
  } else if (message.type === "thinking") state.thinking = message.thinking;
  else if (message.type === "end") Object.assign(state, { steps: message.steps ?? state.steps, verdict: message.verdict, turn: null, thinking: [] });
  else if (message.type === "error") report(message.error);
  draw();
}

function hearTurn(turn) {
  state.turn = turn;
  state.heard = performance.now();
}

// again: whether it is the game that was shown before the connection was lost.
function begin(game, seats, again = false) {
  state.game = game;
  state.seats = seats;
  state.steps = [];
  state.verdict = state.turn = null;
  state.thinking = [];
  board.begin(game);
  analysis.begin(!again && seats.some((seat) => seat.person));
}

function play(move) {
  if (!mayPlay()) return;
  report(null);
  state.socket.send(JSON.stringify({ ply: state.steps.length - 1, move }));
}

// Whether a person plays with hidden cards, so that the server does not tell the page all of the position.
function isCovered() {
  return state.game.kind === "hidden" && Boolean(state.session) && !state.verdict && state.seats.some((seat) => seat.person);
}

function mayPlay() {
  const side = sideToAnswer(state);
  return side >= 0 && state.seats[side].person && state.socket !== null && state.at === state.steps.length - 1;
}

// ---- drawing

function draw() {
  const step = state.steps[state.at];
  if (!step) {
    if (state.trouble) say(state.trouble);
    return;
  }
  const live = state.at === state.steps.length - 1;
  analysis.show({ game: state.game, steps: state.steps, at: state.at, finished: !state.session || state.verdict !== null });
  const lines = analysis.on ? analysis.lines : live ? state.thinking : [];
  editor.show(state.game, step);
  drawBoard(step, hint.linesOf(step) ?? bookLines(step) ?? lines);
  drawPlayers(state, step);
  drawThinking(lines);
  $("hint").disabled = step.legal.length < 2;
  $("bookbox").hidden = !state.steps[0].book;
  $("opening").textContent = state.steps.slice(0, state.at + 1).findLast((each) => each.opening)?.opening ?? "";
  $("first").disabled = $("back").disabled = state.at === 0;
  $("last").disabled = $("forward").disabled = live;
  $("resign").hidden = !mayPlay();
  $("takeback").hidden = !(state.session && state.seats.some((seat) => seat.person) && !state.seats.every((seat) => seat.person)) || isCovered();
  $("playon").hidden = isCovered();
  $("takeback").disabled = lastOfPerson() < 1;
  $("playon").disabled = step.result !== null;
  $("copynumbers").hidden = !state.game.numbered;
  linkTree(step);
  $("graph-box").hidden = !drawGraph($("graph"), state.steps, state.at, state.game.players, state.game.point);
  say(status(step));
  listMoves($("moves"), state, (ply) => lossTexts(analysis.losses.get(ply)), show); // last: it measures the page, which is laid out once for that
}

// The book's moves in a position, as lines of a search; null where it has none, or they are not asked for.
function bookLines(step) {
  return $("book").checked && step.book?.length ? step.book : null;
}

// Offer the position to the page of search trees, where the game has them.
function linkTree(step) {
  $("totree").hidden = state.game.kind !== "perfect";
  $("totree").href = `/tree#${new URLSearchParams({ game: state.game.game, position: step.position })}`;
}

// Whoever chose a button below the board, which is drawn anew, is on the first one again when there are some, and else
// on the board for the next move.
function drawBoard(step, lines) {
  const had = $("board").contains(document.activeElement);
  if (editor.drafted) board.show(editor.drafted);
  else board.show(step, { open: mayPlay(), lines });
  if (document.activeElement !== document.body) isOnChoice = false;
  else if (had) isOnChoice = true;
  if (isOnChoice && mayPlay())
    ($("board").querySelector(".choices button") ?? $("board").querySelector("button[tabindex='0']"))?.focus({ preventScroll: true });
}

let isOnChoice = false;

function status(step) {
  if (state.trouble) return state.trouble;
  const players = state.game.players;
  if (state.verdict && state.at === state.steps.length - 1) {
    const { result, detail } = state.verdict;
    return result === "*" ? `The game could not go on: ${detail}` : `${sentence(detail, state.seats)} (${result}).`;
  }
  if (step.result) return sentence(step.result, state.seats);
  if (step.toMove === null) return "Chance decides.";
  const seat = state.seats[step.toMove];
  if (!state.session) return `${players[step.toMove]} to move.`;
  if (mayPlay()) return `${answerTo(step.toMove)}${players[step.toMove]}: your move.`;
  return `${players[step.toMove]} to move${seat?.name ? ` (${seatName(seat)})` : ""}.`;
}

// What the opponent of a side has played last, for those who do not see it.
function answerTo(side) {
  const made = state.steps.findLast((step) => COLORS.includes(step.by));
  if (made?.by !== COLORS[1 - side]) return "";
  return `${state.game.players[1 - side]} ${made.move === "pass" ? "passed" : `played ${made.move}`}. `;
}

function say(text) {
  if ($("status").textContent !== text) $("status").textContent = text;
}

function drawThinking(lines) {
  const rows = lines.slice(0, MOST_ROWS).map((line) => {
    const row = document.createElement("tr");
    const cells = [line.depth ?? "", scoreText(line.score), countText(line.nps), line.pv.map((each) => each.move).join(" ")];
    for (const cell of cells) row.insertCell().textContent = String(cell);
    return row;
  });
  $("thinking").tBodies[0].replaceChildren(...rows);
  if (rows.length) $("thinking-box").hidden = false;
  else if (!state.session || state.verdict) $("thinking-box").hidden = true; // between two searches it stays, and so does what is below it
}

function countText(count) {
  if (!count) return "";
  return count < 1e4 ? String(count) : count < 1e6 ? `${Math.round(count / 1e3)} k` : `${(count / 1e6).toFixed(1)} M`;
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
$("hint").addEventListener("click", () => attempt(() => hint.ask(analysis.question(state.at), state.steps[state.at])));
$("book").addEventListener("change", () => draw());
$("resign").addEventListener("click", () => play("resign"));
$("takeback").addEventListener("click", () => attempt(takeBack));
$("playon").addEventListener("click", () => attempt(() => open({ start: state.steps[0]?.position ?? "", moves: movesTo(state.at) })));
$("copy").addEventListener("click", () => attempt(() => copy(movesTo(last()), "The moves are copied.")));
$("copynumbers").addEventListener("click", () => attempt(() => copy(movesTo(last(), "project"), "The moves are copied as numbers.")));
$("copyposition").addEventListener("click", () => attempt(() => copy(state.steps[state.at]?.position ?? "", "The position is copied.")));

for (const id of ["board", "controls", "moves"]) $(id).addEventListener("keydown", leaf);

// Go through the game. Elsewhere on the page these keys scroll, as they always do; on the board arrows go from square to square.
function leaf(event) {
  const arrows = $("board").contains(event.target) ? {} : { ArrowLeft: state.at - 1, ArrowRight: state.at + 1 };
  const ply = { PageUp: state.at - 1, PageDown: state.at + 1, Home: 0, End: last(), ...arrows }[event.key];
  if (ply === undefined || !state.steps.length || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  show(ply);
  if (event.target.closest("#moves li")) ($("moves").querySelector("[aria-current]") ?? $("moves")).focus();
}

async function copy(text, done) {
  await navigator.clipboard.writeText(text);
  say(done);
}

function movesTo(ply, notation = "move") {
  return state.steps
    .slice(1, ply + 1)
    .map((step) => step[notation])
    .join(" ");
}

function last() {
  return state.steps.length - 1;
}

// What is pasted beside the fields is a game to be replayed.
document.addEventListener("paste", (event) => {
  if (event.target.matches("input, textarea")) return;
  const text = event.clipboardData.getData("text");
  $("transcript").value = text;
  attempt(() => replay(state.game.game, "", text));
});

// Begin anew before the last move that a person made; the referee itself takes nothing back.
async function takeBack() {
  await open({ start: state.steps[0].position, moves: movesTo(lastOfPerson() - 1), players: state.seats.map((seat) => seat.request) });
}

// The ply of the last move that a person made; -1 if there is none.
function lastOfPerson() {
  return state.steps.findLastIndex((_, ply) => ply > 0 && state.seats[state.steps[ply - 1].toMove]?.person);
}

// ---- a new game

// Name the sides of the game that was chosen, and show its board where no game would be lost.
async function chooseGame() {
  newGame.describe(await ask(`/api/game?name=${encodeURIComponent(newGame.game)}`));
  if (!state.session && state.steps.length < 2) await replay(newGame.game, "", "");
}

async function open({ start = "", moves = "", players = newGame.players() }) {
  const game = moves || start ? state.game.game : newGame.game;
  const made = await ask("/api/sessions", { game, opening: moves, position: start, black: players[0], white: players[1] });
  if (state.session) await ask(`/api/sessions/${state.session}`, undefined, "DELETE");
  $("thinking-box").hidden = true;
  editor.close();
  scrollTo(0, 0); // on a telephone the form stands below the board
  join(made.id);
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(() => open({}));
});

// ---- replay

let wanted = 0; // counts what is to be shown; an answer that comes after the next request is not

async function replay(game, start, moves, players = ["", ""]) {
  const seats = players.map((name) => ({ name, person: false, limit: null }));
  await showReplay(async () => ({ seats, verdict: null, ...(await ask("/api/replay", { game, start, moves })) }));
}

// Show a game that another page offers; the address keeps where it is, so that the page may be loaded again.
async function replayStored(path) {
  await showReplay(() => ask(path));
  history.replaceState(null, "", `#replay=${path}`);
  $("new").open = false;
}

// Show a position that the page of search trees hands over.
async function showPosition(said) {
  const [name, ...parameters] = said.get("game").split(" ");
  $("gamename").value = name;
  $("parameters").value = parameters.join(" ");
  await replay(said.get("game"), said.get("start") ?? "", "");
}

async function showReplay(read) {
  const number = ++wanted;
  const found = await read();
  if (number !== wanted) return;
  leave();
  begin(found, found.seats);
  state.steps = found.steps;
  state.verdict = found.verdict;
  state.at = 0;
  draw();
}

$("paste").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(() => replay(newGame.game, $("start").value, $("transcript").value));
});

let games = [];
$("file").addEventListener("change", () =>
  attempt(async () => {
    const file = $("file").files[0];
    if (!file) return;
    const found = await ask(`/api/import?${new URLSearchParams({ name: file.name })}`, file);
    games = found.games;
    fillSelect(
      $("imported"),
      games.map((each, index) => [String(index), each.title]),
      "0",
    );
    $("which").hidden = false;
    $("more").hidden = !found.more;
    $("more").textContent = `${file.name} has more games; these are the first ${games.length}.`;
    await showImported(0);
  }),
);
$("imported").addEventListener("change", () => attempt(() => showImported(Number($("imported").value))));

async function showImported(index) {
  const { start, moves, players } = games[index];
  await replay("othello", start, moves, players);
}

// ---- the beginning

await attempt(async () => {
  const server = await ask("/api/server");
  newGame.fill(server);
  analysis.fill(server.analysts);
  const shown = location.hash.slice(1);
  const stored = /^replay=(\/api\/[\w/-]+)$/.exec(shown);
  if (/^[\w-]+$/.test(shown)) join(shown);
  else if (stored) await replayStored(stored[1]);
  else if (shown.startsWith("game=")) await showPosition(new URLSearchParams(shown));
  else await chooseGame();
  if (!state.session && !stored) say("Choose the players and begin.");
});
