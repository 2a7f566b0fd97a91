// The boards on which a person who plays in a run must move.

import { BoardView } from "/static/board.js";
import { made, madeButton } from "/static/drawing.js";
import { ask, attempt } from "/static/page.js";

export class Turns {
  // section: hidden while no move is due; list: contains the boards.
  constructor(section, list) {
    Object.assign(this, { section, list, cards: new Map() });
  }

  async look() {
    this.show((await ask("/api/people")).boards);
  }

  show(boards) {
    const due = new Set(boards.map(({ id }) => id));
    for (const [id, card] of this.cards) {
      if (due.has(id)) continue;
      card.box.remove();
      this.cards.delete(id);
    }
    for (const board of boards) {
      if (!this.cards.has(board.id)) this.cards.set(board.id, new Turn(this, board.id));
      this.cards.get(board.id).show(board);
    }
    this.section.hidden = boards.length === 0;
  }
}

class Turn {
  constructor(turns, id) {
    Object.assign(this, { turns, id, ply: -1 });
    this.title = made("h3", "quiet");
    this.board = made("div", "board");
    this.pass = madeButton("Pass", () => this.play("pass"));
    this.view = new BoardView(this.board, (move) => this.play(move));
    this.box = made("article", "turn-board", this.title, this.board, this.pass);
    turns.list.append(this.box);
  }

  show({ ply, side, players, step, ...game }) {
    if (ply === this.ply) return;
    if (this.ply < 0) this.view.begin({ players, ...game });
    this.ply = ply;
    this.title.textContent = `${players[side]}, move ${ply + 1}`;
    this.pass.hidden = step.legal.length !== 1 || step.legal[0].move !== "pass";
    this.view.show(step, { open: true, lines: [] });
  }

  play(move) {
    attempt(async () => this.turns.show((await ask(`/api/people/${this.id}`, { move, ply: this.ply })).boards));
  }
}
