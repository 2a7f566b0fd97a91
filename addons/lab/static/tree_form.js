// The search form, the board for setting up its position, and the page address that stores both.

import { BoardView } from "/static/board.js";
import { Editor } from "/static/editor.js";
import { $, attempt, fillSelect, onSubmit } from "/static/page.js";

const NAMES = {
  minimax: "Minimax",
  alphabeta: "Alpha-beta",
  pvs: "PVS (principal variation search)",
  mcts: "Monte Carlo tree search",
  all: "all three, side by side",
};
const USUAL = { game: "tree", position: "", moves: "", algorithm: "all", ordering: "static", quiescence: false, level: false, simulations: 50, seed: 0 };
const REASONS = { chance: "dice", hidden: "hidden cards" }; // for each kind of game without a tree on this page, the reason

export class Form {
  // choices: the server's reply to GET /api/trees; look: shows the tree of a request, by default of the form's request.
  constructor(choices, look) {
    this.choices = choices;
    this.look = look;
    this.shown = null; // the request of the displayed tree
    const games = choices.games.map(({ name, kind }) => [name, kind === "perfect" ? name : `${name} (${REASONS[kind]}: no tree here)`, kind !== "perfect"]);
    fillSelect($("gamename"), games);
    const algorithms = ["all", ...choices.algorithms].map((name) => [name, NAMES[name]]);
    fillSelect($("algorithm"), algorithms);
    fillSelect($("ordering"), choices.orderings);
    this.board = new BoardView($("board"), (move) => attempt(() => this.look({ ...this.shown, moves: `${this.shown.moves} ${move}`.trim() })));
    this.editor = new Editor(this.board, (text) => this.look({ ...this.shown, position: text, moves: "" }));
    onSubmit($("form"), () => attempt(() => this.look()));
    $("gamename").addEventListener("change", () => this.choose());
    $("algorithm").addEventListener("change", () => this.sort());
  }

  // Return a game's initial position and default depth (null: to the end).
  usual(name) {
    return this.choices.games.find((game) => game.name === name) ?? { start: "", depth: null };
  }

  // Switch to another game.
  choose() {
    const game = $("gamename").value;
    this.fill({ ...this.request(), game, position: "", moves: "", depth: this.usual(game).depth });
  }

  // Show only the fields that apply to the algorithm.
  sort() {
    const isSampled = $("algorithm").value === "mcts";
    for (const id of ["ordering", "depth", "quiescence", "level"]) $(id).parentElement.hidden = isSampled;
    for (const id of ["simulations", "seed"]) $(id).parentElement.hidden = !isSampled;
  }

  request() {
    const request = Object.fromEntries(Object.keys(USUAL).map((name) => [name, valueIn(fieldOf(name))]));
    return { ...request, game: `${request.game} ${$("parameters").value}`.trim(), depth: valueIn($("depth")) };
  }

  fill(request) {
    const [game, ...parameters] = request.game.split(" ");
    const values = { ...request, game, parameters: parameters.join(" ") };
    for (const [name, value] of Object.entries(values)) fieldOf(name)[typeof value === "boolean" ? "checked" : "value"] = value ?? "";
    this.sort();
    $("position").placeholder = this.usual(game).start;
  }

  // Remember the displayed tree's request, and show its root on the board.
  show(answer, request) {
    this.shown = request;
    this.board.begin(answer);
    this.editor.show(answer, answer.step);
    this.board.show(answer.step, { open: true, lines: [] });
    $("toplay").href = `/play#${new URLSearchParams({ game: answer.game, start: answer.position })}`;
  }

  // Store a request in the address, so that the browser's Back button returns to it.
  keep(request) {
    const isUsual = (name) => ["simulations", "seed"].includes(name) && request[name] === USUAL[name];
    const said = Object.entries(request).filter(([name, value]) => (value || name === "depth") && !isUsual(name));
    const address = `#${new URLSearchParams(said.map(([name, value]) => [name, value ?? ""]))}`;
    if (address !== location.hash) history.pushState(null, "", address);
  }

  // Return the request in an address, with defaults for missing values.
  read(address = location.hash) {
    const said = new URLSearchParams(address.slice(1));
    const request = { ...USUAL, ...Object.fromEntries([...said].filter(([name]) => name in USUAL)) };
    const depth = said.get("depth");
    for (const name of ["quiescence", "level"]) request[name] = said.get(name) === "true";
    for (const name of ["simulations", "seed"]) request[name] = Number(request[name]);
    return { ...request, depth: depth ? Number(depth) : depth === "" ? null : this.usual(request.game.split(" ")[0]).depth };
  }
}

// Return the form field of a request's property.
function fieldOf(name) {
  return $({ game: "gamename", moves: "played" }[name] ?? name);
}

// Return a field's value; an empty number is null.
function valueIn({ type, value, checked }) {
  if (type === "checkbox") return checked;
  if (type === "number") return value === "" ? null : Number(value);
  return value.trim();
}
