// The game that the page shows: its moves, which of them is seen, who plays, how it ended, and the connection to the
// server while it is played. Others read its fields; each change is a method here, and what draws the page is told.

import { COLORS } from "./players.js";
import { KEPT, grow, joined, lineThrough } from "./variations.js";

const AGAIN_MS = 1000; // the time between two attempts to find a lost connection again
const GONE = 4404; // the code by which the server closes the websocket of a game that it does not have
const TURNING_MS = 150; // discs turn for so long, as board.css has it; the next move is not shown before
const MOST_REPLACED = 10; // games that the page keeps to go back to
// What a game is: as the server describes it, who plays, the steps of the line that is shown, the ply that is seen, how it
// ended and on which step, its session while it is played, the seat at this machine where the server is another one, and
// where the server keeps it.
const GAME = { game: null, seat: "", seats: [], steps: [], at: 0, verdict: null, ended: null, session: null, stored: "" };
// What passes: whose turn it is, what its engine thinks, whether the first board waits for a game to begin, a move or a
// square that was chosen before the referee asked for a move, what became of it, what is wrong with the connection, and
// whether a game was asked for that has not been shown yet.
const MOMENT = { turn: null, thinking: [], isFresh: false, early: null, dropped: "", trouble: "", isAwaited: false };

export class ShownGame {
  // draw: draws the page; heard: called with each message of the server; gone: called when the server has no such game.
  constructor({ draw, heard, gone }) {
    Object.assign(this, GAME, MOMENT, { draw, heard, gone });
    this.socket = null;
    this.replaced = []; // the games that were shown before, the latest one at the end
    this.told = Promise.resolve(); // settled when all messages so far have been heard
    this.turned = null; // settled when the discs of the last move have turned
    this.requests = 0; // counts the requests to show something; the answer to an earlier one is not shown
  }

  // ---- what can be asked

  get step() {
    return this.steps[this.at];
  }

  get last() {
    return this.steps.length - 1;
  }

  get isRunning() {
    return Boolean(this.session) && !this.verdict;
  }

  // Whether the game ended on the step that is seen, on the board or by a verdict such as a resignation.
  get isOver() {
    return this.verdict !== null && this.step === this.ended;
  }

  get hasPerson() {
    return this.seats.some(({ person }) => person);
  }

  // Whether a person plays at another machine.
  get isShared() {
    return this.seats.some(({ away }) => away);
  }

  // Whether a person plays with hidden cards, so that the server does not tell the page all of the position.
  get isCovered() {
    return this.game.kind === "hidden" && this.isRunning && this.hasPerson;
  }

  // The side that the referee waits for; -1 for none.
  get sideAsked() {
    return this.turn ? COLORS.indexOf(this.turn.color) : -1;
  }

  // Whether the referee waits for a person's move.
  get isAsked() {
    return Boolean(this.seats[this.sideAsked]?.person);
  }

  get mayPlay() {
    return this.isAsked && this.socket !== null && this.at === this.last;
  }

  // Whether a person will be asked for a move in the position that is seen: the referee may still start an engine.
  get isNext() {
    return this.isRunning && !this.isAwaited && Boolean(this.socket) && !this.turn && this.at === this.last && Boolean(this.seats[this.step.toMove]?.person);
  }

  // Whether a square can be kept as the next move, since an engine is to move.
  get mayKeep() {
    const next = this.isRunning && this.at === this.last ? this.seats[this.step.toMove] : null;
    return Boolean(next && this.socket) && !next.person && this.hasPerson && !this.isCovered && !this.isAwaited;
  }

  // Whether moves may be tried: in a game that is over or replayed, and on a board for analysis.
  get mayTry() {
    return !this.isRunning;
  }

  // The ply of the last move that a person made; -1 if there is none.
  get lastOfPerson() {
    return this.steps.findLastIndex((_, ply) => ply > 0 && this.seats[this.steps[ply - 1].toMove]?.person);
  }

  // The name of the game among those that the server keeps; empty for others.
  get keptName() {
    return this.stored.startsWith(KEPT) ? decodeURIComponent(this.stored.slice(KEPT.length)) : "";
  }

  // ---- another game

  // Note that something else is to be shown. Return what tells whether that is still the last request.
  request() {
    const number = ++this.requests;
    return () => number === this.requests;
  }

  // Note whether a game was asked for: until it is shown, a second click begins no second one.
  wait(isAwaited) {
    this.isAwaited = isAwaited;
  }

  // Show a game or a position that nobody plays.
  show(found, isFresh = false) {
    this.setAside();
    this.leave();
    this.begin(found, found.seats, found.steps);
    Object.assign(this, { isFresh, stored: found.stored ?? "", back: found.back });
    this.end(found.verdict);
    grow(this.steps[0], found.lines ?? []);
    this.steps = lineThrough(this.steps.at(-1));
    this.draw();
  }

  // Keep the game that is shown, which another one is going to replace.
  setAside() {
    const kept = this.snapshot();
    if (kept) this.replaced = [...this.replaced, kept].slice(-MOST_REPLACED);
  }

  // Show the game before; the one that is shown now comes back behind all others.
  goBack() {
    const shown = this.snapshot();
    const { session, ...found } = this.replaced.pop();
    if (shown) this.replaced.unshift(shown);
    this.request();
    this.leave();
    Object.assign(this, GAME, MOMENT, found);
    if (session && !this.verdict) this.join(session);
    this.draw();
  }

  // Return what is shown; null where nothing would be lost.
  snapshot() {
    const isWorthIt = this.last > 0 || this.isRunning;
    return isWorthIt ? Object.fromEntries(Object.keys(GAME).map((key) => [key, this[key]])) : null;
  }

