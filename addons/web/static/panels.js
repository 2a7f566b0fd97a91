// The panels of the column beside a board, and the tabs that choose one. A panel is a section in the element `panels`:
//
//   <section class="panel" id="lines-panel" aria-labelledby="lines-title">
//     <header><h2 id="lines-title">Lines</h2> <small>facts</small></header>
//     <div class="body">what the panel shows; it alone scrolls</div>
//   </section>
//
// A module of its own adds one by `const body = addPanel("explorer", "Explore")`, fills the element that it gets, and may
// call `showPanel("explorer")`. Where there is room, the panels with the class `always` are seen beside the chosen one;
// elsewhere they have tabs too. A panel with the attribute `hidden` has no tab; after a change call `drawPanels`.

import { made, madeButton } from "./drawing.js";
import { $ } from "./page.js";

// table.css has the same bounds.
const narrow = matchMedia("(max-width: 55.99rem), (max-height: 33.99rem) and (orientation: landscape)");
narrow.addEventListener("change", drawPanels);
let chosen = ""; // the name of the panel that a person has chosen
let beside = ""; // the name of the last chosen panel that is not always seen
const listeners = new Map(); // the function that is called when a panel is chosen, by the panel's name

const nameOf = (panel) => panel.id.replace(/-panel$/, "");

// Add a panel behind the others. Return the element to be filled. chosen: called when its tab is chosen.
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

// Choose a panel, as a click on its tab does.
export function showPanel(name) {
  chosen = name;
  suggestPanel(name);
  listeners.get(name)?.();
}

// Let a panel be seen beside the moves and the graph; where only one is seen, that stays.
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

// The tabs stay the same elements as long as there are the same panels, so that the focus stays on them.
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
