// Saves a game from elsewhere to My games. A dialog asks for the details, such as your side, and can remember them.

import { $, ask, attempt, onSubmit } from "./page.js";

const KEY = "quietmove-keep"; // localStorage key of your side or name in games from elsewhere

export class Keep {
  // share: returns the displayed game's record; done: called with the saved game's name.
  constructor(shown, share, done) {
    Object.assign(this, { shown, share, done });
    $("keep").addEventListener("click", () => this.begin());
    onSubmit($("keep-form"), () => this.save());
  }

  // Save the game. Ask for the details first, unless they are remembered.
  begin() {
    const { spec = {}, event = "", date = "" } = this.share.record();
    const known = JSON.parse(localStorage.getItem(KEY) ?? "null");
    const names = [spec.black?.name ?? "", spec.white?.name ?? ""];
    const side = known?.name ? names.indexOf(known.name) : (known?.side ?? -1);
    [$("keep-black").value, $("keep-white").value] = names;
    Object.assign($("keep-event"), { value: event });
    $("keep-date").value = this.shown.game.record ? date : "";
    $("keep-side").value = String(side);
    if (known) this.save();
    else $("keep-dialog").showModal();
  }

  async save() {
    const record = this.share.record();
    const side = Number($("keep-side").value);
    const names = ["black", "white"].map((color) => $(`keep-${color}`).value.trim());
    if ($("keep-always").checked) localStorage.setItem(KEY, JSON.stringify({ side, name: names[side] ?? "" }));
    const [black, white] = names.map((name) => ({ name }));
    const people = side < 0 ? [] : [["black", "white"][side]];
    const about = { spec: { ...record.spec, black, white }, people, event: $("keep-event").value.trim(), date: $("keep-date").value.trim() };
    await attempt(async () => {
      const { name } = await ask("/api/kept", { record: { ...record, ...about } });
      $("keep-dialog").close();
      await this.done(name);
    }, $("keep-date"));
  }
}