  begin(game, seats, steps) {
    Object.assign(this, { game, seats, steps: joined(steps), at: steps.length - 1, verdict: null, ended: null, turn: null, thinking: [] });
  }

  end(verdict) {
    this.verdict = verdict;
    this.ended = verdict || !this.session ? this.steps.at(-1) : null;
  }

  // Note where the server keeps the game, and what its file says beside its moves.
  keepAt(stored, record = this.game.record) {
    this.stored = stored;
    this.game.record = record;
  }

  // ---- the moves that are seen

  goTo(ply) {
    this.at = Math.max(0, Math.min(this.last, ply));
    this.draw();
  }

  // See a step, and the line that it belongs to.
  follow(step) {
    if (this.steps.includes(step)) this.goTo(step.ply);
    else this.showLine(step);
  }

  // See a step of a tree that has changed.
  showLine(step) {
    this.isFresh = false;
    this.steps = lineThrough(step);
    this.goTo(step.ply);
  }

  // ---- a game that is played on the server

  // first: a move that a person has chosen already; null for none. seat: the part of its address that is secret.
  join(name, first = null, seat = "") {
    this.request();
    Object.assign(this, { seat, early: first && { move: first }, dropped: "", stored: "", isFresh: false, isAwaited: true });
    this.connect(name);
  }

  connect(name) {
    this.socket?.close();
    this.session = name;
    if (this.turn) {
      this.turn = null; // the server tells whose turn it is once it is reached
      this.draw();
    }
    const isShown = new URLSearchParams(location.hash.slice(1)).get("session") === name;
    if (!isShown) history.replaceState(null, "", `#session=${name}`); // a page that is loaded again at once finds the game
    const socket = new WebSocket(`/sessions/${name}${this.seat && `?seat=${this.seat}`}`);
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.told = this.told.then(() => this.hearInTurn(socket, JSON.parse(data)));
    });
    socket.addEventListener("close", (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (event.code === GONE) this.gone();
      else if (!this.verdict) this.find(name);
    });
  }

  // Try again to reach a game, unless this page is not let in any more.
  async find(name) {
    const answer = await fetch("/api/server").catch(() => null);
    const isRefused = answer?.status === 403;
    if (this.session !== name || this.socket) return;
    if (isRefused) this.trouble = `The server was started anew, and does not know this page: ${(await answer.text()).trim()}.`;
    else this.trouble = "The connection is lost; it is tried again. If the server was ended, start it again and open the address that it prints.";
    this.draw();
    if (!isRefused) setTimeout(() => this.session === name && !this.socket && this.connect(name), AGAIN_MS);
  }

  leave() {
    this.socket?.close();
    Object.assign(this, { socket: null, session: null, stored: "", trouble: "", isFresh: false, isAwaited: false });
  }

  // Show the position to which moves are taken back, before the server has begun the game that continues there.
  rewind(ply) {
    const { socket } = this;
    Object.assign(this, { socket: null, steps: this.steps.slice(0, ply + 1), at: ply, turn: null, thinking: [] });
    this.step.next = [];
    socket?.close();
    this.draw();
  }

  play(move) {
    this.socket.send(JSON.stringify({ ply: this.last, move }));
  }

  // Keep a move, or a square with its name, until the referee asks for a move; null forgets it.
  keep(early) {
    Object.assign(this, { early, dropped: "" });
    this.draw();
  }

  // Hear a message of the connection that is used. A move waits until the discs of the one before have turned.
  async hearInTurn(socket, message) {
    if (message.type === "step") await this.turned;
    if (this.socket !== socket) return;
    this.hear(message);
    if (message.type === "step") this.turned = turning(message.step);
  }

  hear(message) {
    if (message.type === "snapshot") this.hearSnapshot(message);
    else if (message.type === "step") this.hearStep(message);
    else if (message.type === "turn") this.hearTurn(message.turn);
    else if (message.type === "thinking") this.thinking = message.thinking;
    else if (message.type === "said") this.steps[message.ply].said = message.text;
    else if (message.type === "end") {
      Object.assign(this, { steps: joined(message.steps ?? this.steps), turn: null, thinking: [] });
      this.end(message.verdict);
    }
    this.heard(message);
    this.draw();
  }

  // A connection that was lost and found again shows the same game: what was set up for it stays.
  hearSnapshot({ seats, steps, thinking, verdict, turn, awaited, ...game }) {
    this.begin(this.isAwaited ? game : this.game, seats, steps);
    Object.assign(this, { trouble: "", isAwaited: false });
    this.end(verdict);
    this.hearTurn(turn);
    this.thinking = thinking;
  }

  hearStep({ ply, step }) {
    const follows = this.at === this.last;
    this.steps[ply] = step;
    joined(this.steps);
    Object.assign(this, { turn: null, thinking: [], dropped: "", at: follows ? ply : this.at });
  }

  hearTurn(turn) {
    Object.assign(this, { thinking: [], turn: turn && { ...turn, since: performance.now() } });
    if (!this.early || !this.mayPlay) return;
    const found = this.step.legal.find((each) => this.isMeant(each));
    if (found) this.play(found.move);
    this.dropped = found ? "" : `${this.early.name ?? this.early.move} is not legal now. `;
    this.early = null;
  }

  // Whether a legal move is the kept one; any square of a column stands for the one that is filled.
  isMeant({ move, square }) {
    const { early, game } = this;
    if (early.move) return early.move === move;
    return square !== null && (square === early.square || (game.byColumn && square % game.columns === early.square % game.columns));
  }
}

// Return what is settled when the discs that a move has turned are seen to have turned.
function turning({ changed }) {
  if (!changed.length || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches) return null;
  return new Promise((done) => setTimeout(done, TURNING_MS));
}
