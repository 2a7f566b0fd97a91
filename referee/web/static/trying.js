// Moves that are tried beside a game, on the board and by the buttons below the list: promoted, deleted, said something of.

import { $, ask, attempt } from "./page.js";
import { branchOf, grow, lineThrough, link, linesOf, promote, remove } from "./variations.js";

const KEPT = "/api/kept/";

export class Variations {
  // state: of the page; show: shows a ply of the line in it.
  constructor(state, show) {
    Object.assign(this, { state, show });
    this.step = null;
    $("promote").addEventListener("click", () => {
      promote(this.step);
      this.changed(this.step);
    });
    $("delete").addEventListener("click", () => this.changed(remove(this.step)));
    $("comment").addEventListener("change", () => {
      this.step.comment = $("comment").value.trim();
      this.changed(this.step);
    });
  }

  // isOpen: whether moves may be tried here.
  draw(step, isOpen) {
    const isNew = step !== this.step;
    this.step = step;
    $("variation").hidden = !isOpen;
    $("promote").hidden = !branchOf(step);
    $("delete").hidden = step.isPlayed;
    if (isNew) $("comment").value = step.comment;
  }

  // Show a step, and the line that it belongs to.
  follow(step) {
    if (!this.state.steps.includes(step)) this.state.steps = lineThrough(step);
    this.show(step.ply);
  }

  // Show the line that begins with these moves, as far as it is in the tree.
  find(moves) {
    let step = this.state.steps[0];
    for (const move of moves) {
      const next = step.next.find((each) => each.move === move);
      if (!next) break;
      step = next;
    }
    this.follow(step);
  }

  // Play moves after a step, in a line of their own if the game went on otherwise, and show the first of them.
  async play(moves, start) {
    const { state } = this;
    const words = [...moves];
    let before = start;
    for (let known = start; known; known = before.next.find(({ move }) => move === words[0])) {
      if (known !== start) words.shift();
      before = known;
    }
    if (words.length) {
      const shown = state.steps[state.at];
      const { steps } = await ask("/api/replay", { game: state.game.game, start: before.position, moves: words.join(" ") });
      if (state.steps[state.at] !== shown) return;
      state.fresh = false;
      for (const step of steps.slice(1)) before = link(before, step);
    }
    state.steps = lineThrough(before);
    this.changed(state.steps[start.ply + 1]);
  }

  // Add the lines that were kept with the game.
  grow(lines = []) {
    grow(this.state.steps[0], lines);
    this.state.steps = lineThrough(this.state.steps.at(-1));
  }

  // Show a step of the changed tree, and keep the tree with its game.
  changed(step) {
    this.state.steps = lineThrough(step);
    this.show(step.ply);
    const { stored, steps } = this.state;
    if (stored.startsWith(KEPT)) attempt(() => ask(stored, { lines: linesOf(steps[0]) }, "PUT"));
  }

  // Read the lines that were kept with a game that has been played, by its name.
  async read(kept) {
    const root = this.state.steps[0];
    this.state.stored = KEPT + encodeURIComponent(kept);
    const { lines, record } = await ask(this.state.stored);
    if (this.state.steps[0] !== root) return;
    this.state.game.record = record;
    grow(root, lines);
    this.show(this.state.at);
  }
}
