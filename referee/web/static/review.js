// What each move of a game gave away: as a graph, as a table, beside the moves, and on the board.

import { made, moveText, scoreText } from "./drawing.js";
import { drawGraph } from "./graph.js";
import { $, attempt, fillSelect, report } from "./page.js";
import { suggestPanel } from "./panels.js";
import { lineThrough } from "./variations.js";

const EFFORTS = [
  ["movetime=200", "0.2 s a move"],
  ["movetime=1000", "1 s a move"],
  ["movetime=5000", "5 s a move"],
];
const ACCURATE = 100; // a move that loses less is accurate, in hundredths of a point
const MARKS = { "?!": "inaccuracy", "?": "mistake", "??": "blunder" };
const ROWS = { Accuracy: "Of the moves with a choice, those that lost less than a point", "Inaccuracies ?!": "", "Mistakes ?": "", "Blunders ??": "" };

export class Review {
  // analysis: whose engine reviews; shown: the game that the page shows; variations: plays a better line beside it.
  constructor(analysis, shown, variations) {
    Object.assign(this, { analysis, shown });
    fillSelect($("effort"), EFFORTS, EFFORTS[0][0]);
    $("review").addEventListener("click", () => (analysis.review ? this.end() : this.begin()));
    $("mistake").addEventListener("click", () => this.goToMistake());
    $("better").addEventListener("click", () => {
      const { found, before } = shown.step;
      const moves = found.line.map(({ move }) => move);
      attempt(() => variations.play(moves, before));
    });
  }

  // The steps that are reviewed; what was found of a step is its `found`.
  get steps() {
    return this.shown.steps[0].reviewed ?? [];
  }

  begin() {
    report(null);
    suggestPanel("accuracy");
    const [first] = this.shown.steps;
    first.reviewed = lineThrough(first);
    for (const step of this.steps) step.found = null;
    this.analysis.ask({ ...this.analysis.question(this.steps), review: true, limit: $("effort").value });
    this.analysis.review = (message) => this.hear(message);
    Object.assign($("progress"), { value: 0, max: this.steps.length - 1 });
    this.shown.draw();
  }

  end() {
    this.analysis.review = null;
    this.analysis.ask(null);
    this.shown.draw();
  }

  hear(message) {
    this.steps[message.ply].found = message;
    $("progress").value = message.of - message.ply + 1;
    if (message.ply === 1) this.end();
  }

  get isDone() {
    return this.steps.some(({ found }) => found) && this.analysis.review === null;
  }

  // See the next mistake after the step that is seen; the first one comes after the last one.
  goToMistake() {
    const marked = this.steps.filter(({ found }) => found?.mark);
    const next = marked.find(({ ply }) => ply > this.shown.step.ply) ?? marked[0];
    if (next) this.shown.follow(next);
  }

  get progressText() {
    const { value, max } = $("progress");
    return `Reviewing from the last move on: ${value} of ${max} moves.`;
  }

  // The better line at a step that was a mistake, for the board; empty at others.
  betterThan(step) {
    return step.found?.mark ? step.found.line : [];
  }

  // What the list of moves says of a step, in short and at length; empty if it was best.
  textsOf({ found }) {
    if (!found || found.best === null || (found.loss === 0 && !found.mark)) return ["", ""];
    const short = found.loss === null ? scoreText(found.score) : `\u2212${pointsText(found.loss)}`;
    return [`${short}${found.mark}`, `${valueText(found.score, found.exact)}; best: ${moveText(found.line[0])}, ${valueText(found.bestScore, found.exact)}`];
  }

