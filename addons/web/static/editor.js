// Sets up a position: on the squares of the board, or in the game's own notation. The server says what is allowed.

import { $, attempt, fillSelect } from "./page.js";

const EMPTY = "-";

export class Editor {
  // board: whose squares are clicked; look: shows the position of a text, and raises what is wrong with it.
  constructor(board, look) {
    this.board = board;
    this.look = look;
    this.game = null;
    this.shown = null; // the step whose position the fields hold
    this.squares = ""; // a letter for each, as it is set up
    this.drafted = null; // a step with these squares, until the server has found them to be a position
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

  // Take over the step that the page shows. If it is only drawn anew, as for a search, what is being set up stays.
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

  // Put the next of nothing, the first and the second player's piece on a square.
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

  // What is not yet a position stays on the board, and the page says what is missing.
  tell() {
    const text = `${this.squares} ${this.game.sides[$("tomove").value]}`;
    $("edited").value = text;
    attempt(() => this.look(text), $("edited"));
  }
}
