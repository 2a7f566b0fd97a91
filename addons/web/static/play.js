// The play page: play, watch and replay games. Connects the server, the displayed game and the drawing.

import { drawActions, listenToActions, press } from "./actions.js";
import { Analysis } from "./analysis.js";
import { BoardView } from "./board.js";
import { made, madeButton, moveText } from "./drawing.js";
import { Editor } from "./editor.js";
import { Keep } from "./keep.js";
import { Keys } from "./keys.js";
import { listMoves } from "./moves.js";
import { NewGame } from "./new_game.js";
import { $, ask, asking, attempt, confirmFirst, onSubmit, report } from "./page.js";
import { drawPanels, showPanel } from "./panels.js";
import { People } from "./people.js";
import { drawClocks, drawPlayers } from "./players.js";
import { Preferences } from "./preferences.js";
import { Review } from "./review.js";
import { Share, movesOf } from "./share.js";
import { ShownGame } from "./shown_game.js";
import { drawEnding, statusText } from "./status.js";
import { listenToTranscripts } from "./transcripts.js";
import { Variations, leavingOf } from "./variations.js";
import { drawWaiting, listenToWaiting } from "./waiting.js";

const TITLE = document.title;
const NOBODY = ["", ""].map((name) => ({ name, person: false, limit: null })); // the seats of a game with unknown players
const LEAVE = "Leave this game?";
const shown = new ShownGame({ draw, heard, gone });
const isSeen = () => board.step === review.view.step; // false while the position editor draws on the board
const board = new BoardView(
  $("board"),
  (move) => isSeen() && choose(move),
  (square) => isSeen() && keep(square),
);
const editor = new Editor(
  board,
  (text) => replay(shown.game.game, text, ""),
  () => editor.isOpen && showPanel(""),
);
const analysis = new Analysis(shown);
const variations = new Variations(shown);
const review = new Review(analysis, shown, variations);
const people = new People(shown);
const preferences = new Preferences(board, draw);
const share = new Share(shown, say);
new Keep(shown, share, kept);
const newGame = new NewGame(() => attempt(chooseGame, $("parameters")));
setInterval(() => shown.turn && drawClocks(shown), 100);

// ---- a game on the server

// Update the rest of the page after a server message about the game.
function heard(message) {
  if (message.type === "snapshot") {
    if (!$("new").open && message.seats.every(({ request }) => request)) newGame.take(message, message.seats);
    drawWaiting(message, message.verdict ? null : message.awaited);
  } else if (message.type === "step" || message.type === "end") preferences.sound(message.type === "end");
  else if (message.type === "arrived") $("waiting").close();
  else if (message.type === "error") report(message.error);
  people.hear(message);
  // Messages of other types can arrive while the pass is on its way.
  if (["turn", "snapshot"].includes(message.type) && $("autopass").checked && shown.mayPlay && shown.mustPass) play("pass");
  if (message.kept && !shown.seat) attempt(async () => review.take(await variations.read(message.kept)));
}

function gone() {
  attempt(async () => {
    shown.leave();
    if (!shown.step && !shown.seat) await orUsual(showShared);
    const next = keeps ? "Its moves are in My games" : "Start a new game";
    say(`This game no longer exists: it was ended on another page, no page showed it for a minute, or the server was restarted. ${next}.`);
  });
}

// Handle a move chosen on the board: play it, start a game with it, or try it as a variation of the displayed game.
function choose(move) {
  if (shown.isAwaited) return;
  if (shown.mayPlay) play(move);
  else if (shown.isNext) shown.keep({ move });
  else if (shown.isFresh && !analysis.on) begin({ first: move });
  else if (shown.mayTry) {
    const from = review.view.step;
    review.showStage("after"); // the position after the move played
    attempt(() => variations.play([move], from));
  }
}

function play(move) {
  report(null);
  shown.play(move);
}

// Handle a square chosen during the opponent's turn: make it the premove, or cancel the premove if it is that square.
function keep(square) {
  const name = board.squares.name(square);
  if (!board.canKeep(square)) say("It is not your move yet, and only an empty square can be a premove.");
  else shown.keep(shown.early?.square === square ? null : { square, name });
}

// Clear the premove, else hide the hint, else leave the variation.
function leave() {
  if (shown.early) shown.keep(null);
  else if (analysis.hint?.line) analysis.hideHint();
  else if (shown.mayTry && leavingOf(shown.step)) {
    const { subject } = review;
    if (subject === shown.step) shown.showLine(leavingOf(shown.step));
    else review.visit(subject); // back to the mistake and its reason
  }
}

// ---- drawing

