// Draws a step of a game, and reports the square or move that a person chooses. It knows no rules.

import { element, firstScores, hasLetters, made, madeButton, moveText, notation, scoreBadge, scoreText } from "./drawing.js";
import { Hand } from "./drag.js";
import { Overlay } from "./overlay.js";
import { PictureView } from "./picture.js";

const EDGE = 0.02; // width of the board's edge in squares
const STARS = 2; // number of squares between each dot of a disc board and the nearest edges
const LEAST_SQUARE = 30; // minimum square size, in pixels, of a one-row game; a longer row scrolls
const EMPTY = "-";
const TO_MOVE = /[^;\n]*(?=(;[^\n]*)?$)/; // the part of the last line before the first semicolon
const BOARD = "Board; arrow keys move between squares";

export class BoardView {
  // container: the element to draw in; choose: called with a move's text, or null for a read-only board; keep: called
  // with the square chosen for a premove.
  constructor(container, choose, keep = null) {
    Object.assign(this, { container, choose, keep });
    this.game = null;
    this.step = null;
    this.marks = null;
    this.squares = null; // a Squares, or null for a game without squares
    this.overlay = null; // the buttons over the squares
    this.picture = null; // a PictureView, for a game without squares
    this.legal = []; // the moves that can be chosen
    this.offered = []; // the legal moves to the chosen square, if there are several
    this.hand = new Hand(this);
    this.isTurned = false;
    this.edit = null; // called with the chosen square in the position editor; null during play
    if (choose) document.addEventListener("keydown", (event) => event.key === "Escape" && this.hand.putDown());
  }

  // Switch to another game, with its size and players.
  begin(game) {
    const same = ["game", "columns", "rows"].every((key) => this.game?.[key] === game[key]);
    this.game = game;
    this.step = null;
    if (same) return; // keep the focused square in the position editor
    const place = this.container.closest("article, main");
    place?.classList.toggle("light-first", game.dark === 1);
    if (game.point === "line")
      place?.setAttribute("data-theme", "sea"); // only Othello's board is green
    else place?.removeAttribute("data-theme");
    this.lay();
  }

  // Draw an empty board.
  lay() {
    this.container.replaceChildren();
    this.overlay = this.picture = null;
    this.squares = this.game.columns ? new Squares(this.game, this.isTurned) : null;
    if (this.squares) this.drawCloth();
  }

  // Redraw everything after the board was turned or its notation changed.
  redraw() {
    if (!this.game) return;
    this.lay();
    if (this.step) this.show(this.step, this.marks);
  }

  // Show a step. marks: { open: whether a person may move, lines: search lines, better: the better line for a mistake,
  // isOver: whether the game ended here, even with legal moves left, keeps: whether a premove is possible, kept: the
  // premove's { square, side }, area: a hint's squares, wrong: the square of a wrong answer, tags: texts to show on
  // squares, { square, text, kind }, where kind is "yours" for the move played or "better" for the better move }
  show(step, marks = { open: false, lines: [] }) {
    const before = this.step;
    if (step !== before || !marks.open) {
      this.hand.empty();
      this.offered = [];
    }
    Object.assign(this, { step, marks, legal: marks.open ? step.legal : [] });
    if (this.squares) this.drawPieces(before);
    else if (step.picture) this.drawPicture(step, marks);
    else this.drawText(step, marks);
  }

  draw() {
    this.drawPieces(this.step);
  }

  drawCloth() {
    const svg = this.squares.draw();
    this.layer = element("g");
    svg.append(this.layer);
    const field = made("div", "field", svg);
    if (this.choose) {
      this.overlay = new Overlay(BOARD, (index) => this.press(index));
      this.overlay.lay(this.squares.spots, 0, [this.squares.width, this.squares.height]);
      this.hand.watch(this.overlay);
      this.voice = made("p", { className: "heard", role: "status" }); // announces lifted pieces to screen readers
      field.append(this.overlay.element, this.voice);
      field.style.setProperty("--ratio", this.squares.width / this.squares.height);
      if (this.game.rows === 1) field.style.minWidth = `${LEAST_SQUARE * this.squares.width}px`;
    }
    this.caption = made("p", "caption");
    this.container.append(field, this.caption);
  }

  press(index) {
    if (this.edit) this.edit(index);
    else if (this.marks.keeps) this.keep(index);
    else this.hand.choose(index);
  }

  say(text) {
    this.voice.textContent = text;
  }

  // Play the move if there is only one, otherwise offer all of them.
  play(moves) {
    if (moves.length === 1) this.hand.empty();
    this.offered = moves.length > 1 ? moves : [];
    this.draw();
    this.say(moves.length > 1 ? `Choose a move: ${moves.map(moveText).join(", ")}.` : "");
    if (moves.length === 1) this.choose(moves[0].move);
  }

