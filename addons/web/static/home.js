// The home page: the current game, a new game with one click, due practice, and the saved games.

import "./appearance.js";
import { BoardView } from "./board.js";
import { element, made, madeButton } from "./drawing.js";
import { KeptGames } from "./kept.js";
import { lastChoice } from "./new_game.js";
import { $, ask, attempt, hasPage } from "./page.js";
import { limitText } from "./players.js";

const OFFERED = [1, 5, 8, 12]; // levels offered with one click
const TAPPED_WIDTH = 320; // minimum board width in pixels for tapping single squares
const FIRST = 3; // the level for a first visit; it replies immediately

const opened = (path) => `/play#${new URLSearchParams({ replay: path })}`;

// Game addresses used to point to this page.
if (/[#&](game|session|replay)=/.test(location.hash)) location.replace(`/play${location.search}${location.hash}`);

await attempt(async () => {
  const asked = ["/api/server", "/api/sessions", "/api/kept?sort=newest", "/api/rating"].map((path) => ask(path));
  const rating = await asked[3];
  const even = rating.curve.length ? rating.level : FIRST; // the level that a person beats half the time
  await drawGoing(...(await Promise.all([asked[1], asked[2], ask("/api/replay", { game: "othello" })])), even);
  const server = await asked[0];
  drawNewGame(server, even);
  drawRating(rating);
  const kinds = server.games.filter((name) => name !== "othello").map((name) => server.rules[name]?.title ?? name);
  $("others").textContent = `${kinds.slice(0, 4).join(", ")} and ${kinds.length - 4} more${hasPage("/tree") ? "; search trees for a lecture" : ""}.`;
  $("trees").hidden = !hasPage("/tree");
  if (!server.keeps) return; // then there are no mistakes to practise either
  if (hasPage("/practice")) await drawPractice();
  $("mygames").hidden = false;
  const kept = new KeptGames((path) => location.assign(opened(path)));
  await kept.fill();
});

// Draw the current game: a running one, or the latest unfinished one; otherwise the initial position of Othello.
// usual: the initial board; level: the level to offer.
async function drawGoing({ running }, { games }, usual, level) {
  const left = running.length ? null : await findLeft(games[0]);
  const found = running[0] ?? left;
  const game = found ?? usual;
  const step = found?.step ?? game.steps.at(-1);
  $("going-title").textContent = found ? (isAsked(found, step) ? "Your move" : "A game goes on") : "Play Othello";
  $("going-text").textContent = found ? goingText(found, step) : `Click a marked square, and the game begins. You are Black, against level ${level}.`;
  $("continue").textContent = found ? "Continue" : "Begin";
  $("continue").href = running.length ? `/play#session=${running[0].id}` : left ? `${opened(left.path)}&play=on` : `/play#play=${level}`;
  $("end").hidden = !running.length;
  $("end").addEventListener("click", () => attempt(() => ask(`/api/sessions/${running[0].id}`, undefined, "DELETE").then(() => location.reload())));
  const board = new BoardView($("board"), found ? null : (move) => location.assign(`/play#${new URLSearchParams({ play: level, first: move })}`));
  board.begin(game);
  board.show(step, { open: !found, lines: [] });
  // The squares of a small board are too small for a finger: a tap opens the game.
  const open = (event) => {
    if ($("board").clientWidth >= TAPPED_WIDTH) return;
    event.stopPropagation();
    $("continue").click();
  };
  $("board").addEventListener("click", open, { capture: true });
}

function isAsked({ seats }, step) {
  return Boolean(seats[step.toMove]?.request?.person);
}

function goingText({ seats, plies, point }, step) {
  const others = seats.filter(({ request }) => !request?.person);
  const against = others.length === 1 ? `Against ${others[0].name}${others[0].request?.level == null ? "" : `, level ${others[0].request.level}`}, m` : "M";
  const count = step.counts && point === "disc" ? ` Discs ${step.counts[0]} to ${step.counts[1]}.` : "";
  return `${against}ove ${plies + 1}.${count}`;
}

// Return the latest saved game from the list if it is unfinished.
async function findLeft(latest) {
  if (!latest || latest.error || latest.result !== "*") return null;
  const path = `/api/kept/${encodeURIComponent(latest.name)}`;
  const found = await ask(path);
  if (!found.seats.every(({ request }) => request)) return null;
  return { ...found, step: found.steps.at(-1), plies: found.steps.length - 1, path };
}

function drawNewGame({ engines, levels }, level) {
  const { clock, side } = lastChoice();
  const clockText = clock ? `${limitText(clock)}, as last time` : "without a clock";
  $("how").textContent = `One click begins. You are ${side === 1 ? "White" : "Black"}, ${clockText}.`;
  if (!engines.some((each) => each.levels)) return;
  const offered = [...new Set([...OFFERED, level])].sort((one, other) => one - other);
  const links = offered.map((number) => {
    const even = number === level ? ", even for you" : "";
    return made("a", { className: "button", href: `/play#play=${number}`, title: levels[number].name }, `Level ${number}, ${levels[number].elo} Elo${even}`);
  });
  $("levels").replaceChildren(
    ...links,
    madeButton("Own …", () => location.assign("/play#play=form")),
  );
}

// Draw the rating after each game against a level.
function drawRating({ rating, deviation, curve }) {
  $("rating").hidden = !curve.length;
  const games = `${curve.length} ${curve.length === 1 ? "game" : "games"} against levels`;
  $("rating-text").textContent = `Your rating: ${rating} \u00b1 ${2 * deviation} Elo, from ${games}.`;
  if (curve.length < 2) return;
  const values = curve.map((each) => each.rating);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const points = values.map((value, index) => `${(100 * index) / (values.length - 1)},${22 - (20 * (value - low)) / (high - low || 1)}`);
  const svg = element("svg", { viewBox: "0 0 100 24", role: "img", "aria-label": `From ${values[0]} to ${rating} Elo` });
  svg.append(element("polyline", { fill: "none", stroke: "currentColor", "stroke-width": 0.5, points: points.join(" ") }));
  $("rating").append(svg);
}

// Show what is due for practice.
async function drawPractice() {
  const answer = await fetch("/api/practice");
  const { due, error } = await answer.json();
  const isDamaged = error?.includes("is left as it is"); // the practice page can move the file aside
  if (error && !isDamaged) return;
  $("practice").hidden = false;
  if (isDamaged) Object.assign($("practice-text"), { className: "box bad", textContent: error });
  $("due").textContent = due ? `${due} due` : "";
  $("due").hidden = !due;
}
