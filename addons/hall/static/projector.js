// The audience's view of the final: a few games at a time, replayed as if live, and the table of the games shown.

import { BoardView } from "/static/board.js";
import { made } from "/static/drawing.js";
import { $, ask, report } from "/static/page.js";
import { signed } from "/static/charts.js";
import { table } from "/static/tables.js";
import { ladder } from "./common.js";

const PAUSE_MS = 2000;
const FRAME_MS = 100;
const SIDES = [0, 1];
const state = { told: null, began: 0, cards: [] };

class Card {
  constructor(board, game) {
    Object.assign(this, { board, ply: -1 });
    this.rows = SIDES.map((side) => made("div", "player-line", made("span", `disc side${side}`), made("b", "", board.players[side]), made("span", "n")));
    this.place = made("div", { className: "board", role: "img", ariaLabel: `${board.players[0]} against ${board.players[1]}` });
    this.box = made("article", "live", this.rows[1], this.place, this.rows[0]);
    this.view = new BoardView(this.place, null);
    this.view.begin({ ...game, columnNames: [], rowNames: [] });
  }

  // part: the fraction of the game shown so far, from 0 to 1.
  show(part) {
    const ply = Math.min(this.board.steps.length - 1, Math.floor(part * this.board.steps.length));
    if (ply === this.ply) return;
    this.ply = ply;
    const step = this.board.steps[ply];
    this.view.show({ ...step, legal: [] });
    for (const side of SIDES) {
      this.rows[side].lastChild.textContent = String(step.counts[side]);
      this.rows[side].classList.toggle("turn", step.toMove === side);
    }
  }
}

async function refresh() {
  const answer = await fetch("/api/final");
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  report(null);
  const now = new Date(answer.headers.get("Date") ?? Date.now()).getTime() / 1000;
  if (!found.final) return wait();
  const before = state.told;
  state.told = found;
  if (found.began_at !== before?.began_at || found.final !== before?.final) {
    state.began = performance.now() - 1000 * Math.max(0, now - found.began_at);
    state.cards = found.boards.map((board) => new Card(board, found.game));
    $("boards").replaceChildren(...(found.over ? [winner(found)] : state.cards.map((card) => card.box)));
  }
  if (found.over) $("boards").replaceChildren(winner(found));
  $("stage").textContent = found.over ? "over" : found.round === null ? "waiting for the next games" : `round ${found.round}`;
  $("facts").textContent = `${found.format}, seed ${found.seed}, ${found.shown} of ${found.planned ?? found.games} games`;
  $("table-title").textContent = found.over ? "Final table" : "Table";
  const heads = [["", "number"], ["Name", "name"], ["Points", "number"], ["Discs", "number"], ["Pairs"]];
  const rows = found.rows.map((row) => [String(row.place), row.name, String(row.points), signed(row.margin), row.rounds]);
  $("standings").replaceChildren(table("Final", heads, rows));
  $("last").replaceChildren(...(found.last.length ? [made("b", "", "Just ended"), ...found.last.map((text) => made("span", "", text))] : []));
  return undefined;
}

function winner({ winner, rows }) {
  const others = rows.slice(1, 3).map((row) => `${row.name} with ${row.points}`);
  const points = `${rows[0].points} points${others.length ? `, followed by ${others.join(" and ")}` : ""}`;
  return made("div", { className: "winner", role: "status" }, made("p", "quiet", "The winner is"), made("p", "name", winner), made("p", "", points));
}

// Show the ladder until a final begins.
async function wait() {
  const found = await ask("/api/standings");
  $("stage").textContent = "not started";
  $("table-title").textContent = "The ladder";
  $("boards").replaceChildren(made("div", "winner", made("p", "quiet", "The final has not started.")));
  $("standings").replaceChildren(ladder(found));
}

function draw() {
  if (!state.told || state.told.over) return;
  const part = (performance.now() - state.began) / (1000 * state.told.seconds);
  for (const card of state.cards) card.show(part);
}

async function go() {
  await refresh().catch(report);
  setTimeout(go, PAUSE_MS);
}

setInterval(draw, FRAME_MS);
go();
