// The colours of board and discs, and the size of the board, as a person wants them on every page.

const KEY = "quietmove-look"; // the browser keeps them under this name
export const THEMES = [
  ["", "green"],
  ["sea", "blue and cream"],
  ["wood", "wood"],
];

// Return the theme's name, and the side of the board as a part of what the window leaves.
export function look() {
  return { theme: "", size: 1, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
}

// Keep what has changed, and let the page look so.
export function setLook(changes) {
  localStorage.setItem(KEY, JSON.stringify({ ...look(), ...changes }));
  apply();
}

function apply() {
  const { theme, size } = look();
  document.documentElement.dataset.theme = theme;
  document.querySelector("main.table")?.style.setProperty("--size", size);
}

apply();
