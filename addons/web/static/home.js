// The home page: the current game, a new game with one click, due practice, and the saved games.

import "./look.js";
import { BoardView } from "./board.js";
import { made, madeButton } from "./drawing.js";
import { KeptGames } from "./kept.js";
import { lastChoice } from "./new_game.js";
import { $, ask, attempt, hasPage } from "./page.js";
import { limitText } from "./players.js";

const OFFERED = [1, 5, 8, 12]; // levels offered with one click
const FIRST = 3; // the level for a first visit; it replies immediately

const opened = (path) => `/play#${new URLSearchParams({ replay: path })}`;

// Game addresses used to point to this page.
if (/[#&](game|session|replay)=/.test(location.hash)) location.replace(`/play${location.search}${location.hash}`);

await attempt(async () => {
  const asked = ["/api/server", "/api/sessions", "/api/kept?sort=newest"].map((path) => ask(path));
  await drawGoing(...(await Promise.all([asked[1], asked[2], ask("/api/replay", { game: "othello" })])));
  const server = await asked[0];
  drawNewGame(server);
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
// usual: the initial board.
async function drawGoing({ running }, { games }, usual) {
  const left = running.length ? null : await findLeft(games[0]);
  const found = running[0] ?? left;
  const game = found ?? usual;
  const step = found?.step ?? game.steps.at(-1);
  $("going-title").textContent = found ? (isAsked(found, step) ? "Your move" : "A game goes on") : "Play Othello";
  $("going-text").textContent = found
    ? goingText(found, step)
    : `Click a marked square, and the game begins. You are Black, against level ${FIRST}, which answers at once.`;
  $("continue").textContent = found ? "Continue" : "Begin";
  $("continue").href = running.length ? `/play#session=${running[0].id}` : left ? `${opened(left.path)}&play=on` : `/play#play=${FIRST}`;
  $("end").hidden = !running.length;
  $("end").addEventListener("click", () => attempt(() => ask(`/api/sessions/${running[0].id}`, undefined, "DELETE").then(() => location.reload())));
  const board = new BoardView($("board"), found ? null : (move) => location.assign(`/play#${new URLSearchParams({ play: FIRST, first: move })}`));
  board.begin(game);
  board.show(step, { open: !found, lines: [] });
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

function drawNewGame({ engines, levels }) {
  const { clock, side, level } = lastChoice();
  const clockText = clock ? `${limitText(clock)}, as last time` : "without a clock";
  $("how").textContent = `One click begins. You are ${side === 1 ? "White" : "Black"}, ${clockText}.`;
  if (!engines.some((each) => each.levels)) return;
  const offered = [...new Set([...OFFERED, ...(level == null ? [] : [level])])].sort((one, other) => one - other);
  const links = offered.map((number) => {
    const className = number === (level ?? OFFERED[1]) ? "button main" : "button";
    return made("a", { className, href: `/play#play=${number}`, title: levels[number].name }, `Level ${number}`);
  });
  $("levels").replaceChildren(
    ...links,
    madeButton("Own …", () => location.assign("/play#play=form")),
  );
}

// Show what is due for practice.
async function drawPractice() {
  const answer = await fetch("/api/practice");
  const { due, error } = await answer.json();
  const isDamaged = error?.includes("is left as it is"); // the practice page can move the file aside
  if (error && !isDamaged) return;
  $("practice").hidden = false;
  if (isDamaged) Object.assign($("practice-text"), { className: "notice bad", textContent: error });
  $("due").textContent = due ? `${due} due` : "";
  $("due").hidden = !due;
}
