// The form for a new game: which one, who plays, how well and for how long.

import { $, fillSelect } from "./page.js";
import { FOR_PERSON, engineLimits } from "./players.js";

const SIDES = [0, 1];

export class NewGame {
  // choose: called when another game was chosen.
  constructor(choose) {
    this.engines = [];
    this.usual = []; // the level of each side where nobody has chosen one
    $("gamename").addEventListener("change", () => {
      $("parameters").value = "";
      choose();
    });
    $("parameters").addEventListener("change", choose);
    for (const side of SIDES) $(`who${side}`).addEventListener("change", () => this.showWho(side));
  }

  // server: the engines and games that may be chosen.
  fill({ engines, games }) {
    this.engines = engines;
    fillSelect(
      $("gamename"),
      games.map((name) => [name, name]),
      "othello",
    );
    const who = [["person", "you"], ...engines.map(({ name }) => [`engine ${name}`, name])];
    for (const side of SIDES) {
      fillSelect($(`who${side}`), who, who[side][0]);
      this.showWho(side);
    }
  }

  // The name of the game that is chosen, with its size or rules.
  get game() {
    return `${$("gamename").value} ${$("parameters").value}`.trim();
  }

  players() {
    return SIDES.map((side) => {
      const [engine, limit] = [this.engine(side), $(`limit${side}`).value];
      if (!engine) return { person: true, limit };
      return { engine: engine.name, limit, level: engine.levels ? Number($(`level${side}`).value) : null };
    });
  }

  // Choose a game that is being played, and its players, so that a page that was loaded again goes on with them.
  take(game, seats) {
    const name = [...$("gamename").options].find(({ value }) => game.game === value || game.game.startsWith(`${value} `))?.value;
    if (name) {
      $("gamename").value = name;
      $("parameters").value = game.game.slice(name.length).trim();
    }
    this.describe(game);
    seats.forEach(({ request }, side) => {
      $(`who${side}`).value = request.person ? "person" : `engine ${request.engine}`;
      this.showWho(side);
      $(`limit${side}`).value = request.limit ?? "";
      if (request.level != null) $(`level${side}`).value = request.level;
    });
  }

  // In a game that is solved an engine makes no mistakes; a level that a person has chosen stays.
  describe({ players, solved }) {
    for (const side of SIDES) {
      $(`legend${side}`).textContent = players[side];
      const level = $(`level${side}`);
      const usual = solved ? level.max : level.defaultValue;
      if (level.value === (this.usual[side] ?? level.defaultValue)) level.value = usual;
      this.usual[side] = usual;
    }
  }

  // The engine that is chosen for a side; none for a person.
  engine(side) {
    return this.engines.find(({ name }) => `engine ${name}` === $(`who${side}`).value);
  }

  showWho(side) {
    const engine = this.engine(side);
    $(`level${side}`).closest("label").hidden = !engine?.levels;
    fillSelect($(`limit${side}`), engine ? engineLimits(engine.limit) : FOR_PERSON, "");
  }
}
