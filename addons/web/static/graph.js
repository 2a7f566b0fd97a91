// The course of a game: what both engines said move by move, or what a review found, from the first player's view.

import { DECISIVE, element, made, madeButton } from "./drawing.js";

const [WIDTH, HEIGHT, MARGIN] = [400, 110, 24];
const LEAST_EDGE = 400; // the edge above stands for at least this score, the one below for its opposite

// steps: of the game; now: the ply that is shown; names: of both players; point: what a score counts; review: null, or what
// a choice of a ply calls and how a step is described. Return whether there was anything to draw.
export function drawGraph(container, steps, now, names, point, review = null) {
  const lines = review ? [reviewed(steps)] : [0, 1].map((side) => said(steps, side));
  const all = lines.flat();
  if (all.length < 2) {
    container.replaceChildren();
    return false;
  }
  const sizes = all.map(([, score]) => Math.abs(score)).filter((size) => size <= DECISIVE); // a win is drawn at the edge
  const most = Math.max(LEAST_EDGE, ...sizes);
  const x = (ply) => MARGIN + ((WIDTH - 2 * MARGIN) * ply) / Math.max(1, steps.length - 1);
  const y = (score) => HEIGHT / 2 - ((HEIGHT / 2 - 12) * Math.max(-most, Math.min(most, score))) / most;
  const label = `${review ? "Values" : `Scores by ${names.join(" and ")}`}, in ${point}s for ${names[0]}`;
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  svg.append(element("line", { class: "axis", x1: MARGIN, x2: WIDTH - MARGIN, y1: y(0), y2: y(0) }));
  svg.append(element("text", { x: 0, y: 12 }, `+${Math.round(most / 100)}`), element("text", { x: 0, y: HEIGHT - 2 }, `\u2212${Math.round(most / 100)}`));
  svg.append(element("line", { class: "now", x1: x(now), x2: x(now), y1: 4, y2: HEIGHT - 4 }));
  lines.forEach((points, side) => {
    const path = points.map(([ply, score], index) => `${index ? "L" : "M"}${x(ply).toFixed(1)} ${y(score).toFixed(1)}h0`).join("");
    if (path) svg.append(element("path", { class: `by${side}`, d: path }));
  });
  const field = made("div", "field", svg);
  if (review) addChoices(field, svg, lines[0], steps, x, y, review);
  container.replaceChildren(field, ...(review ? [] : [key(names, lines)]));
  return true;
}

// What an engine said before its moves: [ply, score] for each.
function said(steps, side) {
  const color = side === 0 ? "black" : "white";
  return steps.flatMap((step, ply) => (step.by === color && step.score != null ? [[ply, side === 0 ? step.score : -step.score]] : []));
}

// What the moves were worth that were made; a forced one as much as the best answer to it.
function reviewed(steps) {
  return steps.flatMap((step, ply) => {
    const after = steps[ply + 1];
    const [score, mover] = step.found?.score != null ? [step.found.score, step.before] : [after?.found?.bestScore, step];
    return score == null ? [] : [[ply, mover.toMove === 0 ? score : -score]];
  });
}

// Let the mistakes be chosen, and with a pointer any ply.
function addChoices(field, svg, points, steps, x, y, { choose, describe }) {
  svg.addEventListener("click", (event) => {
    const { left, width } = svg.getBoundingClientRect();
    const at = ((event.clientX - left) / width) * WIDTH;
    choose(points.map(([ply]) => ply).reduce((best, ply) => (Math.abs(x(ply) - at) < Math.abs(x(best) - at) ? ply : best)));
  });
  for (const [ply, score] of points) {
    const step = steps[ply];
    if (!step.found?.mark) continue;
    const className = `found ${step.found.mark === "??" ? "blunder" : step.found.mark === "?" ? "mistake" : "slight"}`;
    const button = madeButton("", () => choose(ply), { className, ariaLabel: describe(step), title: describe(step) });
    Object.assign(button.style, { left: `${(100 * x(ply)) / WIDTH}%`, top: `${(100 * y(score)) / HEIGHT}%` });
    field.append(button);
  }
}

// It says which line is whose; a person has none.
function key(names, lines) {
  return made("p", "", ...names.flatMap((name, side) => (lines[side].length ? [made("span", `by${side}`, name)] : [])));
}
