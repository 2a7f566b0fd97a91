// The explorer page shows the moves played in a position, from the database, your own games or the book.

import "/static/appearance.js";
import { BoardView } from "/static/board.js";
import { dayText, element, made, madeButton, scoreText } from "/static/drawing.js";
import { Keys } from "/static/keys.js";
import { $, ask, attempt, onSubmit, save, takeDropped } from "/static/page.js";
import { addPanel, showPanel } from "/static/panels.js";

const NAMES = /\.(jou|trn)$/i; // WTHOR's name files, which must be sent before the games
const FEW = 10; // games listed initially
const MANY = 200;
const TRAINED_LEVEL = 5; // the opponent's level after a trained opening
const POLL_MS = 1000; // milliseconds between updates while a file is being added
const shared = new URLSearchParams(location.hash.slice(1));
const start = shared.get("start") ?? "";
const board = new BoardView($("board"), (move) => attempt(() => go([...line, move])));
const bodies = {};
const [filter, player, color, years] = ["filter", "player", "color", "years"].map($); // removed from the document when the form is closed
let line = []; // the moves to the displayed position
let ahead = []; // the undone moves after `line`
let source = "database";
let listed = FEW;
let found = null; // the server's latest answer
let number = 0; // number of the latest request; answers to earlier requests are ignored

const TITLES = { mine: "My games", book: "Book", database: "Databases" };
for (const [name, title] of Object.entries(TITLES)) bodies[name] = addPanel(name, title, () => attempt(() => choose(name)));
$("panels").append($("own")); // below the chosen panel

async function choose(name) {
  source = name;
  listed = FEW;
  await load(line);
  history.replaceState(null, "", address());
}

// Return the page's address for the source and the position after these moves.
const address = (moves = line) => `#${new URLSearchParams({ ...(start && { start }), source, moves: moves.join(" ") })}`;

// Show the position after these moves. Moves that this undoes can be redone.
async function go(moves) {
  const added = moves.slice(line.length);
  const isOn = added.length > 0 && added.every((move, index) => move === ahead[index]);
  const rest = moves.length < line.length ? [...line.slice(moves.length), ...ahead] : isOn ? ahead.slice(added.length) : [];
  listed = FEW;
  await load(moves);
  ahead = rest;
  draw();
  if (address() !== location.hash) history.pushState(null, "", address());
}

async function load(moves) {
  const mine = ++number;
  const wanted = source === "book" ? {} : { player: player.value, color: color.value, years: years.value };
  const answer = await ask(`/api/explorer?${new URLSearchParams({ source, start, moves: moves.join(" "), games: listed, ...wanted })}`);
  if (mine !== number) return;
  if (!found) board.begin(answer);
  found = answer;
  line = answer.line;
  draw();
}

function draw() {
  const { step } = found;
  board.show(step, { open: true, lines: source === "book" ? (step.book ?? []) : [] });
  if (source !== "book") drawShares();
  const title = step.opening || (line.length ? "Unnamed position" : "Initial position");
  const moves = line.map((move, index) => `${index + 1}. ${move}`).join(" ");
  $("opening").textContent = title;
  $("status").textContent = [title, moves, step.result].filter(Boolean).join(" ");
  drawCrumbs();
  for (const id of ["first", "back"]) $(id).disabled = !line.length;
  for (const id of ["on", "last"]) $(id).disabled = !ahead.length;
  $("playfrom").href = `/play#${new URLSearchParams({ game: "othello", start, moves: line.join(" "), play: "on" })}`;
  $("train").hidden = !step.opening;
  $("train").href = `/play#${new URLSearchParams({ play: TRAINED_LEVEL, trains: step.opening ?? "" })}`;
  $("add").hidden = !found.keeps;
  drawOwn();
  bodies[source].replaceChildren(...(source === "book" ? bookPanel() : gamesPanel()));
}

