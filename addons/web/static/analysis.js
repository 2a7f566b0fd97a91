// Has a server engine score each move in the displayed position, find a good move, or review a game. Search lines are
// shown next to the board, with depth, score and speed.

import { made, moveText, scoreText } from "./drawing.js";
import { $, fillSelect, report } from "./page.js";

const WAIT_MS = 150; // delay before asking the engine, so that positions skimmed past are not analysed
const HINT = "movetime=1000";
const MOST_ROWS = 4; // maximum number of lines in the table next to the board
// The reasons why analysis is not available. The server enforces the same limits.
const HIDDEN = "Not available in this game, because a score would reveal hidden cards.";
const CHANCE = "Games with chance cannot be reviewed, because even a good move may lose.";
const PEOPLE = "Not available until the game is over, because two people are playing without an engine.";
const [BOX, ENGINE, LINES] = ["analyse", "analyst", "lines"];
const EVERY = "64"; // more lines than any position has moves
const COUNTS = [[EVERY, "every move"], ["1", "1 line"], ...["2", "4", "8"].map((count) => [count, `${count} lines`])];
const LOST = "The analysis has stopped, because the connection to the server is lost.";

export class Analysis {
  // shown: the displayed game.
  constructor(shown) {
    this.shown = shown;
    this.game = null; // the last drawn game
    this.canAsk = false; // whether the server has an engine for analysis
    this.lines = []; // analysis lines of the displayed position
    this.last = null; // the latest report { text, lines, done } and its request as JSON, shown again when it is repeated
    this.isLost = false; // whether the connection was lost during the search
    this.hint = null; // the hint, { step, line }, or null if none was requested; line is null until the engine answers
    this.socket = null;
    this.number = 0; // number of the latest request; replies to earlier requests are ignored
    this.asked = null; // the latest request as JSON, or null if analysis is stopped
    this.review = null; // called with the review of each move while a game is reviewed, else null
    fillSelect($(LINES), COUNTS, EVERY);
    for (const id of [BOX, ENGINE, LINES]) {
      $(id).addEventListener("change", () => {
        report(null);
        shown.draw();
      });
    }
    $("book").addEventListener("change", () => shown.draw());
    $("hint").addEventListener("click", () => (this.hint?.line ? this.hideHint() : this.askHint()));
    document.addEventListener("visibilitychange", () => this.look());
  }

  get on() {
    return $(BOX).checked;
  }

  // Return whether a hint is available. A browser with only a seat can have its game reviewed, but gets no hints.
  get canHint() {
    return this.canAsk && this.shown.game.kind !== "hidden" && this.shown.mayAsk && !this.shown.seat;
  }

  // Return whether the displayed game can be reviewed.
  get canReview() {
    const { mayTry, last, game, seat, hasPerson } = this.shown;
    return this.canAsk && mayTry && last > 0 && game.kind === "perfect" && (!seat || hasPerson);
  }

  get linesBeside() {
    const { at, last, thinking } = this.shown;
    return this.on ? this.lines : at === last ? thinking : [];
  }

  // Return the lines to draw on the board: book moves if enabled, analysis lines, a hint, or the engine's thinking.
  get linesOnBoard() {
    const { book } = this.shown.step;
    if ($("book").checked && book?.length) return book;
    return this.hint?.line && !this.on ? [this.hint.line] : this.linesBeside;
  }

  fill(engines) {
    fillSelect($(ENGINE), engines, engines[0]);
    this.canAsk = engines.length > 0;
  }

  draw() {
    const { game, step, hasPerson } = this.shown;
    if (game !== this.game) {
      this.review = null;
      if (hasPerson || !this.canHint) $(BOX).checked = false;
    }
    this.game = game;
    if (this.hint?.step !== step) this.setHint(null);
    this.look();
    this.drawBox();
    this.drawLines();
  }

  // Return the request to analyse the position after these steps.
  question([first, ...steps]) {
    return { engine: $(ENGINE).value, game: this.shown.game.game, start: first.position, moves: steps.map(({ move }) => move).join(" ") };
  }

  get questionHere() {
    const chosen = ["lines", "threads", "memory"].map((id) => [id, Number($(id).value)]).filter(([, value]) => value);
    return { ...this.question(this.shown.steps.slice(0, this.shown.at + 1)), ...Object.fromEntries(chosen) };
  }

  // Request an analysis of the displayed position, if enabled, and cancel the previous request.
  look() {
    if (this.review || (this.hint && !this.hint.line)) return;
    const { game, step } = this.shown;
    const isWanted = this.on && !document.hidden && game?.kind !== "hidden" && step?.legal.length > 0;
    this.ask(isWanted ? this.questionHere : null);
  }

