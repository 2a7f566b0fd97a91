// The page of tournaments: all of them, or one, followed while it is played.

import { made } from "/static/drawing.js";
import { $, ask, attempt, report, serverAddress } from "/static/page.js";
import { eloScale, ratioBar, ratioChart, signed } from "./charts.js";
import { RunningGames } from "./games.js";
import { bracket, crosstable, scores, standingsTable, table, verdictTable } from "./tables.js";

const PAGE = 50; // rows of the standings
const CROSSED = 30; // engines of the crosstable
const ASIDE = 10; // engines of a crosstable that leaves room for another table beside it
const GAMES = 25; // games in one answer of the server
const AGAIN_MS = 2000; // until a lost connection is tried again
const REFUSED = 4404;
const QUIET = 20; // times the usual distance of two games: then the page says that none has ended
const LEAST_QUIET_S = 30;
const REASONS = ["finished", "adjudicated", "resign", "timeout", "crash", "illegal", "stall"];

const state = { name: null, socket: null, document: null, first: 0, chosen: null, from: 0, told: null };
const running = new RunningGames($("now"), $("boards"), $("others"));

// ---- which tournament

async function choose() {
  const name = location.hash.slice(1);
  state.socket?.close();
  Object.assign(state, { name: null, socket: null, document: null, first: 0, chosen: null, from: 0, told: null });
  running.clear();
  report(null);
  const { tournaments } = await ask("/api/tournaments");
  if (location.hash.slice(1) !== name) return; // another one was chosen meanwhile
  $("back").hidden = tournaments.length === 1;
  for (const part of ["top", "test", "rounds", "table", "cross", "charges", "played"]) $(part).hidden = true;
  $("all").hidden = true;
  if (name) follow(name);
  else if (tournaments.length === 1) follow(tournaments[0].id);
  else listTournaments(tournaments);
}

function listTournaments(tournaments) {
  $("all").hidden = false;
  document.title = "Tournaments - Quietmove";
  say(tournaments.length ? "Choose a tournament." : "No tournament is shown: name a store or a folder of stores by --store when you start the server.");
  const rows = tournaments.map((each) => {
    if (each.error) return [each.file, "", "", "", "", made("span", "wrong", each.error)];
    const link = made("a", "", each.tournament ?? each.file);
    link.href = `#${each.id}`;
    link.dataset.key = each.id;
    return [link, each.game, each.format, String(each.engines), String(each.games), each.file];
  });
  const heads = [["Tournament", "name"], ["Game"], ["Format"], ["Engines", "number"], ["Games", "number"], ["File", "note"]];
  redraw("list", rows.length ? table("Tournaments", heads, rows) : "");
}

// While the list is shown, tournaments may begin and end.
setInterval(async () => {
  if ($("all").hidden || document.hidden) return;
  const { tournaments } = await ask("/api/tournaments").catch(() => ({}));
  if (tournaments && !$("all").hidden) listTournaments(tournaments);
}, AGAIN_MS);

function follow(name) {
  state.name = name;
  if (!state.document) say("The games are being read.");
  const socket = new WebSocket(`${serverAddress()}/tournaments/${name}/live`);
  state.socket = socket;
  socket.addEventListener("message", (event) => {
    if (state.socket === socket) hear(JSON.parse(event.data));
  });
  socket.addEventListener("close", (event) => {
    if (state.socket !== socket || event.code === REFUSED) return;
    running.clear();
    say("The connection is lost; it is tried again.");
    setTimeout(() => state.socket === socket && follow(name), AGAIN_MS);
  });
}

function hear(message) {
  if (message.type === "games") {
    running.show(message.running, message.now);
    return;
  }
  report(message.type === "error" ? message.error : null);
  if (message.type !== "tournament") return;
  const before = state.document;
  state.document = message.document;
  draw();
  if (message.document.over && before && !before.over) say("The tournament is over.");
  else if (state.told !== state.socket) say(""); // it is connected
  state.told = state.socket;
  if (!before || before.games !== message.document.games) attempt(listGames);
}

function say(text) {
  if ($("status").textContent !== text) $("status").textContent = text;
}

// ---- one tournament

function draw() {
  const found = state.document;
  document.title = `${found.tournament} - Quietmove`;
  $("top").hidden = $("table").hidden = $("cross").hidden = $("played").hidden = false;
  $("title").textContent = found.tournament;
  const repeats = found.distinct < found.games ? `; ${found.distinct} of ${found.games} games are distinct` : "";
  $("what").textContent = `${found.game}, ${found.format}, ${found.standings.length} engines, seed ${found.seed}${repeats}`;
  $("lines").textContent = found.lines.join("\n");
  $("done").hidden = found.planned === null;
  if (found.planned !== null) Object.assign($("done"), { max: found.planned, value: found.games });
  drawProgress();
  drawTest(found.summary);
  drawBracket(found.summary.stages);
  drawStandings();
  drawCrosstable();
  drawVerdicts();
  fillFilter();
}

function drawProgress() {
  const { games, planned, progress, over } = state.document;
  const { games_per_second: speed, seconds_left: left, last_ended: last } = progress;
  const parts = [planned === null ? `${games} games` : `${games} of ${planned} games`];
  const silent = last === null ? 0 : Date.now() / 1000 - last;
  if (over) parts.push("the tournament is over");
  else if (silent > Math.max(LEAST_QUIET_S, speed ? QUIET / speed : 0)) parts.push(`no game has ended for ${clock(silent)}`);
  else if (speed) {
    parts.push(speed < 1 ? `${(60 * speed).toFixed(1)} games a minute` : `${speed.toFixed(1)} games a second`);
    if (left !== null) parts.push(`about ${clock(left)} left`);
  }
  $("progress").textContent = parts.join(", ");
}

