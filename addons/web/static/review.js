// The review of a game: as a graph, as a table, next to the moves, and on the board.

import { dayText, made, moveText, scoreText } from "./drawing.js";
import { drawGraph } from "./graph.js";
import { $, ask, attempt, fillSelect, hasPage, report } from "./page.js";
import { GRADES, describe, figuresText, hasBetter, lossText, markText, textsOf, totals } from "./review_text.js";
import { outcomeText } from "./status.js";
import { leavingOf, lineThrough, playedLine } from "./variations.js";

const EFFORTS = [
  ["movetime=200", "0.2 s a move"],
  ["movetime=1000", "1 s a move"],
  ["movetime=5000", "5 s a move"],
];

export class Review {
  // analysis: provides the engine; shown: the displayed game; variations: plays better lines as variations.
  constructor(analysis, shown, variations) {
    Object.assign(this, { analysis, shown, side: null });
    this.stage = { step: null, name: "" }; // the position shown for a mistake: "before" it, or after the "better" move
    fillSelect($("effort"), EFFORTS, EFFORTS[0][0]);
    $("review").addEventListener("click", () => (analysis.review ? this.end() : this.begin()));
    $("deeper").addEventListener("click", () => this.begin(this.side));
    $("mistake").addEventListener("click", () => this.goToMistake());
    $("better").addEventListener("click", () => {
      const { found, before } = shown.step;
      const moves = found.line.map(({ move }) => move);
      attempt(() => variations.play(moves, before));
    });
    $("stages").addEventListener("change", ({ target }) => this.showStage(target.value));
  }

  // The review saved with the game: { limit, date, practised }, or null.
  get kept() {
    return this.shown.steps[0].kept ?? null;
  }

  // Return the practice key of the position before a step with a mistake, or undefined.
  practisedAt(step) {
    return step.isPlayed ? this.kept?.practised[step.ply] : undefined;
  }

  // Show the server's saved review of the displayed game, unless it is null.
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

