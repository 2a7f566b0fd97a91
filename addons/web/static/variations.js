// The moves of a game as a tree: beside the main line stand those that were only tried. Each step knows the one `before`
// it, those that may come `next`, the main line's first, and its `ply`. On the board and by the buttons below the list a
// variation is played, promoted, deleted, and said something of.

import { $, ask, attempt } from "./page.js";

export const KEPT = "/api/kept/"; // the server keeps the games that were played here at such addresses

// Take over the steps of a line from the beginning of a game on, as they were played. Return them.
export function joined(steps) {
  steps.forEach((step, ply) => {
    if (!step.next) link(steps[ply - 1] ?? null, step, true);
  });
  return steps;
}

// Put a step after another one, and return it. isPlayed: whether it belongs to the game itself, which keeps it.
function link(before, step, isPlayed = false) {
  Object.assign(step, { before, next: [], ply: before ? before.ply + 1 : 0, isPlayed, comment: "" });
  before?.next.push(step);
  return step;
}

// Return the steps from the beginning of a game to this one.
function pathTo(step) {
  const path = [];
  for (let each = step; each; each = each.before) path.unshift(each);
  return path;
}

// Return the line from the beginning through a step, and on along the first moves.
export function lineThrough(step) {
  const line = pathTo(step);
  for (let each = step.next[0]; each; each = each.next[0]) line.push(each);
  return line;
}

// Return the steps on the way to this one that are not the first choice, where its line leaves another one.
function branchesTo(step) {
  return pathTo(step).filter((each) => each.before && each.before.next[0] !== each);
}

// Return the step of the main line where the line of this step leaves it; null on the main line.
export function leavingOf(step) {
  return branchesTo(step)[0]?.before ?? null;
}

// Return the steps that were played, or where nothing was, as on a board for analysis, the main line.
export function playedLine(root) {
  const line = [];
  for (let step = root; step; step = step.next.find((each) => each.isPlayed)) line.push(step);
  return line.length > 1 ? line : lineThrough(root);
}

// Grow a tree by the lines of the server, in their order: [{ moves, comment, steps }], with the steps that are new in each.
export function grow(root, lines) {
  const counts = new Map(); // how many moves after each step are in order already
  const ordered = new Set();
  for (const { moves, comment, steps } of lines) {
    let step = root;
    for (const move of moves.split(" ").filter(Boolean)) {
      const before = step;
      step = before.next.find((each) => each.move === move) ?? link(before, steps.shift());
      if (ordered.has(step)) continue;
      ordered.add(step);
      const count = counts.get(before) ?? 0;
      before.next.splice(before.next.indexOf(step), 1);
      before.next.splice(count, 0, step);
      counts.set(before, count + 1);
    }
    if (comment) step.comment = comment;
  }
}

// Return all lines of a tree, the main line first, and each step with a comment: [{ moves, comment }].
export function linesOf(root) {
  const found = [];
  const walk = (step, moves) => {
    if (step.comment || !step.next.length) found.push({ moves: moves.join(" "), comment: step.comment });
    for (const each of step.next) walk(each, [...moves, each.move]);
  };
  walk(root, []);
  return found;
}

export class Variations {
  // shown: the game that the page shows.
  constructor(shown) {
    this.shown = shown;
    this.step = null;
    $("promote").addEventListener("click", () => this.promote());
    $("delete").addEventListener("click", () => this.delete());
    $("comment").addEventListener("change", () => {
      this.step.comment = $("comment").value.trim();
      this.changed(this.step);
    });
  }

  // Draw what can be done with the step that is seen.
  draw({ step, mayTry }) {
    const isNew = step !== this.step;
    this.step = step;
    $("variation").hidden = !mayTry;
    if (isNew) $("comment").value = step.comment;
  }

  // Put the variation that the step belongs to before those beside it.
  promote() {
    const branch = branchesTo(this.step).at(-1);
    const { next } = branch.before;
    next.unshift(...next.splice(next.indexOf(branch), 1));
    this.changed(this.step);
  }

  // Take the step away, with all after it.
  delete() {
    const { before } = this.step;
    before.next.splice(before.next.indexOf(this.step), 1);
    this.changed(before);
  }

  // See the line that begins with these moves, as far as it is in the tree.
  find(moves) {
    let [step] = this.shown.steps;
    for (const move of moves) {
      const next = step.next.find((each) => each.move === move);
      if (!next) break;
      step = next;
    }
    this.shown.follow(step);
  }

  // Play moves after a step, in a line of their own if the game went on otherwise, and see the first of them.
  async play(moves, start) {
    const { shown } = this;
    const words = [...moves];
    let before = start;
    for (let known = start; known; known = before.next.find(({ move }) => move === words[0])) {
      if (known !== start) words.shift();
      before = known;
    }
    if (words.length) {
      const seen = shown.step;
      const { steps } = await ask("/api/replay", { game: shown.game.game, start: before.position, moves: words.join(" ") });
      if (shown.step !== seen) return;
      for (const step of steps.slice(1)) before = link(before, step);
    }
    this.changed(lineThrough(before)[start.ply + 1]);
  }

  // See a step of the changed tree, and keep the tree with its game.
  changed(step) {
    this.shown.showLine(step);
    const { stored, steps } = this.shown;
    if (stored.startsWith(KEPT)) attempt(() => ask(stored, { lines: linesOf(steps[0]) }, "PUT"));
  }

  // Read the lines that were kept with a game that has been played, by its name. Return its review, null for none.
  async read(kept) {
    const [root] = this.shown.steps;
    const path = KEPT + encodeURIComponent(kept);
    this.shown.keepAt(path);
    const { lines, record, review } = await ask(path);
    if (this.shown.steps[0] !== root) return null;
    this.shown.keepAt(path, record);
    grow(root, lines);
    this.shown.draw();
    return review;
  }
}
