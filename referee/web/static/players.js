// The two rows beside the board: who plays, the pieces, the time.

import { $ } from "./page.js";

export const LIMITS = [
  ["movetime=100", "0.1 s a move"], ["movetime=500", "0.5 s a move"], ["movetime=2000", "2 s a move"], ["movetime=10000", "10 s a move"],
  ["tc=60+1", "1 min + 1 s"], ["tc=300+3", "5 min + 3 s"], ["depth=1", "1 ply"], ["depth=4", "4 plies"], ["depth=8", "8 plies"], ["depth=12", "12 plies"],
];
const COLORS = ["black", "white"];

export function drawPlayers(state, step) {
  for (const side of [0, 1]) {
    const row = $(`player${side}`);
    const seat = state.seats[side];
    row.replaceChildren(
      span("", `disc side${side}`),
      span(`${state.game.players[side]}${seat?.name ? `: ${seatName(seat)}` : ""}`, "name"),
      span(step.counts ? String(step.counts[side]) : "", "count"),
      span(limitText(seat?.limit), "limit"),
      span(clock(state, side), "clock"),
    );
    row.classList.toggle("turn", step.toMove === side);
  }
}

// Let the clock of the player run who is to move.
export function drawClocks(state) {
  if (!state.turn || !state.steps[state.at]) return;
  for (const side of [0, 1]) $(`player${side}`).querySelector(".clock")?.replaceChildren(clock(state, side));
}

// Return the side that is asked for a move now, -1 if none is.
export function sideToAnswer(state) {
  return state.turn ? COLORS.indexOf(state.turn.color) : -1;
}

export function seatName(seat) {
  return seat.person ? "you" : seat.name;
}

export function limitText(limit) {
  return LIMITS.find(([value]) => value === limit)?.[1] ?? limit ?? "";
}

export function span(text, name) {
  const made = document.createElement("span");
  made.className = name;
  made.textContent = text;
  return made;
}

function clock(state, side) {
  const color = COLORS[side];
  let left = state.turn?.clocks[color];
  if (left == null) {
    const last = state.steps.slice(0, state.at + 1).findLast((step) => step.by === color);
    if (last?.clock == null) return last && !state.turn ? `${(last.elapsed / 1000).toFixed(2)} s` : "";
    left = last.clock;
  } else if (sideToAnswer(state) === side) left -= performance.now() - state.heard;
  return clockText(left);
}

// Return the milliseconds that a clock has left as it shows them.
export function clockText(left) {
  const seconds = Math.max(0, left) / 1000;
  return seconds < 10 ? seconds.toFixed(1) : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
