// The displayed game: its moves, the current one, the players, the result, and the connection to the server during play.
// Other modules read its fields, but change them only with methods, which redraw the page.

import { COLORS } from "./players.js";
import { KEPT, grow, joined, lineThrough } from "./variations.js";

const AGAIN_MS = 1000; // delay between attempts to reconnect
const GONE = 4404; // the server's websocket close code for an unknown game
const TURNING_MS = 150; // duration of the disc animation, as in board.css; the next move is shown after it
const MOST_REPLACED = 10; // maximum number of previous games to go back to
// A game's data. game: the server's description; seat: the secret part of the seat's address, if the page was opened by
// one; seats: the players; steps: those of the displayed line; at: the displayed ply; ended: the step at which the
// verdict was given; session: the game's name on the server while it is played; stored: the saved game's address;
// assisted: whether an engine may be asked during play; talk: the two people's messages.
const GAME = { game: null, seat: "", seats: [], steps: [], at: 0, verdict: null, ended: null, session: null, stored: "", assisted: true, talk: [] };
// Transient state. turn: the side asked for a move, and the clocks; thinking: the engine's search lines; isFresh: whether
// this is the initial board of a game to start; early: the premove; dropped: a note if the premove was dropped; trouble:
// a connection problem; isAwaited: whether a requested game has not arrived yet; offer: a person's pending offer.
const MOMENT = { turn: null, thinking: [], isFresh: false, early: null, dropped: "", trouble: "", isAwaited: false, offer: null };
const BEGUN = { verdict: null, ended: null, turn: null, thinking: [], assisted: true, talk: [], offer: null }; // for a new game

export class ShownGame {
  // draw: redraws the page; heard: called with each server message; gone: called if the server has no such game.
  constructor({ draw, heard, gone }) {
    Object.assign(this, GAME, MOMENT, { draw, heard, gone });
    this.socket = null;
    this.replaced = []; // previously displayed games, latest last
    this.told = Promise.resolve(); // resolves once all messages so far are processed
    this.turned = null; // resolves once the last move's animation is over
    this.requests = 0; // number of the latest request; replies to earlier requests are ignored
  }

  // ---- queries

  get step() {
    return this.steps[this.at];
  }

  get last() {
    return this.steps.length - 1;
  }

  get isRunning() {
    return Boolean(this.session) && !this.verdict;
  }

  // Whether the game ended at the displayed step, on the board or by a verdict such as a resignation.
  get isOver() {
    return this.verdict !== null && this.step === this.ended;
  }

  get hasPerson() {
    return this.seats.some(({ person }) => person);
  }

  // Whether a person plays on another machine.
  get isShared() {
    return this.seats.some(({ away }) => away);
  }

  // Whether a person plays with hidden cards, so that the page does not get the whole position.
  get isCovered() {
    return this.game.kind === "hidden" && this.isRunning && this.hasPerson;
  }

  // Return whether an engine may be asked. While two people play, they must have allowed it.
  get mayAsk() {
    return this.assisted || !this.isRunning;
  }

  // The side that the referee has asked for a move, or -1 for none.
  get sideAsked() {
    return this.turn ? COLORS.indexOf(this.turn.color) : -1;
  }

  // Whether the referee is waiting for a move from this page.
  get isAsked() {
    return Boolean(this.seats[this.sideAsked]?.person);
  }

  get mayPlay() {
    return this.isAsked && this.socket !== null && this.at === this.last;
  }

  // Return whether the only legal move in the displayed position is a pass.
  get mustPass() {
    return this.step.legal.length === 1 && this.step.legal[0].move === "pass";
  }

  // Whether a person will be asked for a move in the displayed position; the referee may still be starting an engine.
  get isNext() {
    return this.isRunning && !this.isAwaited && Boolean(this.socket) && !this.turn && this.at === this.last && Boolean(this.seats[this.step.toMove]?.person);
  }

  // Whether a premove is possible, because the opponent is to move.
  get mayKeep() {
    const next = this.isRunning && this.at === this.last ? this.seats[this.step.toMove] : null;
    return Boolean(next && this.socket) && !next.person && this.hasPerson && !this.isCovered && !this.isAwaited;
  }

  // Whether variations can be tried: after the game, in a replay, or on an analysis board.
  get mayTry() {
    return !this.isRunning;
  }

  // The ply of a person's last move, or -1 if there is none.
  get lastOfPerson() {
    return this.steps.findLastIndex((_, ply) => ply > 0 && this.seats[this.steps[ply - 1].toMove]?.person);
  }

  // The saved game's name, or "" for other games.
  get keptName() {
    return this.stored.startsWith(KEPT) ? decodeURIComponent(this.stored.slice(KEPT.length)) : "";
  }

  // ---- switching games

  // Register a request to show something. Return a function that returns whether the request is still the latest.
  request() {
    const number = ++this.requests;
    return () => number === this.requests;
  }

  // Record whether a game has been requested. Until it arrives, a second click does not request another game.
  wait(isAwaited) {
    this.isAwaited = isAwaited;
    this.draw(); // without legal moves, since the position is about to be replaced
  }

  // Show a game or position without playing it.
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

