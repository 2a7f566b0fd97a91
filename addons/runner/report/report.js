// The report on a tournament. All data is embedded in the file.

import { BoardView } from "/static/board.js";
import { made, notation, scoreText } from "/static/drawing.js";
import { drawGraph } from "/static/graph.js";
import { listMoves } from "/static/moves.js";
import { $ } from "/static/page.js";
import { joined } from "/static/variations.js";
import { signed } from "./charts.js";
import { keyed } from "./tables.js";
import { GAMES, TournamentView } from "./tournament.js";

const tournament = JSON.parse($("document-data").textContent);
const { board, games } = JSON.parse($("games-data").textContent);
notation.numbers = tournament.notation === "project";
const shown = { game: null, steps: [], ply: 0 };

async function find({ engine, against, outcome, reason, from }) {
  const chosen = games.filter((game) => {
    const pair = [game.black, game.white];
    if ((engine && !pair.includes(engine)) || (against && (!pair.includes(against) || against === engine))) return false;
    const winner = { "1-0": game.black, "0-1": game.white }[game.result];
    const found = winner === undefined ? "drawn" : winner === (engine || game.black) ? "won" : "lost";
    return ["", found].includes(outcome) && ["", game.reason].includes(reason);
  });
  return { count: chosen.length, from, games: chosen.slice(from, from + GAMES) };
}

// ---- one game

const view = new BoardView($("board"), () => {});

async function stepsOf(game) {
  const bytes = Uint8Array.from(atob(game.steps), (letter) => letter.charCodeAt(0));
  const steps = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  return joined(steps.map((step) => ({ ...step, legal: [] })));
}

async function showGame(game) {
  shown.steps = await stepsOf(game);
  shown.game = game;
  $("replay").hidden = false;
  $("replay-title").textContent = `Game ${game.number}: ${game.black} \u2013 ${game.white} ${game.result} (${signed(game.margin)})`;
  $("verdict").textContent = `${game.reason}: ${game.detail}`;
  view.begin(board);
  goTo(0);
  $("replay-title").focus({ preventScroll: true });
  $("replay").scrollIntoView();
}

function goTo(ply) {
  const { game, steps } = shown;
  shown.ply = Math.max(0, Math.min(ply, steps.length - 1));
  view.show(steps[shown.ply]);
  $("ply").textContent = `${shown.ply} of ${steps.length - 1}`;
  drawGraph($("graph"), steps, shown.ply, [game.black, game.white], tournament.point);
  listMoves($("moves"), { steps, at: shown.ply }, noteOf, ({ ply }) => goTo(ply));
  $("first").disabled = $("back").disabled = shown.ply === 0;
  $("forward").disabled = $("last").disabled = shown.ply === steps.length - 1;
}

// Return an engine's score for a move, and the time it took.
function noteOf({ by, elapsed, score }) {
  return [`${scoreText(score)} ${["black", "white"].includes(by) ? `${(elapsed / 1000).toFixed(2)} s` : ""}`.trim(), ""];
}

function closeGame() {
  $("replay").hidden = true;
  ($("games").querySelector(`[data-key="game ${shown.game.number}"]`) ?? $("played-title")).focus();
}

$("close").addEventListener("click", closeGame);
$("first").addEventListener("click", () => goTo(0));
$("back").addEventListener("click", () => goTo(shown.ply - 1));
$("forward").addEventListener("click", () => goTo(shown.ply + 1));
$("last").addEventListener("click", () => goTo(Infinity));
document.addEventListener("keydown", (event) => {
  const step = { PageUp: -1, PageDown: 1, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined || $("replay").hidden || event.target.closest("input, select")) return;
  event.preventDefault();
  goTo(shown.ply + step);
});

const list = new TournamentView(find, (game) => keyed("", String(game.number), () => showGame(game)));
list.draw(tournament);
if (board === null) $("played").append(made("p", "note", "The games are not included: the program that wrote this page did not know their rules."));
else if (games.length < tournament.games) {
  const held = `This page contains ${games.length} of ${tournament.games} games: the games forfeited by an engine, and the earliest others.`;
  $("played").append(made("p", "note", `${held} The store contains all games.`));
}
list.list();
