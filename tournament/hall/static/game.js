// One game of a class, move by move.

import { BoardView } from "/static/board.js";
import { made, madeButton, scoreText } from "/static/drawing.js";
import { $, ask, attempt } from "/static/page.js";

const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY };
const view = new BoardView($("board"), null);
const state = { game: null, at: 0, buttons: [] };

function go(change) {
  const last = state.game.steps.length - 1;
  state.at = Math.max(0, Math.min(last, state.at + change));
  const step = state.game.steps[state.at];
  view.show({ ...step, legal: [] });
  for (const [index, button] of state.buttons.entries()) button.toggleAttribute("aria-pressed", index + 1 === state.at);
  for (const button of state.buttons) if (button.hasAttribute("aria-pressed")) button.setAttribute("aria-pressed", "true");
  for (const side of [0, 1]) {
    const { name } = state.game.seats[side];
    $(`player${side}`).replaceChildren(made("span", `disc side${side}`), made("b", "", name), made("span", "", String(step.counts?.[side] ?? "")));
  }
  const took = step.elapsed === undefined ? "" : `, ${step.elapsed} ms`;
  const score = step.score === undefined || step.score === null ? "" : `, ${scoreText(step.score)}`;
  $("said").textContent = state.at ? `Move ${state.at} of ${last}: ${step.move}${took}${score}` : "The beginning";
  for (const id of ["first", "before"]) $(id).disabled = state.at === 0;
  for (const id of ["after", "last"]) $(id).disabled = state.at === last;
}

async function start() {
  const number = Number(location.hash.slice(1));
  const game = await ask(`/api/games/${number}`);
  Object.assign(state, { game, at: 0 });
  document.title = `Game ${number}`;
  $("title").textContent = `Game ${number}`;
  const { verdict } = game;
  $("verdict").textContent = verdict ? [verdict.result, verdict.detail].filter(Boolean).join(": ") : "";
  state.buttons = game.steps.slice(1).map((step, index) => madeButton(`${index + 1}. ${step.move}`, () => go(index + 1 - state.at)));
  $("moves").replaceChildren(...state.buttons);
  view.begin(game);
  go(game.steps.length - 1);
}

for (const [id, change] of [
  ["first", Number.NEGATIVE_INFINITY],
  ["before", -1],
  ["after", 1],
  ["last", Number.POSITIVE_INFINITY],
])
  $(id).addEventListener("click", () => go(change));
addEventListener("keydown", (event) => event.key in KEYS && state.game && go(KEYS[event.key]));
addEventListener("hashchange", () => attempt(start));
await attempt(start);
