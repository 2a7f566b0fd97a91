// The look of all pages, chosen in the settings dialog: the colours of board and discs, light or dark, the marks on the
// board, and its size. A page adds its own settings in the element `own-settings`.

import { $ } from "./page.js";

const KEY = "quietmove-look"; // storage key
const CHOICES = ["theme", "mode"];

// Return the look: the theme, the mode (light, dark, or "" for the system's), the size (a fraction of the available
// space) and the names of the hidden marks.
function look() {
  return { theme: "", mode: "", size: 1, hidden: "", ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
}

// Save changes, and apply them to the page.
function setLook(changes) {
  localStorage.setItem(KEY, JSON.stringify({ ...look(), ...changes }));
  apply();
}

function apply() {
  const { theme, mode, size, hidden } = look();
  Object.assign(document.documentElement.dataset, { theme, mode, hidden });
  document.querySelector("main.table")?.style.setProperty("--size", size);
}

// Connect the dialog. It opens next to the board, where each change is visible immediately.
function connect() {
  for (const name of CHOICES) {
    for (const input of document.querySelectorAll(`[name=${name}]`)) {
      input.checked = input.value === look()[name];
      input.addEventListener("change", () => setLook({ [name]: input.value }));
    }
  }
  const marks = [...$("marks").querySelectorAll("input")];
  for (const input of marks) input.checked = !look().hidden.split(" ").includes(input.value);
  const hidden = () => marks.filter(({ checked }) => !checked).map(({ value }) => value);
  $("marks").addEventListener("change", () => setLook({ hidden: hidden().join(" ") }));
  $("size").value = 100 * look().size;
  $("size-box").hidden = !document.querySelector("main.table");
  $("size").addEventListener("input", () => setLook({ size: $("size").value / 100 }));
  if ($("own-settings")) $("display").append($("own-settings"));
  $("to-settings").addEventListener("click", () => ($("display").open ? $("display").close() : $("display").show()));
  $("display").addEventListener("keydown", ({ key }) => key === "Escape" && $("display").close());
}

apply();
if ($("to-settings")) connect();
