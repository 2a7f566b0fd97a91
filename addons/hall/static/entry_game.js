// A manual game against another person's version.

import { BoardView } from "/static/board.js";
import { made, madeButton } from "/static/drawing.js";
import { ask, attempt, fillSelect, report } from "/static/page.js";
import { card, heading } from "./common.js";

const COLORS = ["black", "white"];

// Return the elements of the page. rows: the ladder rows of entries; own: the person's entries, preselected.
export function playAgainst(rows, own) {
  if (!rows.length) return [card("Play", made("p", "quiet", "No version has passed yet."))];
  const opponents = rows.map((row) => [row.entry, `${row.name}, v${row.version}`]);
  const opponent = fillSelect(made("select", { ariaLabel: "Opponent" }), opponents, rows.find((row) => own.includes(row.entry))?.entry);
  const color = fillSelect(made("select", { ariaLabel: "Your colour" }), [
    ["black", "Black"],
    ["white", "White"],
  ]);
  const place = made("div", { className: "board", id: "board" });
  const status = made("p", { role: "status" }, "Choose an opponent and start.");
  const game = new Game(place, status);
  const begin = madeButton("Start", () => attempt(() => game.begin(Number(opponent.value), color.value)), { className: "primary" });
  const pass = madeButton("Pass", () => game.choose("pass"), { hidden: true });
  game.pass = pass;
  const side = card(heading("Opponent"), opponent, made("label", "", "Your colour", color), made("div", "row", begin, pass), status);
  return [made("div", "cols report", card("The board", place), side)];
}

class Game {
  constructor(place, status) {
    Object.assign(this, { status, socket: null, side: 0, steps: [], turn: null, seats: [] });
    this.view = new BoardView(place, (move) => this.choose(move));
  }

  async begin(entry, color) {
    const { id } = await ask("/api/sessions", { entry, color });
    this.socket?.close();
    this.side = COLORS.indexOf(color);
    this.socket = new WebSocket(`/sessions/${id}`);
    this.socket.addEventListener("message", ({ data }) => this.take(JSON.parse(data)));
  }

  choose(move) {
    if (this.isOwnTurn()) this.socket.send(JSON.stringify({ ply: this.steps.length - 1, move }));
  }

  isOwnTurn() {
    return this.turn?.color === COLORS[this.side];
  }

  take(message) {
    if (message.type === "error") return report(message.error);
    if (message.type === "snapshot") {
      Object.assign(this, { steps: message.steps, turn: message.turn, seats: message.seats, verdict: message.verdict });
      this.view.begin(message);
    } else if (message.type === "turn") this.turn = message.turn;
    else if (message.type === "end") Object.assign(this, { turn: null, verdict: message.verdict });
    else if (message.type === "step") {
      this.turn = null;
      this.steps.push(message.step);
    } else return undefined;
    return this.draw();
  }

  draw() {
    const step = this.steps.at(-1);
    const isOwn = this.isOwnTurn();
    this.view.show(step, { open: isOwn, lines: [], isOver: Boolean(this.verdict) });
    this.pass.hidden = !(isOwn && step.legal.length === 1 && step.legal[0].move === "pass");
    const counts = step.counts ? `${step.counts[0]}\u2013${step.counts[1]}. ` : "";
    const who = this.seats[1 - this.side]?.name;
    const text = this.verdict
      ? `The game is over: ${this.verdict.detail || step.result || this.verdict.result}.`
      : isOwn
        ? "Your turn."
        : `${who} is thinking.`;
    this.status.textContent = counts + text;
  }
}
