// Shows games without playing them: the initial board of the chosen game, pasted moves, files, and the games that
// addresses name.

import { made } from "./drawing.js";
import { ask } from "./page.js";
import { showPanel } from "./panels.js";

const NOBODY = ["", ""].map((name) => ({ name, person: false, limit: null })); // the seats of a game with unknown players

export class Opener {
  // shown: the displayed game; newGame: the form with the chosen game; review: shows the game's saved review; editor: asks
  // for the side to move of a position without one.
  constructor(shown, newGame, review, editor) {
    Object.assign(this, { shown, newGame, review, editor });
  }

  async replay(game, start, moves) {
    const found = await this.show(async () => ({ seats: NOBODY, verdict: null, ...(await ask("/api/replay", { game, start, moves })) }));
    if (!found?.asks) return;
    showPanel("editor");
    this.editor.tell("ask", "Check the squares, and choose the side to move.");
  }

  // Show what `read` returns, and return it; null if something else was requested in the meantime.
  async show(read, isFresh = false) {
    const isLast = this.shown.request();
    const found = await read();
    if (!isLast()) return null;
    this.shown.show(found, isFresh);
    this.review.take(found.review);
    return found;
  }

  // Show a game from a file, and select its players if known.
  async showFile(read) {
    const { shown } = this;
    await this.show(read);
    if (shown.seats.every((seat) => seat.request)) this.newGame.take(shown.game, shown.seats);
    shown.draw();
  }

  // Show a game from an address on the server, with a link back to its origin, such as its tournament.
  async replayStored(path) {
    await this.showFile(async () => ({ ...(await ask(path)), stored: path }));
    const { back } = this.shown;
    document.getElementById("way-back")?.remove();
    if (back) document.querySelector("header nav").after(made("a", { id: "way-back", href: back.address }, `\u2190 ${back.text}`));
  }

  // Update the sides' names for the chosen game, and show its board if no game would be lost.
  // asked: its board, if already requested.
  async choose(asked = null) {
    const { shown, newGame } = this;
    const { requests } = shown;
    const { game } = newGame;
    const isFree = () => requests === shown.requests && !shown.session && !(shown.last > 0);
    const found = await (isFree() ? (asked ?? ask("/api/replay", { game })) : ask(`/api/game?name=${encodeURIComponent(game)}`));
    if (game === newGame.game) newGame.describe(found);
    if (found.steps && isFree()) await this.show(async () => ({ seats: NOBODY, verdict: null, ...found }), true); // nothing else was requested in the meantime
  }

  // Show the game or position of an address, at the move given there.
  async showAddress(address) {
    this.newGame.choose(address.get("game"));
    await this.replay(address.get("game"), address.get("start") ?? "", address.get("moves") ?? "");
    this.newGame.describe(this.shown.game);
    this.shown.goTo(Number(address.get("at") ?? this.shown.last));
  }

  // Run `what`; if it fails, for example because of a truncated address, show the initial board and the error.
  async orUsual(what) {
    try {
      await what();
    } catch (error) {
      this.newGame.choose("othello");
      await this.choose();
      throw error;
    }
  }
}