  askHint() {
    report(null);
    this.setHint({ step: this.shown.step, line: null }, "Looking for a good move …");
    this.ask({ ...this.questionHere, limit: HINT });
  }

  hideHint() {
    this.setHint(null);
    this.shown.draw();
  }

  setHint(hint, text = "") {
    this.hint = hint;
    $("hinted").textContent = text;
    $("hint").replaceChildren(hint?.line ? "Hide the hint" : "Hint", made("kbd", "", "h"));
    if (hint?.line) $("playhint").textContent = `Play ${moveText(hint.line.pv[0])}`;
  }

  ask(question) {
    const text = JSON.stringify(question);
    if (text === this.asked || (question === null && this.asked === null)) return;
    this.asked = question && text;
    const last = this.known;
    Object.assign(this, { lines: last?.lines ?? [], isLost: false });
    this.number++;
    clearTimeout(this.later);
    const message = question === null || last?.done ? { stop: true } : { ...question, id: this.number };
    if (question && !last?.done) this.later = setTimeout(() => this.send(message), WAIT_MS);
    else if (this.socket) this.send(message);
  }

  // The latest report if it is about the current request, else null.
  get known() {
    return this.asked !== null && this.last?.text === this.asked ? this.last : null;
  }

  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify(message));
      return;
    }
    this.socket?.close();
    const socket = new WebSocket("/analysis");
    this.socket = socket;
    socket.addEventListener("open", () => socket.send(JSON.stringify(message)));
    socket.addEventListener("message", (event) => this.socket === socket && this.hear(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      if (this.socket !== socket) return;
      this.forget();
      Object.assign(this, { socket: null, isLost: this.asked !== null, asked: null });
      this.drawBox();
    });
  }

  hear(message) {
    if (message.id !== this.number) return;
    if (message.type === "review") this.review(message);
    else if (message.type !== "analysis") {
      report(message.error);
      $(BOX).checked = false;
      this.forget();
    } else if (!this.hint || this.hint.line) this.take(message);
    else if (message.done) {
      const [best] = message.lines;
      const text = [moveText(best.pv[0]), scoreText(best.score)].filter(Boolean).join(", ");
      this.setHint({ ...this.hint, line: { ...best, pv: best.pv.slice(0, 1) } }, `Hint: ${text}`);
    }
    this.shown.draw();
  }

  // Show a report, unless an earlier one about this position is the last of its search, or deeper.
  take({ lines, done }) {
    if (this.known?.done || (!done && depthOf(lines) < depthOf(this.known?.lines ?? []))) return;
    Object.assign(this, { lines, last: { text: this.asked, lines, done } });
  }

  // Describe whether the analysis runs.
  get stateText() {
    if (this.isLost) return LOST;
    if (!this.on || !this.asked) return "";
    if (!this.known?.done) return `Searching${this.lines.length ? `, depth ${depthOf(this.lines)}` : ""} \u2026`;
    return this.lines.every(({ exact }) => exact) ? "Solved." : `Stopped at depth ${depthOf(this.lines)}.`;
  }

  forget() {
    Object.assign(this, { review: null, lines: [] });
    this.setHint(null);
  }

  drawBox() {
    const { kind } = this.shown.game;
    const isOver = this.shown.mayTry && this.shown.last > 0;
    $("scoring").hidden = !this.canHint;
    $("accuracy-panel").hidden = !this.canReview;
    $("review").textContent = this.review ? "Stop" : "Review";
    $("effort").disabled = Boolean(this.review);
    $("progress").hidden = !this.review;
    const why = kind === "hidden" ? HIDDEN : isOver && kind === "chance" ? CHANCE : this.shown.mayAsk ? "" : PEOPLE;
    const text = why || this.stateText;
    if ($("why").textContent !== text) $("why").textContent = text;
  }

  drawLines() {
    const rows = this.linesBeside.slice(0, MOST_ROWS).map(({ depth, exact, score, nps, pv }) => {
      const cells = [exact ? "exact" : (depth ?? ""), scoreText(score), countText(nps), pv.map(moveText).join(" ")];
      return made("tr", "", ...cells.map((cell) => made("td", "", String(cell))));
    });
    $("thinking").tBodies[0].replaceChildren(...rows);
  }
}

function depthOf([line]) {
  return line?.depth ?? 0;
}

function countText(count) {
  if (!count) return "";
  return count < 1e4 ? String(count) : count < 1e6 ? `${Math.round(count / 1e3)} k` : `${(count / 1e6).toFixed(1)} M`;
}
