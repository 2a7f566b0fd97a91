// The graph of a game: both engines' scores from the first player's point of view, or a review's values from the point
// of view of either player, and beside them what each side has lost so far.

import { DECISIVE, element, made, madeButton } from "./drawing.js";
import { GRADES } from "./review_text.js";

const [WIDTH, HEIGHT, MARGIN] = [600, 92, 30];
const LOSSES = 200; // width of the chart of losses; the graph is narrower by as much
const LEAST_EDGE = 400; // minimum score of the graph's upper edge; the lower edge is its negative

// Draw the graph of some steps. Return whether there was anything to draw. now: the displayed ply; names: the players'
// names; point: the unit of scores; review: null, or { choose, describe, isMarked, side }: functions to go to a ply, to
// describe a step and to check whether it has a mark, and the side for which up is good.
export function drawGraph(container, steps, now, names, point, review = null) {
  const top = review?.side ?? 0;
  const lines = review ? [reviewed(steps, top)] : [0, 1].map((side) => said(steps, side));
  const all = lines.flat();
  if (all.length < 2) {
    container.replaceChildren();
    return false;
  }
  const sizes = all.map(([, score]) => Math.abs(score)).filter((size) => size <= DECISIVE); // wins are drawn at the edge
  const most = Math.max(LEAST_EDGE, ...sizes);
  const width = review ? WIDTH - LOSSES : WIDTH;
  const x = (ply) => MARGIN + ((width - 2 * MARGIN) * ply) / Math.max(1, steps.length - 1);
  const y = (score) => HEIGHT / 2 - ((HEIGHT / 2 - 12) * Math.max(-most, Math.min(most, score))) / most;
  const label = `${review ? "Values" : `Scores by ${names.join(" and ")}`}, in ${point}s for ${names[top]}`;
  const svg = element("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label });
  svg.append(element("line", { class: "axis", x1: MARGIN, x2: width - MARGIN, y1: y(0), y2: y(0) }));
  const edge = Math.round(most / 100);
  svg.append(element("text", { x: 0, y: 14 }, `+${edge}`), element("text", { x: 0, y: y(0) + 4 }, "even"));
  svg.append(element("text", { x: 0, y: HEIGHT - 6 }, `\u2212${edge}`));
  if (review) for (const kind of ["up", "down"]) svg.append(area(kind, lines[0], x, y));
  svg.append(element("line", { class: "now", x1: x(now), x2: x(now), y1: 4, y2: HEIGHT - 4 }));
  lines.forEach((points, side) => {
    const path = points.map(([ply, score], index) => `${index ? "L" : "M"}${x(ply).toFixed(1)} ${y(score).toFixed(1)}h0`).join("");
    if (path) svg.append(element("path", { class: `by${side}`, d: path }));
  });
  const field = made("div", "field", svg);
  if (review) addMarks(field, svg, width, lines[0], steps, x, y, review);
  container.replaceChildren(field, review ? lossChart(steps, now, names, point, review.choose) : key(names, lines));
  return true;
}

// Return an engine's scores for its moves, from the first player's point of view: [ply, score] pairs.
function said(steps, side) {
  const color = side === 0 ? "black" : "white";
  return steps.flatMap((step, ply) => (step.by === color && step.score != null ? [[ply, side === 0 ? step.score : -step.score]] : []));
}

// Return the area between the values and zero, above or below it.
function area(kind, points, x, y) {
  const limit = kind === "up" ? Math.max : Math.min;
  const line = points.map(([ply, score]) => `L${x(ply).toFixed(1)} ${y(limit(0, score)).toFixed(1)}`).join("");
  return element("path", { class: kind, d: `M${x(points[0][0])} ${y(0)}${line}L${x(points.at(-1)[0])} ${y(0)}Z` });
}

// Return the values of all moves from a side's point of view; a forced move has the value of the best reply.
function reviewed(steps, side) {
  return steps.flatMap((step, ply) => {
    const after = steps[ply + 1];
    const [score, mover] = step.found?.score != null ? [step.found.score, step.before] : [after?.found?.bestScore, step];
    return score == null ? [] : [[ply, mover.toMove === side ? score : -score]];
  });
}

// Choose the nearest ply when a chart is clicked.
function chooseBy(svg, size, plies, x, choose) {
  svg.addEventListener("click", (event) => {
    const { left, width } = svg.getBoundingClientRect();
    const at = ((event.clientX - left) / width) * size;
    choose(plies.reduce((best, ply) => (Math.abs(x(ply) - at) < Math.abs(x(best) - at) ? ply : best)));
  });
}

// Add a button for each mistake. A click elsewhere on the graph chooses the nearest ply.
function addMarks(field, svg, width, points, steps, x, y, { choose, describe, isMarked = ({ found }) => Boolean(found?.mark) }) {
  const plies = points.map(([ply]) => ply);
  chooseBy(svg, width, plies, x, choose);
  for (const [ply, score] of points) {
    const step = steps[ply];
    if (!isMarked(step)) continue;
    const className = `found ${GRADES[step.found.mark]}`;
    const button = madeButton("", () => choose(ply), { className, ariaLabel: describe(step), title: describe(step) });
    Object.assign(button.style, { left: `${(100 * x(ply)) / width}%`, top: `${(100 * y(score)) / HEIGHT}%` });
    field.append(button);
  }
}

// Return the chart of what each side has lost so far, with a disc of the side's colour at each line's end.
function lossChart(steps, now, names, point, choose) {
  const totals = names.map((_, side) => {
    let total = 0;
    return steps.map(({ found, before }) => {
      if (before?.toMove === side) total += found?.loss ?? 0;
      return total;
    });
  });
  const most = Math.max(100, ...totals.flat());
  const x = (ply) => 8 + ((LOSSES - 52) * ply) / Math.max(1, steps.length - 1);
  const y = (loss) => HEIGHT - 10 - ((HEIGHT - 22) * loss) / most;
  const sums = totals.map((losses) => Math.round(losses.at(-1) / 100));
  const label = `${point[0].toUpperCase()}${point.slice(1)}s lost: ${names.map((name, side) => `${name} ${sums[side]}`).join(", ")}`;
  const svg = element("svg", { viewBox: `0 0 ${LOSSES} ${HEIGHT}`, role: "img", "aria-label": label });
  svg.append(element("title", {}, label), element("line", { class: "axis", x1: x(0), x2: x(steps.length - 1), y1: y(0), y2: y(0) }));
  svg.append(element("line", { class: "now", x1: x(now), x2: x(now), y1: 4, y2: HEIGHT - 4 }));
  const ends = totals.map((losses) => y(losses.at(-1)));
  const lower = Number(ends[1] >= ends[0]);
  ends[lower] = Math.max(ends[lower], ends[1 - lower] + 13); // the numbers do not overlap
  totals.forEach((losses, side) => {
    const path = losses.map((loss, ply) => `${ply ? "L" : "M"}${x(ply).toFixed(1)} ${y(loss).toFixed(1)}`).join("");
    svg.append(element("path", { class: `by${side}`, d: path }), element("circle", { class: `piece side${side}`, cx: LOSSES - 36, cy: ends[side], r: 5 }));
    svg.append(element("text", { x: LOSSES - 27, y: ends[side] + 4 }, sums[side]));
  });
  chooseBy(svg, LOSSES, [...steps.keys()], x, choose);
  return made("div", "losses", svg);
}

// Return the legend: the names of the players that have a line. People have no scores, and therefore no line.
function key(names, lines) {
  return made("p", "", ...names.flatMap((name, side) => (lines[side].length ? [made("span", `by${side}`, name)] : [])));
}