// Draw the own book's note on the position, and its moves from there. A link can suggest a note.
function drawOwn() {
  const { note, notes, keeps } = found;
  $("own").hidden = !keeps || start !== "";
  $("own-form").hidden = !line.length;
  $("own-drop").hidden = note === null;
  const isWanted = line.join(" ") === (shared.get("moves") ?? "");
  if (document.activeElement !== $("own-note")) $("own-note").value = note ?? ((isWanted && shared.get("note")) || "");
  const moves = Object.entries(notes).map(([move, text]) => madeButton(text ? `${move}: ${text}` : move, () => attempt(() => go([...line, move]))));
  $("own-moves").replaceChildren(...(moves.length || line.length ? moves : ["Play a move to keep it here with a note."]));
  $("own-moves").hidden = !$("own-moves").hasChildNodes();
}

async function keepNote(note) {
  await ask("/api/explorer/note", { moves: line.join(" "), note });
  $("own-note").blur();
  await load(line);
}
onSubmit($("own-form"), () => attempt(() => keepNote($("own-note").value.trim()), $("own-note")));
$("own-drop").addEventListener("click", () => attempt(() => keepNote(null)));
$("own-export").addEventListener("click", () =>
  attempt(async () => save(new Blob([(await ask("/api/explorer/notes")).text], { type: "text/plain" }), "my-book.txt")),
);

// Draw a button for each move to the position, and scroll to the last one.
function drawCrumbs() {
  const crumbs = ["Start", ...line.map((move, index) => `${index + 1} ${move}`)].map((text, index) =>
    made(
      "li",
      "",
      madeButton(text, () => attempt(() => go(line.slice(0, index))), { ariaCurrent: index === line.length || null }),
    ),
  );
  $("crumbs").replaceChildren(...crumbs);
  $("crumbs").hidden = !line.length;
  $("crumbs").scrollLeft = $("crumbs").scrollWidth;
}

// Draw each move's share on its square.
function drawShares() {
  const squares = new Map(found.step.legal.map(({ move, square }) => [move, square]));
  found.moves.forEach(({ move, games }, rank) => {
    if ((squares.get(move) ?? null) === null) return;
    const [x, y] = board.squares.at(squares.get(move));
    const name = rank ? "" : "best";
    board.layer.append(
      element("rect", { class: `badge ${name}`, x: x - 0.4, y: y - 0.18, width: 0.8, height: 0.36, rx: 0.1 }),
      element("text", { class: `score ${name}`, x, y }, percent(games, found.games)),
    );
  });
}

function percent(part, whole) {
  const share = (100 * part) / whole;
  return share && share < 1 ? "<1%" : `${Math.round(share)}%`;
}

function bookPanel() {
  const { book: lines } = found.step;
  if (!lines?.length) return [made("p", "quiet", "The book has no move here.")];
  const rows = lines.map(({ pv, score, depth }) =>
    moveRow(pv[0].move, made("span", "quiet", `depth ${depth}`), lossTag(lines[0].score - score), scoreText(score) || "0"),
  );
  return [made("section", "card", moveList(["Move", "", "", valueHead()], rows))];
}

// Return the heading for values, which are from the point of view of the side to move.
const valueHead = () => `For ${found.players[found.step.toMove ?? 0]}`;

function lossTag(loss) {
  return loss ? made("span", "badge soft", `loses ${scoreText(loss).replace("+", "")}`) : made("span", "badge good", "best");
}

function gamesPanel() {
  const parts = notices();
  if (!found.keeps) return [made("p", "quiet", "A server open to other machines shows only the book.")];
  if (found.games === null) return [...parts, emptyPanel()];
  const count = `${found.games.toLocaleString("en")} game${found.games === 1 ? "" : "s"}`;
  const toggle = madeButton("Filter \u2026", toggleFilter, { className: "quiet-button push", ariaExpanded: isFiltering });
  const badges = filterTexts().map((text) => made("span", "badge soft", text));
  parts.push(isFiltering ? filter : made("div", "row", made("span", { title: `${found.ms ?? 0} ms` }, count), ...badges, toggle));
  filter.hidden = !isFiltering;
  if (found.note) parts.push(made("p", "quiet", found.note));
  else if (!found.games) parts.push(made("p", "quiet", "No games with this position."));
  const values = new Map((found.step.book ?? []).map(({ pv, score }) => [pv[0].move, scoreText(score) || "0"]));
  if (found.moves.length) {
    const rows = found.moves.map((each) => countRow(each, values.get(each.move) ?? ""));
    const heads = ["Move", "Games", "Black, drawn, White", values.size ? valueHead() : ""];
    parts.push(made("section", { className: "card", title: "The eight symmetric images of a position count as one" }, moveList(heads, rows)));
  }
  if (found.played.length) parts.push(gamesCard());
  if (source === "database") parts.push(contents);
  return parts;
}

