// Asks an engine of the server about the position that is shown, and what each move of a game gave away.

import { $, fillSelect, report, serverAddress } from "./page.js";

const WAIT_MS = 150; // before a position is asked about: who leafs through a game does not mean each of them
// Why a game of a kind has less of it; the server refuses the same.
const HIDDEN = "Not in this game: its players do not see all cards, and a score would tell what is hidden.";
const CHANCE = "A review is not possible in this game: chance decides too, so that a good move may lose.";
const [BOX, ENGINE] = ["analyse", "analyst"];

export class Analysis {
  // draw: called when there is something new to show.
  constructor(draw) {
    this.draw = draw;
    this.lines = []; // of the position that is shown
    this.shown = null; // { game, steps, at, finished }
    this.socket = null;
    this.number = 0; // of the last question; answers to others are not heard
    this.asked = null; // as it was sent
    this.review = null; // called with what the server says of a move, while a whole game is reviewed
    $(BOX).addEventListener("change", () => this.changed());
    $(ENGINE).addEventListener("change", () => this.changed());
    document.addEventListener("visibilitychange", () => this.look());
  }

  get on() {
    return $(BOX).checked;
  }

  fill(engines) {
    fillSelect(
      $(ENGINE),
      engines.map((name) => [name, name]),
      engines[0],
    );
    $("analysis").hidden = engines.length === 0;
  }

  // Take another game. off: whether no position is to be analysed.
  begin(off) {
    this.review = null;
    if (off) $(BOX).checked = false;
    this.show(null);
  }

  // Take what the page shows. finished: whether all moves have been made.
  show(shown) {
    this.shown = shown;
    this.look();
    this.drawBox();
  }

  changed() {
    report(null);
    this.look();
    this.draw();
  }

  // Return what is asked about the last of some steps.
  question([first, ...steps]) {
    return { engine: $(ENGINE).value, game: this.shown.game.game, start: first.position, moves: steps.map(({ move }) => move).join(" ") };
  }

  // Ask about the position that is shown, if that is wanted; end what was asked before.
  look() {
    if (this.review) return;
    const wanted = this.on && !document.hidden && this.shown?.game.kind !== "hidden" && this.shown?.steps[this.shown.at].legal.length > 0;
    this.ask(wanted ? this.question(this.shown.steps.slice(0, this.shown.at + 1)) : null);
  }

  ask(question) {
    const text = JSON.stringify(question);
    if (text === this.asked || (question === null && this.asked === null)) return;
    this.asked = question && text;
    this.lines = [];
    this.number++;
    clearTimeout(this.later);
    const message = question === null ? { stop: true } : { ...question, id: this.number };
    if (question) this.later = setTimeout(() => this.send(message), WAIT_MS);
    else if (this.socket) this.send(message);
  }

  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify(message));
      return;
    }
    this.socket?.close();
    const socket = new WebSocket(`${serverAddress()}/analysis`);
    this.socket = socket;
    socket.addEventListener("open", () => socket.send(JSON.stringify(message)));
    socket.addEventListener("message", (event) => this.socket === socket && this.hear(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      if (this.socket !== socket) return;
      Object.assign(this, { socket: null, asked: null, review: null, lines: [] });
      this.drawBox();
    });
  }

  hear(message) {
    if (message.id !== this.number) return;
    if (message.type === "analysis") this.lines = message.lines;
    else if (message.type === "review") this.review(message);
    else {
      report(message.error);
      $(BOX).checked = false;
      Object.assign(this, { review: null, lines: [] });
    }
    this.draw();
  }

  drawBox() {
    const kind = this.shown?.game.kind;
    const isOver = this.shown?.finished && this.shown.steps.length > 1;
    $("scoring").hidden = kind === "hidden";
    $("reviewing").hidden = !(isOver && kind === "perfect") || $("analysis").hidden;
    $("review").textContent = this.review ? "Stop" : "Review";
    $("effort").disabled = Boolean(this.review);
    $("progress").hidden = !this.review;
    $("why").textContent = kind === "hidden" ? HIDDEN : isOver && kind === "chance" ? CHANCE : "";
  }
}
