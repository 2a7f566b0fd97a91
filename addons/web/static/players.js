// The two rows beside the board: who plays, the pieces, the time.

import { hasLetters, made } from "./drawing.js";
import { $ } from "./page.js";

const CLOCKS = ["tc=60+1", "tc=300+3", "tc=600+5"];
export const OWN_CLOCK = "own";
const LIMITS = ["movetime=100", "movetime=500", "movetime=2000", "movetime=10000", "depth=1", "depth=4", "depth=8", "depth=12"];
export const COLORS = ["black", "white"];

// Return the limits that an engine may be given; the first is the one of its configuration.
export function engineLimits(own) {
  const others = LIMITS.filter((value) => value !== own);
  return [["", limitText(own)], ...others.map((value) => [value, limitText(value)])];
}

// Return what stands for a side: its disc, or the letter of its pieces.
function sideMark(game, side) {
  if (hasLetters(game)) return made("b", "", game.players[side]);
  return made("span", { className: `disc side${side}`, role: "img", ariaLabel: game.players[side] });
}

function playerName(game, seats, side) {
  const name = seatName(seats[side], seats);
  return name === "you" ? "You" : name || (hasLetters(game) ? "" : game.players[side]);
}

// Return the clocks that may be chosen for both players.
export function clocks() {
  return [["", "no clock"], ...CLOCKS.map((value) => [value, limitText(value)]), [OWN_CLOCK, "own …"]];
}

// levels: their names and ratings.
export function drawPlayers(shown, levels) {
  const { game, seats, step, isOver } = shown;
  for (const side of [0, 1]) {
    const row = $(`player${side}`);
    const seat = seats[side];
    row.replaceChildren(
      sideMark(game, side),
      made("span", "count", step.counts ? String(step.counts[side]) : ""),
      made("span", "who", made("span", "name", playerName(game, seats, side)), " ", made("span", "limit", strength(seat, levels, game))),
      made("span", "time", made("span", "clock", "")),
    );
    row.classList.toggle("turn", step.toMove === side && !isOver);
  }
  drawClocks(shown);
}

// The time that is left on a clock, which runs for the player who is to move; without one the time of the last move.
export function drawClocks(shown) {
  if (!shown.step) return;
  for (const side of [0, 1]) {
    const time = clock(shown, side);
    const isLast = time.endsWith("s");
    const place = $(`player${side}`).querySelector(".clock");
    place?.replaceChildren(time);
    place?.classList.toggle("last", isLast);
    place?.classList.toggle("runs", shown.sideAsked === side && shown.turn.runs);
  }
}

// Who plays a side: nothing is said of two people at one page, nor where nobody is known.
export function seatName(seat, seats) {
  if (seat.person) return seats.every(({ person }) => person) ? "" : "you";
  return seat.name ?? "";
}

// Return a text with a capital letter, unless it begins with the name of an engine.
export function sentence(text, seats) {
  const isName = seats.some(({ name, person }) => name && !person && text.startsWith(name));
  return isName ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

// What a level is called; the ratings are those of Othello.
export function levelText(levels, level, game) {
  const { name, elo } = levels[level];
  return `${level}: ${name}${game === "othello" ? ` (Elo ${elo})` : ""}`;
}

function strength(seat, levels, game) {
  const level = seat.request?.level;
  return [level == null ? "" : `level ${levelText(levels, level, game.game)}`, limitText(seat.limit)].filter(Boolean).join(", ");
}

// Return a limit such as movetime=500 as people say it; what is rarely used stays as it is.
export function limitText(limit) {
  const [kind, value] = (limit ?? "").split("=");
  if (kind === "movetime") return `${value / 1000} s a move`;
  if (kind === "nodes") return `${Number(value).toLocaleString("en")} nodes a move`;
  if (kind === "depth") return value === "1" ? "1 ply" : `${value} plies`;
  const [minutes, seconds] = clockOf(limit) ?? [];
  return minutes === undefined ? (limit ?? "") : `${minutes} min + ${seconds} s`;
}

// Return the minutes of a clock such as tc=300+3, and the seconds that each move adds; null for another limit.
export function clockOf(limit) {
  const found = /^tc=([\d.]+)\+([\d.]+)$/.exec(limit ?? "");
  return found && [Number(found[1]) / 60, Number(found[2])];
}

function clock({ turn, steps, at, session, sideAsked }, side) {
  const color = COLORS[side];
  let left = turn?.clocks[color];
  if (left == null) {
    const last = steps.slice(0, at + 1).findLast((step) => step.by === color);
    if (last?.clock == null) return last && !turn && (last.elapsed || session) ? elapsedText(last.elapsed) : ""; // a file may lack the time of a move
    left = last.clock;
  } else if (sideAsked === side && turn.runs) left -= performance.now() - turn.since;
  return clockText(left);
}

// Return how long a move took, which was measured in whole milliseconds.
function elapsedText(milliseconds) {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return milliseconds ? `${milliseconds} ms` : "<1 ms";
}

// Return the milliseconds that a clock has left as it shows them.
export function clockText(left) {
  const seconds = Math.max(0, left) / 1000;
  return seconds < 10 ? seconds.toFixed(1) : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
