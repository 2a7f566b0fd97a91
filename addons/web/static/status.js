// The sentence about the displayed position, and the result of an ended game.

import { made, moveText } from "./drawing.js";
import { $ } from "./page.js";
import { COLORS, sentence } from "./players.js";

const EMPTY = /-/g;

// step: the step on the board, which is the one before a mistake while a review shows that position.
export function statusText(shown, step) {
  const { trouble, game, seats, steps, verdict, session, mayPlay, mustPass, early, dropped } = shown;
  const { players } = game;
  const isOver = shown.isOver && step === shown.step;
  if (trouble) return trouble;
  if (isOver) {
    const { reason, result, detail } = verdict;
    if (result === "*") return `The game could not continue: ${detail}`;
    return reason === "finished" ? `${sentence(step.result || detail || reason, seats)} (${result}).` : `The game is over: ${detail} (${result}).`;
  }
  if (step.result) return sentence(step.result, seats);
  if (step.toMove === null) return "Chance decides.";
  const player = players[step.toMove];
  if (!session || verdict) return `${player} to move.`;
  const isAlone = !seats.every(({ person }) => person);
  const passes = mustPass ? " Your only move is a pass." : "";
  if (mayPlay) return `${dropped}${isAlone ? "Your move." : `${player}: your move.`}${answerTo(steps, step.toMove, game)}${passes}`;
  const { name, person } = seats[step.toMove];
  if (!session || person) return `${player} to move.`;
  const passed = step.move === "pass" && step.by === COLORS[1 - step.toMove] ? "You had no move and passed. " : "";
  return `${passed}${name} is thinking.${early?.name ? ` Your premove: ${early.name}.` : ""}`;
}

// Describe the opponent's last move, for screen readers.
function answerTo(steps, side, { players, point }) {
  const made = steps.findLast((step) => COLORS.includes(step.by));
  if (made?.by !== COLORS[1 - side]) return "";
  const count = point === "disc" ? made.changed.length : 0;
  const turned = count ? ` and turned ${count === 1 ? "a disc" : `${count} discs`}` : "";
  return ` ${players[1 - side]} ${made.move === "pass" ? "passed" : `played ${moveText(made)}`}${turned}.`;
}

// Draw the result of an ended game. isReviewed: whether a review's text replaces it.
export function drawEnding({ game, steps, step, ended, verdict, seats }, isReviewed) {
  const hasEnded = Boolean(ended === step && (verdict || ended.result)) && !isReviewed;
  $("end").hidden = !hasEnded;
  if (!hasEnded) return;
  const { winner, margin, discs, title, hasLost } = outcomeOf({ game, ended, verdict, seats });
  $("end").className = `box ${hasLost ? "bad" : "good"}`;
  const result = discs ? [" ", made("span", "", made("span", "disc side0"), `${discs[0]}\u2013${discs[1]}`, made("span", "disc side1"))] : [];
  $("end-title").replaceChildren(title, ...result);
  $("end-detail").textContent = margin === null ? sentence(verdict.detail, seats) : countText(winner, ended, steps, discs !== null);
}

// Return a game's result in a few words, the person's discs first: "You lost, 21–43"; "" if there is no result yet.
export function outcomeText(shown) {
  if (!shown.ended || !(shown.verdict || shown.ended.result)) return "";
  const { discs, title, isSecond } = outcomeOf(shown);
  return discs ? `${title}, ${(isSecond ? discs.toReversed() : discs).join("\u2013")}` : title;
}

function outcomeOf({ game, ended, verdict, seats }) {
  const margin = verdict && verdict.reason !== "finished" ? null : ended.margin;
  const winner = winnerOf(margin, verdict?.result);
  const own = seats.map(({ person, away, request }) => person || (Boolean(request?.person) && !away));
  const isOwn = winner >= 0 && own[winner] !== own[1 - winner]; // exactly one side is the person's, so the person has won or lost
  const discs = margin !== null && game.point === "disc" && ended.board ? [1, -1].map((sign) => (ended.board.length + (sign * margin) / 100) / 2) : null;
  const title =
    winner === null ? "The game could not continue" : winner < 0 ? "A draw" : isOwn ? `You ${own[winner] ? "won" : "lost"}` : `${game.players[winner]} wins`;
  return { winner, margin, discs, title, hasLost: isOwn && !own[winner], isSecond: own[1] && !own[0] };
}

// Return the winning side, -1 for a draw, or null without a result.
function winnerOf(margin, result) {
  if (margin !== null && margin !== undefined) return margin === 0 ? -1 : Number(margin < 0);
  return { "1-0": 0, "0-1": 1, "1/2-1/2": -1 }[result] ?? null;
}

// Describe the number of moves and passes and, if squares count, who gets the empty squares.
function countText(winner, { board, ply }, steps, areCounted) {
  const empty = areCounted ? (board.match(EMPTY)?.length ?? 0) : 0;
  const passes = steps.filter(({ move }) => move === "pass").length;
  const moves = `${ply - passes} ${ply - passes === 1 ? "move" : "moves"}${passes ? `, ${passes} ${passes === 1 ? "pass" : "passes"}` : ""}`;
  if (!empty) return `${moves}.`;
  const squares = empty === 1 ? "1 empty square" : `${empty} empty squares`;
  return `${moves}; ${squares} ${winner < 0 ? "shared" : `${empty === 1 ? "goes" : "go"} to the winner`}.`;
}