function gamesCard() {
  const all = found.games > found.played.length && listed < MANY ? [madeButton("More games", more, { className: "quiet-button" })] : [];
  const head = made("header", "", made("h2", "", "Games with this position"), made("small", "", "newest first"));
  return made("section", "card", head, made("ul", "rows games", ...found.played.map(gameItem)), ...all);
}

// The database's contents by year, loaded when the section is opened.
const contents = made("details", "", made("summary", "", "Database contents"));
contents.addEventListener("toggle", () => contents.open && attempt(showContents));

async function showContents() {
  const { years: rows, games } = await ask("/api/explorer/contents");
  const nameless = rows.reduce((sum, each) => sum + (each.year ? each.nameless : 0), 0); // WTHOR's games have a year
  const cells = rows.map((each) => row(String(each.year ?? "no year"), right(each.games.toLocaleString("en")), each.largest.join(", ")));
  const lacks = `${nameless.toLocaleString("en")} of ${games.toLocaleString("en")} games have no player names. Add the .wtb file again with its .jou and .trn files.`;
  const notice = nameless ? [made("p", "box warn", lacks)] : [];
  contents.replaceChildren(
    contents.firstChild,
    ...notice,
    table(["year", "games", "events"], cells),
    made("p", "quiet", "To remove games, run: quietmove database remove"),
  );
}

function more() {
  listed = MANY;
  attempt(() => load(line));
}

function moveList(heads, rows) {
  const head = made("li", "head quiet", ...heads.map((text) => made("span", "", text)));
  return made("ul", { className: "rows openings", ariaLabel: "Moves from here" }, head, ...rows);
}

// Return a row with a link that plays the move. value: the text on the right.
function moveRow(move, count, bar, value) {
  const moves = [...line, move];
  const link = made("a", { href: address(moves), ariaLabel: `Play ${move}` }, made("b", "", move));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // opens another tab
    event.preventDefault();
    attempt(() => go(moves));
  });
  return made("li", "", link, count, bar, made("span", "", value));
}

function countRow({ move, games, wins, draws, losses }, value) {
  const count = made("span", "n", games.toLocaleString("en"), made("small", "", percent(games, found.games)));
  return moveRow(move, count, found.step.toMove === 1 ? ends(losses, draws, wins) : ends(wins, draws, losses), value);
}

// Return a bar that shows how many games Black won, were drawn and White won, or "unknown" without any result.
function ends(...counts) {
  const known = counts.reduce((sum, each) => sum + each, 0);
  if (!known) return made("span", "quiet", "unknown");
  const parts = counts.map((count) => Math.round((100 * count) / known));
  const bar = made("div", "share", ...["sb", "sd", "sw"].map((name, index) => made("span", name, parts[index] > 9 ? String(parts[index]) : "")));
  [...bar.children].forEach((each, index) => {
    each.style.width = `${(100 * counts[index]) / known}%`;
  });
  return Object.assign(bar, { role: "img", ariaLabel: `Black ${parts[0]} %, drawn ${parts[1]} %, White ${parts[2]} %` });
}

function gameItem({ black, white, result, event, date, number: id, name }) {
  const replay = name ? `/api/kept/${encodeURIComponent(name)}` : `/api/explorer/games/${id}`;
  const link = made("a", { href: `/play#${new URLSearchParams({ replay, at: line.length })}` }, `${black || "?"} \u2013 ${white || "?"}`);
  const facts = made("small", "", [event, dayText(date)].filter(Boolean).join(", "));
  const score = (result || "*").replace("-", "\u2013");
  return made("li", "", made("b", "", score), made("span", "", link, facts), made("span", { className: "quiet", ariaHidden: true }, "\u203a"));
}

function emptyPanel() {
  return made(
    "div",
    "drop",
    made("b", "", "No database yet"),
    madeButton("Add the engine's own games", () => attempt(() => adding(() => ask("/api/explorer/start", {}))), { className: "primary" }),
    made("p", "", "Or drop files here: WTHOR (.wtb), GGF (.ggf) or transcripts (.txt)."),
    madeButton("Choose files", () => $("files").click()),
    made("p", "quiet", "Or run in a shell: quietmove database add games.wtb"),
  );
}

