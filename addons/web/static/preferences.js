// A person's preferences, stored in this browser: the board's orientation and notation, sounds, automatic passes, and the
// threads and memory of an analysis.

import "./appearance.js";
import { notation } from "./drawing.js";
import { $, fillSelect } from "./page.js";

const KEY = "quietmove-display"; // storage key
const NOTATIONS = [
  ["letters", "a1"],
  ["numbers", "1 8"],
];
const MEMORIES = ["64", "256", "1024", "4096"]; // megabytes
const FIELDS = ["notation", "threads", "memory"];
const [MOVE_TONE, END_TONE] = [440, 330]; // hertz

export class Preferences {
  // board: the board to turn; draw: called after a change.
  constructor(board, draw) {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    fillSelect($("notation"), NOTATIONS, kept.notation ?? "letters");
    const memories = MEMORIES.map((size) => [size, `${size} MB`]);
    fillSelect($("memory"), [["", "default"], ...memories], kept.memory ?? "");
    $("sound").checked = kept.sound ?? false;
    $("autopass").checked = kept.autopass ?? true;
    board.isTurned = kept.turned ?? false;
    notation.numbers = $("notation").value === "numbers";
    this.audio = null;
    const changed = () => {
      notation.numbers = $("notation").value === "numbers";
      const [sound, autopass] = ["sound", "autopass"].map((id) => $(id).checked);
      const chosen = Object.fromEntries(FIELDS.map((id) => [id, $(id).value]));
      localStorage.setItem(KEY, JSON.stringify({ ...chosen, sound, autopass, turned: board.isTurned }));
      board.redraw();
      draw();
    };
    $("turn").addEventListener("click", () => {
      board.isTurned = !board.isTurned;
      changed();
    });
    for (const id of [...FIELDS, "sound", "autopass"]) $(id).addEventListener("change", changed);
    $("showkeys").addEventListener("click", () => $("keys").showModal());
  }

  // Offer as many threads as the server has processors.
  fill(processors) {
    const { threads = "" } = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    fillSelect($("threads"), [["", "default"], ...Array.from({ length: processors }, (_, index) => String(index + 1))], threads);
  }

  // Play a short sound for a move, or for the end of the game.
  sound(isEnd = false) {
    if (!$("sound").checked) return;
    this.audio ??= new AudioContext();
    const [tone, volume, now] = [this.audio.createOscillator(), this.audio.createGain(), this.audio.currentTime];
    tone.type = "triangle";
    tone.frequency.value = isEnd ? END_TONE : MOVE_TONE;
    volume.gain.setValueAtTime(0.2, now);
    volume.gain.exponentialRampToValueAtTime(0.001, now + (isEnd ? 0.5 : 0.08));
    tone.connect(volume).connect(this.audio.destination);
    tone.start(now);
    tone.stop(now + 0.5);
  }
}
