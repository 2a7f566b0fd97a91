// Where the squares of a board lie in its picture, and what they are called.

import { element } from "./drawing.js";

const [EDGE, BARE_EDGE] = [0.55, 0.1]; // of a square: with coordinates, and where a board has none

export class BoardShape {
  // game: as the server describes it.
  constructor(game) {
    this.game = game;
    this.edge = game.rowNames.some((name) => name) ? EDGE : BARE_EDGE;
    this.width = game.columns + 2 * this.edge;
    this.height = EDGE + game.rows + (game.numbered ? EDGE : BARE_EDGE);
  }

  get count() {
    return this.game.columns * this.game.rows;
  }

  // The middle of a square.
  at(index) {
    const { columns } = this.game;
    return [this.edge + (index % columns) + 0.5, EDGE + Math.floor(index / columns) + 0.5];
  }

  name(index) {
    const { columns, columnNames, rowNames } = this.game;
    return columnNames[index % columns] + rowNames[Math.floor(index / columns)];
  }

  // Return the empty board.
  draw() {
    const { columns, rows, columnNames, rowNames, byColumn, numbered } = this.game;
    const svg = element("svg", { viewBox: `0 0 ${this.width} ${this.height}`, "aria-hidden": "true", class: rows === 1 ? "row" : "" });
    const write = (x, y, text, name = "") => svg.append(element("text", { x, y, class: name }, text));
    let path = "";
    for (let row = 0; row <= rows; row++) path += `M${this.edge} ${EDGE + row}h${columns}`;
    for (let column = 0; column <= columns; column++) path += `M${this.edge + column} ${EDGE}v${rows}`;
    svg.append(element("rect", { class: "cloth", x: this.edge, y: EDGE, width: columns, height: rows }), element("path", { class: "grid", d: path }));
    columnNames.forEach((name, column) => {
      const x = this.edge + column + 0.5;
      write(x, EDGE / 2, name);
      if (numbered) write(x, EDGE + rows + EDGE / 2, column + 1, "numbers");
    });
    if (byColumn) return svg;
    rowNames.forEach((name, row) => {
      const y = EDGE + row + 0.5;
      write(this.edge / 2, y, name);
      if (numbered) write(this.width - this.edge / 2, y, rows - row, "numbers");
    });
    return svg;
  }
}
