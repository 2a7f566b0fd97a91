// The list of a game's moves, with variations after the moves they replace.

import { made, madeButton, moveText } from "./drawing.js";

const steps = new WeakMap(); // each button's step
const seen = new ResizeObserver((boxes) => {
  // a neighbouring panel may change the list's size later
  for (const { target } of boxes) showCurrent(target);
});
const drawnRows = new WeakMap(); // each list item's row

// List the moves of { steps, at }, redrawing only changes. noteOf: returns a step's notes, short and long; choose:
// called with a step. Only the list, the current move and moves with variations are tab stops.
export function listMoves(list, { steps: line, at }, noteOf, choose) {
  const rows = rowsOf(line[0]);
  rows.forEach((row, number) => {
    const old = list.children[number];
    if (old && isSame(drawnRows.get(old), row)) return;
    const made = makeRow(row, choose);
    drawnRows.set(made, row);
    if (old) old.replaceWith(made);
    else list.append(made);
  });
  while (list.children.length > rows.length) list.lastElementChild.remove();
  for (const button of list.querySelectorAll("button")) {
    const step = steps.get(button);
    label(button, step, noteOf(step));
    button.tabIndex = step === line[at] || step.before.next.length > 1 ? 0 : -1;
    button.ariaCurrent = step === line[at] || null;
  }
  seen.unobserve(list.parentElement); // an element that is already observed is not reported again
  seen.observe(list.parentElement); // the observer scrolls again after layout
}

// Return the rows of a tree: one per main-line move, followed by a row for its comment and a row for each variation. A
// variation's row is followed by the rows of its own variations.
function rowsOf(root) {
  const rows = [];
  if (root.comment) rows.push({ depth: 0, parts: [root.comment] });
  for (let step = root.next[0]; step; step = step.next[0]) {
    rows.push({ depth: 0, parts: [step], isMain: true });
    if (step.comment) rows.push({ depth: 0, parts: [step.comment] });
    for (const other of step.before.next.slice(1)) addVariation(rows, other, 1);
  }
  return rows;
}

function addVariation(rows, first, depth) {
  const parts = [];
  const others = [];
  for (let step = first; step; step = step.next[0]) {
    parts.push(step);
    if (step.comment) parts.push(step.comment);
    others.push(...step.next.slice(1));
  }
  rows.push({ depth, parts });
  for (const other of others) addVariation(rows, other, depth + 1);
}

function isSame(one, other) {
  return one.depth === other.depth && one.parts.length === other.parts.length && one.parts.every((part, index) => part === other.parts[index]);
}

function makeRow({ depth, parts, isMain }, choose) {
  const row = made("li", isMain ? "main" : "aside");
  if (depth) row.style.paddingLeft = `${depth}rem`;
  for (const part of parts) {
    if (typeof part === "string") row.append(made("span", "comment", part), " ");
    else {
      const button = madeButton("", () => choose(part));
      steps.set(button, part);
      row.append(button, " ");
    }
  }
  return row;
}

function label(button, step, [note, title, grade]) {
  const text = moveText(step);
  button.title = title;
  if (button.dataset.text === text + note) return;
  button.dataset.text = text + note;
  const number = step.move === "pass" ? "" : `${step.number}. `; // a pass has no number
  button.replaceChildren(made("span", "n", number), text, ...(note ? [" ", made("span", `note ${grade}`, note)] : []));
}

// Scroll the list's box (on a phone, the list itself) to the current move, without scrolling the page.
function showCurrent(box) {
  const item = box.querySelector("[aria-current]");
  if (!item) return;
  for (const each of [box, box.firstElementChild]) {
    const [outer, inner] = [each.getBoundingClientRect(), item.getBoundingClientRect()];
    each.scrollTop += Math.min(0, inner.top - outer.top) + Math.max(0, inner.bottom - outer.bottom);
    each.scrollLeft += Math.min(0, inner.left - outer.left) + Math.max(0, inner.right - outer.right);
  }
}