function draw() {
  const { step } = shown;
  if (!step) {
    if (shown.trouble) say(shown.trouble);
    return;
  }
  if (shown.game !== board.game) board.begin(shown.game);
  analysis.draw();
  editor.show(shown.game, step);
  const { view } = review;
  drawBoard(view);
  drawPlayers(shown, newGame.levels, view.step);
  share.draw(shown);
  review.draw();
  variations.draw(shown);
  people.draw();
  if (taken && (!shown.isRunning || shown.last > taken.ply)) hideTaken();
  drawEnding(shown, review.isDone);
  drawSaid();
  drawMoment();
  drawSentence();
  document.title = `${shown.isAsked ? "Your move - " : ""}${TITLE}`; // the person may be on another tab
  listMoves(
    $("moves"),
    shown,
    (each) => review.notesOf(each),
    (each) => review.visit(each),
  ); // last, because it measures the page; the browser then lays the page out only once
}

// Update the status line. When the result or a review replaces it, keep it for screen readers only.
function drawSentence() {
  say(analysis.review ? review.progressText : [statusText(shown, review.view.step), people.text].filter(Boolean).join(" "));
  $("status").classList.toggle("heard", !shown.trouble && (!$("end").hidden || !$("found").hidden));
  $("forget").hidden = !shown.early?.name;
}

// Show the book's comment on the person's last move in opening training, unless a review says more.
function drawSaid() {
  const { steps, at } = shown;
  const said = $("found").hidden ? (steps[at]?.said ?? steps[at - 1]?.said ?? "") : "";
  if ($("said").textContent !== said) $("said").textContent = said;
}

// Show the available actions and panels.
function drawMoment() {
  const { canHint, canReview, hint } = analysis;
  drawActions(shown, {
    isEditing: editor.isOpen,
    canHint,
    canReview,
    hint: hint?.line,
    isReviewing: analysis.review !== null,
    isReviewed: review.isDone,
    canPractise: review.practisedAt(shown.step) !== undefined,
    canKeep: keeps && shown.mayTry && !shown.session && !shown.isFresh && shown.last > 0 && !shown.keptName,
    isTried: shown.mayTry && leavingOf(shown.step) !== null,
  });
  drawPlace();
  $("graph-panel").classList.toggle("always", review.isDone);
  drawPanels();
}

// Place a row below the board: the person's or, unless exactly one person plays, the first player's (on a turned board,
// the second player's).
function drawPlace() {
  const people = [0, 1].filter((side) => shown.seats[side]?.person);
  const below = people.length === 1 ? people[0] : Number(board.isTurned);
  for (const side of [0, 1]) $(`player${side}`).classList.toggle("you", side === below);
  for (const side of [0, 1]) $(`player${side}`).classList.toggle("opp", side !== below);
}

// Redrawing removes the focused button, so move the focus to the first new button, or to the board if there are none.
function drawBoard({ step, tags }) {
  const had = $("board").contains(document.activeElement);
  if (editor.drafted) board.show(editor.drafted);
  else {
    const open = !shown.isAwaited && (shown.mayPlay || shown.isNext || shown.mayTry);
    const { early, isOver, mayKeep } = shown;
    const kept = mayKeep && early?.name ? { square: early.square, side: 1 - step.toMove } : null;
    board.show(step, { open, lines: tags.length ? [] : analysis.linesOnBoard, tags, isOver, keeps: mayKeep, kept });
  }
  if (document.activeElement !== document.body) isOnChoice = false;
  else if (had) isOnChoice = true;
  if (isOnChoice && shown.mayPlay)
    (document.querySelector(".choices button") ?? $("board").querySelector("button[tabindex='0']"))?.focus({ preventScroll: true });
}

let isOnChoice = false;

function say(text) {
  $("status").classList.remove("heard");
  if ($("status").textContent !== text) $("status").textContent = text;
}

// ---- a new game

// Update the sides' names for the chosen game, and show its board if no game would be lost.
// asked: its board, if already requested.
async function chooseGame(asked = null) {
  const { requests } = shown;
  const { game } = newGame;
  const isFree = () => requests === shown.requests && !shown.session && !(shown.last > 0);
  const found = await (isFree() ? (asked ?? ask("/api/replay", { game })) : ask(`/api/game?name=${encodeURIComponent(game)}`));
  if (game === newGame.game) newGame.describe(found);
  if (found.steps && isFree()) await showFound(async () => ({ seats: NOBODY, verdict: null, ...found }), true); // nothing else was requested in the meantime
}

