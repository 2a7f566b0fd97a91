// The end of a game: who won, by how much, and what next.

import { made } from "./drawing.js";
import { $ } from "./page.js";
import { sentence } from "./players.js";

const EMPTY = /-/g;

export function drawEnding({ game, ended, verdict, seats }) {
  const isOver = Boolean(ended && (verdict || ended.result));
  $("end").hidden = !isOver;
  if (!isOver) return;
  const margin = verdict && verdict.reason !== "finished" ? null : ended.margin;
  const winner = winnerOf(margin, verdict?.result);
  const discs = margin !== null && game.point === "disc" && ended.board ? [1, -1].map((sign) => (ended.board.length + (sign * margin) / 100) / 2) : null;
  const title = winner === null ? "The game could not go on" : winner < 0 ? "A draw" : `${game.players[winner]} wins`;
  const shown = discs ? [made("span", "disc side0"), `${discs[0]}\u2013${discs[1]}`, made("span", "disc side1")] : [];
  $("end-title").replaceChildren(title, ...(shown.length ? [" ", made("span", "result", ...shown)] : []));
  $("end-detail").textContent = margin === null ? sentence(verdict.detail, seats) : countText(winner, ended, discs !== null);
  $("rematch").hidden = $("swap").hidden = !seats.every(({ request }) => request);
}

// The side that won, -1 for a draw, null where the game has no result.
function winnerOf(margin, result) {
  if (margin !== null && margin !== undefined) return margin === 0 ? -1 : Number(margin < 0);
  return { "1-0": 0, "0-1": 1, "1/2-1/2": -1 }[result] ?? null;
}

// How many plies the game took, and where squares count, to whom the empty ones went.
function countText(winner, { board, ply }, areCounted) {
  const empty = areCounted ? (board.match(EMPTY)?.length ?? 0) : 0;
  const plies = `${ply} ${ply === 1 ? "ply" : "plies"}`;
  if (!empty) return `${plies}.`;
  const squares = empty === 1 ? "1 empty square" : `${empty} empty squares`;
  return `${plies}; ${squares} ${winner < 0 ? "shared" : `${empty === 1 ? "goes" : "go"} to the winner`}.`;
}
