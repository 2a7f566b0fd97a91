// What both engines said of the game, move by move, from the first player's view.

import { DECISIVE, element, made } from "./drawing.js";

const [WIDTH, HEIGHT, MARGIN] = [400, 110, 24];
const LEAST = 400; // of the scores that the edges stand for

// steps: of the game; now: the ply that is shown; names: of both players; point: what a score counts. Return whether there was anything to draw.
export function drawGraph(container, steps, now, names, point) {
  const said = [0, 1].map((side) => {
    const color = side === 0 ? "black" : "white";
    return steps.flatMap((step, ply) => (step.by === color && step.score != null ? [[ply, side === 0 ? step.score : -step.score]] : []));
  });
  const all = said.flat();
  container.replaceChildren();
  if (all.length < 2) return false;
  const sizes = all.map(([, score]) => Math.abs(score)).filter((size) => size <= DECISIVE); // a win is drawn at the edge
  const most = Math.max(LEAST, ...sizes);
  const x = (ply) => MARGIN + ((WIDTH - 2 * MARGIN) * ply) / Math.max(1, steps.length - 1);
  const y = (score) => HEIGHT / 2 - ((HEIGHT / 2 - 12) * Math.max(-most, Math.min(most, score))) / most;
  const label = `Scores by ${names.join(" and ")}, in ${point}s for ${names[0]}`;
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  svg.append(element("line", { class: "axis", x1: MARGIN, x2: WIDTH - MARGIN, y1: y(0), y2: y(0) }));
  svg.append(element("text", { x: 0, y: 12 }, `+${Math.round(most / 100)}`), element("text", { x: 0, y: HEIGHT - 2 }, `\u2212${Math.round(most / 100)}`));
  svg.append(element("line", { class: "now", x1: x(now), x2: x(now), y1: 4, y2: HEIGHT - 4 }));
  said.forEach((points, side) => {
    const path = points.map(([ply, score], index) => `${index ? "L" : "M"}${x(ply).toFixed(1)} ${y(score).toFixed(1)}h0`).join("");
    if (path) svg.append(element("path", { class: `by${side}`, d: path }));
  });
  container.append(svg, key(names, said));
  return true;
}

// Which line is whose; a person has none.
function key(names, said) {
  return made("p", "", ...names.flatMap((name, side) => (said[side].length ? [made("span", `by${side}`, name)] : [])), `up: good for ${names[0]}`);
}