setInterval(() => state.document && drawProgress(), 1000);

function clock(seconds) {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, String(whole % 60).padStart(2, "0")];
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

function drawTest(summary) {
  $("test").hidden = summary.llr === undefined;
  if ($("test").hidden) return;
  $("ratio").replaceChildren(ratioBar(summary));
  $("course").replaceChildren(ratioChart(summary));
}

function drawBracket(stages) {
  $("rounds").hidden = stages === undefined;
  if (stages) redraw("bracket", bracket(stages, showPair));
}

function drawStandings() {
  const { standings, columns, point } = state.document;
  state.first = Math.max(0, Math.min(state.first, standings.length - 1));
  const rows = standings.slice(state.first, state.first + PAGE);
  redraw("standings", standingsTable(rows, eloScale(standings), columns, point, chooseEngine));
  $("more").hidden = standings.length <= PAGE;
  $("shown").textContent = `${state.first + 1} to ${state.first + rows.length} of ${standings.length}`;
  $("better").disabled = state.first === 0;
  $("worse").disabled = state.first + PAGE >= standings.length;
}

// The crosstable of large fields: the engines around the one that was chosen, or the first.
function drawCrosstable() {
  const { standings, meetings } = state.document;
  const place = Math.max(
    0,
    standings.findIndex((row) => row.name === state.chosen),
  );
  const first = Math.max(0, Math.min(place - CROSSED / 2, standings.length - CROSSED));
  const rows = standings.slice(first, first + CROSSED);
  $("around").textContent =
    rows.length < standings.length ? `Places ${first + 1} to ${first + rows.length}; choose an engine above to see those around it.` : "";
  $("cross").classList.toggle("whole", rows.length > ASIDE);
  redraw("crosstable", crosstable(rows, scores(meetings), showPair));
}

function drawVerdicts() {
  const found = verdictTable(state.document.standings, showCharges);
  $("charges").hidden = found === null;
  if (found) redraw("verdicts", found);
}

// Put a new picture in place of the old; what had the focus there has it again.
function redraw(id, picture) {
  const key = $(id).contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  $(id).replaceChildren(picture);
  if (key !== undefined) [...$(id).querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)?.focus({ preventScroll: true });
}

function chooseEngine(name) {
  state.chosen = name;
  drawCrosstable();
  showGames({ engine: name });
}

function showPair(name, other) {
  showGames({ engine: name, against: other });
}

function showCharges(name, reason) {
  showGames({ engine: name, reason, outcome: "lost" });
}

function showGames({ engine = "", against = "", outcome = "", reason = "" }) {
  Object.assign(state, { from: 0 });
  for (const [id, value] of Object.entries({ engine, against, outcome, reason })) $(id).value = value;
  attempt(async () => {
    await listGames();
    $("played").scrollIntoView({ block: "nearest" });
  });
}

// ---- games

function fillFilter() {
  if ($("names").childElementCount !== state.document.standings.length) {
    $("names").replaceChildren(...state.document.standings.map((row) => Object.assign(made("option"), { value: row.name })));
  }
  if (!$("reason").childElementCount) {
    $("reason").append(...["", ...REASONS].map((reason) => Object.assign(made("option", "", reason || "any"), { value: reason })));
  }
}

let wanted = 0; // counts what is asked for; an answer that comes after the next request is dropped

async function listGames() {
  const [number, name] = [++wanted, state.name];
  const request = { from: state.from };
  for (const id of ["engine", "against", "outcome", "reason"]) request[id] = $(id).value;
  const found = await ask(`/api/tournaments/${name}/games?${new URLSearchParams(request)}`);
  if (number !== wanted || state.name !== name) return;
  const heads = [
    ["Game", "number"],
    ["Round", "number wide"],
    ["Black", "name"],
    ["White", "name"],
    ["Result", "number"],
    ["Margin", "number"],
    ["Moves", "number wide"],
    ["Verdict", "note"],
  ];
  const rows = found.games.map((game) => {
    const link = made("a", "", String(game.number));
    link.href = `/#replay=/api/tournaments/${name}/games/${game.number}`;
    link.dataset.key = `game ${game.number}`;
    link.setAttribute("aria-label", `Game ${game.number}, ${game.black} against ${game.white}: replay`);
    const verdict = game.charged === null ? game.reason : `${game.reason}: ${game.charged}`;
    return [link, String(game.round), game.black, game.white, game.result, signed(game.margin), String(game.plies), verdict];
  });
  redraw("games", rows.length ? table("Games", heads, rows) : made("p", "", "No game is like that."));
  $("counted").textContent = found.count ? `${found.from + 1} to ${found.from + rows.length} of ${found.count}, the newest first` : "";
  $("newer").disabled = found.from === 0;
  $("older").disabled = found.from + rows.length >= found.count;
}

function turn(change) {
  state.from = Math.max(0, state.from + change);
  attempt(listGames);
}

function leaf(change) {
  state.first += change;
  drawStandings();
}

$("newer").addEventListener("click", () => turn(-GAMES));
$("older").addEventListener("click", () => turn(GAMES));
$("better").addEventListener("click", () => leaf(-PAGE));
$("worse").addEventListener("click", () => leaf(PAGE));
for (const id of ["engine", "against", "outcome", "reason"]) $(id).addEventListener("change", () => turn(-state.from));
$("filter").addEventListener("submit", (event) => event.preventDefault());
$("filter").addEventListener("reset", () => setTimeout(() => turn(-state.from)));
window.addEventListener("hashchange", () => attempt(choose));
await attempt(choose);
