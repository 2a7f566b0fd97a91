// The report on a tournament: everything stands in the file itself.

import { BoardView } from "/static/board.js";
import { element, made, madeButton, scoreText } from "/static/drawing.js";
import { drawGraph } from "/static/graph.js";
import { eloScale, ratioBar, ratioChart, signed } from "./charts.js";
import { bracket, crosstable, keyed, scores, standingsTable, table, verdictTable } from "./tables.js";

const $ = (id) => document.getElementById(id);
const found = JSON.parse($("document-data").textContent);
const { board, games } = JSON.parse($("games-data").textContent);
const names = found.standings.map((row) => row.name);
const CROSSED = 30; // engines of the crosstable
const ROWS = 200; // engines of the other tables
const LISTED = 25; // games
const BARS = 33; // of a histogram at most
const count = new Intl.NumberFormat("en");
const shown = { games: [], from: 0, game: null, steps: [], ply: 0 };

// ---- tables and charts

function drawTables() {
  const rows = found.standings.slice(0, ROWS);
  const repeats = found.distinct < found.games ? `, ${count.format(found.distinct)} of them distinct` : "";
  $("what").textContent = `${found.game}, ${found.format}, ${found.standings.length} engines, ${count.format(found.games)} games${repeats}, seed ${found.seed}`;
  $("standings").replaceChildren(standingsTable(rows, eloScale(rows), found.columns, found.point, showEngine));
  if (rows.length < found.standings.length)
    $("rows").textContent = `The first ${rows.length} of ${found.standings.length} engines; standings prints all of them.`;
  const crossed = rows.slice(0, CROSSED);
  $("crosstable").replaceChildren(crosstable(crossed, scores(found.meetings), showPair));
  if (crossed.length < found.standings.length)
    $("crossed").textContent = `The first ${crossed.length} of ${found.standings.length} engines; standings --json has what each pair scored.`;
  $("reasons").textContent = `${
    Object.entries(found.verdicts)
      .map(([reason, number]) => `${count.format(number)} ${reason}`)
      .join(", ") || "no game"
  }.`;
  $("verdicts").replaceChildren(verdictTable(rows, showVerdict) ?? "No engine was charged with anything.");
  $("used").replaceChildren(timeTable(rows));
  $("test").hidden = found.summary.llr === undefined;
  if (!$("test").hidden) {
    $("ratio").replaceChildren(ratioBar(found.summary));
    $("course").replaceChildren(ratioChart(found.summary));
  }
  $("rounds").hidden = found.summary.stages === undefined;
  if (!$("rounds").hidden) $("bracket").replaceChildren(bracket(found.summary.stages, showPair));
  fill(
    $("whose"),
    rows.map((row) => row.name),
  );
  $("whose").addEventListener("change", drawHistogram);
  drawHistogram();
}

function timeTable(rows) {
  const heads = [
    ["Engine", "name"],
    ["Moves", "number"],
    ["Seconds", "number"],
    ["Seconds a move", "number"],
    ["Longest", "number"],
    ["Nodes a move", "number"],
    ["Nodes a second", "number"],
  ];
  const cells = rows.map(({ name, used }) => [
    name,
    count.format(used.moves),
    used.seconds.toFixed(1),
    used.moves ? (used.seconds / used.moves).toFixed(4) : "",
    used.longest.toFixed(3),
    used.moves && used.nodes ? count.format(Math.round(used.nodes / used.moves)) : "",
    used.seconds && used.nodes ? count.format(Math.round(used.nodes / used.seconds)) : "",
  ]);
  return table("What each engine used", heads, cells);
}

// How many games of one engine ended with which margin, in bars of equal width around 0.
function drawHistogram() {
  const row = found.standings.find((each) => each.name === $("whose").value) ?? found.standings[0];
  const most = Math.max(1, ...row.margins.map(([margin]) => Math.abs(margin)));
  const least = Math.ceil((2 * most + 1) / BARS);
  const size = least === 1 ? 1 : least + (least % 2); // not odd: where margins are even, bars would take two and one of them by turns
  const place = (margin) => Math.sign(margin) * Math.ceil((Math.abs(margin) - (size - 1) / 2) / size);
  const reach = Math.max(1, place(most));
  const bars = new Map();
  for (const [margin, games] of row.margins) bars.set(place(margin), (bars.get(place(margin)) ?? 0) + games);
  const [width, height, bottom] = [640, 200, 40];
  const step = width / (2 * reach + 1);
  const highest = Math.max(1, ...bars.values());
  const svg = element("svg", {
    class: "histogram",
    viewBox: `-12 0 ${width + 24} ${height}`,
    role: "img",
    "aria-label": `Games of ${row.name} by their margin in ${found.point}s`,
  });
  for (const [bar, games] of bars) {
    const tall = ((height - bottom - 16) * games) / highest;
    const kind = bar > 0 ? "won" : bar < 0 ? "lost" : "drawn";
    const rect = element("rect", { class: kind, x: (bar + reach) * step + 1, y: height - bottom - tall, width: Math.max(1, step - 2), height: tall });
    rect.append(element("title", {}, `${count.format(games)} games around ${bar * size} ${found.point}s`));
    svg.append(rect);
    if (games === highest) svg.append(element("text", { x: (bar + reach + 0.5) * step, y: height - bottom - tall - 4 }, count.format(games)));
  }
  svg.append(element("line", { class: "axis", x1: 0, x2: width, y1: height - bottom, y2: height - bottom }));
  for (const bar of [-reach, -Math.round(reach / 2), 0, Math.round(reach / 2), reach]) {
    svg.append(
      element("text", { x: (bar + reach + 0.5) * step, y: height - bottom + 16 }, `${bar > 0 ? "+" : bar < 0 ? "\u2212" : ""}${Math.abs(bar * size)}`),
    );
  }
  svg.append(element("text", { x: width / 2, y: height - 4 }, `margin of ${row.name} in ${found.point}s${size > 1 ? `, ${size} to a bar` : ""}`));
  $("histogram").replaceChildren(svg);
}

