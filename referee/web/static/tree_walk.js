// A search of a tree frame by frame, forwards and back: what each position shows, and what happens in words.

import { DECISIVE } from "./drawing.js";

const WIN = 30000; // the score of a game that is won; one less for each ply to it
const LEAVES = ["static", "over", "solver"]; // where the value of a leaf comes from
const SOURCES = { static: "estimated", over: "the game is over", solver: "solved by the game's own solver", distance: "no win here could be quicker" };
const FRESH = { visits: 0, open: false, stale: false, hidden: false, cut: false, alpha: null, beta: null, value: null, bound: null, soFar: null, best: null };

// Return a score, in hundredths from the first player's view, as short text.
export function scoreText(score, sides) {
  if (Math.abs(score) <= DECISIVE) return `${score < 0 ? "\u2212" : ""}${Math.abs(score) / 100}`;
  const side = sides[score > 0 ? 0 : 1];
  const plies = WIN - Math.abs(score);
  return plies === 0 ? `${side} won` : `${side} in ${plies}`;
}

// Return the value of a child as its parent has it: a win is one ply farther away.
export function fromChild(score) {
  if (score > DECISIVE) return score - 1;
  return score < -DECISIVE ? score + 1 : score;
}

// Return what a position shows of its value: exact, a bound, or the best so far.
export function valueText(state, sides) {
  if (state.value === null) return state.soFar === null ? "" : `${scoreText(state.soFar, sides)} \u2026`;
  return `${{ exact: "", lower: "\u2265", upper: "\u2264" }[state.bound]}${scoreText(state.value, sides)}`;
}

export function windowText(state, sides) {
  const low = state.alpha === null ? "\u2212\u221e" : scoreText(state.alpha, sides);
  const high = state.beta === null ? "+\u221e" : scoreText(state.beta, sides);
  return [low, high];
}

// Give each position of a tree its children.
export function withChildren(nodes) {
  const made = nodes.map((node, place) => ({ ...node, place, children: [] }));
  for (const node of made) if (node.parent !== null) made[node.parent].children.push(node.place);
  return made;
}

export class Walk {
  // nodes: with their children; walk: as the server gives it; names: of the players, with their letters in sides.
  constructor(nodes, walk, { players, sides }) {
    this.nodes = nodes;
    this.players = players;
    this.sides = sides;
    this.frames = framesOf(walk.steps);
    this.states = nodes.map(() => FRESH);
    this.now = { at: 0, current: null, leaves: 0, saved: 0, visited: 0, sentence: "The search has not begun." };
    this.past = [];
  }

  get done() {
    return this.now.at === this.frames.length;
  }

  // Go on by one frame. Return the places whose picture is another now.
  step() {
    if (this.done) return [];
    this.old = new Map();
    const before = this.now;
    const frame = this.frames[before.at];
    this.now = { ...before, at: before.at + 1 };
    for (const step of frame) this.apply(step);
    this.past.push([before, this.old]);
    return this.touched(before.current);
  }

  back() {
    if (this.past.length === 0) return [];
    const current = this.now.current;
    const [before, old] = this.past.pop();
    for (const [place, state] of old) this.states[place] = state;
    this.old = old;
    this.now = before;
    return this.touched(current);
  }

  touched(before) {
    return [...new Set([...this.old.keys(), ...[before, this.now.current].filter((place) => place !== null)])];
  }

  change(place, changes) {
    if (!this.old.has(place)) this.old.set(place, this.states[place]);
    this.states[place] = { ...this.states[place], ...changes };
  }

  // Change all positions below one.
  changeBelow(place, changes) {
    for (const child of this.nodes[place].children) {
      this.change(child, changes);
      this.changeBelow(child, changes);
    }
  }

  apply(step) {
    const again = this.states[step.node].visits > 0;
    this.now.sentence = { enter: () => this.enter(step, again), bounds: () => this.narrow(step), cutoff: () => this.cut(step), value: () => this.leave(step) }[step.event]();
    this.now.current = step.node;
  }

  enter(step, again) {
    const { node, alpha, beta } = step;
    const state = this.states[node];
    if (state.cut || state.hidden) this.changeBelow(node, { hidden: false });
    if (again) this.changeBelow(node, { stale: true });
    this.change(node, { ...FRESH, visits: state.visits + 1, open: true, alpha, beta });
    this.now.visited += node === 0 ? 0 : 1;
    return `${this.name(node)}${again ? ", searched again" : ""}: ${this.players[this.nodes[node].side]} to move, ${this.window(node)}.`;
  }

  narrow({ node, child, alpha, beta }) {
    this.change(node, { alpha, beta, best: child });
    return `${this.name(node)}: child ${this.nodes[child].move} is the best so far; now ${this.window(node)}.`;
  }

  cut({ node, child, value, untried, saved }) {
    for (const each of untried) {
      this.change(each, { cut: true, hidden: true });
      this.changeBelow(each, { hidden: true });
    }
    this.change(node, { best: child });
    this.now.saved += saved;
    const moves = untried.map((each) => this.nodes[each].move).join(" ");
    return `${this.name(node)}: ${this.window(node)}; child ${this.nodes[child].move} returns ${scoreText(value, this.sides)}, cutoff: ${moves} not tried, ${leaves(saved)} saved.`;
  }

  leave({ node, value, bound, source, saved }) {
    this.change(node, { open: false, value, bound });
    this.now.saved += saved;
    if (LEAVES.includes(source)) this.now.leaves += 1;
    if (source === "distance") for (const child of this.nodes[node].children) this.change(child, { cut: true });
    if (source === "distance") this.changeBelow(node, { hidden: true });
    this.pass(node, value);
    const said = `${{ exact: "", lower: "at least ", upper: "at most " }[bound]}${scoreText(value, this.sides)}`;
    const how = SOURCES[source] ? ` (${SOURCES[source]}${saved ? `: ${leaves(saved)} saved` : ""})` : "";
    if (node === 0) return `The search is done: the value is ${said}${how}.`;
    return `${this.name(node)}: value ${said}${how}, returned to ${this.name(this.nodes[node].parent, true)}.`;
  }

  // Let the parent know a value: the best for who is to move there stays.
  pass(node, value) {
    const parent = this.nodes[node].parent;
    if (parent === null) return;
    const { soFar } = this.states[parent];
    const found = fromChild(value);
    const better = soFar === null || (this.nodes[parent].side === 0 ? found > soFar : found < soFar);
    if (better) this.change(parent, { soFar: found });
  }

  window(node) {
    const [low, high] = windowText(this.states[node], this.sides);
    return `alpha ${low}, beta ${high}`;
  }

  name(node, inside = false) {
    return nameOf(this.nodes, node, inside);
  }
}

export function nameOf(nodes, node, inside = false) {
  const moves = [];
  for (let place = node; nodes[place].parent !== null; place = nodes[place].parent) moves.unshift(nodes[place].move);
  return moves.length ? `${inside ? "node" : "Node"} ${moves.join(" ")}` : `${inside ? "the" : "The"} root`;
}

function leaves(count) {
  return `${count} ${count === 1 ? "leaf" : "leaves"}`;
}

// A leaf is entered and left in one frame.
function framesOf(steps) {
  const frames = [];
  for (const step of steps) {
    const before = frames.at(-1)?.at(-1);
    if (step.event === "value" && before?.event === "enter") frames.at(-1).push(step);
    else frames.push([step]);
  }
  return frames;
}
