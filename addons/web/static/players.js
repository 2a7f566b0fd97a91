// The two rows next to the board: players, pieces and clocks.

import { hasLetters, made } from "./drawing.js";
import { $ } from "./page.js";

const CLOCKS = ["tc=60+1", "tc=300+3", "tc=600+5"];
export const OWN_CLOCK = "own";
const LIMITS = ["movetime=100", "movetime=500", "movetime=2000", "movetime=10000", "depth=1", "depth=4", "depth=8", "depth=12"];
export const COLORS = ["black", "white"];

// Return the limits available for an engine; the first is the one in its configuration.
export function engineLimits(own) {
  const others = LIMITS.filter((value) => value !== own);
  return [["", limitText(own)], ...others.map((value) => [value, limitText(value)])];
}

// Return a side's symbol: its disc, or its pieces' letter.
function sideMark(game, side) {
  if (hasLetters(game)) return made("b", "", game.players[side]);
  return made("span", { className: `disc side${side}`, role: "img", ariaLabel: game.players[side] });
}

function playerName(game, seats, side) {
  const name = seatName(seats[side], seats);
  return name === "you" ? "You" : name || (hasLetters(game) ? "" : game.players[side]);
}

// Return the clocks available for both players.
export function clocks() {
  return [["", "no clock"], ...CLOCKS.map((value) => [value, limitText(value)]), [OWN_CLOCK, "own …"]];
}

// Draw both players' rows. levels: the levels' names and ratings; step: the step on the board.
export function drawPlayers(shown, levels, step) {
  const { game, seats, isOver } = shown;
  for (const side of [0, 1]) {
    const row = $(`player${side}`);
    const seat = seats[side];
    row.replaceChildren(
      sideMark(game, side),
      made("span", "count", step.counts ? String(step.counts[side]) : ""),
      made(
        "span",
        "who",
        made("span", "name", playerName(game, seats, side)),
        " ",
        made("span", "limit", strength(seat, levels, game) || turnText(shown, side)),
      ),
      made("span", "clock", ""),
    );
    row.classList.toggle("turn", step.toMove === side && !isOver);
  }
  drawClocks(shown);
}

// Draw both clocks, which run for the player to move; without a clock, draw the time of the player's last move.
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

// Return the name of a side's player, or "" for two people at one page or if the name is unknown.
export function seatName(seat, seats) {
  if (seat.person) return seats.every(({ person }) => person) ? "" : "you";
  return seat.name ?? "";
}

// Capitalize a text, unless it starts with an engine's name.
export function sentence(text, seats) {
  const isName = seats.some(({ name, person }) => name && !person && text.startsWith(name));
  return isName ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

// Return a level's number and name, and in Othello its rating.
export function levelText(levels, level, game) {
  const { name, elo } = levels[level];
  return `${level}: ${name}${game === "othello" ? ` (Elo ${elo})` : ""}`;
}

// In a running game, describe a person's side (unless it is shown as the name) and whether it is their turn.
function turnText({ game, step, isRunning, seats }, side) {
  if (!isRunning || !seats[side].person) return "";
  const color = game.players[side];
  return [playerName(game, seats, side) !== color && color, step.toMove === side && "to move"].filter(Boolean).join(", ");
}

function strength(seat, levels, game) {
  const level = seat.request?.level;
  return [level == null ? "" : `level ${levelText(levels, level, game.game)}`, limitText(seat.limit)].filter(Boolean).join(", ");
}

// Describe a limit such as movetime=500 in words. Rare kinds of limit are returned unchanged.
export function limitText(limit) {
  const [kind, value] = (limit ?? "").split("=");
  if (kind === "movetime") return `${value / 1000} s a move`;
  if (kind === "nodes") return `${Number(value).toLocaleString("en")} nodes a move`;
  if (kind === "depth") return value === "1" ? "1 ply" : `${value} plies`;
  const [minutes, seconds] = clockOf(limit) ?? [];
  return minutes === undefined ? (limit ?? "") : `${minutes} min + ${seconds} s`;
}

// Return the minutes and the increment in seconds of a clock such as tc=300+3, or null for another limit.
export function clockOf(limit) {
  const found = /^tc=([\d.]+)\+([\d.]+)$/.exec(limit ?? "");
  return found && [Number(found[1]) / 60, Number(found[2])];
}

function clock({ turn, steps, at, session, sideAsked }, side) {
  const color = COLORS[side];
  let left = turn?.clocks[color];
  if (left == null) {
    const last = steps.slice(0, at + 1).findLast((step) => step.by === color);
    if (last?.clock == null) return last && !turn && (last.elapsed || session) ? elapsedText(last.elapsed) : ""; // a file may lack a move's time
    left = last.clock;
  } else if (sideAsked === side && turn.runs) left -= performance.now() - turn.since;
  return clockText(left);
}

// Format the time a move took, which is measured in whole milliseconds.
function elapsedText(milliseconds) {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return milliseconds ? `${milliseconds} ms` : "<1 ms";
}

// Format the milliseconds left on a clock.
export function clockText(left) {
  const seconds = Math.max(0, left) / 1000;
  return seconds < 10 ? seconds.toFixed(1) : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