  // Remember the displayed game before another one replaces it.
  setAside() {
    const kept = this.snapshot();
    if (kept) this.replaced = [...this.replaced, kept].slice(-MOST_REPLACED);
  }

  // Return to the previous game. The current one becomes the oldest of the previous games.
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

  // Return the displayed game, or null if nothing would be lost by leaving it.
  snapshot() {
    const isWorthIt = this.last > 0 || this.isRunning;
    return isWorthIt ? Object.fromEntries(Object.keys(GAME).map((key) => [key, this[key]])) : null;
  }

  begin(game, seats, steps) {
    Object.assign(this, BEGUN, { game, seats, steps: joined(steps), at: steps.length - 1 });
  }

  end(verdict) {
    this.verdict = verdict;
    this.ended = verdict || !this.session ? this.steps.at(-1) : null;
  }

  // Record where the server saved the game, and the other data in its file.
  keepAt(stored, record = this.game.record) {
    this.stored = stored;
    this.game.record = record;
  }

  // ---- the displayed moves

  goTo(ply) {
    this.at = Math.max(0, Math.min(this.last, ply));
    this.draw();
  }

  // Show a step and its line.
  follow(step) {
    if (this.steps.includes(step)) this.goTo(step.ply);
    else this.showLine(step);
  }

  // Show a step of a changed tree.
  showLine(step) {
    this.isFresh = false;
    this.steps = lineThrough(step);
    this.goTo(step.ply);
  }

  // ---- a game played on the server

  // Join a game. first: a move that a person has already chosen, or null; seat: the secret part of the seat's address.
  join(name, first = null, seat = "") {
    this.request();
    Object.assign(this, { seat, early: first && { move: first }, dropped: "", stored: "", isFresh: false, isAwaited: true });
    this.connect(name);
  }

  connect(name) {
    this.socket?.close();
    this.session = name;
    if (this.turn) {
      this.turn = null; // the server will send the current turn
      this.draw();
    }
    const isShown = new URLSearchParams(location.hash.slice(1)).get("session") === name;
    if (!isShown) history.replaceState(null, "", `#session=${name}`); // so that a page reloaded immediately finds the game
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

  // Try to reconnect to a game, unless this page is no longer authorized.
  async find(name) {
    const answer = await fetch("/api/server").catch(() => null);
    const isRefused = answer?.status === 403;
    if (this.session !== name || this.socket) return;
    if (isRefused) this.trouble = `The server was restarted and no longer accepts this page: ${(await answer.text()).trim()}.`;
    else this.trouble = "The connection is lost; trying to reconnect. If the server was stopped, start it again and open the address that it prints.";
    this.draw();
    if (!isRefused) setTimeout(() => this.session === name && !this.socket && this.connect(name), AGAIN_MS);
  }

  leave() {
    this.socket?.close();
    Object.assign(this, { socket: null, session: null, stored: "", trouble: "", isFresh: false, isAwaited: false });
  }

  // Leave a game between two engines in its current state.
  pause() {
    this.leave();
    Object.assign(this, { turn: null, thinking: [] });
  }

  // Show the position before the moves taken back, until the server has started the game that continues there.
  rewind(ply) {
    const { socket } = this;
    Object.assign(this, { socket: null, steps: this.steps.slice(0, ply + 1), at: ply, turn: null, thinking: [] });
    this.step.next = [];
    socket?.close();
    this.draw();
  }

  play(move) {
    this.send({ ply: this.last, move });
  }

  send(message) {
    this.socket?.send(JSON.stringify(message));
  }

  // Store a premove (a move, or a square and its name) until the referee asks for a move; null clears it.
  keep(early) {
    Object.assign(this, { early, dropped: "" });
    this.draw();
  }

  // Process a message of the current connection. A move waits until the previous one's animation is over.
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
    else if (message.type === "offer") this.offer = message.offer;
    else if (message.type === "talk") this.talk = message.talk;
    else if (message.type === "moved") {
      if (!this.isAwaited) this.join(message.id, null, this.seat);
      return;
    } else if (message.type === "said") this.steps[message.ply].said = message.text;
    else if (message.type === "end") {
      Object.assign(this, { steps: joined(message.steps ?? this.steps), turn: null, thinking: [] });
      this.end(message.verdict);
    }
    this.heard(message);
    this.draw();
  }

  // Show the server's state of the game. After reconnecting, keep everything set up for the same game.
  hearSnapshot({ seats, steps, thinking, verdict, turn, awaited, assisted, talk, offer, ...game }) {
    this.begin(this.isAwaited ? game : this.game, seats, steps);
    Object.assign(this, { trouble: "", isAwaited: false, assisted, talk, offer });
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

  // Return whether a legal move is the premove. In games played by column, any square of the column matches.
  isMeant({ move, square }) {
    const { early, game } = this;
    if (early.move) return early.move === move;
    return square !== null && (square === early.square || (game.byColumn && square % game.columns === early.square % game.columns));
  }
}

// Return a promise that resolves once the animation of a move's discs is over, or null if nothing is animated.
function turning({ changed }) {
  if (!changed.length || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches) return null;
  return new Promise((done) => setTimeout(done, TURNING_MS));
}
