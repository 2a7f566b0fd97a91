// The position editor: paint pieces on the board's squares, or edit the position as text. The server validates it.

import { made } from "./drawing.js";
import { $ } from "./page.js";

const EMPTY = "-";

export class Editor {
  // board: the board to paint on; look: shows the position that a text describes, or throws an error; close:
  // closes the editor.
  constructor(board, look, close = () => this.root.removeAttribute("open")) {
    Object.assign(this, { board, look, close });
    this.root = $("editor") ?? $("editor-panel");
    this.game = null;
    this.shown = null; // the step shown in the fields
    this.squares = ""; // one letter per square, as edited
    this.drafted = null; // a step with these squares, until the server has accepted them
    this.current = ""; // the edited position in the game's notation
    this.before = []; // the positions that can be restored
    this.root.addEventListener("toggle", () => this.toggle());
    this.root.addEventListener("keydown", (event) => event.key === "u" && event.target !== $("edited") && this.undo());
    board.container.addEventListener("keydown", (event) => this.isOpen && this.hear(event));
    for (const kind of ["pointerdown", "pointermove"]) board.container.addEventListener(kind, (event) => this.paint(event), { capture: true });
    $("edited").addEventListener("input", () => this.change($("edited").value.trim()));
    $("tomove").addEventListener("change", () => this.change(this.text));
    $("usual").addEventListener("click", () => this.change(""));
    $("clear").addEventListener("click", () => this.draft(EMPTY.repeat(this.squares.length)));
    $("invert").addEventListener("click", () => this.draft([...this.squares].map((letter) => this.other(letter)).join("")));
    $("undo").addEventListener("click", () => this.undo());
  }

  get isOpen() {
    return this.root.open ?? this.root.classList.contains("on");
  }

  // Return the edited position in the game's notation.
  get text() {
    return `${this.squares} ${this.game.sides[chosen("tomove")]}`;
  }

  setSide(side) {
    const input = $("tomove").querySelector(`[value="${side}"]`);
    if (input) input.checked = true;
  }

  other(letter) {
    const { sides } = this.game;
    return sides[1 - sides.indexOf(letter)] ?? letter;
  }

  // Edit the displayed step. If it was only redrawn, for example during a search, keep the edited position.
  show(game, step) {
    if (step === this.shown) return;
    this.shown = step;
    this.drafted = null;
    if (game !== this.game && (game.game !== this.game?.game || !$("brush").firstChild)) this.begin(game);
    this.game = game;
    this.squares = game.editable ? step.board : "";
    this.setSide(step.toMove);
    this.current = step.position;
    if (document.activeElement !== $("edited")) $("edited").value = step.position;
    $("squares").hidden = !game.editable;
    this.say(step);
    this.toggle();
  }

  // Show the brushes for a game's pieces.
  begin(game) {
    this.before = [];
    const letters = [...game.sides, EMPTY];
    const names = [...game.players, "Empty"];
    const discs = letters.map((letter, side) => made("span", letter === EMPTY ? "disc" : `disc side${side}`));
    const brushes = names.map((name, index) => segment("brush", letters[index], index === 0, discs[index], name, made("kbd", "", name[0].toLowerCase())));
    $("brush").replaceChildren(...brushes);
    $("tomove").replaceChildren(...game.players.map((name, side) => segment("tomove", side, side === 0, name)));
  }

  // Show whether the position can be played.
  say({ counts, legal, toMove }) {
    const { players, point } = this.game;
    const discs = counts && point === "disc" ? ` ${players.map((name, side) => `${name} has ${counts[side]}`).join(", ")}.` : "";
    const moves = `${legal.length} ${legal.length === 1 ? "move" : "moves"}`;
    if (legal.length) this.tell("good", `Ready.${discs} ${players[toMove] ?? "Chance"} to move, ${moves}.`);
    else this.tell("bad", `${point === "disc" ? "Neither side can move." : "The game is over in this position."}${discs}`);
  }

  tell(kind, text) {
    $("edit-said").className = `box ${kind}`;
    $("edit-said").textContent = text;
    $("undo").disabled = !this.before.length;
  }

  toggle() {
    if (!this.isOpen && this.drafted) this.shown = this.drafted = null;
    this.board.edit = this.isOpen && this.squares ? (index) => this.put(index) : null;
    this.board.container.classList.toggle("edited", this.board.edit !== null);
  }

  // Handle the keys that put a piece on the focused square, or undo a change.
  hear(event) {
    const brush = [...$("brush").querySelectorAll("input")].find((each) => each.parentElement.querySelector("kbd").textContent === event.key);
    const index = this.board.overlay?.indexOf(event.target) ?? null;
    if (event.key === "u") this.undo();
    else if (brush && index !== null) this.put(index, brush.value);
    else return;
    event.preventDefault();
  }

  // Paint the squares that a pressed pointer crosses; a click on a single square is handled by its button.
  paint(event) {
    if (!this.board.edit || event.buttons !== 1) return;
    const target = document.elementFromPoint(event.clientX, event.clientY);
    const index = this.board.overlay.indexOf(target);
    if (event.type === "pointerdown") this.painted = index;
    else if (index !== null && index !== this.painted) {
      if (this.painted !== null) this.put(this.painted);
      this.painted = null;
      this.put(index);
    }
  }

  put(index, letter = chosen("brush")) {
    if (this.squares[index] === letter) return;
    this.draft(this.squares.slice(0, index) + letter + this.squares.slice(index + 1));
  }

  // Change the squares.
  draft(squares) {
    this.change(`${squares} ${this.text.split(" ")[1]}`);
  }

  change(text) {
    this.before.push(this.current);
    this.go(text);
  }

  undo() {
    if (this.before.length) this.go(this.before.pop());
  }

  // Show a position: its squares immediately, the rest once the server accepts it. An invalid position stays on the
  // board, with an error message.
  async go(text) {
    this.current = text;
    const [squares, side] = text.split(" ");
    if (this.squares && squares.length === this.squares.length) {
      this.squares = squares;
      this.drafted = { board: squares, legal: [], placed: [], changed: [] };
      this.board.show(this.drafted);
      this.setSide(this.game.sides.indexOf(side));
    }
    if (document.activeElement !== $("edited")) $("edited").value = text;
    try {
      await this.look(text);
    } catch (error) {
      if (this.current === text) this.tell("bad", error.message);
    }
  }
}

const chosen = (name) => document.querySelector(`[name=${name}]:checked`).value;

function segment(name, value, checked, ...parts) {
  return made("label", "", made("input", { type: "radio", name, value, checked }), ...parts);
}
