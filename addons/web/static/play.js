// The play page: play, watch and replay games. Connects the server, the displayed game and the parts of the page.

import { listenToActions, press } from "./actions.js";
import { Analysis } from "./analysis.js";
import { BoardView } from "./board.js";
import { moveText } from "./drawing.js";
import { Editor } from "./editor.js";
import { Keep } from "./keep.js";
import { Keys } from "./keys.js";
import { NewGame } from "./new_game.js";
import { Opener } from "./opener.js";
import { $, ask, asking, attempt, confirmFirst, report } from "./page.js";
import { showPanel } from "./panels.js";
import { People } from "./people.js";
import { drawClocks } from "./players.js";
import { Preferences } from "./preferences.js";
import { Review } from "./review.js";
import { Share } from "./share.js";
import { ShownGame } from "./shown_game.js";
import { LEAVE, Starter } from "./starter.js";
import { TableView } from "./table_view.js";
import { listenToTranscripts } from "./transcripts.js";
import { Variations, leavingOf } from "./variations.js";
import { drawWaiting, listenToWaiting } from "./waiting.js";

const draw = () => table.draw();
const say = (text) => table.say(text);
const shown = new ShownGame({ draw, heard, gone });
const isSeen = () => board.step === review.view.step; // false while the position editor draws on the board
const board = new BoardView(
  $("board"),
  (move) => isSeen() && choose(move),
  (square) => isSeen() && keep(square),
);
const editor = new Editor(
  board,
  (text) => opener.replay(shown.game.game, text, ""),
  () => editor.isOpen && showPanel(""),
);
const analysis = new Analysis(shown);
const variations = new Variations(shown);
const review = new Review(analysis, shown, variations);
const people = new People(shown);
const share = new Share(shown, say);
const newGame = new NewGame(() => attempt(() => opener.choose(), $("parameters")));
const opener = new Opener(shown, newGame, review, editor);
const starter = new Starter(shown, newGame, editor, people);
const table = new TableView({ shown, board, editor, analysis, variations, review, people, share, newGame, starter });
const preferences = new Preferences(board, draw);
new Keep(shown, share, kept);
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
    if (!shown.step && !shown.seat) await opener.orUsual(showShared);
    const next = table.keeps ? "Its moves are in My games" : "Start a new game";
    say(`This game no longer exists: it was ended on another page, no page showed it for a minute, or the server was restarted. ${next}.`);
  });
}

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

// Show the saved game. If it was reviewed, review it again so that the review is saved too.
async function kept(name) {
  const isReviewed = review.isDone;
  await opener.replayStored(`/api/kept/${encodeURIComponent(name)}`);
  if (isReviewed) review.begin();
  else say("The game is saved in My games. Review it to practise its mistakes.");
}

// ---- moves

// Handle a move chosen on the board: play it, start a game with it, or try it as a variation of the displayed game.
function choose(move) {
  if (shown.isAwaited) return;
  if (shown.mayPlay) play(move);
  else if (shown.isNext) shown.keep({ move });
  else if (shown.isFresh && !analysis.on) starter.begin({ first: move });
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

// Return the moves that can be typed, each with its action: legal moves or, if the opponent is to move, premove squares.
function typed() {
  if (!shown.step) return [];
  if (!shown.mayKeep || !board.squares) return review.view.step.legal.map((each) => [moveText(each), () => choose(each.move)]);
  const empty = [...shown.step.board].map((_, square) => square).filter((square) => board.canKeep(square));
  return empty.map((square) => [board.squares.name(square), () => keep(square)]);
}

// ---- buttons and keys

$("studyboard").addEventListener("click", () =>
  attempt(async () => {
    await opener.replay(newGame.game, "", "");
    $("new").close();
    showPanel("lines");
    say("Play moves for both sides here, and try variations.");
  }, $("parameters")),
);
$("return").addEventListener("click", () => {
  editor.close();
  shown.goBack();
});
confirmFirst($("resign"), "Really resign?", () => shown.isRunning && play("resign"));
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
listenToTranscripts({
  replay: (game, start, moves) => opener.replay(game, start, moves),
  open: (record) => opener.showFile(() => ask("/api/opened", { record })),
  shown,
  newGame,
  isSure: asking($("paste").querySelector("button"), LEAVE, () => shown.isRunning),
});
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

// ---- startup

// Show the game or position given in the page's address, or else the initial board.
const showShared = () => (shared.has("game") ? opener.showAddress(shared) : opener.choose(usual));

// Show the game named in the page's address, at its line and move. If the game is gone, show the address's moves.
async function showStored(path) {
  try {
    await opener.replayStored(path);
  } catch (error) {
    if (!shared.has("game")) throw error;
    await showShared();
    return;
  }
  if (shared.has("moves")) variations.find(shared.get("moves").split(" "));
  if (shared.has("moves") || shared.has("at")) shown.goTo(Number(shared.get("at") ?? shown.last));
  if (shared.has("review") && analysis.canReview) review.begin(Number(shared.get("review")));
}

// Handle a request from the home page: start a game, continue an unfinished game, or open a dialog.
function beginWanted(wanted) {
  if (["on", "board"].includes(wanted)) $(wanted === "on" ? "playon" : "studyboard").click();
  else if (["form", "rules", "open"].includes(wanted)) {
    $("howto").open = wanted === "rules";
    $(wanted === "open" ? "replay" : "new").showModal();
  } else {
    newGame.choosePlayers(wanted, shared.get("side"));
    $("trained").value = shared.get("trains") ?? "";
    starter.begin({ first: shared.get("first") });
  }
}

const shared = new URLSearchParams(location.hash.slice(1)); // the address when the page was opened
// The initial board does not depend on the server's other replies, so it is requested immediately.
const usual = shared.has("game") || shared.has("session") || shared.has("replay") ? null : ask("/api/replay", { game: "othello" });
addEventListener("hashchange", () => location.reload());

await attempt(async () => {
  const server = await ask("/api/server");
  newGame.fill(server);
  analysis.fill(server.analysts);
  preferences.fill(server.processors);
  table.keeps = server.keeps;
  const [session, stored, wanted] = ["session", "replay", "play"].map((key) => shared.get(key));
  const seat = shared.get("seat") ?? "";
  for (const id of ["another", "import", "return"]) $(id).classList.toggle("noseat", seat !== "");
  if (session) shown.join(session, null, seat);
  else if (stored?.startsWith("/api/")) await opener.orUsual(() => showStored(stored));
  else await opener.orUsual(showShared);
  if (wanted) beginWanted(wanted);
  else if (shown.isFresh) say("Choose the players and begin, or play the first move.");
});