  // Return whether choosing `index` plays to `square`. In games played by column, any square of the column does.
  isOn(square, index) {
    const { byColumn, columns } = this.game;
    return square !== null && (square === index || (byColumn && square % columns === index % columns));
  }

  drawPieces(before) {
    const { step, marks, hand } = this;
    const isMarked = ({ square, from }) => square !== null && (hand.origin === null || from === hand.origin);
    // While a piece is lifted, scores are shown only for its moves.
    const scores = firstScores(marks.lines, (move) => (isMarked(move) ? move.square : undefined));
    const targets = new Set(step.legal.filter((each) => each.square !== null && each.from === hand.origin).map((each) => each.square));
    const origins = new Set(step.legal.map((each) => each.from).filter((square) => square !== null));
    this.layer.replaceChildren();
    for (let index = 0; index < this.squares.count; index++) {
      this.drawSquare(index, before, { isTarget: targets.has(index), canMove: origins.has(index), hasScore: scores.has(index) });
      if (this.overlay) this.labelSquare(index, targets.has(index), scores.get(index));
    }
    const keys = origins.size ? "Enter lifts a piece or plays it to a square, and Escape puts it down" : "and Enter plays";
    if (this.overlay) this.overlay.element.ariaLabel = `${BOARD}, ${keys}`;
    if (marks.area?.length) this.drawArea(marks.area);
    this.drawLine(marks.lines[0]?.pv ?? [], scores, "pv");
    this.drawLine(marks.better ?? [], scores, "better");
    this.drawScores(scores);
    for (const tag of marks.tags ?? []) this.drawTag(tag);
    if (hand.shift) this.placeLifted();
    const caption = marks.isOver ? step.caption?.replace(TO_MOVE, "game over") : step.caption; // for example the number on the die
    if (this.caption.textContent !== (caption ?? "")) this.caption.textContent = caption ?? "";
    this.drawChoices([...step.legal.filter((each) => each.square === null), ...this.offered], marks.open);
  }

  drawSquare(index, before, { isTarget, canMove, hasScore }) {
    const { step, layer } = this;
    const [cx, cy] = this.squares.at(index);
    const letter = step.board[index];
    const isPiece = letter !== EMPTY;
    const isKind = isPiece && !this.game.sides.includes(letter); // one of several piece types
    const isLifted = index === this.hand.origin;
    if (isPiece) {
      const turned = before !== null && before.board[index] !== letter && step.changed.includes(index);
      const piece = element("g", isLifted ? { class: "lifted" } : {});
      const side = this.game.owners[letter];
      if (hasLetters(this.game))
        piece.append(element("text", { class: `letter ${step.placed.includes(index) ? "placed" : `side${side}`}`, x: cx, y: cy }, letter));
      else piece.append(element("circle", { class: `piece side${side}${turned ? " flip" : ""}`, cx, cy, r: 0.42 }));
      if (isKind) piece.append(element("text", { class: `kind side${side}`, x: cx, y: cy }, letter));
      if (canMove) piece.append(element("circle", { class: "movable", cx, cy, r: 0.45 }));
      layer.append(piece);
    }
    if (isTarget && isPiece) layer.append(element("circle", { class: "taken", cx, cy, r: 0.46 }));
    else if (isTarget && !hasScore) layer.append(element("circle", { class: "legal", cx, cy, r: 0.12 }));
    if (index === this.marks.wrong) layer.append(element("path", { class: "wrong", d: `M${cx - 0.2} ${cy - 0.2}l.4 .4m0 -.4l-.4 .4` }));
    else if (step.placed.includes(index) && !hasLetters(this.game))
      layer.append(element("circle", isKind ? { class: "changed", cx, cy, r: 0.3 } : { class: "placed", cx, cy, r: 0.11 }));
    if (step.won?.includes(index)) layer.append(element("circle", { class: "won", cx, cy, r: 0.45 }));
    if (step.changed.includes(index)) layer.append(element("circle", { class: "changed", cx, cy, r: 0.26 }));
    const { kept } = this.marks;
    if (kept?.square === index) layer.append(element("circle", { class: `kept side${kept.side}`, cx, cy, r: 0.42 }));
  }

