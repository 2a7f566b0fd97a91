// What is to be searched: a form, a board on which the position is set up, and the address that keeps it all.

import { BoardView } from "./board.js";
import { Editor } from "./editor.js";
import { $, attempt } from "./page.js";

const NAMES = { minimax: "Minimax", alphabeta: "Alpha-beta", pvs: "PVS (principal variation search)", all: "all three, side by side" };
const ROOT = ["gamename", "parameters", "position", "played"]; // fields that say where a tree begins
const FIELDS = [...ROOT, "algorithm", "ordering", "depth"];
const USUAL = { gamename: "tree", algorithm: "all", ordering: "static" };
const REASONS = { chance: "dice", hidden: "hidden cards" }; // why a game has no tree here
const WRITE_MS = 300; // after the last step; a browser allows few changes of the address at a time

export class Form {
  // choices: as the server offers them; look: shows the tree that the form asks for.
  constructor(choices, look) {
    this.choices = choices;
    this.look = look;
    this.kept = new URLSearchParams(); // what the tree that is shown was asked for with
    this.asked = this.kept; // and the one that is not shown yet
    const games = choices.games.map(({ name, kind }) => [name, kind === "perfect" ? name : `${name} (${REASONS[kind]}: no tree here)`, kind !== "perfect"]);
    fill($("gamename"), games, USUAL.gamename);
    fill(
      $("algorithm"),
      ["all", ...choices.algorithms].map((name) => [name, NAMES[name]]),
      USUAL.algorithm,
    );
    fill(
      $("ordering"),
      choices.orderings.map((name) => [name, name]),
      USUAL.ordering,
    );
    this.board = new BoardView($("board"), (move) => this.play(move));
    this.editor = new Editor(this.board, (text) => this.setUp(text));
    $("form").addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(() => this.look());
    });
    $("gamename").addEventListener("change", () => this.choose());
  }

  get game() {
    return this.choices.games.find(({ name }) => name === $("gamename").value);
  }

  // Take another game, and propose how deep its tree is searched.
  choose() {
    for (const id of ["parameters", "position", "played"]) $(id).value = "";
    $("position").placeholder = this.game.start;
    $("depth").value = this.game.depth ?? "";
  }

  request() {
    const depth = $("depth").value.trim();
    this.asked = new URLSearchParams(
      [...FIELDS.map((id) => [id, $(id).value]), ["quiescence", $("quiescence").checked ? "on" : ""]].filter(([id, value]) => value || id === "depth"),
    );
    return {
      game: `${$("gamename").value} ${$("parameters").value}`.trim(),
      position: $("position").value,
      moves: $("played").value.trim(),
      algorithm: $("algorithm").value,
      ordering: $("ordering").value,
      depth: depth === "" ? null : Number(depth),
      quiescence: $("quiescence").checked,
    };
  }

  // Show the root of the tree that was asked for last, and is shown now.
  show(answer) {
    this.kept = this.asked;
    this.board.begin(answer);
    this.editor.show(answer, answer.step);
    this.board.show(answer.step, { open: true, lines: [] });
    $("toplay").href = `/#${new URLSearchParams({ game: answer.game, start: answer.position })}`;
  }

  // Say again where the tree that is shown begins, though another game may have been chosen since.
  returnToRoot() {
    const isOther = $("gamename").value !== this.kept.get("gamename");
    for (const id of [...ROOT, ...(isOther ? ["depth"] : [])]) $(id).value = this.kept.get(id) ?? "";
  }

  async setUp(text) {
    this.returnToRoot();
    $("position").value = text;
    $("played").value = "";
    await this.look();
  }

  play(move) {
    this.returnToRoot();
    $("played").value = `${$("played").value} ${move}`.trim();
    attempt(() => this.look());
  }

  // ---- the address

  // Note in the address what is shown; where says how far. isNew: whether the browser can go back to what was there.
  keep(where, isNew) {
    clearTimeout(this.writing);
    const address = `#${new URLSearchParams([...this.kept, ...Object.entries(where)])}`;
    if (isNew && address !== location.hash) history.pushState(null, "", address);
    else if (!isNew) this.writing = setTimeout(() => history.replaceState(null, "", address), WRITE_MS);
  }

  // Take over what the address says. Return the rest of it.
  read() {
    clearTimeout(this.writing);
    const said = new URLSearchParams(location.hash.slice(1));
    for (const id of Object.keys(USUAL)) if (said.has(id)) requireOffered(id, said.get(id));
    for (const [id, usual] of Object.entries(USUAL)) $(id).value = said.get(id) ?? usual;
    this.choose();
    for (const id of FIELDS.slice(1)) if (said.has(id)) $(id).value = said.get(id);
    $("quiescence").checked = said.get("quiescence") === "on";
    return said;
  }
}

// Raise an error if a list does not offer what an address says.
function requireOffered(id, value) {
  const offered = [...$(id).options].filter((option) => !option.disabled).map((option) => option.value);
  if (!offered.includes(value)) throw new Error(`address: ${offered.join(", ")} are allowed as ${id}; ${value} came`);
}

function fill(select, rows, chosen) {
  select.replaceChildren(
    ...rows.map(([value, text, isDisabled = false]) => {
      const option = new Option(text, value, false, value === chosen);
      option.disabled = isDisabled;
      return option;
    }),
  );
}
