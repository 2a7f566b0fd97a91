// The running games: a small board for each, redrawn with every move.

import { BoardView } from "/static/board.js";
import { made, madeButton, scoreText } from "/static/drawing.js";
import { clockText } from "/static/players.js";

const SIDES = [0, 1];

export class RunningGames {
  // section: hidden while no games are running; list: contains the boards; count: says how many are shown, if not all.
  constructor(section, list, count) {
    Object.assign(this, { section, list, count, cards: [], told: 0, heard: 0 });
    setInterval(() => this.drawClocks(), 100);
  }

  clear() {
    this.show({ count: 0, games: [] }, 0);
  }

  // Show the games. now: the server's time, in seconds since 1970.
  show(running, now) {
    Object.assign(this, { told: now, heard: performance.now() });
    const games = new Map(running.games.map((game) => [game.number, game]));
    const before = this.cards.map((card) => card.number);
    const numbers = places(before, [...games.keys()]);
    while (this.cards.length > numbers.length) this.cards.pop().box.remove();
    numbers.forEach((number, place) => {
      this.cards[place] ??= new Card(this.list);
      this.cards[place].show(running, games.get(number));
    });
    this.section.hidden = numbers.length === 0;
    this.count.textContent = running.count > numbers.length ? `${numbers.length} of the ${running.count} running games are shown.` : "";
    this.drawClocks();
  }

  drawClocks() {
    const now = this.told + (performance.now() - this.heard) / 1000;
    for (const card of this.cards) card.drawClocks(now);
  }
}

class Card {
  constructor(list) {
    this.box = made("article", "running");
    this.key = madeButton("", () => this.toggle(), { className: "plain", ariaPressed: false, title: "Enlarge or shrink" });
    this.rows = SIDES.map(() => made("div", "player"));
    this.board = made("div", { className: "board", role: "img" });
    this.view = new BoardView(this.board, null);
    this.board.addEventListener("click", () => this.toggle());
    this.output = SIDES.map(() => made("pre", "output"));
    this.box.append(this.key, this.rows[0], this.output[0], this.board, this.rows[1], this.output[1]);
    list.append(this.box);
    this.number = null;
  }

  toggle() {
    this.key.ariaPressed = this.box.classList.toggle("large");
  }

  show(rules, game) {
    if (this.number !== game.number) this.view.begin(rules);
    const isSame = this.number === game.number && this.game.plies === game.plies;
    Object.assign(this, { number: game.number, game });
    for (const side of SIDES) this.output[side].textContent = game.output[side].join("\n");
    if (isSame) return;
    this.view.show({ ...game, legal: [] });
    const moves = game.plies === 1 ? "1 move" : `${game.plies} moves`;
    this.key.textContent = `Game ${game.number}: ${moves}`;
    this.board.ariaLabel = `Board after ${moves}${game.move ? `, the last ${game.move}` : ""}`;
    for (const side of SIDES) this.drawPlayer(rules, side);
  }

  drawPlayer(rules, side) {
    const { players, counts, scores, toMove } = this.game;
    const name = made("span", { className: "name", title: `${rules.players[side]}: ${players[side]}` }, players[side]);
    const score = made("span", { className: "limit", title: "The engine's score for its last move" }, scoreText(scores[side]));
    const count = made("span", "count", counts ? String(counts[side]) : "");
    this.rows[side].replaceChildren(made("span", `disc side${side}`), name, score, count, made("span", "clock"));
    this.rows[side].classList.toggle("turn", toMove === side);
  }

  // now: in seconds since 1970.
  drawClocks(now) {
    for (const side of SIDES) {
      let left = this.game.clocks[side];
      if (left !== null && this.game.toMove === side) left -= 1000 * Math.max(0, now - this.game.asked);
      const text = left === null ? "" : clockText(left);
      const clock = this.rows[side].querySelector(".clock");
      if (clock.textContent !== text) clock.textContent = text;
    }
  }
}

// Return the game numbers by slot: games keep their slot, and new ones take the free slots.
function places(before, numbers) {
  const found = before.map((number) => (numbers.includes(number) ? number : null));
  for (const number of numbers) {
    if (found.includes(number)) continue;
    const free = found.indexOf(null);
    found[free < 0 ? found.length : free] = number;
  }
  return found.filter((number) => number !== null);
}
