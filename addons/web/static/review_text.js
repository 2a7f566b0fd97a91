// A review's results: sentences about a move, and a table about a game.

import { DECISIVE, made, moveText, numberedText, scoreText } from "./drawing.js";

const ACCURATE = 100; // hundredths of a point; a move that loses less counts as accurate
const MARKS = { "?!": "inaccuracy", "?": "mistake", "??": "blunder" };
// The class of each mark: blue, amber and crimson, which colour-blind people can tell apart.
export const GRADES = { "?!": "loss1", "?": "loss2", "??": "loss3" };
const ROWS = { Accuracy: "Share of non-forced moves that lost less than a point", "Inaccuracies ?!": "", "Mistakes ?": "", "Blunders ??": "" };

// Return the notes on a step for the list of moves: its mark, its values, and its mark's class. All are "" if the move was
// best or forced, or is not reviewed.
export function textsOf({ found }) {
  if (!found || found.best === null || (found.loss === 0 && !found.mark)) return ["", "", ""];
  const values = `${valueText(found.score, found.exact)}; best: ${moveText(found.line[0])}, ${valueText(found.bestScore, found.exact)}`;
  return [found.mark, values, GRADES[found.mark] ?? ""];
}

// Return a step's loss, such as "−24", or its value if the loss is unknown, or "" if there are no notes on the step.
export function lostText({ found }) {
  if (!textsOf({ found })[1]) return "";
  return found.loss === null ? scoreText(found.score) : `\u2212${pointsText(found.loss)}`;
}

// Return a mark's name with the mark: "Blunder ??".
export function markText(mark) {
  return mark && `${MARKS[mark].charAt(0).toUpperCase()}${MARKS[mark].slice(1)} ${mark}`;
}

// Describe a step's loss: "a5 lost 24 discs".
export function lossText({ found, ...step }, { point }) {
  if (!hasBetter({ found })) return `${moveText(step)} was best`;
  if (found.loss === null) return `${moveText(step)} ${scoreText(found.score) || "draws"}`;
  return `${moveText(step)} lost ${aboutText(found)}${pointsText(found.loss)} ${point}${found.loss === 100 ? "" : "s"}`;
}

// Return the results expected after the better move and the move played. who: "you", or the mover's name.
export function figuresText({ found, ...step }, who) {
  const isYou = who === "you";
  const ends = (score) => {
    const size = Math.abs(score);
    if (!found.exact && size <= found.error) return [isYou ? "are about even" : "is about even", ""];
    if (score === 0) return [isYou ? "draw" : "draws", ""];
    const verb = score > 0 ? "win" : "lose";
    return [isYou ? verb : `${verb}s`, size > DECISIVE ? "" : ` by ${aboutText(found)}${pointsText(size)}`];
  };
  const [verb, by] = ends(found.score);
  if (!hasBetter({ found })) return `With best play ${who} ${verb}${by}.`;
  const [bestVerb, bestBy] = ends(found.bestScore);
  if (bestVerb === verb && !by) return `With best play ${who} ${verb} after either move.`;
  const after = bestVerb === verb ? by : ` ${verb}${by}`;
  return `With best play ${who} ${bestVerb}${bestBy} after ${moveText(found.line[0])},${after} after ${moveText(step)}.`;
}

// Return whether a step has a better line to show.
export function hasBetter({ found }) {
  return Boolean(found?.line.length) && (found.loss !== 0 || found.mark !== "");
}

// Describe a step whose move had alternatives, with the better line.
export function sentence(step, game) {
  const { found } = step;
  if (!hasBetter(step)) return `${describe(step, game)} is best: ${valueText(found.score, found.exact)}.`;
  const line = `${found.line.slice(0, 6).map(moveText).join(" ")} (${valueText(found.bestScore, found.exact)})`;
  const why = found.why ? `${moveText(found.line[0])} was better, because ${found.why}. ` : "";
  return `${describe(step, game)}. ${why}${found.mark ? "Better" : "Best"}: ${line}.`;
}

// Describe a step: "13. d3??, a blunder: loses 8 discs".
export function describe({ found, ...step }, { point }) {
  const name = `${numberedText(step)}${found.mark}`;
  if (found.loss === 0 && !found.mark) return name;
  const kind = found.mark ? `, ${found.mark === "?!" ? "an" : "a"} ${MARKS[found.mark]}` : "";
  const loss =
    found.loss === null
      ? `it ${scoreText(found.score) || "draws"}`
      : `loses ${aboutText(found)}${pointsText(found.loss)} ${point}${found.loss === 100 ? "" : "s"}`;
  return `${name}${kind}: ${loss}${found.exact ? ", exactly" : ""}`;
}

// Return both sides' totals over the moves reviewed so far.
export function totals(found, { players, point }) {
  const columns = players.map((_, side) => {
    const moves = found.filter((step) => step.before.toMove === side && step.found.best !== null);
    const accurate = moves.filter((step) => step.found.loss !== null && step.found.loss < ACCURATE && !step.found.mark).length;
    const marked = Object.keys(MARKS).map((mark) => moves.filter((step) => step.found.mark === mark).length);
    const lost = moves.reduce((sum, step) => sum + (step.found.loss ?? 0), 0);
    return [moves.length ? `${Math.round((100 * accurate) / moves.length)} %` : "", ...marked, pointsText(lost)];
  });
  const names = [...Object.keys(ROWS), `${point[0].toUpperCase()}${point.slice(1)}s lost`];
  const rows = names.map((name, row) => {
    const head = made("th", { scope: "row", title: ROWS[name] ?? "" }, name);
    return made("tr", "", head, ...columns.map((column) => made("td", "", String(column[row]))));
  });
  const head = made("tr", "", made("td"), ...players.map((name) => made("th", { scope: "col" }, name)));
  const exact = rangesText(found.filter((step) => step.found.exact && step.move !== "pass").map(({ number }) => number));
  return [...(exact ? [made("caption", "", `Exact values: ${exact}`)] : []), made("thead", "", head), made("tbody", "", ...rows)];
}

// Return ascending numbers as a text: "43, 47-60".
function rangesText(numbers) {
  const begins = numbers.filter((number) => !numbers.includes(number - 1));
  const ends = numbers.filter((number) => !numbers.includes(number + 1));
  return begins.map((first, index) => (first === ends[index] ? `${first}` : `${first}\u2013${ends[index]}`)).join(", ");
}

function pointsText(hundredths) {
  return (hundredths / 100).toFixed(hundredths % 100 ? 1 : 0);
}

function valueText(score, exact) {
  return `${Math.abs(score) > DECISIVE ? "" : aboutText({ exact })}${scoreText(score) || "0"}${exact ? " exactly" : ""}`;
}

function aboutText({ exact }) {
  return exact ? "" : "about ";
}
