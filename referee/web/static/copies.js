// The buttons that copy what is shown, or save it as a file.

import { addressOf, keepAddress, movesOf } from "./address.js";
import { download } from "./files.js";
import { $, attempt } from "./page.js";

export class Copies {
  // state: what the page shows; isCovered: tells whether the page does not know all of it; say: tells that it was done.
  constructor(state, isCovered, say) {
    Object.assign(this, { state, isCovered });
    const texts = {
      copy: [() => movesOf(state.steps), "The moves are copied."],
      copynumbers: [() => movesOf(state.steps, state.steps.length - 1, "project"), "The moves are copied as numbers."],
      copyposition: [() => state.steps[state.at]?.position ?? "", "The position is copied."],
      copyaddress: [() => this.address(), "The link is copied."],
    };
    for (const [id, [read, done]] of Object.entries(texts)) {
      $(id).addEventListener("click", () => attempt(() => navigator.clipboard.writeText(read()).then(() => say(done))));
    }
    $("files").addEventListener("click", ({ target: { dataset } }) => {
      if (!dataset.kind) return;
      attempt(async () => (await download(dataset.kind, state)) && say("Saved without variations and comments, which JSON keeps."));
    });
  }

  address() {
    return addressOf(this.state, this.isCovered());
  }

  // Show the buttons that a step has, and let the address of the page follow.
  show({ text }) {
    const { game } = this.state.game;
    const kinds = { ggf: game === "othello", svg: text === null, png: text === null };
    $("copynumbers").hidden = !this.state.game.numbered;
    $("files").hidden = $("copyaddress").hidden = this.isCovered();
    for (const [kind, has] of Object.entries(kinds)) $("files").querySelector(`[data-kind=${kind}]`).hidden = !has;
    keepAddress(() => this.address());
  }
}
