// The look that a person has chosen for every page, in the dialog of settings: the colours of board and discs, light or dark,
// and the size of the board. A page adds its own settings in the element `own-settings`.

import { $ } from "./page.js";

const KEY = "quietmove-look"; // storage key
const CHOICES = ["theme", "mode"];

// Return the look: the theme, light or dark or "" for the system's, and the board size as a fraction of the available space.
function look() {
  return { theme: "", mode: "", size: 1, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
}

// Save changes, and apply them to the page.
function setLook(changes) {
  localStorage.setItem(KEY, JSON.stringify({ ...look(), ...changes }));
  apply();
}

function apply() {
  const { theme, mode, size } = look();
  Object.assign(document.documentElement.dataset, { theme, mode });
  document.querySelector("main.table")?.style.setProperty("--size", size);
}

// Connect the dialog, which stands beside the board, so that each change is seen at once.
function connect() {
  for (const name of CHOICES) {
    for (const input of document.querySelectorAll(`[name=${name}]`)) {
      input.checked = input.value === look()[name];
      input.addEventListener("change", () => setLook({ [name]: input.value }));
    }
  }
  $("size").value = 100 * look().size;
  $("size-box").hidden = !document.querySelector("main.table");
  $("size").addEventListener("input", () => setLook({ size: $("size").value / 100 }));
  if ($("own-settings")) $("display").append($("own-settings"));
  $("to-settings").addEventListener("click", () => ($("display").open ? $("display").close() : $("display").show()));
  $("display").addEventListener("keydown", ({ key }) => key === "Escape" && $("display").close());
}

apply();
if ($("to-settings")) connect();
