// A search of a tree, frame by frame, forwards and backwards: the state of each position, and a sentence for each step.

import { DECISIVE } from "/static/drawing.js";

const WIN = 30000; // the score of a won game; each ply before the win subtracts one
const SOURCES = { static: "estimated", over: "the game is over", solver: "solved by the game's own solver", distance: "pruned: no quicker win possible" };
const LEAVES = ["static", "over", "solver"]; // the sources of leaf values
// The state of a position that has not been visited. visits: the number of visits; atParent: the number of visits that the
// parent had at this position's last visit; isNull: the bound that a null window tests, "alpha" or "beta", or null for
// any other window; alpha and beta: the window, null for an open side (minimax has no window); last: the child that last
// improved the value.
const FRESH = {
  visits: 0,
  atParent: 0,
  isNull: null,
  open: false,
  stale: false,
  hidden: false,
  cut: false,
  value: null,
  bound: null,
  soFar: null,
  best: null,
  last: null,
};

// Format a score, in hundredths from the first player's point of view.
export function scoreText(score, sides) {
  if (Math.abs(score) <= DECISIVE) return `${score < 0 ? "\u2212" : ""}${Math.abs(score) / 100}`;
  const side = sides[score > 0 ? 0 : 1];
  const plies = WIN - Math.abs(score);
  return plies === 0 ? `${side} won` : `${side} in ${plies}`;
}

// Convert a child's score to its parent's: a win is one ply farther away.
export function fromChild(score) {
  if (score > DECISIVE) return score - 1;
  return score < -DECISIVE ? score + 1 : score;
}

// Format a position's value: exact, a bound, or the best so far.
export function valueText(state, sides) {
  if (state.value === null) return state.soFar === null ? "" : `${scoreText(state.soFar, sides)} \u2026`;
  return `${{ exact: "", lower: "\u2265", upper: "\u2264" }[state.bound]}${scoreText(state.value, sides)}`;
}

// Format a position's alpha and beta, or return null if the search has none. A null window is one hundredth wide.
export function windowText({ alpha, beta, isNull }, sides, [a, b] = ["\u03b1", "\u03b2"]) {
  if (alpha === undefined) return null;
  if (isNull === "alpha") return [scoreText(alpha, sides), `${a}+1`];
  if (isNull === "beta") return [`${b}\u22121`, scoreText(beta, sides)];
  return [alpha === null ? "\u2212\u221e" : scoreText(alpha, sides), beta === null ? "+\u221e" : scoreText(beta, sides)];
}

// Add to each position its children and the number of leaves below it.
export function withChildren(nodes) {
  const made = nodes.map((node, place) => ({ ...node, place, children: [], leaves: 0 }));
  for (const node of made) if (node.parent !== null) made[node.parent].children.push(node.place);
  for (const node of made.toReversed()) node.leaves = node.children.reduce((sum, child) => sum + made[child].leaves, 0) || 1;
  return made;
}

// A search shown frame by frame: `take` shows the next of its `frames`, and `now.at` counts the frames shown.
export class Frames {
  // frames: all frames, or the frames from `first` on; piece: the server's data on a search in pieces, else null.
  constructor(nodes, frames, piece = null, first = 0) {
    Object.assign(this, { nodes, frames, piece, first, end: first + frames.length });
  }

  get done() {
    return this.now.at === this.end && (this.piece?.ended ?? true);
  }

  // Return whether the state after this many frames is known here.
  has(at) {
    return !this.piece || (at >= this.first && (at <= this.end || this.piece.ended));
  }

  // Show the search after this many frames, or at its end. Going back replays it from the beginning.
  goTo(at) {
    if (at < this.now.at) this.begin();
    while (this.now.at < Math.min(at, this.end)) {
      this.take(this.frames[this.now.at - this.first]);
      this.now.at += 1;
    }
  }

  change(place, changes) {
    this.states[place] = { ...this.states[place], ...changes };
  }

  name(place, inside = false) {
    return nameOf(this.nodes, place, inside);
  }
}

