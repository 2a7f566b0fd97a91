// The simulations of Monte Carlo tree search, with visits, means and bounds. Each of their four phases is a frame.

import { Frames } from "./tree_walk.js";

const FRESH = { visits: 0, value: null, text: "", detail: "", extra: "", open: false, best: null, isNull: null };
const PHASES = ["Selection", "Expansion", "Simulation", "Backpropagation"];

export class Simulations extends Frames {
  // answer: from the server, with the nodes of the grown tree and its simulations.
  constructor(answer) {
    const frames = answer.simulations.flatMap((told, index) => PHASES.map((phase) => ({ told, index, phase })));
    super(answer.nodes, frames);
    this.answer = answer;
    this.begin();
  }

  begin() {
    this.nodes = this.answer.nodes.map((node, place) => ({ ...node, place, children: [] }));
    this.states = this.nodes.map(() => FRESH);
    this.way = [0];
    this.now = { at: 0, current: 0, board: this.nodes[0].board, sentence: "The search has not begun.", phase: "" };
    const [first] = this.answer.simulations;
    this.grow(0, first.choices[0]);
  }

  take({ told, index, phase }) {
    this.now.phase = `Simulation ${index + 1} of ${this.answer.simulations.length}: ${phase.toLowerCase()}`;
    this.now.sentence = `${phase}: ${this[phase](told)}`;
  }

  // Show a position's children.
  grow(place, choices) {
    this.nodes[place].children = choices.map((choice) => choice.place);
  }

  // Move to the last position of a path, and show the bounds that selected it.
  walk(way, choices) {
    for (const place of this.way) this.change(place, { open: false });
    this.way = way;
    this.now.current = way.at(-1);
    this.now.board = this.nodes[this.now.current].board;
    for (const place of way) this.change(place, { open: true });
    for (const [level, row] of choices.entries()) {
      for (const choice of row) this.change(choice.place, { extra: boundText(choice) });
      this.change(way[level], { best: way[level + 1] ?? null });
    }
  }

  Selection({ path, choices, expanded }) {
    const count = expanded === null ? path.length - 1 : expanded;
    this.walk(path.slice(0, count + 1), choices.slice(0, count));
    if (count === 0) return "the search is at the root.";
    const said = path.slice(1, count + 1).map((place, level) => {
      const choice = choices[level].find((each) => each.place === place);
      return `${this.nodes[place].move} (${choice.bound === null ? "never visited" : `bound ${choice.bound.toFixed(2)}`})`;
    });
    return `the greatest bound at each position, ${said.join(", then ")}.`;
  }

  Expansion({ path, choices, expanded }) {
    if (expanded === null)
      return `none: ${this.name(path.at(-1), true)} is ${this.states[path.at(-1)].visits ? "already proven" : "visited for the first time"}.`;
    this.grow(path[expanded], choices[expanded]);
    this.walk(path, choices);
    return `${this.name(path[expanded], true)} gets ${choices[expanded].length} children; the first of them is chosen.`;
  }

  Simulation({ playout, end, winner }) {
    this.now.board = end;
    const result = winner === null ? "its value is proven" : winner === 2 ? "a draw" : `${this.answer.players[winner]} wins`;
    return playout.length ? `random moves ${playout.join(" ")}: ${result}.` : `no moves: ${winner === null ? result : `the game is over, ${result}`}.`;
  }

  Backpropagation({ path, visits, means }) {
    this.now.board = this.nodes[path.at(-1)].board;
    for (const [level, place] of path.entries()) {
      const text = level === 0 ? "" : means[level].toFixed(2);
      this.change(place, { visits: visits[level], text, detail: `n ${visits[level]}` });
    }
    const said = path.slice(1).map((place, level) => `${this.nodes[place].move} ${means[level + 1].toFixed(2)} of ${visits[level + 1]}`);
    return `the result goes up: mean ${said.toReversed().join(", ")}; the root has ${visits[0]} ${visits[0] === 1 ? "visit" : "visits"}.`;
  }
}

function boundText({ bound, decided }) {
  return decided ? "proven" : bound === null ? "\u221e" : bound.toFixed(2);
}
