// The panels in the column next to a board, with tabs to choose one. A panel is a section in the element `panels`:
//
//   <section class="panel" id="lines-panel" aria-labelledby="lines-title">
//     <header><h2 id="lines-title">Lines</h2> <small>facts</small></header>
//     <div class="body">what the panel shows; it alone scrolls</div>
//   </section>
//
// A module adds a panel with `const body = addPanel("explorer", "Explore")`, fills the returned element, and can call
// `showPanel("explorer")`. If there is room, panels with the class `always` are shown next to the chosen one; otherwise
// they have tabs too. A panel with the attribute `hidden` has no tab; call `drawPanels` after changing it.

import { made, madeButton } from "./drawing.js";
import { $ } from "./page.js";

// table.css has the same breakpoints.
const narrow = matchMedia("(max-width: 55.99rem), (max-height: 33.99rem) and (orientation: landscape)");
narrow.addEventListener("change", drawPanels);
let chosen = ""; // the panel chosen by the person
let beside = ""; // the last chosen panel that is not always shown
const listeners = new Map(); // by panel name, called when the panel is chosen

const nameOf = (panel) => panel.id.replace(/-panel$/, "");

// Append a panel and return the element to fill. chosen: called when its tab is chosen.
export function addPanel(name, title, chosen = () => {}) {
  const body = made("div", "body");
  const heading = made("h2", { id: `${name}-title` }, title);
  const panel = made("section", { className: "panel", id: `${name}-panel` }, made("header", "", heading), body);
  panel.setAttribute("aria-labelledby", heading.id);
  $("panels").append(panel);
  listeners.set(name, chosen);
  drawPanels();
  return body;
}

// Choose a panel, like a click on its tab.
export function showPanel(name) {
  chosen = name;
  suggestPanel(name);
  listeners.get(name)?.();
}

// Show a panel next to the moves and the graph; if only one panel fits, keep the current one.
export function suggestPanel(name) {
  if (!$(`${name}-panel`).classList.contains("always")) beside = name;
  drawPanels();
}

export function drawPanels() {
  const panels = [...$("panels").children].filter((panel) => !panel.hidden);
  const find = (name, among) => among.find((panel) => nameOf(panel) === name) ?? among[0];
  const on = find(chosen, panels);
  const side = find(
    beside,
    panels.filter((panel) => !panel.classList.contains("always")),
  );
  for (const panel of $("panels").children) {
    panel.classList.toggle("on", panel === on);
    panel.classList.toggle("beside", panel === side);
  }
  drawTabs(panels, on, side);
}

// Draw the tabs. If the panels have not changed, reuse the elements: a new element would lose the focus.
function drawTabs(panels, on, side) {
  const names = panels.map(nameOf).join(" ");
  if ($("tabs").dataset.names !== names) {
    $("tabs").dataset.names = names;
    const focused = $("tabs").contains(document.activeElement) ? document.activeElement.id : "";
    $("tabs").replaceChildren(...panels.map(makeTab));
    if (focused) $(focused)?.focus();
  }
  panels.forEach((panel, index) => {
    $("tabs").children[index].ariaPressed = panel === (narrow.matches ? on : side);
  });
}

function makeTab(panel) {
  const about = { id: `${nameOf(panel)}-tab`, className: panel.classList.contains("always") ? "always" : "" };
  const tab = madeButton(panel.querySelector("h2").textContent, () => showPanel(nameOf(panel)), about);
  tab.setAttribute("aria-controls", panel.id);
  return tab;
}
