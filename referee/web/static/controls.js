// The buttons beside the board, which of them can be used, and the keys that go through the game.

import { $ } from "./page.js";

export function listenToControls(shown) {
  const places = { first: () => 0, back: () => shown.at - 1, forward: () => shown.at + 1, last: () => shown.last };
  for (const [id, place] of Object.entries(places)) $(id).addEventListener("click", () => shown.goTo(place()));

  // On the board arrows go from square to square; elsewhere on the page these keys scroll, as they always do.
  function leaf(event) {
    const arrows = $("board").contains(event.target) ? {} : { ArrowLeft: places.back, ArrowRight: places.forward };
    const place = { PageUp: places.back, PageDown: places.forward, Home: places.first, End: places.last, ...arrows }[event.key];
    if (!place || !shown.step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    shown.goTo(place());
    if (event.target.closest("#moves li")) ($("moves").querySelector("[aria-current]") ?? $("moves")).focus();
  }
  for (const id of ["board", "controls", "moves"]) $(id).addEventListener("keydown", leaf);
}

export function drawControls({ game, steps, step, at, last, session, replaced, isFresh, hasPerson, isCovered, mayPlay, lastOfPerson }) {
  $("hint").disabled = step.legal.length < 2;
  $("bookbox").hidden = !steps[0].book;
  $("opening").textContent = steps.slice(0, at + 1).findLast((each) => each.opening)?.opening ?? "";
  $("first").disabled = $("back").disabled = at === 0;
  $("last").disabled = $("forward").disabled = at === last;
  $("begin").hidden = !isFresh;
  $("resign").hidden = !mayPlay;
  $("takeback").hidden = !(session && hasPerson) || isCovered;
  $("takeback").disabled = lastOfPerson <= 0;
  $("playon").hidden = isCovered || isFresh;
  $("playon").disabled = step.result !== null;
  $("return").hidden = !replaced.length;
  $("course").hidden = isFresh;
  $("totree").hidden = game.kind !== "perfect"; // the page of search trees has no others
  $("totree").href = `/tree#${new URLSearchParams({ game: game.game, position: step.position })}`;
}
