// The colours of board and discs, and the board size, as chosen by a person for every page.

const KEY = "quietmove-look"; // storage key
export const THEMES = [
  ["", "green"],
  ["sea", "blue and cream"],
  ["wood", "wood"],
];

// Return the theme's name, and the board size as a fraction of the available space.
export function look() {
  return { theme: "", size: 1, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
}

// Save changes, and apply them to the page.
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
