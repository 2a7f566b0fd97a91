// The list of the moves of a game.

import { made, madeButton } from "./drawing.js";

// shown: { steps, at }; noteOf: what is said of the move of a ply, in short and at length; choose: called with a ply.
// Only what has changed is made anew. Tab finds the list and the move that is shown, not all sixty.
export function listMoves(list, { steps, at }, noteOf, choose) {
  while (list.children.length > steps.length - 1) list.lastElementChild.remove();
  for (let ply = 1; ply < steps.length; ply++) {
    const button = list.children[ply - 1]?.firstElementChild ?? addButton(list, () => choose(ply));
    label(button, ply, steps[ply], noteOf(ply));
    button.tabIndex = ply === at ? 0 : -1;
    if (ply === at) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  if (at > 0) showInList(list, list.children[at - 1]);
}

function addButton(list, choose) {
  const button = madeButton("", choose);
  list.append(made("li", "", button));
  return button;
}

function label(button, ply, { move, project }, [note, title]) {
  const text = [move, project, note].join("|");
  button.title = title;
  if (button.dataset.text === text) return;
  button.dataset.text = text;
  button.replaceChildren(`${ply}. ${move}`);
  if (project && project !== move) button.append(" ", made("span", "numbers", project));
  if (note) button.append(" ", made("span", "note", note));
}

// Scroll a list, and not the page, until it shows an item.
function showInList(list, item) {
  const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  list.scrollTop += Math.min(0, inner.top - outer.top) + Math.max(0, inner.bottom - outer.bottom);
}
