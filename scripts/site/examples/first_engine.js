// An engine for Othello in Node.js. It plays the move that flips the most discs; to improve it, change `choose`.
const DIRECTIONS = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];
let board, side, held; // 64 letters "X" (Black), "O" or "-"; the side to move; the reply to `go infinite`, held until `stop`

const other = (color) => (color === "X" ? "O" : "X");
const name = (square) => (square < 0 ? "pass" : `${(square % 8) + 1} ${8 - (square >> 3)}`); // square 0 is a1
const squareOf = (column, row) => 8 * (8 - row) + Number(column) - 1; // "4 6": column, and row from the bottom

function turned(square) {
  const found = [];
  for (const [dx, dy] of DIRECTIONS) {
    const line = [];
    for (let x = (square % 8) + dx, y = (square >> 3) + dy; x >= 0 && x < 8 && y >= 0 && y < 8; x += dx, y += dy) {
      if (board[8 * y + x] === side) found.push(...line);
      if (board[8 * y + x] !== other(side)) break;
      line.push(8 * y + x);
    }
  }
  return board[square] === "-" ? found : [];
}

function setUp(words) {
  const isFen = words[1] === "fen";
  board = [...(isFen ? words[2] : `${"-".repeat(27)}OX------XO${"-".repeat(27)}`)];
  side = isFen ? words[3] : "X";
  const first = words.indexOf("moves") + 1 || words.length;
  for (let i = first; i < words.length; i++, side = other(side)) {
    if (words[i] === "pass") continue;
    const square = squareOf(words[i], words[++i]);
    for (const each of [square, ...turned(square)]) board[each] = side;
  }
}

function choose(words) {
  const asked = words.join(" ").split("searchmoves ")[1]; // the only moves to consider
  const legal = board.map((_, square) => square).filter((square) => turned(square).length);
  const allowed = legal.filter((square) => !asked || asked.includes(name(square)));
  return allowed.reduce((best, square) => (best < 0 || turned(square).length > turned(best).length ? square : best), -1);
}

setUp(["position", "startpos"]);
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const words = line.trim().split(/\s+/);
  if (words[0] === "uci") console.log("id name First engine\nuciok");
  else if (words[0] === "isready") console.log("readyok");
  else if (words[0] === "position") setUp(words);
  else if (words[0] === "go") {
    const answer = `bestmove ${name(choose(words))}`;
    if (words.includes("infinite")) held = answer;
    else console.log(answer);
  } else if (words[0] === "stop" && held) {
    console.log(held);
    held = null;
  } else if (words[0] === "quit") process.exit();
});
