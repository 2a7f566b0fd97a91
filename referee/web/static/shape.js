// Where the squares of a board lie in its picture, and what they are called.

import { element, notation } from "./drawing.js";

const [EDGE, BARE_EDGE] = [0.55, 0.1]; // of a square: with coordinates, and where a board has none

export class BoardShape {
  // game: as the server describes it; isTurned: whether its last row is above, where pieces do not fall.
  constructor(game, isTurned = false) {
    this.game = game;
    this.isTurned = isTurned && !game.byColumn;
    this.isNumbered = notation.numbers && game.numbered;
    this.edge = game.rowNames.some((name) => name) ? EDGE : BARE_EDGE;
    this.width = this.edge + game.columns + BARE_EDGE;
    this.height = EDGE + game.rows + BARE_EDGE;
  }

  get count() {
    return this.game.columns * this.game.rows;
  }

  // The middle of a square.
  at(index) {
    const { columns } = this.game;
    if (this.isTurned) index = this.count - 1 - index;
    return [this.edge + (index % columns) + 0.5, EDGE + Math.floor(index / columns) + 0.5];
  }

  name(index) {
    const { columns, rows, columnNames, rowNames, byColumn } = this.game;
    const [column, row] = [index % columns, Math.floor(index / columns)];
    if (this.isNumbered) return byColumn ? String(column + 1) : `${column + 1} ${rows - row}`;
    return columnNames[column] + rowNames[row];
  }

  // Return the empty board, with the names of its columns above and of its rows on the left.
  draw() {
    const { columns, rows, columnNames, rowNames, byColumn } = this.game;
    const svg = element("svg", { viewBox: `0 0 ${this.width} ${this.height}`, "aria-hidden": "true", class: rows === 1 ? "row" : "" });
    const write = (x, y, text) => svg.append(element("text", { x, y }, text));
    let path = "";
    for (let row = 0; row <= rows; row++) path += `M${this.edge} ${EDGE + row}h${columns}`;
    for (let column = 0; column <= columns; column++) path += `M${this.edge + column} ${EDGE}v${rows}`;
    svg.append(element("rect", { class: "cloth", x: this.edge, y: EDGE, width: columns, height: rows }), element("path", { class: "grid", d: path }));
    columnNames.forEach((name, column) => {
      write(this.at(column)[0], EDGE / 2, this.isNumbered ? column + 1 : name);
    });
    if (byColumn) return svg;
    rowNames.forEach((name, row) => {
      write(this.edge / 2, this.at(row * columns)[1], this.isNumbered ? rows - row : name);
    });
    return svg;
  }
}
