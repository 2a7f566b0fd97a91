// Draws the play page: the board, the players, the status line, and the actions and panels of the moment.

import { drawActions } from "./actions.js";
import { listMoves } from "./moves.js";
import { $ } from "./page.js";
import { drawPanels } from "./panels.js";
import { drawPlayers } from "./players.js";
import { drawEnding, statusText } from "./status.js";
import { leavingOf } from "./variations.js";

const TITLE = document.title;

export class TableView {
  // parts: the page's parts by name, each drawn or read here; see play.js.
  constructor(parts) {
    Object.assign(this, parts, { keeps: false, isOnChoice: false }); // keeps: whether the server saves games
  }

  draw() {
    const { shown, board, analysis, editor, review, people } = this;
    const { step } = shown;
    if (!step) {
      if (shown.trouble) this.say(shown.trouble);
      return;
    }
    if (shown.game !== board.game) board.begin(shown.game);
    analysis.draw();
    editor.show(shown.game, step);
    const { view } = review;
    this.drawBoard(view);
    drawPlayers(shown, this.newGame.levels, view.step);
    this.share.draw(shown);
    review.draw();
    this.variations.draw(shown);
    people.draw();
    this.starter.draw();
    drawEnding(shown, review.isDone);
    this.drawSaid();
    this.drawMoment();
    this.drawSentence();
    document.title = `${shown.isAsked ? "Your move - " : ""}${TITLE}`; // the person may be on another tab
    listMoves(
      $("moves"),
      shown,
      (each) => review.notesOf(each),
      (each) => review.visit(each),
    ); // last, because it measures the page; the browser then lays the page out only once
  }

  // Update the status line. When the result or a review replaces it, keep it for screen readers only.
  drawSentence() {
    const { shown, analysis, review, people } = this;
    this.say(analysis.review ? review.progressText : [statusText(shown, review.view.step), people.text].filter(Boolean).join(" "));
    $("status").classList.toggle("heard", !shown.trouble && (!$("end").hidden || !$("found").hidden));
    $("forget").hidden = !shown.early?.name;
  }

  // Show the book's comment on the person's last move in opening training, unless a review says more.
  drawSaid() {
    const { steps, at } = this.shown;
    const said = $("found").hidden ? (steps[at]?.said ?? steps[at - 1]?.said ?? "") : "";
    if ($("said").textContent !== said) $("said").textContent = said;
  }

  // Show the available actions and panels.
  drawMoment() {
    const { shown, editor, review } = this;
    const { canHint, canReview, hint, review: isReviewing } = this.analysis;
    drawActions(shown, {
      isEditing: editor.isOpen,
      canHint,
      canReview,
      hint: hint?.line,
      isReviewing: isReviewing !== null,
      isReviewed: review.isDone,
      canPractise: review.practisedAt(shown.step) !== undefined,
      canKeep: this.keeps && shown.mayTry && !shown.session && !shown.isFresh && shown.last > 0 && !shown.keptName,
      isTried: shown.mayTry && leavingOf(shown.step) !== null,
    });
    this.drawPlace();
    $("graph-panel").classList.toggle("always", review.isDone);
    drawPanels();
  }

  // Place a row below the board: the person's or, unless exactly one person plays, the first player's (on a turned board,
  // the second player's).
  drawPlace() {
    const people = [0, 1].filter((side) => this.shown.seats[side]?.person);
    const below = people.length === 1 ? people[0] : Number(this.board.isTurned);
    for (const side of [0, 1]) {
      $(`player${side}`).classList.toggle("you", side === below);
      $(`player${side}`).classList.toggle("opp", side !== below);
    }
  }

  // Redrawing removes the focused button, so move the focus to the first new button, or to the board if there are none.
  drawBoard({ step, tags }) {
    const { shown, board, editor } = this;
    const had = $("board").contains(document.activeElement);
    if (editor.drafted) board.show(editor.drafted);
    else {
      const open = !shown.isAwaited && (shown.mayPlay || shown.isNext || shown.mayTry);
      const { early, isOver, mayKeep } = shown;
      const kept = mayKeep && early?.name ? { square: early.square, side: 1 - step.toMove } : null;
      board.show(step, { open, lines: tags.length ? [] : this.analysis.linesOnBoard, tags, isOver, keeps: mayKeep, kept });
    }
    if (document.activeElement !== document.body) this.isOnChoice = false;
    else if (had) this.isOnChoice = true;
    if (this.isOnChoice && shown.mayPlay)
      (document.querySelector(".choices button") ?? $("board").querySelector("button[tabindex='0']"))?.focus({ preventScroll: true });
  }

  say(text) {
    $("status").classList.remove("heard");
    if ($("status").textContent !== text) $("status").textContent = text;
  }
}
