// Asks an engine of the server about the position that is shown, and what each move of a game gave away.

import { scoreText } from "./drawing.js";
import { $, fillSelect, report, serverAddress } from "./page.js";

const WAIT_MS = 150; // before a position is asked about: who leafs through a game does not mean each of them
const EFFORTS = [
  ["movetime=200", "0.2 s a move"],
  ["movetime=1000", "1 s a move"],
  ["movetime=5000", "5 s a move"],
];
// Why a game of a kind has less of it; the server refuses the same.
const HIDDEN = "Not in this game: its players do not see all cards, and a score would tell what is hidden.";
const CHANCE = "A review is not possible in this game: chance decides too, so that a good move may lose.";
const [BOX, ENGINE, REVIEW, EFFORT] = ["analyse", "analyst", "review", "effort"];

export class Analysis {
  // draw: called when there is something new to show.
  constructor(draw) {
    this.draw = draw;
    this.lines = []; // of the position that is shown
    this.losses = new Map(); // what the server says of a move, by its ply
    this.shown = null; // { game, steps, at, finished }
    this.socket = null;
    this.number = 0; // of the last question; answers to others are not heard
    this.asked = null; // as it was sent
    this.reviewing = false;
    fillSelect($(EFFORT), EFFORTS, EFFORTS[0][0]);
    $(BOX).addEventListener("change", () => this.changed());
    $(ENGINE).addEventListener("change", () => this.changed());
    $(REVIEW).addEventListener("click", () => (this.reviewing ? this.endReview() : this.beginReview()));
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

  // Take another game: what is known of the last one says nothing of it. off: whether no position is to be analysed.
  begin(off) {
    this.losses = new Map();
    this.reviewing = false;
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

  question(ply) {
    const { game, steps } = this.shown;
    const moves = steps
      .slice(1, ply + 1)
      .map((step) => step.move)
      .join(" ");
    return { engine: $(ENGINE).value, game: game.game, start: steps[0].position, moves };
  }

  // Ask about the position that is shown, if that is wanted; end what was asked before.
  look() {
    if (this.reviewing) return;
    const wanted = this.on && !document.hidden && this.shown?.game.kind !== "hidden" && this.shown?.steps[this.shown.at].legal.length > 0;
    this.ask(wanted ? this.question(this.shown.at) : null);
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
      Object.assign(this, { socket: null, asked: null, reviewing: false, lines: [] });
      this.drawBox();
    });
  }

  hear(message) {
    if (message.id !== this.number) return;
    if (message.type === "analysis") this.lines = message.lines;
    else if (message.type === "review") this.hearReview(message);
    else {
      report(message.error);
      $(BOX).checked = this.reviewing = false;
      this.lines = [];
    }
    this.draw();
  }

  // ---- a whole game

  beginReview() {
    report(null);
    this.losses = new Map();
    this.ask({ ...this.question(this.shown.steps.length - 1), review: true, limit: $(EFFORT).value });
    this.reviewing = true;
    $("progress").value = 0;
    this.draw();
  }

  endReview() {
    this.reviewing = false;
    this.ask(null);
    this.draw();
  }

  hearReview(message) {
    this.losses.set(message.ply, message);
    $("progress").max = message.of;
    $("progress").value = this.losses.size;
    if (this.losses.size === message.of) this.endReview();
  }

  drawBox() {
    const kind = this.shown?.game.kind;
    const isOver = this.shown?.finished && this.shown.steps.length > 1;
    $("scoring").hidden = kind === "hidden";
    $("reviewing").hidden = !(isOver && kind === "perfect");
    $("why").textContent = kind === "hidden" ? HIDDEN : isOver && kind === "chance" ? CHANCE : "";
    $(REVIEW).textContent = this.reviewing ? "Stop" : "Review the game";
    $(EFFORT).disabled = this.reviewing;
    $("progress").hidden = !this.reviewing;
    $("losses").textContent = this.losses.size ? this.totals() : "";
  }

  // What each side gave away, as far as it is known.
  totals() {
    const { game, steps } = this.shown;
    const sums = [0, 0];
    const marked = ["", ""];
    for (const [ply, { loss, mark }] of [...this.losses].sort(([one], [other]) => one - other)) {
      const side = steps[ply - 1].toMove;
      sums[side] += loss ?? 0;
      if (mark) marked[side] += ` ${ply}${mark}`;
    }
    const counted = sums.some((sum) => sum > 0);
    const lost = (side) => `${pointsText(sums[side])} ${game.point}s${marked[side] && ` (${marked[side].trim()})`}`;
    return game.players.map((name, side) => `${name}${counted ? ` lost ${lost(side)}` : `: ${marked[side].trim() || "no mistake"}`}.`).join(" ");
  }
}

function pointsText(hundredths) {
  return (hundredths / 100).toFixed(hundredths % 100 ? 1 : 0);
}

// Return what the list of moves says of one, in short and at length; empty texts if it was best.
export function lossTexts(found) {
  if (!found || found.best === null || (found.loss === 0 && !found.mark)) return ["", ""];
  const short = found.loss === null ? scoreText(found.score) : `\u2212${pointsText(found.loss)}`;
  return [`${short}${found.mark}`, `${scoreText(found.score)}; best: ${found.best}, ${scoreText(found.bestScore)}`];
}
