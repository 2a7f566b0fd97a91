// The public board of a class: the ladder, and the login with a key.

import { made } from "/static/drawing.js";
import { $, ask, attempt, report } from "/static/page.js";
import { assignmentSelect, ladder, playersText, query, showLogin, whoAsks } from "./common.js";

const PAUSE_MS = 10_000;
const state = { assignment: "" }; // "" is the current assignment

async function refresh() {
  const found = await ask(`/api/standings${query(state.assignment)}`);
  const select = assignmentSelect(found.assignments, found.assignment);
  select?.addEventListener("change", () => {
    state.assignment = select.value;
    attempt(refresh);
  });
  $("standings").replaceChildren(...(select ? [select] : []), ladder(found));
  $("facts").textContent = found.rows.length ? playersText(found.rows.length) : "";
}

function pageOf({ role }) {
  return role === "student" ? "/me" : "/teacher";
}

await attempt(async () => {
  const me = await whoAsks();
  if (me) $("door").append(made("p", "", "You are ", made("b", "", me.name), ". ", made("a", { href: pageOf(me) }, "Go to your page")));
  else showLogin($("door"), (found) => location.assign(pageOf(found)));
});
await attempt(refresh);
setInterval(() => refresh().then(() => report(null), report), PAUSE_MS);
