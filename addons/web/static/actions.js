// The row of actions below the board, the actions available in a given state, and the buttons that step through a game.

import { $, hasPage, showOnly } from "./page.js";

// Connect the buttons that step through the game. Return the actions for the corresponding keys.
export function listenToActions(shown) {
  const places = { first: () => 0, back: () => shown.at - 1, forward: () => shown.at + 1, last: () => shown.last };
  for (const [id, place] of Object.entries(places)) $(id).addEventListener("click", () => shown.goTo(place()));
  const go = (place) => (event) => {
    if (!shown.step || shown.last === 0) return false;
    shown.goTo(place());
    if (event.target.closest("#moves li")) ($("moves").querySelector("[aria-current]") ?? $("moves")).focus();
    return true;
  };
  // On a panel, these keys scroll as usual.
  const leaf = (place) => (event) => event.target.closest("#board, #actions, #moves") !== null && go(place)(event);
  const { first, back, forward, last } = places;
  return { ArrowLeft: go(back), ArrowRight: go(forward), Home: go(first), End: go(last), PageUp: leaf(back), PageDown: leaf(forward) };
}

// Press a button if it is visible and enabled. Return whether it was pressed.
export function press(id) {
  const isOpen = !$(id).hidden && !$(id).disabled;
  if (isOpen) $(id).click();
  return isOpen;
}

// Return the ids of the action buttons to show.
function actionsOf(
  { step, last, at, isFresh, isRunning, isCovered, isShared, hasPerson, seat, seats, session },
  { isEditing, canReview, canKeep, isReviewing, isReviewed, canPractise, canHint, hint, isTried },
) {
  if (isEditing) return ["editor-done", "playon"];
  const analysed = canHint ? [...(hint ? ["playhint"] : []), "hint"] : [];
  if (isFresh) return ["begin", "renew", ...analysed];
  if (isReviewing) return ["review"];
  if (isRunning) {
    if (!hasPerson) return [...(seat || isShared ? [] : ["pause"]), "renew"];
    return [...analysed, ...(isCovered ? [] : ["takeback"]), ...(isShared ? ["draw"] : []), ...(hint ? [] : ["resign"])];
  }
  const goesOn = step.result === null && !seat ? ["playon"] : []; // a browser with only a seat cannot start games
  const own = step.isPlayed ? [] : ["delete"]; // moves of the game itself cannot be deleted
  if (isTried) return ["togame", "promote", ...own, ...(hint ? analysed : []), ...goesOn];
  const keep = canKeep ? ["keep"] : [];
  const isAgain = isShared ? session && hasPerson : seats.every(({ request }) => request);
  const again = isAgain ? ["rematch"] : [];
  if (isReviewed) return ["mistake", ...(canPractise ? ["practise"] : [...keep, ...own, ...goesOn]), ...again];
  const swaps = isAgain && !isShared && at === last ? ["swap"] : [];
  return [...(canReview ? ["review"] : []), ...keep, ...(isAgain ? again : analysed), ...swaps, ...own, ...goesOn];
}

// Draw the actions for the displayed step. about: the other state that the actions depend on; see actionsOf.
export function drawActions(shown, about) {
  const { game, steps, step, at, last, replaced, hasPerson, isCovered, mayPlay, lastOfPerson, isRunning } = shown;
  const actions = actionsOf(shown, about);
  showOnly($("actions"), actions);
  $("review").classList.toggle("primary", !about.isReviewing);
  // On a phone the row has no room for this button next to so many others.
  $("playon").classList.toggle("wideonly", actions.length > 3 || about.isTried);
  $("hint").disabled = step.toMove === null || step.legal.length < 2 || (isRunning && hasPerson && !mayPlay);
  $("takeback").disabled = lastOfPerson <= 0;
  $("resign").disabled = !shown.socket;
  $("playon").disabled = step.result !== null;
  $("bookbox").hidden = !steps[0].book;
  $("opening").textContent = steps.slice(0, at + 1).findLast((each) => each.opening)?.opening ?? "";
  $("first").disabled = $("back").disabled = at === 0;
  $("last").disabled = $("forward").disabled = at === last;
  $("return").hidden = !replaced.length;
  $("totree").hidden = !hasPage("/tree") || game.kind !== "perfect" || isCovered; // the search tree page supports no other games
  $("totree").href = `/tree#${new URLSearchParams({ game: game.game, position: step.position })}`;
}
