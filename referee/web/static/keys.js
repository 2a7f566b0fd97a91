// Keys that go through the game that is shown.

import { $ } from "./page.js";

// Listen on the board, its buttons and the list of moves. Elsewhere on the page these keys scroll, as they always do; on the
// board arrows go from square to square. state: of the page; show: shows a ply.
export function leafByKeys(state, show) {
  function leaf(event) {
    const arrows = $("board").contains(event.target) ? {} : { ArrowLeft: state.at - 1, ArrowRight: state.at + 1 };
    const ply = { PageUp: state.at - 1, PageDown: state.at + 1, Home: 0, End: state.steps.length - 1, ...arrows }[event.key];
    if (ply === undefined || !state.steps.length || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(ply);
    if (event.target.closest("#moves li")) ($("moves").querySelector("[aria-current]") ?? $("moves")).focus();
  }
  for (const id of ["board", "controls", "moves"]) $(id).addEventListener("keydown", leaf);
}