// Start a game on the server. first: a move already chosen by a person; again: whether this repeats the same game;
// instead: the session that this game replaces; rewind: the ply to which its moves are taken back.
async function open({ start = "", moves = "", players = newGame.players(), first = null, again = false, instead = "", rewind = null }) {
  if (shown.isAwaited) return;
  const game = moves || start || again ? shown.game.game : newGame.game;
  shown.wait(true);
  const trains = again || instead ? (shown.game.trains ?? "") : moves || start ? "" : newGame.trains;
  const [black, white] = players;
  const kept = moves ? shown.keptName : "";
  const asked = { game, opening: moves, position: start, trains, black, white, assisted: newGame.assisted, instead, kept };
  if (rewind !== null) shown.rewind(rewind);
  const made = await ask("/api/sessions", asked).catch((error) => {
    shown.wait(false);
    if (instead) shown.connect(instead);
    throw error;
  });
  if (!instead) {
    shown.setAside();
    $("new").close();
  }
  newGame.remember();
  editor.close();
  shown.join(made.id, first);
}

// Start a game with these players; errors are shown at their fields in the form.
function begin(options = {}) {
  const fieldOf = (message) => (message.startsWith("game") ? $("parameters") : $("form").lastElementChild);
  attempt(() => open(options), fieldOf);
}

let taken = null; // the last take-back, which can be undone until the next move: { ply }, the ply it returned to

// The referee cannot take moves back, so start another game from the position before the person's last move.
async function takeBack() {
  const players = shown.seats.map((seat) => seat.request);
  const { steps, last } = shown;
  const ply = shown.lastOfPerson - 1;
  const start = steps[0].position;
  await open({ start, moves: movesOf(steps, ply), players, instead: shown.session, rewind: ply });
  taken = { ply };
  const undo = () => {
    hideTaken();
    attempt(() => open({ start, moves: movesOf(steps, last), players, instead: shown.session }));
  };
  const text = `Took back ${moveText(steps[ply + 1])}${last > ply + 1 ? " and the reply" : ""}.`;
  $("toast").replaceChildren(made("span", "", text), madeButton("Undo", undo));
}

function hideTaken() {
  taken = null;
  $("toast").replaceChildren();
}

function beginAgain(seats) {
  begin({ players: seats.map((seat) => seat.request), again: true });
}

const isSureToBegin = asking($("form").querySelector("[type=submit]"), LEAVE, () => shown.isRunning);
onSubmit($("form"), () => isSureToBegin() && begin());
$("studyboard").addEventListener("click", () =>
  attempt(async () => {
    await replay(newGame.game, "", "");
    $("new").close();
    say("Play moves for both sides here, and try variations.");
  }, $("parameters")),
);
$("rematch").addEventListener("click", () => (shown.isShared ? people.offer("rematch") : beginAgain(shown.seats)));
$("swap").addEventListener("click", () => beginAgain(shown.seats.toReversed()));
$("takeback").addEventListener("click", () => (shown.isShared ? people.offer("takeback") : attempt(takeBack)));
$("return").addEventListener("click", () => {
  editor.close();
  shown.goBack();
});
confirmFirst($("resign"), "Really resign?", () => shown.isRunning && play("resign"));
confirmFirst(
  $("playon"),
  LEAVE,
  () => attempt(() => open({ start: shown.steps[0]?.position ?? "", moves: movesOf(shown.steps, shown.at) })),
  () => shown.isRunning,
);
// Return the moves that can be typed, each with its action: legal moves or, if the opponent is to move, premove squares.
function typed() {
  if (!shown.step) return [];
  if (!shown.mayKeep || !board.squares) return review.view.step.legal.map((each) => [moveText(each), () => choose(each.move)]);
  const empty = [...shown.step.board].map((_, square) => square).filter((square) => board.canKeep(square));
  return empty.map((square) => [board.squares.name(square), () => keep(square)]);
}

new Keys(
  {
    ...listenToActions(shown),
    h: () => press("hint"),
    u: () => press("takeback"),
    f: () => $("turn").click(),
    x: () => $("scoring").hidden || $("analyse").click(),
    b: () => press("better"),
    1: () => review.showStage("before"),
    2: () => review.showStage("after"),
    3: () => review.showStage("better"),
    Enter: ({ target }) => shown.mayPlay && shown.mustPass && !target.closest("button:not(#board button), a") && play("pass"),
    m: () => press("mistake"),
    Escape: leave,
    n: () => (shown.seat && $("rematch").hidden) || ($("rematch").hidden ? $("new").showModal() : press("rematch")),
    "?": () => $("keys").showModal(),
  },
  typed,
);
// Pausing ends a game of two engines on the server; "Play from here" continues it with its scores and clocks.
$("pause").addEventListener("click", () =>
  attempt(async () => {
    const { session } = shown;
    shown.pause();
    const { kept } = await ask(`/api/sessions/${session}`, undefined, "DELETE");
    if (kept) await variations.read(kept);
    shown.draw();
  }),
);
$("editor-panel").addEventListener("toggle", () => shown.step && draw());
$("editor-done").addEventListener("click", () => editor.close());
$("forget").addEventListener("click", () => shown.keep(null));
$("togame").addEventListener("click", leave);
$("playhint").addEventListener("click", () => choose(analysis.hint.line.pv[0].move));
listenToWaiting(shown);
for (const id of ["renew", "another"]) $(id).addEventListener("click", () => $("new").showModal());
$("import").addEventListener("click", () => {
  $("replay-moves").textContent = `Moves of the ${newGame.game} game`;
  $("replay").showModal();
});

