// The home page: the running game or a new one with a single click, due practice, the saved games, and the rating.

import "./appearance.js";
import { BoardView } from "./board.js";
import { dayText, element, made } from "./drawing.js";
import { KeptGames } from "./kept.js";
import { Keys } from "./keys.js";
import { lastChoice } from "./new_game.js";
import { $, ask, attempt, hasPage, onSubmit } from "./page.js";
import { limitText } from "./players.js";

const BESIDE = 2; // number of levels offered below the person's own level, and above it
const FIRST_LEVELS = [0, 1, 3, 5]; // levels offered before the first game
const FIRST = 1; // the default level before the first game
const MONTH_MS = 30 * 86_400_000;

const number = (value) => value.toLocaleString("en");
const opened = (path) => `/play#${new URLSearchParams({ replay: path })}`;
const chosen = (name) => document.querySelector(`[name=${name}]:checked`).value;

// Redirect old addresses of games, which point to this page.
if (/[#&](game|session|replay)=/.test(location.hash)) location.replace(`/play${location.search}${location.hash}`);

await attempt(async () => {
  const asked = ["/api/server", "/api/sessions", "/api/kept?sort=newest", "/api/rating"].map((path) => ask(path));
  const usual = ask("/api/replay", { game: "othello" });
  const [server, { running }, kept, rating] = await Promise.all(asked);
  const left = running.length ? null : await findLeft(kept.games[0]);
  const isNew = !kept.kinds.length && !rating.curve.length;
  drawOffer(server, rating, Boolean(running[0] ?? left), isNew);
  drawGoing(running, left, await usual);
  drawRating(rating);
  const kinds = server.games.filter((name) => name !== "othello").map((name) => server.rules[name]?.title ?? name);
  $("kinds").title = kinds.join(", ");
  if (!server.keeps) return; // without saved games, there are no mistakes to practise either
  $("later").hidden = !isNew;
  if (hasPage("/practice") && !isNew) await drawPractice();
  $("mygames").hidden = false;
  await new KeptGames(opened).fill();
});

// Draw the running game, the latest unfinished game, or the initial board.
function drawGoing([running], left, usual) {
  const found = running ?? left;
  const game = found ?? usual;
  const step = found?.step ?? game.steps.at(-1);
  if (found) {
    $("going-title").textContent = isAsked(found, step) ? "Your move" : "Game in progress";
    $("going-text").textContent = goingText(found, step);
    $("continue").href = running ? `/play#session=${running.id}` : `${opened(left.path)}&play=on`;
    $("end").hidden = !running;
    $("end").addEventListener("click", () => attempt(() => ask(`/api/sessions/${running.id}`, undefined, "DELETE").then(() => location.reload())));
  }
  const board = new BoardView($("board"), found ? null : (first) => begin({ side: 0, first }));
  board.begin(game);
  board.show(step, { open: !found, lines: [] });
  // A click on the shown game opens it. On touch screens, whose squares are too small for choosing a move, a tap on the
  // initial board starts a new game.
  const open = (event) => {
    if (!found && !matchMedia("(pointer: coarse)").matches) return;
    event.stopPropagation();
    $(found ? "continue" : "begin").click();
  };
  $("board").addEventListener("click", open, { capture: true });
}

function isAsked({ seats }, step) {
  return Boolean(seats[step.toMove]?.request?.person);
}

function goingText({ seats, plies, point }, step) {
  const others = seats.filter(({ request }) => !request?.person);
  const against = others.length === 1 ? `Against ${others[0].name}${others[0].request?.level == null ? "" : `, level ${others[0].request.level}`}, m` : "M";
  const counts = seats[1].request?.person && others.length === 1 ? step.counts?.toReversed() : step.counts; // the person's first
  const count = counts && point === "disc" ? ` Discs ${counts[0]} to ${counts[1]}.` : "";
  return `${against}ove ${plies + 1}.${count}`;
}

// Return the latest saved game if it is unfinished and its players can be chosen again, else null.
async function findLeft(latest) {
  if (!latest || latest.error || latest.result !== "*") return null;
  const path = `/api/kept/${encodeURIComponent(latest.name)}`;
  const found = await ask(path);
  if (!found.seats.every(({ request }) => request)) return null;
  return { ...found, step: found.steps.at(-1), plies: found.steps.length - 1, path };
}

// Offer games against levels, with the level closest to the person's rating selected.
function drawOffer({ engines, levels }, { rating, level, curve }, isSecond, isNew) {
  const even = curve.length ? level : FIRST;
  const lowest = Math.max(0, Math.min(even - BESIDE, levels.length - 1 - 2 * BESIDE));
  const offered = curve.length ? levels.slice(lowest, lowest + 2 * BESIDE + 1).map((_, index) => lowest + index) : FIRST_LEVELS;
  const parts = offered.map((each) => {
    const input = made("input", { type: "radio", name: "level", value: each, checked: each === even });
    const elo = made("small", "", number(levels[each].elo), curve.length && each === even ? made("span", "wideonly", " · even") : "");
    return made("label", "", input, made("span", "", made("span", "wideonly", "Level "), String(each)), elo);
  });
  $("levels").replaceChildren(...parts);
  const { clock, side } = lastChoice();
  $("sides").querySelector(`[value="${side}"]`).checked = true;
  $("how").textContent = clock ? `${limitText(clock)} …` : "Clock …";
  $("resume").hidden = $("offer-title").hidden = !isSecond;
  $("going").classList.toggle("runs", isSecond);
  $("begin").classList.toggle("primary", !isSecond); // the running game's button is the filled one
  $("begin").classList.toggle("large", !isSecond);
  $("press").hidden = isSecond || isNew;
  $("learn").hidden = !isNew;
  $("offer").hidden = !engines.some((each) => each.levels);
  const draw = () => {
    const now = Number(chosen("level"));
    $("begin").textContent = `Play level ${now}`;
    if (isSecond) return;
    const kind = now === even ? "An even" : now > even ? "A harder" : "An easier";
    $("going-title").textContent = isNew ? "Play your first game" : `${kind} game: level ${now}`;
    const { name, elo } = levels[now];
    const share = curve.length ? ` ${expectedText(rating, elo)}` : isNew ? " You can take moves back." : "";
    $("going-text").textContent = `${name[0].toUpperCase()}${name.slice(1)}, Elo ${number(elo)}.${share}`;
  };
  $("levels").addEventListener("change", draw);
  draw();
  onSubmit($("offer"), () => begin());
  new Keys({ n: () => begin() }, () => []);
}

function begin(options = {}) {
  location.assign(`/play#${new URLSearchParams({ play: chosen("level"), side: chosen("side"), ...options })}`);
}

// Describe the expected share of games won against a level.
function expectedText(rating, elo) {
  const percent = 5 * Math.round(20 / (1 + 10 ** ((elo - rating) / 400)));
  if (percent === 50) return "You would win about half of your games.";
  return `You would win ${percent < 5 ? "hardly any" : percent > 95 ? "nearly all" : `about ${percent} %`} of your games.`;
}

// Draw the current rating, and its curve over all games against levels.
function drawRating({ rating, deviation, curve }) {
  $("rating").hidden = !curve.length;
  $("lower").classList.toggle("single", !curve.length);
  if (!curve.length) return;
  const games = `${curve.length} ${curve.length === 1 ? "game" : "games"} against levels`;
  const month = curve.findLast(({ date }) => Date.now() - Date.parse(date) > MONTH_MS);
  const change = month && rating !== month.rating ? `${rating > month.rating ? "up" : "down"} ${Math.abs(rating - month.rating)} in a month, ` : "";
  $("rating-now").textContent = number(rating);
  $("rating-games").textContent = games;
  $("rating-text").textContent = `${change}± ${2 * deviation}`;
  if (curve.length > 1) $("curve").replaceChildren(curveOf(curve, rating));
}

// Return a chart of the ratings, with grid lines at multiples of 50, 100, 200, 500 or 1000 points.
function curveOf(curve, rating) {
  const [width, height, left] = [390, 150, 44];
  const values = curve.map((each) => each.rating);
  const step = [50, 100, 200, 500, 1000].find((each) => (Math.max(...values) - Math.min(...values)) / each <= 3);
  const low = step * Math.floor(Math.min(...values) / step);
  const high = step * Math.ceil((Math.max(...values) + 1) / step);
  const y = (value) => 8 + ((height - 34) * (high - value)) / (high - low);
  const x = (index) => left + ((width - left - 8) * index) / (values.length - 1);
  const svg = element("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `From ${values[0]} to ${rating} Elo` });
  for (let value = low; value <= high; value += step) {
    svg.append(element("line", { x1: left, x2: width - 8, y1: y(value), y2: y(value) }), element("text", { x: 0, y: y(value) + 4 }, number(value)));
  }
  svg.append(element("polyline", { points: values.map((value, index) => `${x(index)},${y(value)}`).join(" ") }));
  svg.append(element("circle", { cx: x(values.length - 1), cy: y(rating), r: 5 }));
  svg.append(element("text", { x: left, y: height - 4 }, dayText(curve[0].date)));
  svg.append(element("text", { x: width - 8, y: height - 4, "text-anchor": "end" }, dayText(curve.at(-1).date)));
  return svg;
}

// Show the number of positions due for practice, and the person's progress.
async function drawPractice() {
  const answer = await fetch("/api/practice");
  const { due, count, answered, learnt, error } = await answer.json();
  const isDamaged = error?.includes("is left as it is"); // the practice page can move the file aside
  if (error && !isDamaged) return;
  $("practice").hidden = false;
  $("due").hidden = !due;
  $("mastery").hidden = !count;
  $("practise").textContent = due ? `Practise ${due}` : "Practise";
  if (isDamaged) {
    Object.assign($("practice-text"), { className: "box bad", textContent: error });
    return;
  }
  $("due").textContent = `${due} due today`;
  $("practice-text").textContent = count
    ? "Moves in your games that lost 2 discs or more."
    : "Once you review a game, the moves that lost 2 discs or more appear here. Endgames are already available.";
  const shares = { known: learnt, learning: answered - learnt, new: count - answered };
  const said = Object.entries(shares).map(([name, each]) => `${each} ${name}`);
  $("mastery-text").textContent = count ? said.join(" · ") : "";
  $("mastery").ariaLabel = said.join(", ");
  Object.values(shares).forEach((each, index) => {
    $("mastery").children[index].style.flex = each;
  });
  const link = document.querySelector('#pages a[href="/practice"]');
  if (due) link.append(made("span", { className: "badge", title: `${due} due today` }, String(due)));
}
