// Draws one step of a game, and tells which square or move a person has chosen. It knows no rules.

import { element, scoreText } from "./drawing.js";
import { PictureView } from "./picture.js";

const EDGE = 0.55; // of a square, for the coordinates
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

export class BoardView {
  // container: where to draw; choose: called with a move's text; null for a board that is only looked at.
  constructor(container, choose) {
    this.container = container;
    this.choose = choose;
    this.game = null;
    this.step = null;
    this.squares = [];
    this.picture = null; // of a game without squares
    this.focus = 0;
    this.edit = null; // if set, called with the square that was chosen, instead of playing there
  }

  // Take another game: its size and its players.
  begin(game) {
    const same = ["game", "columns", "rows"].every((key) => this.game?.[key] === game[key]);
    this.game = game;
    this.step = null;
    if (same) return; // whoever sets up a position stays on the square
    this.focus = 0;
    this.container.replaceChildren();
    this.squares = [];
    this.picture = null;
    if (game.columns) this.drawCloth();
  }

  // Show a step. marks: { open: whether a person may move, lines: of a search }
  show(step, marks = { open: false, lines: [] }) {
    const before = this.step;
    this.step = step;
    if (this.game.columns) this.drawPieces(step, before, marks);
    else if (step.picture) this.drawPicture(step, marks);
    else this.drawText(step, marks);
  }

  drawCloth() {
    const { columns, rows } = this.game;
    const [width, height] = [columns + 2 * EDGE, rows + 2 * EDGE];
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    svg.append(element("rect", { class: "cloth", x: EDGE, y: EDGE, width: columns, height: rows }));
    let path = "";
    for (let row = 0; row <= rows; row++) path += `M${EDGE} ${EDGE + row}h${columns}`;
    for (let column = 0; column <= columns; column++) path += `M${EDGE + column} ${EDGE}v${rows}`;
    svg.append(element("path", { class: "grid", d: path }));
    for (let column = 0; column < columns; column++) {
      const x = EDGE + column + 0.5;
      svg.append(element("text", { x, y: EDGE / 2 }, LETTERS[column]));
      if (this.game.numbered) svg.append(element("text", { x, y: height - EDGE / 2, class: "numbers" }, column + 1));
    }
    if (!this.game.byColumn) {
      for (let row = 0; row < rows; row++) {
        const y = EDGE + row + 0.5;
        svg.append(element("text", { x: EDGE / 2, y }, row + 1));
        if (this.game.numbered) svg.append(element("text", { x: width - EDGE / 2, y, class: "numbers" }, rows - row));
      }
    }
    this.layer = element("g");
    svg.append(this.layer);
    this.container.append(svg);
    if (this.choose) this.container.append(this.makeSquares(width, height));
  }

  // Buttons over the picture, for mouse, touch, keyboard and screen readers.
  makeSquares(width, height) {
    const { columns, rows } = this.game;
    const grid = document.createElement("div");
    grid.className = "squares";
    grid.setAttribute("role", "group");
    grid.setAttribute("aria-label", "Board; arrow keys go from square to square, Enter plays");
    grid.style.left = `${(100 * EDGE) / width}%`;
    grid.style.right = `${(100 * EDGE) / width}%`;
    grid.style.top = `${(100 * EDGE) / height}%`;
    grid.style.bottom = `${(100 * EDGE) / height}%`;
    grid.style.gridTemplateColumns = `repeat(${columns}, 1fr)`;
    grid.style.gridTemplateRows = `repeat(${rows}, 1fr)`;
    for (let index = 0; index < columns * rows; index++) {
      const button = document.createElement("button");
      button.type = "button";
      button.tabIndex = index === this.focus ? 0 : -1;
      button.addEventListener("click", () => this.click(index));
      grid.append(button);
      this.squares.push(button);
    }
    grid.addEventListener("keydown", (event) => this.move(event));
    return grid;
  }

  move(event) {
    const { columns } = this.game;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const column = this.focus % columns;
    const next = this.focus + step;
    if (next < 0 || next >= this.squares.length || (Math.abs(step) === 1 && Math.abs((next % columns) - column) !== 1)) return;
    this.squares[this.focus].tabIndex = -1;
    this.focus = next;
    this.squares[next].tabIndex = 0;
    this.squares[next].focus();
  }

  click(index) {
    this.squares[this.focus].tabIndex = -1;
    this.focus = index;
    this.squares[index].tabIndex = 0;
    if (this.edit) {
      this.edit(index);
      return;
    }
    const legal = this.open ? this.step.legal.filter((each) => each.from === null) : [];
    const columns = this.game.columns;
    const chosen = legal.find((each) => each.square === index || (this.game.byColumn && each.square % columns === index % columns));
    if (chosen) this.choose(chosen.move);
  }

