// A tournament's charts as SVG. Pure functions: each takes part of the tournament's document and returns an element.

import { element } from "/static/drawing.js";

const BARS = 33; // maximum number of bars in a histogram

// Format a number with its sign, rounded as in the terminal's tables; 0 has no sign.
export function signed(number, digits = 0) {
  const text = Math.abs(number).toFixed(digits);
  return Number(text) ? `${number < 0 ? "\u2212" : "+"}${text}` : text;
}

// Write the minus signs of a text's numbers as such.
export const withMinus = (text) => text.replace(/(?<![\w.-])-(?=[\d.])/g, "\u2212");

// Return the range of Elo covered by all rows' intervals, with a margin at both ends.
export function eloScale(rows) {
  const played = rows.filter((row) => row.games > 0);
  const low = Math.min(0, ...played.map((row) => row.elo - row.error));
  const high = Math.max(0, ...played.map((row) => row.elo + row.error));
  const room = Math.max(10, (high - low) / 20);
  return [low - room, high + room];
}

// Draw a row's rating with its 95 % interval on the shared scale; the vertical line is the average.
export function eloBar(row, [low, high]) {
  const [width, height] = [320, 22];
  const x = (elo) => (width * (elo - low)) / (high - low);
  const [from, to] = [x(row.elo - row.error), x(row.elo + row.error)];
  const label = `Elo ${signed(row.elo)}, 95 % between ${signed(row.elo - row.error)} and ${signed(row.elo + row.error)}`;
  const svg = element("svg", { class: "elo", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  svg.append(element("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: height }));
  if (row.games > 0) {
    const path = `M${from} ${height / 2}H${to}M${from} 6v${height - 12}M${to} 6v${height - 12}`;
    svg.append(element("path", { class: "interval", d: path }), element("circle", { class: "mean", cx: x(row.elo), cy: height / 2, r: 4 }));
  }
  return svg;
}

// Draw a test's log-likelihood ratio over the judged pairs of games, with its bounds.
export function ratioChart({ trajectory, llr, lower, upper, accepted }) {
  const [width, height, left, bottom] = [640, 180, 44, 22];
  const judged = trajectory.at(-1)?.pairs ?? 0;
  const last = Math.max(1, judged);
  const [low, high] = [Math.min(lower, ...trajectory.map((each) => each.llr)), Math.max(upper, ...trajectory.map((each) => each.llr))];
  const x = (pairs) => left + ((width - left - 8) * pairs) / last;
  const y = (ratio) => 8 + ((height - bottom - 16) * (high - ratio)) / (high - low || 1);
  const said = `LLR ${llr.toFixed(2)} after ${judged} ${judged === 1 ? "pair" : "pairs"} of games${accepted ? `: ${accepted} is accepted` : ""}`;
  const label = `${said}; H0 at ${lower.toFixed(2)}, H1 at ${upper.toFixed(2)}`;
  const svg = element("svg", { class: "course", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const [ratio, name, text] of [
    [lower, "bound", "H0"],
    [0, "axis", ""],
    [upper, "bound", "H1"],
  ]) {
    svg.append(element("line", { class: name, x1: left, x2: width - 8, y1: y(ratio), y2: y(ratio) }));
    svg.append(element("text", { x: left + 4, y: y(ratio) + (ratio < 0 ? -5 : 14) }, text));
    svg.append(element("text", { x: left - 6, y: y(ratio) + 4, "text-anchor": "end" }, withMinus(ratio.toFixed(ratio ? 2 : 0))));
  }
  const path = trajectory.map(({ pairs, llr }, index) => `${index ? "L" : "M"}${x(pairs).toFixed(1)} ${y(llr).toFixed(1)}`).join("");
  svg.append(element("path", { class: "line", d: path }));
  svg.append(element("text", { x: left, y: height - 4 }, "0"));
  svg.append(element("text", { x: width - 8, y: height - 4, "text-anchor": "end" }, withMinus(said)));
  return svg;
}

// Draw a histogram of a row's margins, with bars of equal width around 0.
export function histogram(row, point) {
  const most = Math.max(1, ...row.margins.map(([margin]) => Math.abs(margin)));
  const least = Math.ceil((2 * most + 1) / BARS);
  const size = least === 1 ? 1 : least + (least % 2); // an even size, so that each bar covers equally many even margins
  const place = (margin) => Math.sign(margin) * Math.ceil((Math.abs(margin) - (size - 1) / 2) / size);
  const reach = Math.max(1, place(most));
  const bars = new Map();
  for (const [margin, games] of row.margins) bars.set(place(margin), (bars.get(place(margin)) ?? 0) + games);
  const [width, height, bottom] = [640, 200, 40];
  const step = width / (2 * reach + 1);
  const highest = Math.max(1, ...bars.values());
  const label = `Games of ${row.name} by margin in ${point}s`;
  const svg = element("svg", { class: "histogram", viewBox: `-12 0 ${width + 24} ${height}`, role: "img", "aria-label": label });
  for (const [bar, games] of bars) {
    const tall = ((height - bottom - 16) * games) / highest;
    const kind = bar > 0 ? "won" : bar < 0 ? "lost" : "drawn";
    const rect = element("rect", { class: kind, x: (bar + reach) * step + 1, y: height - bottom - tall, width: Math.max(1, step - 2), height: tall });
    rect.append(element("title", {}, `${games} games around ${bar * size} ${point}s`));
    svg.append(rect);
    if (games === highest) svg.append(element("text", { x: (bar + reach + 0.5) * step, y: height - bottom - tall - 4 }, games));
  }
  svg.append(element("line", { class: "axis", x1: 0, x2: width, y1: height - bottom, y2: height - bottom }));
  for (const bar of [-reach, -Math.round(reach / 2), 0, Math.round(reach / 2), reach]) {
    svg.append(element("text", { x: (bar + reach + 0.5) * step, y: height - bottom + 16 }, signed(bar * size)));
  }
  svg.append(element("text", { x: width / 2, y: height - 4 }, `margin of ${row.name} in ${point}s${size > 1 ? `, ${size} per bar` : ""}`));
  return svg;
}