  // Outline the squares highlighted by a hint: together if they fill a rectangle, otherwise one by one.
  drawArea(squares) {
    const spots = squares.map((index) => this.squares.at(index));
    const [left, right, top, bottom] = [0, 1].flatMap((axis) => [Math.min, Math.max].map((end) => end(...spots.map((spot) => spot[axis]))));
    const isFull = (right - left + 1) * (bottom - top + 1) === spots.length;
    const areas = isFull ? [[left, top, right - left + 1, bottom - top + 1]] : spots.map(([x, y]) => [x, y, 1, 1]);
    for (const [x, y, width, height] of areas)
      this.layer.append(element("rect", { class: "area", x: x - 0.46, y: y - 0.46, width: width - 0.08, height: height - 0.08, rx: 0.1 }));
  }

  // Describe a square for screen readers: its name and its piece.
  describe(index) {
    const { owners, players, sides } = this.game;
    const letter = this.step.board[index];
    if (letter === EMPTY) return this.squares.name(index);
    return `${this.squares.name(index)}, ${players[owners[letter]]}${sides.includes(letter) ? "" : ` ${letter}`}`;
  }

  // Return whether a square can be a premove. In games that move pieces, a single square is not a move.
  canKeep(index) {
    const { step, marks } = this;
    return Boolean(marks.keeps) && step.board[index] === EMPTY && step.legal.every(({ from }) => from === null);
  }

  labelSquare(index, isTarget, score) {
    const { hand } = this;
    const button = this.overlay.buttons.get(index);
    const canLift = hand.movesFrom(index).length > 0;
    const isLifted = index === hand.origin;
    const canPlay = !isLifted && hand.movesTo(index).length > 0 && (hand.origin !== null || !canLift);
    const said = [this.describe(index)];
    if (canLift) said.push(`${isLifted ? "lifted, " : ""}can move to ${hand.targets(index)}`);
    if (isTarget) said.push(`legal move${score === undefined ? "" : `, ${scoreText(score)}`}`);
    else if (this.step.board[index] === EMPTY) said.push("empty");
    if (this.marks.kept?.square === index) said.push("premove");
    Object.assign(button, { ariaLabel: said.join(", "), ariaPressed: canLift ? isLifted : null });
    button.classList.toggle("can", this.edit !== null || canPlay);
    button.classList.toggle("keeps", this.canKeep(index));
    button.classList.toggle("lifts", canLift);
  }

  // Draw the lifted piece at the pointer, above the others.
  placeLifted() {
    const piece = this.layer.querySelector(".lifted");
    const scale = this.squares.width / this.overlay.element.parentElement.clientWidth;
    piece?.setAttribute("transform", `translate(${this.hand.shift.map((pixels) => pixels * scale).join(" ")})`);
    if (piece) this.layer.append(piece);
  }

  // Draw a line's first moves: numbered squares, or arrows if pieces move.
  drawLine(line, scores, kind) {
    line.slice(0, 3).forEach((each, number) => {
      if (each.square === null) return;
      const [cx, cy] = this.squares.at(each.square);
      if (each.from !== null) this.layer.append(arrow(this.squares.at(each.from), [cx, cy], kind));
      else if (number === 0 || !scores.has(each.square)) this.layer.append(element("circle", { class: kind, cx, cy, r: 0.42 - 0.05 * number }));
      if (number > 0 || (kind === "better" && line.length > 1)) this.layer.append(element("text", { class: kind, x: cx + 0.34, y: cy + 0.34 }, number + 1));
    });
  }

  // Draw a ring on a square, with a text in the middle.
  drawTag({ square, text, kind }) {
    const [cx, cy] = this.squares.at(square);
    const width = 0.2 + 0.19 * text.length;
    const x = Math.max(width / 2, Math.min(this.squares.width - width / 2, cx)); // at an edge, a long text stays on the board
    this.layer.append(
      element("circle", { class: kind, cx, cy, r: 0.4 }),
      element("rect", { class: `tag ${kind}`, x: x - width / 2, y: cy - 0.2, width, height: 0.4, rx: 0.2 }),
      element("text", { class: "tag", x, y: cy }, text),
    );
  }

  // Draw each move's score on its square.
  drawScores(scores) {
    const best = Math.max(...scores.values());
    for (const [square, score] of scores) {
      const [x, y] = this.squares.at(square);
      const below = this.step.board[square] === EMPTY ? 0 : 0.3; // do not hide the piece
      this.layer.append(...scoreBadge(x, y + below, score, best));
    }
  }

  drawPicture(step, marks) {
    this.picture ??= new PictureView(this.container, this.choose);
    this.picture.show(step.picture, marks);
    const drawn = new Set(step.picture.items.map((item) => item.move));
    const others = step.legal.filter((each) => !drawn.has(each.move));
    this.drawChoices(others, marks.open);
  }

