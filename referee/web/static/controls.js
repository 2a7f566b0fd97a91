// The buttons beside the board: which of them can be used in the position that is shown.

import { $ } from "./page.js";

// isAsked: whether a person is asked for a move; isCovered: whether the page does not know all of the position; canTakeBack:
// whether a person has moved.
export function drawControls({ game, steps, at, seats, session, before, fresh }, { isAsked, isCovered, canTakeBack }) {
  const step = steps[at];
  $("hint").disabled = step.legal.length < 2;
  $("bookbox").hidden = !steps[0].book;
  $("opening").textContent = steps.slice(0, at + 1).findLast((each) => each.opening)?.opening ?? "";
  $("first").disabled = $("back").disabled = at === 0;
  $("last").disabled = $("forward").disabled = at === steps.length - 1;
  $("begin").hidden = !fresh;
  $("resign").hidden = !isAsked;
  $("takeback").hidden = !(session && seats.some((seat) => seat.person)) || isCovered;
  $("takeback").disabled = !canTakeBack;
  $("playon").hidden = isCovered || fresh;
  $("playon").disabled = step.result !== null;
  $("return").hidden = !before.length;
  $("course").hidden = fresh;
  $("totree").hidden = game.kind !== "perfect"; // the page of search trees has no others
  $("totree").href = `/tree#${new URLSearchParams({ game: game.game, position: step.position })}`;
}