  // Start a review. side: the side whose mistakes are shown; null for the person's side, or for both.
  begin(side = null) {
    this.side = side;
    report(null);
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

  // Load the review that the server has just saved with the game. said: the server's message about it.
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

  // The side of the person at this page, or null unless there is exactly one.
  get you() {
    const own = [0, 1].filter((side) => this.shown.seats[side]?.request?.person && !this.shown.seats[side].away);
    return own.length === 1 ? own[0] : null;
  }

  // The side whose mistakes are marked, and for which up is good: the chosen one or the person's; null for both sides.
  get viewer() {
    return this.side ?? this.you;
  }

  // Return whether a step is a mistake that the page marks.
  isMarked({ found, before }) {
    return Boolean(found?.mark) && (this.viewer ?? before.toMove) === before.toMove;
  }

  notesOf(step) {
    const [mark, values, grade] = textsOf(step);
    return this.isMarked(step) ? [mark, values, grade] : ["", values, ""];
  }

  // The marked steps.
  get mistakes() {
    return this.steps.filter((step) => this.isMarked(step));
  }

  // Show the next mistake after a ply, by default the displayed ply. After the last mistake, show the first.
  goToMistake(after = this.shown.step.ply) {
    const { mistakes } = this;
    const next = mistakes.find(({ ply }) => ply > after) ?? mistakes[0];
    if (next) this.visit(next);
  }

  // Show a step or, if it is a mistake, the position before it with both moves.
  visit(step) {
    this.stage = { step, name: this.isMarked(step) ? "before" : "" };
    this.shown.follow(step);
  }

  // The step that the review's text describes: the displayed step, or the mistake replaced by the displayed variation.
  get subject() {
    const { step } = this.shown;
    if (step.found || !step.before) return step;
    const mistake = leavingOf(step)?.next.find((each) => each.found);
    return mistake && this.isMarked(mistake) ? mistake : step;
  }

  // Return whether the displayed step is a mistake that can be shown in stages.
  get hasStages() {
    const { step } = this.shown;
    return this.isDone && !this.analysis.on && this.isMarked(step) && hasBetter(step);
  }

  get stageName() {
    return this.stage.step === this.shown.step ? this.stage.name : "";
  }

  // Show the position before a mistake, after it, or after the better move. Return false if no mistake is displayed.
  showStage(name) {
    if (!this.hasStages) return false;
    const { step, game } = this.shown;
    this.stage = { step, name: name === "after" ? "" : name };
    this.shown.draw();
    if (name === "better" && !step.found.after) attempt(() => this.loadAfter(step, game.game));
    return true;
  }

  // Load the position after the better move.
  async loadAfter({ found, before }, game) {
    const { steps } = await ask("/api/replay", { game, start: before.position, moves: found.line[0].move });
    found.after = { ...steps[1], legal: [] };
    this.shown.draw();
  }

  // The step to show on the board, with tags on squares. The position before a mistake has two: the move played and the
  // better move.
  get view() {
    const { step } = this.shown;
    const { stageName } = this;
    if (!stageName || !this.hasStages) return { step, tags: [] };
    if (stageName === "better") return { step: step.found.after ?? step, tags: [] };
    const { found, before } = step;
    const { square } = before.legal.find(({ move }) => move === step.move) ?? { square: null };
    const tags = [
      { square, text: scoreText(found.score) || "0", kind: "yours" },
      { square: found.line[0].square, text: scoreText(found.bestScore) || "0", kind: "better" },
    ];
    return { step: before, tags: tags.filter((tag) => tag.square !== null) };
  }

  get progressText() {
    const { value, max } = $("progress");
    return `Reviewing backwards from the last move: ${value} of ${max} moves.`;
  }

  draw() {
    const { game, steps, step, at, seats } = this.shown;
    const found = this.steps.filter((each) => each.found);
    const line = found.length ? this.steps : steps;
    const now = line.findLastIndex((each) => steps.slice(0, at + 1).includes(each));
    const side = this.viewer ?? 0;
    const isMarked = (each) => this.isMarked(each);
    const reviewed = found.length ? { choose: (ply) => this.visit(line[ply]), describe: (each) => describe(each, game), isMarked, side } : null;
    const names = game.players.map((name, player) => (seats[player]?.name && !seats[player].person ? seats[player].name : name));
    $("graph-panel").hidden = !drawGraph($("graph"), line, now, reviewed ? game.players : names, game.point, reviewed);
    this.drawKey(game);
    $("totals").replaceChildren(...(found.length ? totals(found, game) : []));
    $("found").hidden = !this.isDone;
    this.drawFound(this.subject, game);
    $("practise").href = `/practice#${new URLSearchParams({ key: this.practisedAt(step) ?? "" })}`;
    $("deeper").hidden = !this.isDone;
    $("accuracy").textContent = found.length ? `Accuracy: the share of non-forced moves that lost less than one ${game.point}. ${this.keptText}` : "";
  }

  // Draw the number of mistakes of each grade, and the side for which up is good.
  drawKey(game) {
    const counts = Object.entries(GRADES).map(([mark, grade]) => [grade, this.mistakes.filter(({ found }) => found.mark === mark).length]);
    const marks = counts.filter(([, count]) => count).map(([grade, count]) => made("span", "", made("i", grade), String(count)));
    $("graph-facts").hidden = !this.isDone;
    $("graph-facts").replaceChildren(...marks, `up is good for ${this.viewer !== null && this.viewer === this.you ? "you" : game.players[this.viewer ?? 0]}`);
  }

  // Describe the saved review: its effort, its date, and how many of its mistakes are practised.
  get keptText() {
    const { kept } = this;
    if (!kept) return "";
    const count = Object.keys(kept.practised).length;
    const limit = EFFORTS.find(([value]) => value === kept.limit)?.[1] ?? kept.limit;
    const practised = `You practise ${count || "none"} of its mistakes.`;
    return kept.said ? `${kept.said} ${practised}` : `Reviewed ${dayText(kept.date)}, ${limit}. ${practised}`;
  }

  // Draw the text about a step: what it lost, the idea of the better move, and what to expect after both.
  drawFound(step, game) {
    const { found } = step;
    const hasMove = Boolean(found?.line.length);
    const mark = found?.mark ?? "";
    const who = step.before && this.you === step.before.toMove ? "you" : game.players[step.before?.toMove ?? 0];
    $("found").className = `card ${GRADES[mark] ?? ""}`;
    Object.assign($("found-mark"), { textContent: markText(mark), className: `badge l${(GRADES[mark] ?? "").slice(-1)}` });
    $("found-title").parentElement.hidden = !hasMove;
    $("found-title").textContent = hasMove ? lossText(step, game) : "";
    const why = found?.why ? `: ${found.why}.` : ".";
    const idea = hasMove && hasBetter(step) ? [made("b", "", `${moveText(found.line[0])} was better`), why] : [];
    if (idea.length && found.reason && hasPage("/practice")) idea.push(" ", made("a", { href: `/practice#kind=learn&step=${found.reason}` }, "Learn more"));
    $("found-idea").replaceChildren(...(hasMove ? idea : [this.kept ? this.keptText : "Step through the game, or choose a mark on the graph."]));
    $("found-figures").textContent = hasMove ? figuresText(step, who) : "";
    this.drawStages(step);
    $("better").hidden = !(this.isDone && step === this.shown.step && hasBetter(step));
    this.drawOutcome();
  }

  // Draw the game's result and the displayed mistake's place among the others.
  drawOutcome() {
    const { mistakes, subject, isDone } = this;
    const place = mistakes.indexOf(subject) + 1;
    const count = `${mistakes.length} mistake${mistakes.length === 1 ? "" : "s"}`;
    const parts = [made("b", "", outcomeText(this.shown)), " ", made("span", "quiet", place ? `Mistake ${place} of ${mistakes.length}` : count)];
    $("outcome").replaceChildren(...(isDone ? parts : []));
  }

  drawStages(step) {
    $("stages").hidden = !this.hasStages;
    if (!this.hasStages) return;
    const texts = { before: "Before", after: `After ${moveText(step)}`, better: `After ${moveText(step.found.line[0])}` };
    for (const input of $("stages").querySelectorAll("input")) {
      input.checked = input.value === (this.stageName || "after");
      input.nextElementSibling.textContent = texts[input.value];
    }
  }
}
