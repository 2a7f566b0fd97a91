// What the page says of the position that is shown, in a sentence.

import { moveText } from "./drawing.js";
import { COLORS, isLast, seatName, sentence } from "./players.js";

// isAsked: whether a person is asked for a move.
export function status(state, step, isAsked) {
  if (state.trouble) return state.trouble;
  const players = state.game.players;
  if (isLast(state, step)) {
    const { reason, result, detail } = state.verdict;
    if (result === "*") return `The game could not go on: ${detail}`;
    return reason === "finished" ? `${sentence(step.result || detail || reason, state.seats)} (${result}).` : `The game is over: ${detail} (${result}).`;
  }
  if (step.result) return sentence(step.result, state.seats);
  if (step.toMove === null) return "Chance decides.";
  const seat = state.seats[step.toMove];
  if (!state.session) return `${players[step.toMove]} to move.`;
  if (isAsked) return `${answerTo(state, step.toMove)}${players[step.toMove]}: your move.`;
  const name = seatName(seat, state.seats);
  return `${players[step.toMove]} to move${name && ` (${name})`}.`;
}

// What the opponent of a side has played last, for those who do not see it.
function answerTo(state, side) {
  const made = state.steps.findLast((step) => COLORS.includes(step.by));
  if (made?.by !== COLORS[1 - side]) return "";
  return `${state.game.players[1 - side]} ${made.move === "pass" ? "passed" : `played ${moveText(made)}`}. `;
}