// Return notices about the file being added, and about the problems of the last file.
function notices() {
  const parts = [];
  if (found.adding) parts.push(made("div", "box", made("p", "", `Reading ${found.adding}. You can continue; games already read are included.`)));
  if (found.problems.length) parts.push(made("div", "box bad", ...found.problems.map((text) => made("p", "", text)), madeButton("Dismiss", leave)));
  return parts;
}

const leave = () =>
  attempt(async () => {
    await ask("/api/explorer/problems", undefined, "DELETE");
    await load(line);
  });

function table(titles, rows) {
  const head = made("tr", "", ...titles.map((title, index) => made("th", title.includes("/") ? "wide" : index === 1 ? "r" : "", title)));
  return made("table", "data", made("thead", "", head), made("tbody", "", ...rows));
}

function row(...cells) {
  return made("tr", "", ...cells.map((cell) => (cell.tagName === "TD" ? cell : made("td", "", cell))));
}

function right(text) {
  return made("td", "r", text);
}

// ---- the filter

let isFiltering = false;

// Describe the filter: the players and the years.
function filterTexts() {
  const as = color.value ? ` as ${color.selectedOptions[0].text}` : "";
  return [`${player.value.trim() || "all players"}${as}`, years.value.trim() || "all years"];
}

function toggleFilter() {
  isFiltering = !isFiltering;
  draw();
  if (isFiltering) player.focus();
}

const fieldOf = (message) => [years, player].find((field) => message.startsWith(field.id)) ?? null;
// Apply the filter, and close its form.
async function filterGames() {
  await load(line);
  if (isFiltering) toggleFilter();
}
onSubmit(filter, () => attempt(filterGames, fieldOf));
filter.addEventListener("reset", () => setTimeout(() => attempt(filterGames)));

// ---- files

const addFiles = (files) =>
  adding(async () => {
    for (const file of [...files].sort((one, other) => NAMES.test(other.name) - NAMES.test(one.name)))
      await ask(`/api/explorer/games?${new URLSearchParams({ name: file.name })}`, file);
  });

// Show the games as they are added.
async function adding(add) {
  showPanel("database");
  const polling = setInterval(() => load(line).catch(() => {}), POLL_MS);
  try {
    await add();
  } finally {
    clearInterval(polling);
    await load(line);
  }
}

$("files").addEventListener("change", () => attempt(() => addFiles([...$("files").files])));
takeDropped((files) => attempt(() => addFiles([...files])));

// ---- startup

const back = () => line.length && attempt(() => go(line.slice(0, -1)));
const on = () => ahead.length && attempt(() => go([...line, ahead[0]]));
$("back").addEventListener("click", back);
$("on").addEventListener("click", on);
$("turn").addEventListener("click", turn);

function turn() {
  board.isTurned = !board.isTurned;
  board.redraw();
  draw();
}

const home = () => line.length && attempt(() => go([]));
const end = () => ahead.length && attempt(() => go([...line, ...ahead]));
$("first").addEventListener("click", home);
$("last").addEventListener("click", end);
$("add").addEventListener("click", () => $("files").click());
const names = () => (found?.step.legal ?? []).map(({ move }) => [move, () => attempt(() => go([...line, move]))]);
new Keys({ ArrowLeft: back, ArrowRight: on, Home: home, End: end, f: turn }, names);
addEventListener("popstate", () => {
  const said = new URLSearchParams(location.hash.slice(1));
  if ((said.get("start") ?? "") !== start) location.reload();
  else attempt(() => load(movesOf(said)));
});
const movesOf = (said) => (said.get("moves") ?? "").split(" ").filter(Boolean);
line = movesOf(shared);
const wanted = shared.get("source");
attempt(async () => showPanel(wanted in TITLES ? wanted : await firstSource())); // also loads the position

// Return the first source with games, or else the book.
async function firstSource() {
  for (const each of ["database", "mine"]) {
    const { games } = await ask(`/api/explorer?${new URLSearchParams({ source: each, games: 0 })}`);
    if (games) return each;
  }
  return "book";
}