export class Walk extends Frames {
  // nodes: with their children; walk: from the server, complete or a piece; players, sides: names and letters.
  constructor(nodes, walk, { players, sides }) {
    super(nodes, framesOf(walk.steps), walk.before ? walk : null, walk.first ?? 0); // a long search comes in pieces
    this.players = players;
    this.sides = sides;
    this.hasWindow = walk.algorithm !== "minimax"; // the engine's minimax ignores its window
    this.hasNull = walk.algorithm === "pvs"; // whether the algorithm uses null windows; in the others, a window of one hundredth is an ordinary one
    this.begin();
  }

  // Return the branches to draw as one: among the children the search never visits, the first gets the number of leaves
  // below all of them, and the others get 0.
  get folded() {
    const entered = new Set(this.frames.flat().map((step) => step.node));
    const folded = new Map();
    for (const { children } of this.nodes.filter((node) => entered.has(node.place))) {
      const left = children.filter((child) => !entered.has(child));
      for (const child of left) folded.set(child, 0);
      for (const child of left) folded.set(left[0], folded.get(left[0]) + this.nodes[child].leaves);
    }
    return folded;
  }

  take(steps) {
    for (const step of steps) this.apply(step);
  }

  begin() {
    this.states = this.nodes.map(() => FRESH);
    this.now = { at: this.first, current: null, visited: 0, again: 0, saved: 0, sentence: "The search has not begun." };
    if (!this.piece) return;
    this.take(this.piece.before);
    Object.assign(this.now, { visited: this.piece.visited, saved: this.piece.saved });
  }

  // Return the positions from the root to the search's current one.
  get way() {
    return wayTo(this.nodes, this.now.current ?? 0);
  }

  // Change all positions below a position.
  changeBelow(place, changes) {
    for (const child of this.nodes[place].children) {
      this.change(child, changes);
      this.changeBelow(child, changes);
    }
  }

  apply(step) {
    this.now.saved += step.saved;
    this.now.sentence = this[step.event](step);
    this.now.current = step.node;
  }

  enter({ node, alpha, beta }) {
    const before = this.states[node];
    const parent = this.states[this.nodes[node].parent];
    if (before.cut || before.hidden) this.changeBelow(node, { hidden: false });
    if (before.visits) this.changeBelow(node, { stale: true });
    const isNull =
      this.hasNull && alpha !== null && beta !== null && beta - alpha === 1
        ? (parent.isNull ?? (this.nodes[this.nodes[node].parent].side === 0 ? "alpha" : "beta"))
        : null;
    this.change(node, { ...FRESH, visits: before.visits + 1, atParent: parent?.visits ?? 0, isNull, open: true, ...(this.hasWindow && { alpha, beta }) });
    if (!this.piece && this.nodes[node].children.length === 0) this.now[before.visits ? "again" : "visited"] += 1;
    return `${this.name(node)}${this.purpose(node, before)} ${this.players[this.nodes[node].side]} to move${this.hasWindow ? `, ${this.window(node)}` : ""}.`;
  }

  // Describe why a position is entered, if that is not obvious.
  purpose(node, before) {
    const state = this.states[node];
    if (this.asks(node)) return `: is it better for ${this.chooser(node)} than ${this.asked(node)}? A null window asks only this.`;
    if (before.isNull && !state.isNull && before.atParent === state.atParent) return " again: it is better, but by how much? The full window finds out.";
    return before.visits ? ", visited again:" : ":";
  }

  // Return whether a null window begins here to test this position; below it the test is the same.
  asks(node) {
    return this.states[node].isNull && !this.states[this.nodes[node].parent].isNull;
  }

  // Return the value that a null window tests against, as the parent sees it.
  asked(node) {
    const { alpha, beta } = this.states[node];
    return scoreText(fromChild(this.nodes[node].side === 1 ? alpha : beta), this.sides);
  }

  // Return the player who chose this position.
  chooser(node) {
    return this.players[1 - this.nodes[node].side];
  }

  bounds({ node, child, alpha, beta }) {
    this.change(node, { best: child, ...(this.hasWindow && { alpha, beta }) });
    const now = this.hasWindow ? `; now ${this.window(node)}` : `, worth ${scoreText(this.states[node].soFar, this.sides)}`;
    return `${this.name(node)}: child ${this.nodes[child].move} is the best so far${now}.`;
  }