  drawPieces(step, before, marks) {
    const { columns, rows, sides, owners, players } = this.game;
    const legal = new Map(step.legal.filter((each) => each.square !== null && each.from === null).map((each) => [each.square, each]));
    this.open = marks.open;
    this.layer.replaceChildren();
    const scores = scoresOf(marks.lines);
    const at = (index) => [EDGE + (index % columns) + 0.5, EDGE + Math.floor(index / columns) + 0.5];
    for (let index = 0; index < columns * rows; index++) {
      const [cx, cy] = at(index);
      const letter = step.board[index];
      const side = owners[letter];
      let label = this.name(index);
      if (side !== undefined) {
        const turned = before !== null && before.board[index] !== step.board[index] && step.changed.includes(index);
        this.layer.append(element("circle", { class: `piece side${side}${turned ? " flip" : ""}`, cx, cy, r: 0.42 }));
        label += `, ${players[side]}`;
        if (!sides.includes(letter)) { // one of several kinds of pieces
          this.layer.append(element("text", { class: `kind side${side}`, x: cx, y: cy }, letter));
          label += ` ${letter}`;
        }
      } else if (legal.has(index)) {
        if (!scores.has(index)) this.layer.append(element("circle", { class: "legal", cx, cy, r: 0.12 }));
        label += `, legal move${scores.has(index) ? `, ${scoreText(scores.get(index))}` : ""}`;
      } else label += ", empty";
      const marked = step.placed.includes(index);
      if (marked && side !== undefined && !sides.includes(letter)) this.layer.append(element("circle", { class: "changed", cx, cy, r: 0.3 }));
      else if (marked) this.layer.append(element("circle", { class: "placed", cx, cy, r: 0.11 }));
      if (step.changed.includes(index)) this.layer.append(element("circle", { class: "changed", cx, cy, r: 0.26 }));
      const button = this.squares[index];
      if (!button) continue;
      button.setAttribute("aria-label", label);
      button.classList.toggle("can", this.edit !== null || (marks.open && legal.has(index)));
    }
    this.drawLine(marks.lines, scores, at);
    this.drawScores(scores, at);
    this.drawCaption(step.caption);
    this.drawChoices(step.legal.filter((each) => each.square === null || each.from !== null), marks.open);
  }

  // The first moves of the best line, numbered.
  drawLine(lines, scores, at) {
    const line = lines[0]?.pv.slice(0, 3) ?? [];
    line.forEach((each, number) => {
      if (each.square === null) return;
      const [cx, cy] = at(each.square);
      if (number === 0 || !scores.has(each.square)) this.layer.append(element("circle", { class: "pv", cx, cy, r: 0.42 - 0.05 * number }));
      if (number > 0) this.layer.append(element("text", { class: "pv", x: cx + 0.34, y: cy - 0.32 }, number + 1));
    });
  }

  // The score of each square's move; the first is the best.
  drawScores(scores, at) {
    const best = Math.max(...scores.values());
    for (const [square, score] of scores) {
      const [x, y] = at(square);
      if (score === best) this.layer.append(element("circle", { class: "best", cx: x, cy: y, r: 0.36 }));
      const text = scoreText(score);
      this.layer.append(element("text", { class: `score${score === best ? " best" : ""}${text.length > 4 ? " long" : ""}`, x, y }, text));
    }
  }

  // What the squares do not say, such as what a die shows.
  drawCaption(text) {
    this.container.querySelector(".caption")?.remove();
    if (!text) return;
    const caption = document.createElement("p");
    caption.className = "caption";
    caption.textContent = text;
    this.container.append(caption);
  }

  drawPicture(step, marks) {
    this.picture ??= new PictureView(this.container, this.choose);
    this.picture.show(step.picture, marks);
    const drawn = new Set(step.picture.items.map((item) => item.move));
    this.drawChoices(step.legal.filter((each) => !drawn.has(each.move)), marks.open);
  }

  drawText(step, marks) {
    const text = document.createElement("pre");
    text.textContent = step.text;
    this.container.replaceChildren(text);
    this.drawChoices(step.legal, marks.open);
  }

  // Moves that are no squares, such as a pass, as buttons below the board.
  drawChoices(moves, open) {
    this.container.querySelector(".choices")?.remove();
    if (!open || moves.length === 0) return;
    const choices = document.createElement("div");
    choices.className = "choices";
    for (const each of moves) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = each.move;
      button.addEventListener("click", () => this.choose(each.move));
      choices.append(button);
    }
    this.container.append(choices);
  }

  name(index) {
    const columns = this.game.columns;
    const column = LETTERS[index % columns];
    return `${column}${Math.floor(index / columns) + 1}`;
  }
}

// The score of each square that a line begins with.
function scoresOf(lines) {
  const firsts = lines.filter((line) => line.pv[0] && line.pv[0].square !== null);
  return new Map(firsts.map((line) => [line.pv[0].square, line.score]).reverse());
}
