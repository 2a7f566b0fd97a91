// The review of a game: as a graph, as a table, next to the moves, and on the board.

import { made, moveText } from "./drawing.js";
import { describe, hasBetter, sentence, totals } from "./review_text.js";
import { drawGraph } from "./graph.js";
import { $, ask, attempt, fillSelect, report } from "./page.js";
import { showPanel } from "./panels.js";
import { lineThrough, playedLine } from "./variations.js";

const EFFORTS = [
  ["movetime=200", "0.2 s a move"],
  ["movetime=1000", "1 s a move"],
  ["movetime=5000", "5 s a move"],
];

export class Review {
  // analysis: provides the engine; shown: the displayed game; variations: plays better lines as variations.
  constructor(analysis, shown, variations) {
    Object.assign(this, { analysis, shown, side: null });
    fillSelect($("effort"), EFFORTS, EFFORTS[0][0]);
    $("review").addEventListener("click", () => (analysis.review ? this.end() : this.begin()));
    $("deeper").addEventListener("click", () => this.begin(this.side));
    $("mistake").addEventListener("click", () => this.goToMistake());
    $("better").addEventListener("click", () => {
      const { found, before } = shown.step;
      const moves = found.line.map(({ move }) => move);
      attempt(() => variations.play(moves, before));
    });
  }

  // The review saved with the game: { limit, date, practised }, or null.
  get kept() {
    return this.shown.steps[0].kept ?? null;
  }

  // Return the practice key of the position before a step with a mistake, or undefined.
  practisedAt(step) {
    return step.isPlayed ? this.kept?.practised[step.ply] : undefined;
  }

  // Take over the server's saved review of the displayed game, or null.
  take(review) {
    if (!review) return;
    const [root] = this.shown.steps;
    const { moves, ...about } = review;
    Object.assign(root, { reviewed: playedLine(root), kept: about });
    moves.forEach((found, index) => {
      root.reviewed[index + 1].found = found;
    });
    this.shown.draw();
  }

  // Return the steps under review; a step's review is its `found`.
  get steps() {
    return this.shown.steps[0].reviewed ?? [];
  }

  // side: the player whose mistakes to go through, or null for those of a person, if one played.
  begin(side = null) {
    this.side = side;
    report(null);
    showPanel("accuracy");
    const [first] = this.shown.steps;
    first.reviewed = lineThrough(first);
    first.kept = null;
    for (const step of this.steps) step.found = null;
    const kept = this.steps.every((step) => step === first || step.isPlayed) ? this.shown.keptName : "";
    this.analysis.ask({ ...this.analysis.question(this.steps), review: true, limit: $("effort").value, kept });
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
    if (message.ply !== 1) return;
    this.end();
    this.goToMistake(0);
    if (message.kept) attempt(() => this.readAgain(message.kept));
  }

  // Load the review now saved with the game. said: the server's message after a finished review.
  async readAgain(said) {
    const { stored, steps } = this.shown;
    const { review } = await ask(stored);
    if (this.shown.steps[0] !== steps[0] || this.analysis.review) return;
    this.take(review);
    if (review) steps[0].kept.said = said;
    else report(said);
    this.shown.draw();
  }

  get isDone() {
    return this.steps.some(({ found }) => found) && this.analysis.review === null;
  }

  // Show the next mistake after the displayed step, by the chosen side, or by a person if one played; wraps around at
  // the end. after: the ply of that step.
  goToMistake(after = this.shown.step.ply) {
    const { seats } = this.shown;
    const all = this.steps.filter(({ found }) => found?.mark);
    const isOwn = ({ before: { toMove } }) => (this.side === null ? seats[toMove]?.request?.person : toMove === this.side);
    const marked = this.side !== null || seats.some(({ request }) => request?.person) ? all.filter(isOwn) : all;
    const next = marked.find(({ ply }) => ply > after) ?? marked[0];
    if (next) this.shown.follow(next);
  }

  get progressText() {
    const { value, max } = $("progress");
    return `Reviewing from the last move on: ${value} of ${max} moves.`;
  }

  // Return the better line for a mistake, for the board; empty for other steps.
  betterThan(step) {
    return step.found?.mark ? step.found.line : [];
  }

  draw() {
    const { game, steps, step, at, seats } = this.shown;
    const found = this.steps.filter((each) => each.found);
    const line = found.length ? this.steps : steps;
    const now = line.findLastIndex((each) => steps.slice(0, at + 1).includes(each));
    const reviewed = found.length ? { choose: (ply) => this.shown.follow(line[ply]), describe: (each) => describe(each, game) } : null;
    const names = game.players.map((name, side) => (seats[side]?.name && !seats[side].person ? seats[side].name : name));
    $("graph-panel").hidden = !drawGraph($("graph"), line, now, reviewed ? game.players : names, game.point, reviewed);
    $("graph-facts").textContent = `up: good for ${game.players[0]}`;
    $("totals").replaceChildren(...(found.length ? totals(found, game) : []));
    $("found").hidden = !this.isDone;
    this.drawFound(step, game);
    $("practise").href = `/practice#${new URLSearchParams({ key: this.practisedAt(step) ?? "" })}`;
    $("deeper").hidden = !this.isDone;
    $("accuracy").textContent = found.length ? `Accuracy: the share of the moves with a choice that lost less than one ${game.point}. ${this.keptText}` : "";
  }

  // Describe the saved review: how and when it was made, and how much of it is practised.
  get keptText() {
    const { kept } = this;
    if (!kept) return "";
    const count = Object.keys(kept.practised).length;
    const limit = EFFORTS.find(([value]) => value === kept.limit)?.[1] ?? kept.limit;
    const practised = `You practise ${count || "none"} of its mistakes.`;
    return kept.said ? `${kept.said} ${practised}` : `Reviewed on ${kept.date.slice(0, 10)}, ${limit}. ${practised}`;
  }

  drawFound(step, game) {
    const { found } = step;
    $("found").classList.toggle("bad", Boolean(found?.mark));
    if (found?.line.length) $("found").textContent = sentence(step, game);
    else $("found").textContent = this.kept ? this.keptText : "Go through the game, or choose a point of the graph: a mistake, and the better move.";
    if (hasBetter(step)) $("better").replaceChildren(`Show ${moveText(found.line[0])}`, made("kbd", "", "b"));
  }
}
