// The new game form: the game, the players, their strength and the clock.

import { $, fillSelect } from "./page.js";
import { OWN_CLOCK, clockOf, clocks, engineLimits, levelText } from "./players.js";

const SIDES = [0, 1];
const KEY = "quietmove-new-game"; // storage key of the last choices

// Return the person's last choices, or defaults: the clock, the person's side, and the engine's level.
export function lastChoice() {
  return { clock: "", side: 0, level: null, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
}

export class NewGame {
  // chosen: called when another game is chosen.
  constructor(chosen) {
    this.engines = [];
    this.rules = {}; // by game name
    this.levels = []; // each level's name and rating
    this.chosen = new Map(); // the level chosen by the person for each side of this game
    $("gamename").addEventListener("change", () => {
      $("parameters").value = "";
      this.chosen.clear();
      this.explain();
      chosen();
    });
    $("parameters").addEventListener("change", chosen);
    // Update the explanation while typing. An update on leaving the field would move the form under the pointer.
    $("parameters").addEventListener("input", () => this.explain());
    fillSelect($("clock"), clocks(), "");
    $("clock").addEventListener("change", () => this.showClock());
    for (const side of SIDES) {
      $(`who${side}`).addEventListener("change", () => this.showWho(side));
      $(`level${side}`).addEventListener("change", () => this.chosen.set(side, $(`level${side}`).value));
    }
  }

  // Fill the form with the server's engines, games, levels and openings.
  fill({ engines, games, rules, levels, openings }) {
    Object.assign(this, { engines, rules, levels });
    const titles = games.map((name) => [name, rules[name]?.title ?? name]);
    fillSelect($("gamename"), titles, "othello");
    fillSelect($("trained"), [["", "none"], ...openings], "");
    this.explain();
    const who = [["person", "you"], ["away", "a person on another machine"], ...engines.map(({ name }) => [`engine ${name}`, name])];
    const usual = ["person", (who[2] ?? who[0])[0]];
    for (const side of SIDES) {
      fillSelect($(`who${side}`), who, usual[side]);
      this.showWho(side);
    }
  }

  // Show the rules of the chosen game, and its parameters.
  explain() {
    const rules = this.rules[$("gamename").value];
    $("howto").hidden = !rules;
    $("rules").textContent = rules?.text ?? "";
    if (rules) Object.assign($("rulesboard"), { src: `/api/rules/${$("gamename").value}.svg`, alt: `${rules.title} after some moves` });
    $("trained").closest("label").hidden = this.game !== "othello";
    $("choices").textContent = rules?.parameters ?? "";
  }

  // Return the chosen game's name, with its size or rules.
  get game() {
    return `${$("gamename").value} ${$("parameters").value}`.trim();
  }

  // Return both players' clock as a limit, or "" for no clock.
  get clock() {
    const { value } = $("clock");
    return value === OWN_CLOCK ? `tc=${60 * $("minutes").value}+${Number($("seconds").value)}` : value;
  }

  // Return whether two people may ask an engine while they play.
  get assisted() {
    return $("assisted").checked;
  }

  // Return the opening to train, or "" for none.
  get trains() {
    return this.game === "othello" ? $("trained").value : "";
  }

  // Return both players. If sides are drawn at random, each call draws again.
  players() {
    const found = SIDES.map((side) => {
      const engine = this.engine(side);
      const limit = this.clock || (engine ? $(`limit${side}`).value : "");
      if (!engine) return { person: true, away: $(`who${side}`).value === "away", limit };
      return { engine: engine.name, limit, level: engine.levels ? Number($(`level${side}`).value) : null };
    });
    return $("bylot").checked && Math.random() < 0.5 ? found.reverse() : found;
  }

  // Choose the players of a one-click game. text: an engine level, "people", "away" or "engines"; asked: the person's
  // side, "lot" to draw it at random, or null for the same side as in the last game.
  choosePlayers(text, asked = null) {
    const { clock, side: last } = lastChoice();
    const side = Number(asked === "lot" ? last : (asked ?? last));
    $("bylot").checked = asked === "lot";
    const engine = this.engines.find(({ levels }) => levels) ?? this.engines[0];
    const who = text === "engines" ? ["", ""] : ["person", text === "people" ? "person" : text === "away" ? "away" : ""];
    if (side === 1 && text !== "people") who.reverse();
    for (const each of SIDES) {
      $(`who${each}`).value = who[each] || `engine ${engine.name}`;
      this.showWho(each);
      if (!who[each] && text !== "engines") $(`level${each}`).value = text;
    }
    this.takeClock(clock);
  }

  // Save the choices for the next visit.
  remember() {
    const people = SIDES.filter((side) => $(`who${side}`).value === "person");
    const [side] = people.length === 1 ? people : [lastChoice().side];
    const engine = this.engine(1 - side);
    const level = engine?.levels && this.game === "othello" ? Number($(`level${1 - side}`).value) : lastChoice().level;
    localStorage.setItem(KEY, JSON.stringify({ clock: this.clock, side, level }));
  }

  // Select a running game and its players, so that a reloaded page continues with them.
  take(game, seats) {
    this.chosen.clear();
    this.choose(game.game);
    this.describe(game);
    $("trained").value = game.trains ?? "";
    this.takeClock(seats[0].request.limit);
    seats.forEach(({ request }, side) => {
      $(`who${side}`).value = request.person ? (request.away ? "away" : "person") : `engine ${request.engine}`;
      this.showWho(side);
      if (!clockOf(request.limit)) $(`limit${side}`).value = request.limit ?? "";
      if (request.level != null) $(`level${side}`).value = request.level;
    });
  }

  takeClock(limit) {
    const found = clockOf(limit);
    const isPreset = [...$("clock").options].some(({ value }) => value === limit);
    $("clock").value = isPreset ? limit : found ? OWN_CLOCK : "";
    if (found && !isPreset) [$("minutes").value, $("seconds").value] = found;
    this.showClock();
  }

  // Show the custom clock's fields if selected; without a clock, show the engine's limit.
  showClock() {
    $("own-clock").hidden = $("clock").value !== OWN_CLOCK;
    for (const id of ["minutes", "seconds"]) $(id).disabled = $("own-clock").hidden;
    $("limits").hidden = $("clock").value !== "" || SIDES.every((side) => !this.engine(side));
  }

  // Choose a game with its size or rules.
  choose(game) {
    const name = [...$("gamename").options].find(({ value }) => game === value || game.startsWith(`${value} `))?.value;
    if (!name) return;
    $("gamename").value = name;
    $("parameters").value = game.slice(name.length).trim();
    this.explain();
  }

  // Update the names of players and levels once a game's description has arrived. Select the default level unless the
  // person has chosen a level.
  describe({ players, game, level }) {
    const texts = this.levels.map((_, number) => [String(number), levelText(this.levels, number, game)]);
    for (const side of SIDES) {
      $(`legend${side}`).textContent = $(`limit${side}-title`).textContent = players[side];
      fillSelect($(`level${side}`), texts, this.chosen.get(side) ?? String(level));
    }
  }

  // Return the engine chosen for a side, or undefined for a person.
  engine(side) {
    return this.engines.find(({ name }) => `engine ${name}` === $(`who${side}`).value);
  }

  showWho(side) {
    const engine = this.engine(side);
    $(`level${side}`).closest("label").hidden = !engine?.levels;
    $(`limit${side}`).closest("label").hidden = !engine;
    $("assisted").closest("label").hidden = SIDES.some((each) => this.engine(each));
    if (engine) fillSelect($(`limit${side}`), engineLimits(engine.limit), "");
    this.showClock();
  }
}
