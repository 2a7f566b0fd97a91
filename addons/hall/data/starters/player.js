// A starter program that plays Othello with random moves. player.py explains what it reads and writes.

const DIRECTIONS = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => [dx, dy])).filter(([dx, dy]) => dx || dy);
const other = (color) => (color === "B" ? "W" : "B");

// The colour of the disc on each occupied square, by column from the left and row from the bottom, 1 to 8.
const board = { "4 5": "W", "5 4": "W", "4 4": "B", "5 5": "B" };

// Return the squares of the discs that a move flips: none if it is illegal.
function turned(color, move) {
  if (move in board) return [];
  const [x, y] = move.split(" ").map(Number);
  return DIRECTIONS.flatMap(([dx, dy]) => {
    const square = (steps) => `${x + steps * dx} ${y + steps * dy}`;
    const line = [];
    while (board[square(line.length + 1)] === other(color)) line.push(square(line.length + 1));
    return board[square(line.length + 1)] === color ? line : [];
  });
}

function legalMoves(color) {
  const squares = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((x) => [1, 2, 3, 4, 5, 6, 7, 8].map((y) => `${x} ${y}`));
  return squares.filter((square) => turned(color, square).length);
}

function play(color, move) {
  for (const square of [move, ...turned(color, move)]) board[square] = color;
}

// Return the move to make. Improve this to play better than chance.
function choose(_color, moves) {
  return moves[Math.floor(Math.random() * moves.length)];
}

function answer(color) {
  const moves = legalMoves(color);
  const move = moves.length ? choose(color, moves) : "pass";
  if (moves.length) play(color, move);
  process.stdout.write(`${move}\n`);
}

let color = null;
require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const words = line.trim().split(/\s+/);
    if (color === null) {
      color = words[1];
      const opening = (words[5] ?? "").match(/../g) ?? [];
      let side = "B";
      for (const [column, row] of opening) {
        play(side, `${column.charCodeAt(0) - 96} ${9 - Number(row)}`);
        side = other(side);
      }
      if (side !== color) return;
    } else if (words[0] !== "pass") play(other(color), words.join(" "));
    answer(color);
  });