  drawText(step, marks) {
    const text = this.container.querySelector("pre") ?? this.addText();
    const shown = marks.isOver ? step.text.replace(TO_MOVE, "  game over") : step.text;
    if (text.textContent !== shown) text.textContent = shown;
    this.drawChoices(step.legal, marks.open);
  }

  // Add the element for a text board, which can be scrolled with the keyboard.
  addText() {
    const text = made("pre", { role: "group", ariaLabel: "Board", ...(this.choose && { tabIndex: 0 }) });
    this.container.replaceChildren(text);
    return text;
  }

  // Show moves that are not squares, such as a pass, as buttons below the status line, or below the board if there is
  // none. Buttons of unchanged moves stay, so that a click in progress and the focus are not lost.
  drawChoices(moves, open) {
    const key = open ? moves.map((each) => each.move).join(" ") : "";
    const before = this.choices;
    if (before?.isConnected && before.dataset.moves === key) return;
    before?.remove();
    if (!key) return;
    const choices = made("div", "choices");
    this.choices = choices;
    choices.dataset.moves = key;
    for (const each of moves) choices.append(madeButton(moveText(each), () => this.choose(each.move)));
    ((this.squares && this.container.closest(".table")?.querySelector(".say")) || this.container).append(choices);
  }
}

// Locates and names the squares of a board picture.
class Squares {
  // game: the server's description; isTurned: whether to rotate the board; ignored for games with falling pieces.
  constructor(game, isTurned) {
    this.game = game;
    this.isTurned = isTurned && !game.byColumn;
    this.isNumbered = notation.numbers && game.numbered;
    this.width = game.columns + 2 * EDGE;
    this.height = game.rows + 2 * EDGE;
  }

  get count() {
    return this.game.columns * this.game.rows;
  }

  // Return the centre and size of each square, by index.
  get spots() {
    const middles = Array.from({ length: this.count }, (_, index) => this.at(index));
    return new Map(middles.map(([x, y], index) => [index, { x, y, width: 1, height: 1 }]));
  }

  // Return the centre of a square.
  at(index) {
    const { columns } = this.game;
    if (this.isTurned) index = this.count - 1 - index;
    return [EDGE + (index % columns) + 0.5, EDGE + Math.floor(index / columns) + 0.5];
  }

  name(index) {
    const { columns, rows, columnNames, rowNames, byColumn } = this.game;
    const [column, row] = [index % columns, Math.floor(index / columns)];
    if (this.isNumbered) return byColumn ? String(column + 1) : `${column + 1} ${rows - row}`;
    return columnNames[column] + rowNames[row];
  }

  // Return the empty board. Column names are drawn in the top row's squares, row names in the left column's.
  draw() {
    const { columns, rows, columnNames, rowNames, byColumn } = this.game;
    const svg = element("svg", { viewBox: `0 0 ${this.width} ${this.height}`, "aria-hidden": "true", class: rows === 1 ? "row" : "" });
    const write = (x, y, name, text) => svg.append(element("text", { class: `coord ${name}`, x, y }, text));
    let path = "";
    for (let row = 0; row <= rows; row++) path += `M${EDGE} ${EDGE + row}h${columns}`;
    for (let column = 0; column <= columns; column++) path += `M${EDGE + column} ${EDGE}v${rows}`;
    svg.append(element("rect", { class: "cloth", width: this.width, height: this.height }), element("path", { class: "grid", d: path }));
    if (this.game.point === "disc" && Math.min(columns, rows) >= 4 * STARS) {
      for (const cx of [STARS, columns - STARS])
        for (const cy of [STARS, rows - STARS]) svg.append(element("circle", { class: "star", cx: EDGE + cx, cy: EDGE + cy, r: 0.07 }));
    }
    columnNames.forEach((name, column) => {
      write(this.at(column)[0] + 0.4, EDGE + 0.15, "column", this.isNumbered ? column + 1 : name);
    });
    if (byColumn) return svg;
    rowNames.forEach((name, row) => {
      write(EDGE + 0.05, this.at(row * columns)[1] + 0.37, "row", this.isNumbered ? rows - row : name);
    });
    return svg;
  }
}

function arrow([left, top], [right, bottom], kind) {
  const length = Math.hypot(right - left, bottom - top);
  const [x, y] = [(right - left) / length, (bottom - top) / length];
  const point = (along, across) => `${left + x * along - y * across} ${top + y * along + x * across}`;
  const tip = length - 0.37;
  return element("path", { class: kind, d: `M${point(0.3, 0)}L${point(tip, 0)}M${point(tip - 0.15, 0.13)}L${point(tip, 0)}L${point(tip - 0.15, -0.13)}` });
}
