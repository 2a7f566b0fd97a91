// What can be done with the move that is shown: say something of it, and where it was only tried, put it first or take it away.

import { $ } from "./page.js";
import { branchOf, promote, remove } from "./variations.js";

export class VariationBar {
  // follow: shows a step; draw: called when something has changed.
  constructor(follow, draw) {
    this.step = null;
    $("promote").addEventListener("click", () => {
      promote(this.step);
      draw();
    });
    $("delete").addEventListener("click", () => follow(remove(this.step)));
    $("comment").addEventListener("change", () => {
      this.step.comment = $("comment").value.trim();
      draw();
    });
  }

  // isOpen: whether moves may be tried here.
  show(step, isOpen) {
    const isNew = step !== this.step;
    this.step = step;
    $("variation").hidden = !isOpen;
    $("promote").hidden = !branchOf(step);
    $("delete").hidden = step.isPlayed;
    if (isNew) $("comment").value = step.comment;
  }
}
