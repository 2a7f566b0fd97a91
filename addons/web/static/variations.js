// A game's moves as a tree: the main line with variations. Each step knows the step `before` it, the `next` steps (main
// line first), its `ply`, and its `number`, which does not count passes. Variations are played on the board, and edited
// with the controls below the list.

import { $, ask, attempt } from "./page.js";

export const KEPT = "/api/kept/"; // address prefix of games saved on the server

// Link the steps of a game, from the beginning, into a tree as played moves. Return the steps.
export function joined(steps) {
  steps.forEach((step, ply) => {
    if (!step.next) link(steps[ply - 1] ?? null, step, true);
  });
  return steps;
}

// Append a step to another step, and return it. isPlayed: whether it belongs to the game itself and cannot be deleted.
function link(before, step, isPlayed = false) {
  const number = (before?.number ?? -1) + (step.move === "pass" ? 0 : 1);
  Object.assign(step, { before, next: [], ply: before ? before.ply + 1 : 0, number, isPlayed, comment: "" });
  before?.next.push(step);
  return step;
}

// Return the steps from the beginning of the game to a step.
function pathTo(step) {
  const path = [];
  for (let each = step; each; each = each.before) path.unshift(each);
  return path;
}

// Return the line through a step: the steps up to it, then the first continuation of each step.
export function lineThrough(step) {
  const line = pathTo(step);
  for (let each = step.next[0]; each; each = each.next[0]) line.push(each);
  return line;
}

// Return the first step of each variation on the path to a step.
function branchesTo(step) {
  return pathTo(step).filter((each) => each.before && each.before.next[0] !== each);
}

// Return the main-line step at which a step's variation branches off, or null on the main line.
export function leavingOf(step) {
  return branchesTo(step)[0]?.before ?? null;
}

// Return the played steps or, if there are none (on an analysis board), the main line.
export function playedLine(root) {
  const line = [];
  for (let step = root; step; step = step.next.find((each) => each.isPlayed)) line.push(step);
  return line.length > 1 ? line : lineThrough(root);
}

// Add the server's lines to a tree, in order: [{ moves, comment, steps }], where steps are those not in earlier lines.
export function grow(root, lines) {
  const counts = new Map(); // number of continuations already ordered after each step
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
    step.endsLine = true;
    if (comment) step.comment = comment;
  }
}

// Return a tree's lines, main line first: [{ moves, comment }]. A line ends at a last move, at a comment, or where a saved
// line ended.
export function linesOf(root) {
  const found = [];
  const walk = (step, moves) => {
    if (step.comment || step.endsLine || !step.next.length) found.push({ moves: moves.join(" "), comment: step.comment });
    for (const each of step.next) walk(each, [...moves, each.move]);
  };
  walk(root, []);
  return found;
}

export class Variations {
  // shown: the displayed game.
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

  // Show the displayed step's comment.
  draw({ step, mayTry }) {
    const isNew = step !== this.step;
    this.step = step;
    $("variation").hidden = !mayTry || !(step.before || step.next.length);
    if (isNew) $("comment").value = step.comment;
  }

  // Move the displayed step's variation before its siblings.
  promote() {
    const branch = branchesTo(this.step).at(-1);
    const { next } = branch.before;
    next.unshift(...next.splice(next.indexOf(branch), 1));
    this.changed(this.step);
  }

  // Delete the displayed step and everything after it.
  delete() {
    const { before } = this.step;
    before.next.splice(before.next.indexOf(this.step), 1);
    this.changed(before);
  }

  // Show the line that starts with these moves, as far as it is in the tree.
  find(moves) {
    let [step] = this.shown.steps;
    for (const move of moves) {
      const next = step.next.find((each) => each.move === move);
      if (!next) break;
      step = next;
    }
    this.shown.follow(step);
  }

  // Play moves after a step, as a variation if the game continued differently, and show the first of them.
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

  // Show a step of the changed tree, and save the tree with its game.
  changed(step) {
    this.shown.showLine(step);
    const { stored, steps } = this.shown;
    if (stored.startsWith(KEPT)) attempt(() => ask(stored, { lines: linesOf(steps[0]) }, "PUT"));
  }

  // Load the lines saved with a finished game, and return its review, or null. kept: the game's name.
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
