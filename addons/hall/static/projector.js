// The audience's view of the final: a few games at a time, replayed as if live, and the table of the games shown.

import { BoardView } from "/static/board.js";
import { signed } from "/static/charts.js";
import { made } from "/static/drawing.js";
import { $, ask, report } from "/static/page.js";
import { table } from "/static/tables.js";
import { deadlineText, ladder, playersText } from "./common.js";

const PAUSE_MS = 2000;
const FRAME_MS = 100;
const PAGE_MS = 8000; // a table that does not fit scrolls to its next rows after this time
const MARKS = 6; // maximum number of pairs of games shown per player in the table
const SIDES = [0, 1];
const FORMATS = { swiss: "Swiss tournament", "round-robin": "Round robin", knockout: "Knockout", auto: "Tournament" };
const state = { told: null, began: 0, cards: [], isAnnounced: false };

class Card {
  constructor(board, game) {
    Object.assign(this, { board, ply: -1 });
    this.rows = SIDES.map((side) => made("div", "player-line", made("span", `disc side${side}`), made("b", "", board.players[side]), made("span", "n")));
    this.place = made("div", { className: "board", role: "img", ariaLabel: `${board.players[0]} against ${board.players[1]}` });
    this.box = made("article", "live", this.rows[1], this.place, this.rows[0]);
    this.view = new BoardView(this.place, null);
    this.view.begin({ ...game, columnNames: [], rowNames: [] });
  }

  // Show the position after a fraction of the game. part: from 0 to 1.
  show(part) {
    const ply = Math.min(this.board.steps.length - 1, Math.floor(part * this.board.steps.length));
    if (ply === this.ply) return;
    this.ply = ply;
    const step = this.board.steps[ply];
    this.view.show({ ...step, legal: [] });
    for (const side of SIDES) {
      this.rows[side].lastChild.textContent = String(step.counts?.[side] ?? "");
      this.rows[side].classList.toggle("turn", step.toMove === side);
    }
  }
}

async function refresh() {
  const answer = await fetch("/api/final");
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  report(null);
  if (!found.final) return wait(found);
  const now = new Date(answer.headers.get("Date") ?? Date.now()).getTime() / 1000;
  const isNew = found.began_at !== state.told?.began_at || found.final !== state.told?.final;
  state.told = found;
  if (isNew) {
    state.began = performance.now() - 1000 * (now - found.began_at);
    state.cards = found.boards.map((board) => new Card(board, found.game));
    state.isAnnounced = found.announcement !== null && now < found.began_at;
  }
  if (isNew || found.over || !found.boards.length) showBoards();
  $("stage").textContent = found.over ? "over" : found.round === null ? "" : `round ${found.round}`;
  $("facts").textContent = `${FORMATS[found.format]}, seed ${found.seed}, ${found.shown} of ${found.planned ?? found.games} games`;
  $("table-title").textContent = found.over ? "Final table" : "Table";
  showTable(found);
  showTicker(found);
  return undefined;
}

function showBoards() {
  const { told, cards, isAnnounced } = state;
  $("boards").classList.toggle("one", cards.length === 1);
  if (told.over) $("boards").replaceChildren(winner(told));
  else if (isAnnounced || !cards.length) $("boards").replaceChildren(announcement(told));
  else $("boards").replaceChildren(...cards.map((card) => card.box));
}

// Return text in large type to show in place of the boards. small: the line above it; others: the lines below it.
function poster(small, large, ...others) {
  const lines = others.filter(Boolean).map((text) => made("p", "", text));
  return made("div", { className: "winner", role: "status" }, made("p", "quiet", small), made("p", "name", large), ...lines);
}

function winner({ winner, rows }) {
  const winners = rows.filter((row) => row.place === 1).length;
  const others = rows.slice(winners, 3).map((row) => `${row.name} with ${row.points}`);
  return poster(
    winners > 1 ? "The winners are" : "The winner is",
    winner,
    `${rows[0].points} points${others.length ? `, followed by ${others.join(" and ")}` : ""}`,
  );
}

