// The panels in the column next to a board. A panel is a card in the element `panels`:
//
//   <section class="card" id="lines-panel" aria-labelledby="lines-title">
//     <header><h2 id="lines-title">Lines</h2> <small>facts</small></header>
//     <div class="body">what the panel shows</div>
//   </section>
//
// A module adds a panel with `const body = addPanel("explorer", "Explore")`, fills the returned element, and can call
// `showPanel("explorer")`. Panels with the class `always` are always shown. At most one other panel is shown: the
// selected tab's if the element `tabs` is a tab list, otherwise the panel opened by its button. A panel with the
// attribute `hidden` has no button; call `drawPanels` after changing the attribute. A page can place a panel's button
// itself.

import { made } from "./drawing.js";
import { $ } from "./page.js";

let chosen = ""; // the name of the chosen panel
const listeners = new Map(); // by panel name, called when the panel is chosen
const isTabbed = $("tabs")?.role === "tablist";

const nameOf = (panel) => panel.id.replace(/-panel$/, "");
const panelsToChoose = () => [...$("panels").querySelectorAll(".card:not(.always)")].filter(({ id }) => id.endsWith("-panel"));

// Append a panel and return the element to fill. chosen: called when its tab is chosen; className: "card always" for a
// panel that is always shown.
export function addPanel(name, title, chosen = () => {}, className = "card") {
  const body = made("div", "body");
  const heading = made("h2", { id: `${name}-title` }, title);
  const panel = made("section", { className, id: `${name}-panel` }, made("header", "", heading), body);
  panel.setAttribute("aria-labelledby", heading.id);
  $("panels").append(panel);
  listeners.set(name, chosen);
  drawPanels();
  return body;
}

// Choose a panel.
export function showPanel(name) {
  chosen = name;
  drawPanels();
  listeners.get(name)?.();
}

// Show the chosen panel, and a button for each panel that is not hidden.
export function drawPanels() {
  const panels = panelsToChoose();
  const shown = panels.filter((panel) => !panel.hidden);
  const on = shown.find((panel) => nameOf(panel) === chosen) ?? (isTabbed ? shown[0] : null);
  for (const { id } of $("panels").querySelectorAll(".card.always")) $(id.replace(/-panel$/, "-tab"))?.setAttribute("hidden", "");
  for (const panel of panels) {
    const tab = $(`${nameOf(panel)}-tab`) ?? addTab(panel);
    const wasOn = panel.classList.contains("on");
    if (panel.classList.toggle("on", panel === on) !== wasOn) panel.dispatchEvent(new Event("toggle"));
    tab.hidden = panel.hidden;
    if (isTabbed) Object.assign(tab, { ariaSelected: panel === on, tabIndex: panel === on ? 0 : -1 });
    else tab.ariaExpanded = panel === on;
  }
}

function addTab(panel) {
  const tab = made("button", { type: "button", id: `${nameOf(panel)}-tab` }, panel.querySelector("h2").textContent);
  if (isTabbed) tab.role = "tab";
  else tab.className = "quiet-button";
  $("tabs").append(tab);
  return tab;
}

// Open the panel whose button was clicked, or close it if it is open. Tabs are never closed.
function choose(name) {
  showPanel(isTabbed || chosen !== name ? name : "");
  if (!chosen || isTabbed) return;
  const [box, panel] = [$("panels"), $(`${name}-panel`)].map((each) => each.getBoundingClientRect());
  $("panels").scrollTop += Math.min(panel.top - box.top, Math.max(0, panel.bottom - box.bottom)); // keep the panel's top visible
}

document.addEventListener("click", ({ target }) => {
  const panel = target.closest("button")?.id.replace(/-tab$/, "-panel");
  if (panelsToChoose().some(({ id }) => id === panel)) choose(panel.replace(/-panel$/, ""));
});
// Arrow keys move between tabs.
if (isTabbed)
  $("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const tabs = [...$("tabs").children];
    const next = step && tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    if (!next) return;
    event.stopPropagation();
    next.focus();
    next.click();
  });