  cutoff({ node, child, value, untried, saved }) {
    for (const each of untried) {
      this.change(each, { cut: true, hidden: true });
      this.changeBelow(each, { hidden: true });
    }
    this.change(node, { best: child });
    const moves = untried.map((each) => this.nodes[each].move).join(" ");
    const found = `child ${this.nodes[child].move} returns ${scoreText(value, this.sides)}`;
    return `${this.name(node)}: ${found}. ${this.reason(node, value)} Cutoff: ${moves} not tried, ${leaves(saved)} saved.`;
  }

  // Explain why a value is good enough to skip the remaining moves.
  reason(node, value) {
    const { isNull, alpha, beta } = this.states[node];
    const isMax = this.nodes[node].side === 0;
    const limit = isMax ? beta : alpha;
    if (limit === null || (isMax ? value < limit : value > limit)) return "Nothing can be better.";
    if (isNull) return "This value settles the null-window test.";
    return `${this.chooser(node)} already has ${scoreText(limit, this.sides)} elsewhere (${isMax ? "beta" : "alpha"}) and will not come here.`;
  }

  value({ node, value, bound, source, saved }) {
    if (this.piece && LEAVES.includes(source)) this.now.visited += 1;
    this.change(node, { open: false, value, bound });
    const isMax = this.nodes[node].side === 0;
    if (source === "moves" && bound === (isMax ? "lower" : "upper")) this.change(node, { best: this.states[node].last }); // the last move refutes the position
    if (source !== "moves") {
      for (const child of this.nodes[node].children) this.change(child, { cut: true });
      this.changeBelow(node, { hidden: true });
    }
    this.pass(node, value);
    const said = `${{ exact: "", lower: "at least ", upper: "at most " }[bound]}${scoreText(value, this.sides)}`;
    const how = SOURCES[source] ? ` (${SOURCES[source]}${saved > 0 ? `; good enough, ${leaves(saved)} saved` : ""})` : "";
    if (node === 0) return `The search is done: the value is ${said}${how}.`;
    const again = this.nodes[node].children.length === 0 && this.states[node].visits > 1 ? ", visited again" : "";
    return `${this.name(node)}${again}: value ${said}${how}, ${this.answer(node, value)}returned to ${this.name(this.nodes[node].parent, true)}.`;
  }

  // Describe the result of a null window.
  answer(node, value) {
    if (!this.asks(node)) return "";
    const { alpha, beta } = this.states[node];
    const isBetter = this.nodes[node].side === 1 ? value >= beta : value <= alpha;
    return `${isBetter ? "better" : "not better"} for ${this.chooser(node)} than ${this.asked(node)}, `;
  }

  // Report a value to the parent, which keeps the best for its side to move.
  pass(node, value) {
    const parent = this.nodes[node].parent;
    if (parent === null) return;
    const { soFar } = this.states[parent];
    const found = fromChild(value);
    const better = soFar === null || (this.nodes[parent].side === 0 ? found > soFar : found < soFar);
    if (better) this.change(parent, { soFar: found, last: node });
  }

  window(node) {
    const [low, high] = windowText(this.states[node], this.sides, ["alpha", "beta"]);
    return `alpha ${low}, beta ${high}`;
  }
}

// Return the positions from the root to a position.
function wayTo(nodes, node) {
  const way = [];
  for (let place = node; place !== null; place = nodes[place].parent) way.unshift(place);
  return way;
}

// Return the moves from the root to a position.
export function movesTo(nodes, node) {
  return wayTo(nodes, node)
    .slice(1)
    .map((place) => nodes[place].move);
}

export function nameOf(nodes, node, inside = false) {
  const moves = movesTo(nodes, node);
  return moves.length ? `${inside ? "node" : "Node"} ${moves.join(" ")}` : `${inside ? "the" : "The"} root`;
}

function leaves(count) {
  return `${count} ${count === 1 ? "leaf" : "leaves"}`;
}

// Group steps into frames. A frame is one step, or the entry and exit of a leaf.
function framesOf(steps) {
  const frames = [];
  for (const step of steps) {
    const before = frames.at(-1)?.at(-1);
    if (step.event === "value" && before?.event === "enter") frames.at(-1).push(step);
    else frames.push([step]);
  }
  return frames;
}