// ---- the list of games

function fill(select, texts, none = null) {
  const options = texts.map((text) => new Option(text, text));
  select.replaceChildren(...(none === null ? [] : [new Option(none, "")]), ...options);
}

function drawFilter() {
  fill($("engine"), names, "all");
  fill($("against"), names, "all");
  fill($("reason"), [...new Set(games.map((game) => game.reason))], "all");
  for (const id of ["engine", "against", "reason"]) $(id).addEventListener("change", () => listGames());
  $("before").addEventListener("click", () => listGames(shown.from - LISTED));
  $("after").addEventListener("click", () => listGames(shown.from + LISTED));
  if (board === null) $("left").textContent = "The games are left out: their rules are not known where this page was made.";
  else if (games.length < found.games) {
    $("left").textContent =
      `This page holds ${count.format(games.length)} of ${count.format(found.games)} games: those that ended by a fault of an engine, and the first ones. All are in the store.`;
  }
}

function choose(engine, against, reason, to) {
  $("engine").value = engine;
  $("against").value = against;
  $("reason").value = reason;
  listGames();
  $(to).scrollIntoView();
}

const showEngine = (name) => choose(name, "", "", "played");
const showPair = (name, other) => choose(name, other, "", "played");
const showVerdict = (name, reason) => choose(name, "", reason, "played");

function listGames(from = 0) {
  const [engine, against] = [$("engine").value, $("against").value];
  const plays = (game, name) => ["", game.black, game.white].includes(name);
  shown.games = games.filter((game) => plays(game, engine) && plays(game, against) && ["", game.reason].includes($("reason").value));
  shown.from = Math.max(0, Math.min(from, shown.games.length - 1));
  const rows = shown.games.slice(shown.from, shown.from + LISTED);
  const heads = [["Game", "number"], ["Round", "number wide"], ["Black", "name"], ["White", "name"], ["Result"], ["Margin", "number"], ["Verdict", "note"]];
  const cells = rows.map((game) => [
    keyed(`game ${game.number}`, String(game.number), () => showGame(game)),
    String(game.round),
    game.black,
    game.white,
    game.result,
    signed(game.margin),
    game.reason,
  ]);
  $("list").replaceChildren(rows.length ? table("Games", heads, cells) : "No game.");
  $("shown").textContent = rows.length
    ? `${count.format(shown.from + 1)} to ${count.format(shown.from + rows.length)} of ${count.format(shown.games.length)}`
    : "";
  $("before").disabled = shown.from === 0;
  $("after").disabled = shown.from + rows.length >= shown.games.length;
}

// ---- one game

const view = new BoardView($("board"), () => {});

async function stepsOf(game) {
  const bytes = Uint8Array.from(atob(game.steps), (letter) => letter.charCodeAt(0));
  const steps = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  return steps.map((step) => ({ ...step, legal: [] }));
}

async function showGame(game) {
  shown.steps = await stepsOf(game);
  shown.game = game;
  $("replay").hidden = false;
  $("replay-title").textContent = `Game ${game.number}: ${game.black} \u2013 ${game.white} ${game.result} (${signed(game.margin)})`;
  $("verdict").textContent = `${game.reason}: ${game.detail}`;
  view.begin(board);
  $("moves").replaceChildren(
    ...shown.steps.slice(1).map(({ move, by, elapsed, score }, index) => {
      const button = madeButton(`${index + 1}. ${move}`, () => goTo(index + 1));
      if (score !== null) button.append(made("span", "score", scoreText(score)));
      if (["black", "white"].includes(by)) button.append(made("span", "seconds", `${(elapsed / 1000).toFixed(2)} s`));
      return made("li", "", button);
    }),
  );
  goTo(0);
  $("replay-title").focus({ preventScroll: true });
  $("replay").scrollIntoView();
}

function goTo(ply) {
  const { game, steps } = shown;
  shown.ply = Math.max(0, Math.min(ply, steps.length - 1));
  view.show(steps[shown.ply]);
  $("ply").textContent = `${shown.ply} of ${steps.length - 1}`;
  drawGraph($("graph"), steps, shown.ply, [game.black, game.white], found.point);
  for (const old of $("moves").querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
  const current = $("moves").children[shown.ply - 1]?.firstChild;
  if (current) {
    current.setAttribute("aria-current", "step");
    $("moves").scrollTop = current.offsetTop - $("moves").offsetTop - $("moves").clientHeight / 2;
  }
  $("first").disabled = $("back").disabled = shown.ply === 0;
  $("forward").disabled = $("last").disabled = shown.ply === steps.length - 1;
}

function closeGame() {
  $("replay").hidden = true;
  const key = [...$("list").querySelectorAll("[data-key]")].find((each) => each.dataset.key === `game ${shown.game.number}`);
  (key ?? $("played-title")).focus();
}

$("close").addEventListener("click", closeGame);
$("first").addEventListener("click", () => goTo(0));
$("back").addEventListener("click", () => goTo(shown.ply - 1));
$("forward").addEventListener("click", () => goTo(shown.ply + 1));
$("last").addEventListener("click", () => goTo(Infinity));
document.addEventListener("keydown", (event) => {
  const step = { PageUp: -1, PageDown: 1, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined || $("replay").hidden || event.target.closest("select")) return;
  event.preventDefault();
  goTo(shown.ply + step);
});
drawTables();
drawFilter();
listGames();