// Announce the first games, the last game, or a round that is being played.
function announcement({ announcement: kind, name, format, players, planned, boards, rows, shown, playing = [] }) {
  const pairs = pairNames(boards.map((board) => board.players));
  if (kind === "last") {
    const points = boards[0].players.map((name) => `${name}: ${rows.find((row) => row.name === name).points} points so far`);
    return poster("The last game", pairs[0], ...points);
  }
  const now = playing.map((game) => `${game.players.join(" \u2013 ")}, move ${game.plies + 1}`);
  if (shown) return poster("Next", "The next round is being played", ...now);
  const games = planned ? `, ${planned} games` : "";
  const order = "Each round starts at the bottom of the table. The leader\u2019s game ends the final.";
  return poster(
    `The ${name.split(" ")[0]} begins`,
    `${FORMATS[format]}: ${playersText(players)}${games}`,
    pairs.length && `First: ${pairs.join(", ")}`,
    order,
    ...now,
  );
}

// Return a text for each pair of players, without duplicates.
function pairNames(games) {
  return [...new Set(games.map((players) => players.toSorted().join(" \u2013 ")))];
}

function showTable({ columns, rows }) {
  const heads = [["", "number"], ["Name", "name"], ["Games", "number"], ...columns.map(({ title, help }) => [title, "number", help]), ["Pairs", "pairs"]];
  const format = (value, { key }) => (key === "discs" ? signed(value) : String(value));
  const cells = rows.map((row) => {
    const ranks = columns.map((column, index) => format(row.ranked_by[index], column));
    return [String(row.place), row.name, String(row.games), ...ranks, row.rounds.slice(-MARKS)];
  });
  $("standings").replaceChildren(table("Final", heads, cells));
  $("standings").style.setProperty("--rows", String(rows.length + 1));
  const helps = columns.map(({ title, help }) => `${title}: ${help}`);
  $("legend").textContent = `Pairs of games, newest last: \u25cf won, \u25d0 drawn, \u25cb lost. ${helps.join("; ")}.`;
}

function showTicker({ over, next, last }) {
  const pairs = pairNames(next);
  const parts = over || !pairs.length ? [] : [made("b", "", "Next"), ...pairs.map((text) => made("span", "", text))];
  if (last.length) parts.push(made("b", "", "Just ended"), ...last.map((text) => made("span", "", text)));
  $("last").replaceChildren(...parts);
}

// Until a final begins, show the ladder and the upcoming finals.
async function wait({ players = 0, formats = [], deadline = null }) {
  const found = await ask("/api/standings");
  const names = formats.map((text) => {
    const [format, first] = text.split(" ");
    return first ? `${FORMATS[format]} among the top ${first}` : FORMATS[format];
  });
  const over = deadline !== null && 1000 * deadline < Date.now();
  const moment = over ? "The final begins when all programs have been checked." : deadlineText({ deadline, over });
  $("stage").textContent = "not started";
  $("table-title").textContent = "The ladder";
  const count = players ? playersText(players) : "No players yet";
  $("boards").replaceChildren(poster("The final has not started", count, names.join(", then "), moment));
  $("standings").replaceChildren(ladder(found));
}

function draw() {
  if (!state.told || state.told.over) return;
  const part = (performance.now() - state.began) / (1000 * state.told.seconds);
  if (state.isAnnounced) {
    if (part < 0) return;
    state.isAnnounced = false;
    showBoards();
  }
  for (const card of state.cards) card.show(Math.max(0, part)); // the server's clock has whole seconds and may be behind
}

// Scroll the table by as many whole rows as fit below its headings, or back to the top.
function turnPage() {
  const box = $("standings");
  const [head, body] = ["thead", "tbody"].map((part) => box.querySelector(part));
  if (!body?.rows.length) return;
  const row = body.offsetHeight / body.rows.length;
  const rows = Math.max(1, Math.floor((box.clientHeight - head.offsetHeight) / row));
  const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
  box.scrollTop = isAtEnd ? 0 : box.scrollTop + rows * row;
}

async function go() {
  await refresh().catch(report);
  setTimeout(go, PAUSE_MS);
}

setInterval(draw, FRAME_MS);
setInterval(turnPage, PAGE_MS);
go();
