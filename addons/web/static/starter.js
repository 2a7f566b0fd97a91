// Starts games on the server: new ones, rematches, games that continue a position, and take-backs.

import { made, madeButton, moveText } from "./drawing.js";
import { $, ask, asking, attempt, confirmFirst, onSubmit } from "./page.js";
import { movesOf } from "./share.js";

export const LEAVE = "Leave this game?";

export class Starter {
  // shown: the displayed game; newGame: the form with the players; editor: the position editor; people: asks the person
  // on another machine.
  constructor(shown, newGame, editor, people) {
    Object.assign(this, { shown, newGame, editor });
    this.taken = null; // the last take-back, which can be undone until the next move: { ply }, the ply it returned to
    const isSure = asking($("form").querySelector("[type=submit]"), LEAVE, () => shown.isRunning);
    onSubmit($("form"), () => isSure() && this.begin());
    $("rematch").addEventListener("click", () => (shown.isShared ? people.offer("rematch") : this.beginAgain(shown.seats)));
    $("swap").addEventListener("click", () => this.beginAgain(shown.seats.toReversed()));
    $("takeback").addEventListener("click", () => (shown.isShared ? people.offer("takeback") : attempt(() => this.takeBack())));
    const playOn = () => attempt(() => this.open({ start: shown.steps[0]?.position ?? "", moves: movesOf(shown.steps, shown.at) }));
    confirmFirst($("playon"), LEAVE, playOn, () => shown.isRunning);
  }

  // Start a game on the server. first: a move already chosen by a person; again: whether this repeats the same game;
  // instead: the session that this game replaces; rewind: the ply to which its moves are taken back.
  async open({ start = "", moves = "", players = this.newGame.players(), first = null, again = false, instead = "", rewind = null }) {
    const { shown, newGame } = this;
    if (shown.isAwaited) return;
    const game = moves || start || again ? shown.game.game : newGame.game;
    shown.wait(true);
    const trains = again || instead ? (shown.game.trains ?? "") : moves || start ? "" : newGame.trains;
    const [black, white] = players;
    const kept = moves ? shown.keptName : "";
    const asked = { game, opening: moves, position: start, trains, black, white, assisted: newGame.assisted, instead, kept };
    if (rewind !== null) shown.rewind(rewind);
    const made = await ask("/api/sessions", asked).catch((error) => {
      shown.wait(false);
      if (instead) shown.connect(instead);
      throw error;
    });
    if (!instead) {
      shown.setAside();
      $("new").close();
    }
    newGame.remember();
    this.editor.close();
    shown.join(made.id, first);
  }

  // Start a game with these players; errors are shown at their fields in the form.
  begin(options = {}) {
    const fieldOf = (message) => (message.startsWith("game") ? $("parameters") : $("form").lastElementChild);
    attempt(() => this.open(options), fieldOf);
  }

  beginAgain(seats) {
    this.begin({ players: seats.map((seat) => seat.request), again: true });
  }

  // The referee cannot take moves back, so start another game from the position before the person's last move.
  async takeBack() {
    const { shown } = this;
    const players = shown.seats.map((seat) => seat.request);
    const { steps, last } = shown;
    const ply = shown.lastOfPerson - 1;
    const start = steps[0].position;
    await this.open({ start, moves: movesOf(steps, ply), players, instead: shown.session, rewind: ply });
    this.taken = { ply };
    const undo = () => {
      this.hideTaken();
      attempt(() => this.open({ start, moves: movesOf(steps, last), players, instead: shown.session }));
    };
    const text = `Took back ${moveText(steps[ply + 1])}${last > ply + 1 ? " and the reply" : ""}.`;
    $("toast").replaceChildren(made("span", "", text), madeButton("Undo", undo));
  }

  // Stop offering to undo a take-back after the next move.
  draw() {
    if (this.taken && (!this.shown.isRunning || this.shown.last > this.taken.ply)) this.hideTaken();
  }

  hideTaken() {
    this.taken = null;
    $("toast").replaceChildren();
  }
}
