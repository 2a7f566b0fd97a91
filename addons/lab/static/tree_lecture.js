// A lecture on the tree page: ten examples in large type. The address names the lecture and the example, and one key
// shows the next example, as does the button of a presenter.

import { $ } from "/static/page.js";
import { textParts } from "./marked_text.js";

const KEYS = { PageDown: 1, n: 1, PageUp: -1, p: -1 };

export class Lecture {
  // lectures: each with its title and its items, the examples (GET /api/lectures).
  constructor(lectures) {
    this.lectures = lectures;
    this.items = null; // the examples, or null outside a lecture
    for (const [id, key] of [
      ["previous", "p"],
      ["next", "n"],
    ])
      $(id).addEventListener("click", () => this.turn(key));
  }

  // Return the current example as { address, frame }: the address of its tree, and the first frame. Return null
  // outside a lecture.
  read() {
    const said = new URLSearchParams(location.hash.slice(1));
    this.name = said.get("lecture");
    this.items = this.lectures.find(({ title }) => title === this.name)?.items ?? null;
    document.querySelector("main").classList.toggle("lecture", this.items !== null);
    $("example").hidden = this.items === null;
    if (!this.items) return null;
    this.at = Math.max(1, Math.min(this.items.length, Number(said.get("at")) || 1));
    const { target } = this.items[this.at - 1];
    const address = target.slice(target.indexOf("#"));
    const frame = new URLSearchParams(address.slice(1)).get("frame");
    return { address, frame: frame === "end" ? Infinity : Number(frame) };
  }

  // Explain the example, once its tree is shown.
  explain() {
    $("explanation").replaceChildren(`${this.at}/${this.items.length} `, ...textParts(this.items[this.at - 1].expect));
    $("previous").ariaDisabled = this.at === 1;
    $("next").ariaDisabled = this.at === this.items.length;
  }

  // Go to the next or previous example. Return whether the key does that.
  turn(key) {
    if (!this.items || !(key in KEYS)) return false;
    const at = Math.max(1, Math.min(this.items.length, this.at + KEYS[key]));
    location.hash = new URLSearchParams({ lecture: this.name, at });
    return true;
  }
}
