// Where the squares of a board lie in its picture, and what they are called.

import { element } from "./drawing.js";

const [EDGE, BARE_EDGE] = [0.55, 0.1]; // of a square: with coordinates, and where a board has none

export class BoardShape {
  // game: as the server describes it; width: of the picture, in pixels, 0 if it is not known; least: of a square. A
  // board of one row whose squares would be smaller is folded into several lines.
  constructor(game, width, least) {
    const { columns, rows, rowNames } = game;
    const folded = rows === 1 && width > 0 ? Math.ceil(columns / Math.max(1, Math.floor(width / least))) : 1;
    this.game = game;
    this.across = Math.ceil(columns / folded);
    this.lines = Math.max(rows, folded);
    this.gap = folded > 1 ? EDGE : 0; // each line of a folded row has its names above it
    this.edge = rowNames.some((name) => name) ? EDGE : BARE_EDGE;
    this.below = game.numbered ? EDGE : BARE_EDGE;
    this.width = this.across + 2 * this.edge;
    this.height = EDGE + this.lines * (1 + this.gap) - this.gap + this.below;
  }

  get count() {
    return this.game.columns * this.game.rows;
  }

  // The middle of a square.
  at(index) {
    return [this.edge + (index % this.across) + 0.5, EDGE + Math.floor(index / this.across) * (1 + this.gap) + 0.5];
  }

  name(index) {
    const { columns, columnNames, rowNames } = this.game;
    return columnNames[index % columns] + rowNames[Math.floor(index / columns)];
  }

  // Return the empty board.
  draw() {
    const svg = element("svg", { viewBox: `0 0 ${this.width} ${this.height}`, "aria-hidden": "true", class: this.game.rows === 1 ? "row" : "" });
    if (this.gap) for (let first = 0; first < this.count; first += this.across) this.drawCloth(svg, first, Math.min(this.across, this.count - first), 1);
    else this.drawCloth(svg, 0, this.across, this.lines);
    this.drawRowNames(svg);
    return svg;
  }

  drawCloth(svg, first, columns, rows) {
    const [left, top] = this.at(first).map((middle) => middle - 0.5);
    svg.append(element("rect", { class: "cloth", x: left, y: top, width: columns, height: rows }));
    let path = "";
    for (let row = 0; row <= rows; row++) path += `M${left} ${top + row}h${columns}`;
    for (let column = 0; column <= columns; column++) path += `M${left + column} ${top}v${rows}`;
    svg.append(element("path", { class: "grid", d: path }));
    for (let column = 0; column < columns; column++) {
      const x = left + column + 0.5;
      svg.append(element("text", { x, y: top - EDGE / 2 }, this.game.columnNames[first + column]));
      if (this.game.numbered) svg.append(element("text", { x, y: top + rows + EDGE / 2, class: "numbers" }, column + 1));
    }
  }

  drawRowNames(svg) {
    const { rows, rowNames, byColumn, numbered } = this.game;
    if (byColumn) return;
    rowNames.forEach((name, row) => {
      const y = EDGE + row + 0.5;
      svg.append(element("text", { x: this.edge / 2, y }, name));
      if (numbered) svg.append(element("text", { x: this.width - this.edge / 2, y, class: "numbers" }, rows - row));
    });
  }

  // Lay the elements of a grid over the squares.
  cover(grid) {
    const percent = (part, whole) => `${(100 * part) / whole}%`;
    Object.assign(grid.style, {
      left: percent(this.edge, this.width),
      right: percent(this.edge, this.width),
      top: percent(EDGE, this.height),
      bottom: percent(this.below, this.height),
      rowGap: percent(this.gap, this.height - EDGE - this.below),
      gridTemplateColumns: `repeat(${this.across}, 1fr)`,
      gridTemplateRows: `repeat(${this.lines}, 1fr)`,
    });
  }
}