// ---- replay

async function replay(game, start, moves) {
  const found = await showFound(async () => ({ seats: NOBODY, verdict: null, ...(await ask("/api/replay", { game, start, moves })) }));
  if (!found?.asks) return;
  showPanel("editor");
  editor.tell("ask", "Check the squares, and choose the side to move.");
}

// Show a game from an address on the server.
async function replayStored(path) {
  await showOpened(async () => ({ ...(await ask(path)), stored: path }));
  showWayBack(shown.back);
}

// Show the saved game. If it was reviewed, review it again so that the review is saved too.
async function kept(name) {
  const isReviewed = review.isDone;
  await replayStored(`/api/kept/${encodeURIComponent(name)}`);
  if (isReviewed) review.begin();
  else say("The game is saved in My games. Review it to practise its mistakes.");
}

// Link back to the game's origin, such as its tournament. back: { address, text }, or nothing.
function showWayBack(back) {
  document.getElementById("way-back")?.remove();
  if (!back) return;
  document.querySelector("header nav").after(made("a", { id: "way-back", href: back.address }, `\u2190 ${back.text}`));
}

// Show a game from a file, and select its players if known.
async function showOpened(read) {
  await showFound(read);
  if (shown.seats.every((seat) => seat.request)) newGame.take(shown.game, shown.seats);
  draw();
}

async function showFound(read, isFresh = false) {
  const isLast = shown.request();
  const found = await read();
  if (!isLast()) return null;
  shown.show(found, isFresh);
  review.take(found.review);
  return found;
}

// Show the game or position given in the page's address, at the move given there, or else the initial board.
async function showShared() {
  if (!shared.has("game")) {
    await chooseGame(usual);
    return;
  }
  newGame.choose(shared.get("game"));
  await replay(shared.get("game"), shared.get("start") ?? "", shared.get("moves") ?? "");
  newGame.describe(shown.game);
  shown.goTo(Number(shared.get("at") ?? shown.last));
}

// Show the game named in the page's address, at its line and move. If the game is gone, show the address's moves.
async function showStored(path) {
  try {
    await replayStored(path);
  } catch (error) {
    if (!shared.has("game")) throw error;
    await showShared();
    return;
  }
  if (shared.has("moves")) variations.find(shared.get("moves").split(" "));
  if (shared.has("moves") || shared.has("at")) shown.goTo(Number(shared.get("at") ?? shown.last));
  if (shared.has("review") && analysis.canReview) review.begin(Number(shared.get("review")));
}

// Run `what`; if it fails, for example because of a truncated address, show the initial board and the error.
async function orUsual(what) {
  try {
    await what();
  } catch (error) {
    newGame.choose("othello");
    await chooseGame();
    throw error;
  }
}

listenToTranscripts({
  replay,
  open: (record) => showOpened(() => ask("/api/opened", { record })),
  shown,
  newGame,
  isSure: asking($("paste").querySelector("button"), LEAVE, () => shown.isRunning),
});

// ---- startup

// Handle a request from the home page: start a game, continue an unfinished game, or open a dialog.
function beginWanted(wanted) {
  if (wanted === "on") $("playon").click();
  else if (["form", "rules", "open"].includes(wanted)) {
    $("howto").open = wanted === "rules";
    $(wanted === "open" ? "replay" : "new").showModal();
  } else {
    newGame.choosePlayers(wanted, shared.get("side"));
    $("trained").value = shared.get("trains") ?? "";
    begin({ first: shared.get("first") });
  }
}

let keeps = false; // whether the server saves games
const shared = new URLSearchParams(location.hash.slice(1)); // the address when the page was opened
// The initial board does not depend on the server's other replies, so it is requested immediately.
const usual = shared.has("game") || shared.has("session") || shared.has("replay") ? null : ask("/api/replay", { game: "othello" });
addEventListener("hashchange", () => location.reload());

await attempt(async () => {
  const server = await ask("/api/server");
  newGame.fill(server);
  analysis.fill(server.analysts);
  keeps = server.keeps;
  const [session, stored, wanted] = ["session", "replay", "play"].map((key) => shared.get(key));
  const seat = shared.get("seat") ?? "";
  for (const id of ["another", "import", "return"]) $(id).classList.toggle("noseat", seat !== "");
  if (session) shown.join(session, null, seat);
  else if (stored?.startsWith("/api/")) await orUsual(() => showStored(stored));
  else await orUsual(showShared);
  if (wanted) beginWanted(wanted);
  else if (shown.isFresh) say("Choose the players and begin, or play the first move.");
});
