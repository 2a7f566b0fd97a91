// The position editor: edit the board's squares, or the position's notation. The server validates.

import { $, attempt, fillSelect } from "./page.js";

const EMPTY = "-";

export class Editor {
  // board: the board to click on; look: shows the position that a text describes, and throws if it is invalid.
  constructor(board, look) {
    this.board = board;
    this.look = look;
    this.game = null;
    this.shown = null; // the step shown in the fields
    this.squares = ""; // one letter per square, as edited
    this.drafted = null; // a step with these squares, until the server has accepted them
    $("editor").addEventListener("toggle", () => this.toggle());
    $("edited").addEventListener("change", () => attempt(() => this.look($("edited").value), $("edited")));
    $("tomove").addEventListener("change", () => this.tell());
    $("usual").addEventListener("click", () => attempt(() => this.look("")));
    $("clear").addEventListener("click", () => this.draft(EMPTY.repeat(this.squares.length)));
  }

  get isOpen() {
    return $("editor").open;
  }

  close() {
    $("editor").open = false;
  }

  // Take over the displayed step. If it is only redrawn, for example during a search, keep the edited position.
  show(game, step) {
    if (step === this.shown) return;
    this.shown = step;
    this.drafted = null;
    const sides = game.players.map((name, side) => [String(side), name]);
    if (game !== this.game) fillSelect($("tomove"), sides, "0");
    this.game = game;
    this.squares = game.editable ? step.board : "";
    if (step.toMove !== null) $("tomove").value = String(step.toMove);
    $("edited").value = step.position;
    $("squares").hidden = !game.editable;
    this.toggle();
  }

  toggle() {
    if (!this.isOpen && this.drafted) this.shown = this.drafted = null;
    this.board.edit = this.isOpen && this.squares ? (index) => this.put(index) : null;
  }

  // Cycle a square through empty, the first player's piece and the second player's piece.
  put(index) {
    const letters = [EMPTY, ...this.game.sides];
    const next = letters[(letters.indexOf(this.squares[index]) + 1) % letters.length];
    this.draft(this.squares.slice(0, index) + next + this.squares.slice(index + 1));
  }

  draft(squares) {
    this.squares = squares;
    this.drafted = { board: squares, legal: [], placed: [], changed: [] };
    this.board.show(this.drafted);
    this.tell();
  }

  // An invalid position stays on the board, and the page shows what is missing.
  tell() {
    const text = `${this.squares} ${this.game.sides[$("tomove").value]}`;
    $("edited").value = text;
    attempt(() => this.look(text), $("edited"));
  }
}
