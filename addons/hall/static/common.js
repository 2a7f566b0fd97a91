// Functions shared by the pages of a class.

import { element, made, madeButton, moveText, notation } from "/static/drawing.js";
import "/static/appearance.js";
import { $, ask, attempt, fillSelect, onSubmit } from "/static/page.js";
import { eloBar, eloScale, signed } from "/static/charts.js";
import { table } from "/static/tables.js";

const STATES = {
  received: ["info", "in the queue"],
  building: ["info", "being compiled"],
  checking: ["info", "being checked"],
  refused: ["bad", "failed"],
  passed: ["good", "passed"],
};

// Write squares in the class's coordinates from now on. The argument is the reply to GET /api/me.
export function useCoordinates({ coordinates }) {
  notation.numbers = coordinates === "numbers";
}

// Return a move in the class's coordinates, with its other notations in parentheses. program: the program's notation.
export function moveTexts({ move, project, program }) {
  const own = moveText({ move, project });
  const others = [...new Set([move, project, program])].filter((text) => text && text !== own);
  return others.length ? `${own} (${others.join(", ")})` : own;
}

// Format a time, with the date unless it is today. seconds: since 1970.
export function timeText(seconds) {
  const date = new Date(seconds * 1000);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

// Return a number of players, such as "1 player".
export function playersText(count) {
  return count === 1 ? "1 player" : `${count} players`;
}

// Format the time left until a moment, such as "2 days 3 h".
function leftText(seconds) {
  const minutes = Math.max(0, Math.round((seconds - Date.now() / 1000) / 60));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

export function deadlineText({ assignment = "", opens, deadline, late, over, closes }) {
  const name = assignment ? `${assignment}: ` : "";
  if (opens) return `${name}opens ${timeText(opens)}`;
  if (deadline === null) return assignment;
  if (!late) return `${name}deadline ${timeText(deadline)}, in ${leftText(deadline)}`;
  return `${name}the deadline was ${timeText(deadline)}${over ? "" : `; late versions are accepted for ${leftText(closes)}`}`;
}

// Return a select of assignments, or null if there are fewer than two.
export function assignmentSelect(names, chosen) {
  return names.length < 2 ? null : fillSelect(made("select", { ariaLabel: "Assignment" }), names, chosen);
}

// Return the query string that selects an assignment, or "" for a class without assignments.
export function query(assignment) {
  return assignment ? `?assignment=${encodeURIComponent(assignment)}` : "";
}

export function stateTag({ state, place, blocked }) {
  if (blocked) return made("span", "badge warn", "blocked");
  const [kind, text] = STATES[state];
  return made("span", `badge ${kind}`, state !== "received" ? text : place === null ? "waits while blocked" : `${text}: ${place}`);
}

// Go to a part of the page. to: its address after the #.
export function go(to) {
  location.hash = to;
}

export function heading(text, ...more) {
  return made("h2", "", text, ...more);
}

export function card(title, ...children) {
  return made("section", "card", typeof title === "string" ? heading(title) : title, ...children);
}

export function note(kind, strong, ...rest) {
  return made("div", `box ${kind}`, made("p", "", made("b", "", strong), " ", ...rest));
}

// Return a list of rows. rows: arrays of cells; a link covers its whole row. none: the text to show if there are no rows.
export function list(rows, none = "") {
  return rows.length ? made("ul", "games rows", ...rows.map((cells) => made("li", "", ...cells))) : made("p", "quiet", none);
}

// Return two lines of text, the second in small type. first: the parts of the first line.
export function lines(first, second) {
  return made("span", "", ...first, made("br"), made("small", "", second));
}

// Return a list row for a version. said: additional text for the second line; to: the address of the report.
export function versionRow(entry, said, to) {
  const name = entry.assignment ? `${entry.assignment} ` : "";
  const late = entry.late_hours ? `, ${entry.late_hours} h late` : "";
  const words = lines([name, stateTag(entry), entry.counts ? " counts" : ""], `${timeText(entry.received_at)}${late}${said} ${entry.reason}`);
  return [made("b", "n", `v${entry.version}`), words, made("a", { href: `#${to}` }, "Report")];
}

// Return a one-column form whose button starts an action. field: the field next to which errors are shown.
export function form(boxes, text, act, { field = null, disabled = false } = {}) {
  const button = made("button", { className: "primary", type: "submit", disabled }, text);
  const found = made("form", "", ...boxes, made("div", "row", button));
  onSubmit(found, () => attempt(act, field));
  return found;
}

// Return a form field. more: attributes of the input.
export function field(label, more = {}) {
  const input = made("input", { autocomplete: "off", spellcheck: false, ...more });
  return { input, box: made("label", "", label, input) };
}

// Put a login form into an element. then: called with the person who has logged in.
export function showLogin(place, then) {
  const { input, box } = field("The key that your teacher gave you", { name: "key", placeholder: "xxxx-xxxx-xxxx-xxxx-xxxx-xxxx" });
  place.append(form([box], "Log in", async () => then(await ask("/api/login", { key: input.value })), { field: input }));
}

let timer = 0; // refreshes the page's content after a pause

// Replace the page's content.
export function put(...parts) {
  clearTimeout(timer);
  $("content").replaceChildren(...parts);
}

// Run a function after a pause, unless other content has been shown by then. pause: milliseconds.
export function later(act, pause) {
  timer = setTimeout(act, pause);
}

addEventListener("hashchange", () => location.hash.startsWith("#key=") && location.reload());

// Log in with the key in the address, which a printed link can contain as `#key=`, and remove it from the address.
// Return the person who has logged in, or null.
export async function whoAsks() {
  const found = /^#key=([\w-]+)$/.exec(location.hash);
  if (found) {
    history.replaceState(null, "", location.pathname);
    await ask("/api/login", { key: found[1] });
  }
  const { name, role } = await ask("/api/login");
  return name === null ? null : { name, role };
}

// Return whether someone with this role (or any role) has logged in; if not, show the login form.
export async function mayEnter(title, role = null) {
  const who = await whoAsks();
  if (who && (role === null || role.includes(who.role))) return true;
  const place = card(title);
  put(place);
  showLogin(place, () => location.reload());
  return false;
}

// Show a tab for each part of the page; the address selects one. parts: an array of [name, title, show]; show is called
// with the rest of the address, after the slash.
export function chooseBy(parts) {
  $("tabs").hidden = false;
  const buttons = parts.map(([name, title]) => madeButton(title, () => go(name)));
  $("tabs").replaceChildren(...buttons);
  const show = () => {
    const [name, ...rest] = location.hash.slice(1).split("/");
    const chosen = parts.find((part) => part[0] === name) ?? parts[0];
    for (const [place, button] of buttons.entries()) button.ariaCurrent = parts[place] === chosen ? "page" : null;
    attempt(() => chosen[2](rest.join("/")));
  };
  window.addEventListener("hashchange", show);
  return show;
}

// Return cards with the rating of each version as a curve and the scores by opponent. Before the first game, there are
// no cards.
export function historyCards({ versions, opponents }) {
  if (!versions.length) return [];
  const heads = [
    ["Opponent", "name"],
    ["Games", "number"],
    ["Won", "number"],
    ["Drawn", "number"],
    ["Lost", "number"],
  ];
  const cells = opponents.map(({ name, games, wins, draws, losses }) => [name, ...[games, wins, draws, losses].map(String)]);
  const curve = card(heading("Rating by version", made("span", "quiet", "Elo relative to the anchors\u2019 mean, with 95 % intervals")), ratingCurve(versions));
  return [curve, card(heading("By opponent", made("span", "quiet", "hardest first, all versions together")), table("By opponent", heads, cells))];
}

// Return a card that explains a mark part by part. more: called with a part by hand, returns elements to add to its row.
export function markCard(title, { parts, total }, more = () => []) {
  const rows = parts.map((part) => [
    made("b", "n", `${part.points} of ${part.weight}`),
    made("div", "stack", lines([`${part.assignment} ${part.name}`.trim()], part.reason), ...(part.by_hand ? more(part) : [])),
  ]);
  return card(heading(`${title}: ${total} of 100`), list(rows));
}

function ratingCurve(versions) {
  const [width, height, left, bottom] = [640, 220, 48, 24];
  const [low, high] = eloScale(versions);
  const x = (index) => left + ((width - left - 16) * (index + 0.5)) / versions.length;
  const y = (elo) => ((height - bottom) * (high - elo)) / (high - low);
  const label = versions.map(({ version, elo, error }) => `v${version}: Elo ${signed(elo)} \u00b1 ${error.toFixed(0)}`).join(", ");
  const svg = element("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  svg.append(element("line", { class: "zero", x1: left, x2: width, y1: y(0), y2: y(0) }));
  svg.append(element("text", { x: left - 6, y: y(0) + 4, "text-anchor": "end" }, "0"));
  svg.append(element("path", { class: "line", d: versions.map(({ elo }, index) => `${index ? "L" : "M"}${x(index)} ${y(elo)}`).join("") }));
  for (const [index, { version, elo, error }] of versions.entries()) {
    svg.append(element("path", { class: "interval", d: `M${x(index)} ${y(elo - error)}V${y(elo + error)}` }));
    svg.append(element("circle", { class: "mean", cx: x(index), cy: y(elo), r: 5 }));
    svg.append(element("text", { x: x(index) + 9, y: y(elo) - 6 }, signed(elo)));
    svg.append(element("text", { x: x(index), y: height - 6, "text-anchor": "middle" }, `v${version}`));
  }
  return svg;
}

// Return the ladder as a table, or a note if no version has passed yet. own: entries whose rows are highlighted.
export function ladder({ rows, goals = [] }, own = []) {
  if (!rows.length) return made("p", "quiet", "No version has passed yet.");
  const isRated = rows.some((row) => row.elo !== null);
  const scale = isRated ? eloScale(rows.filter((row) => row.elo !== null)) : null;
  const heads = [
    ["", "number"],
    ["Name", "name"],
    ["Version", "number"],
  ];
  if (isRated) heads.push(["Elo", "number"], ["\u00b195 %", "number"], ["Interval", "wide"], ["Games", "number wide"]);
  if (goals.length) heads.push(["Goals", "number"]);
  const cells = rows.map((row) => {
    const name = made("span", "", row.name);
    if (row.anchor) name.append(" ", made("span", "badge soft", "anchor"));
    const found = [String(row.place ?? ""), name, row.version ? `v${row.version}` : ""];
    if (isRated && row.elo === null) found.push("", "", "", "");
    else if (isRated) found.push(signed(row.elo), row.error.toFixed(0), eloBar(row, scale), String(row.games));
    if (goals.length) found.push(row.anchor || !row.entry ? "" : `${row.goals.filter((each) => each.reached).length} of ${goals.length}`);
    return found;
  });
  const made_ = table("Ladder", heads, cells);
  for (const [index, row] of rows.entries()) made_.tBodies[0].rows[index].classList.toggle("on", own.includes(row.entry));
  return made_;
}
