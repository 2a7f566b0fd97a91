// The tournaments page: the list, or one tournament shown live.

import "/static/appearance.js";
import { made } from "/static/drawing.js";
import { $, ask, attempt, report } from "/static/page.js";
import { RunningGames } from "./games.js";
import { Runner } from "./runner.js";
import { table } from "/static/tables.js";
import { TournamentView, redraw } from "./tournament.js";

const AGAIN_MS = 2000; // delay before reconnecting
const REFUSED = 4404;
const QUIET = 20; // multiple of the usual time between games after which the page reports that no game has ended
const LEAST_QUIET_S = 30;

const state = { name: null, socket: null, told: null };
const running = new RunningGames($("now"), $("boards"), $("others"));
const view = new TournamentView((filter) => ask(`/api/tournaments/${state.name}/games?${new URLSearchParams(filter)}`), linkTo);

const runner = new Runner(addressOf);
let isFirst = true; // whether this is the page's first view

// ---- which tournament

async function choose() {
  const name = location.hash.slice(1);
  state.socket?.close();
  Object.assign(state, { name: null, socket: null, told: null });
  running.clear();
  view.clear();
  report(null);
  const { tournaments, author } = await ask("/api/tournaments");
  if (location.hash.slice(1) !== name) return; // another tournament was chosen in the meantime
  const isView = await runner.show(author, name);
  if (location.hash.slice(1) !== name) return;
  const only = tournaments.length === 1 ? tournaments[0] : null;
  $("tolist").hidden = only !== null;
  $("all").hidden = true;
  const playing = isFirst && author && runner.known.runs.find((run) => run.state === "runs");
  const own = playing || (author && only); // the owner's part takes its tournament from the address
  isFirst = false;
  if (isView) say("");
  else if (name) follow(name);
  else if (own) location.replace(`#${own.id}`);
  else if (only) follow(only.id);
  else listTournaments(tournaments);
}

function listTournaments(tournaments) {
  $("all").hidden = runner.isThere && !tournaments.length; // the owner's part explains how to start one
  document.title = "Tournaments - Quietmove";
  const missing = runner.isThere ? "" : "No tournaments to show. Pass a store, or a folder of stores, to 'quietmove-referee serve --store'.";
  say(tournaments.length ? "Choose a tournament." : missing);
  const rows = tournaments.map((each) => {
    if (each.error) return [each.file, "", "", "", "", made("span", "wrong", each.error)];
    const link = made("a", { href: `#${each.id}` }, each.tournament ?? each.file);
    link.dataset.key = each.id;
    return [link, each.game, each.format, String(each.engines), String(each.games), each.file];
  });
  const heads = [["Tournament", "name"], ["Game"], ["Format"], ["Engines", "number"], ["Games", "number"], ["File", "note"]];
  redraw("list", rows.length ? table("Tournaments", heads, rows) : "");
}

// Refresh the list, since tournaments start and end while it is shown.
setInterval(async () => {
  if ($("all").hidden || document.hidden) return;
  const { tournaments } = await ask("/api/tournaments").catch(() => ({}));
  if (tournaments && !$("all").hidden) listTournaments(tournaments);
}, AGAIN_MS);

function follow(name) {
  state.name = name;
  if (!view.document) say("Loading the games.");
  const socket = new WebSocket(`/tournaments/${name}/live`);
  state.socket = socket;
  socket.addEventListener("message", (event) => {
    if (state.socket === socket) hear(JSON.parse(event.data));
  });
  socket.addEventListener("close", (event) => {
    if (state.socket !== socket || event.code === REFUSED) return;
    running.clear();
    say("Connection lost; reconnecting.");
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
  const before = view.document;
  const found = message.document;
  document.title = `${found.tournament} - Quietmove`;
  view.draw(found);
  runner.draw(found);
  $("bar").hidden = false;
  $("done").hidden = found.planned === null;
  if (found.planned !== null) Object.assign($("done"), { max: found.planned, value: found.games });
  drawProgress();
  if (found.over && before && !before.over) say("The tournament is over.");
  else if (state.told !== state.socket) say(""); // removes the note about loading or reconnecting
  state.told = state.socket;
  if (!before || before.games !== found.games) attempt(() => view.list());
}

function say(text) {
  if ($("status").textContent !== text) $("status").textContent = text;
}

function addressOf(game) {
  return `/play#replay=/api/tournaments/${state.name}/games/${game.number}`;
}

function linkTo(game) {
  return made("a", { href: addressOf(game) }, String(game.number));
}

function drawProgress() {
  const { games, planned, progress, over } = view.document;
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

setInterval(() => view.document && drawProgress(), 1000);

function clock(seconds) {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, String(whole % 60).padStart(2, "0")];
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

window.addEventListener("hashchange", () => attempt(choose));
await attempt(choose);