  draw() {
    const { game, steps, step, at, seats } = this.shown;
    const found = this.steps.filter((each) => each.found);
    const line = found.length ? this.steps : steps;
    const now = line.findLastIndex((each) => steps.slice(0, at + 1).includes(each));
    const reviewed = found.length ? { choose: (ply) => this.shown.follow(line[ply]), describe: (each) => this.describe(each, game) } : null;
    const names = game.players.map((name, side) => (seats[side]?.name && !seats[side].person ? seats[side].name : name));
    $("graph-panel").hidden = !drawGraph($("graph"), line, now, reviewed ? game.players : names, game.point, reviewed);
    $("graph-facts").textContent = `up: good for ${game.players[0]}`;
    $("totals").replaceChildren(...(found.length ? this.table(found, game) : []));
    $("found").hidden = !this.isDone;
    this.drawFound(step, game);
  }

  // Whether a step has a better line that can be shown.
  hasBetter({ found }) {
    return Boolean(found?.line.length) && (found.loss !== 0 || found.mark !== "");
  }

  drawFound(step, game) {
    const { found } = step;
    $("found").classList.toggle("bad", Boolean(found?.mark));
    if (!found?.line.length) $("found").textContent = "Go through the game, or choose a point of the graph: a mistake, and the better move.";
    else if (!this.hasBetter(step)) $("found").textContent = `${this.describe(step, game)} is best: ${valueText(found.score, found.exact)}.`;
    else {
      const line = `${found.line.slice(0, 6).map(moveText).join(" ")} (${valueText(found.bestScore, found.exact)})`;
      const why = found.why ? `${moveText(found.line[0])} was better, because ${found.why}. ` : "";
      $("found").textContent = `${this.describe(step, game)}. ${why}${found.mark ? "Better" : "Best"}: ${line}.`;
      $("better").replaceChildren(`Show ${moveText(found.line[0])}`, made("kbd", "", "b"));
    }
  }

  // What is said of a step: "13. d3??, a blunder: loses 8 discs".
  describe({ ply, found, ...step }, { point }) {
    const name = `${ply}. ${moveText(step)}${found.mark}`;
    if (found.loss === 0 && !found.mark) return name;
    const kind = found.mark ? `, ${found.mark === "?!" ? "an" : "a"} ${MARKS[found.mark]}` : "";
    const loss = found.loss === null ? `it ${scoreText(found.score) || "draws"}` : `loses ${pointsText(found.loss)} ${point}${found.loss === 100 ? "" : "s"}`;
    return `${name}${kind}: ${loss}${found.exact ? ", exactly" : ""}`;
  }

  // Both sides' totals, as far as they are known.
  table(found, { players, point }) {
    const columns = players.map((_, side) => {
      const moves = found.filter((step) => step.before.toMove === side && step.found.best !== null);
      const accurate = moves.filter((step) => step.found.loss !== null && step.found.loss < ACCURATE && !step.found.mark).length;
      const marked = Object.keys(MARKS).map((mark) => moves.filter((step) => step.found.mark === mark).length);
      const lost = moves.reduce((sum, step) => sum + (step.found.loss ?? 0), 0);
      return [moves.length ? `${Math.round((100 * accurate) / moves.length)} %` : "", ...marked, pointsText(lost)];
    });
    const names = [...Object.keys(ROWS), `${point[0].toUpperCase()}${point.slice(1)}s lost`];
    const rows = names.map((name, row) => {
      const head = made("th", "", name);
      head.scope = "row";
      head.title = ROWS[name] ?? "";
      return made("tr", "", head, ...columns.map((column) => made("td", "", String(column[row]))));
    });
    const head = made("tr", "", made("td"), ...players.map((name) => Object.assign(made("th", "", name), { scope: "col" })));
    const open = found.findLastIndex((step) => step.found.best !== null && !step.found.exact);
    const exact = found[open + 1]?.ply; // all values from this move on are those at the end of the game
    return [...(exact ? [made("caption", "", `Exact from move ${exact} on`)] : []), made("thead", "", head), made("tbody", "", ...rows)];
  }
}

function pointsText(hundredths) {
  return (hundredths / 100).toFixed(hundredths % 100 ? 1 : 0);
}

function valueText(score, exact) {
  return `${scoreText(score)}${exact ? " exactly" : ""}`;
}
