// Reads the position on a picture of an Othello board: a screenshot, or a photo taken from above.
//
// The grid's lines are edges along whole columns and rows of pixels: nine at equal distances, in both directions. A cell's
// corners show the board's colour; its middle is darker or lighter than them if a disc is there.

import { made } from "./drawing.js";

const SIZE = 8;
const MAX_SIDE = 900; // pixels; larger pictures are reduced
const MIN_CELL = 9; // pixels
const EDGE = 8; // a larger difference in brightness between neighbouring pixels counts as this much
const MIN_LINE = 0.3; // minimum share of a grid line that is an edge
const CLEAR_LINE = 0.75; // above this share, no further turns are tried
const TURNS = [0, -1, 1, -2, 2, -3, 3]; // degrees
const PARTS = [1, 0.5, 0.3].flatMap((share) => [0, 0.5, 1].map((at) => [at * (1 - share), at * (1 - share) + share])); // ranges of the height in which to look for a board
const RING = [0.15, 0.33]; // radii around a cell's middle, in cells: outside marks and dots, inside the disc
const CORNER = [0.33, 0.42]; // distances from a cell's middle, in cells: outside the disc, inside the grid's lines
const MIN_DISC = 12; // minimum difference in brightness between a disc and the board, of 255
const SHARES = [0.25, 0.45]; // relative to the clearest disc's difference: below the first share, no disc; up to the second, unclear

// Return the 64 squares of the board on a picture, as letters from a1 on.
export async function readPhoto(file) {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) throw new Error("picture: expected a picture that the browser can show, such as PNG or JPEG");
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.round(side * scale));
  const context = made("canvas", { width, height }).getContext("2d", { willReadFrequently: true });
  let best = null;
  for (const turn of TURNS) {
    const light = turned(context, bitmap, turn);
    const grid = findGrid(light, width, height);
    if (grid && grid.worth > (best?.grid.worth ?? 0)) best = { light, grid };
    if (best?.grid.worth > CLEAR_LINE) break;
  }
  if (!best) throw new Error("picture: no board found; expected a board of 8 by 8 squares, photographed straight from above, with lines between its squares");
  return squaresOf(best.light, width, best.grid);
}

// Draw the picture turned around its middle, and return the brightness of each pixel.
function turned(context, bitmap, degrees) {
  const { width, height } = context.canvas;
  context.resetTransform();
  context.translate(width / 2, height / 2);
  context.rotate((degrees * Math.PI) / 180);
  context.drawImage(bitmap, -width / 2, -height / 2, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  return Float32Array.from({ length: width * height }, (_, at) => 0.3 * data[4 * at] + 0.59 * data[4 * at + 1] + 0.11 * data[4 * at + 2]);
}

// Return the grid as { x, y, across, down }, its upper left corner and the size of a cell in pixels, with its worth, the
// share of its lines that is seen; or return null.
function findGrid(light, width, height) {
  const across = (rows) => edges(light, [width, 1], [height, width], rows);
  const down = (columns) => edges(light, [height, width], [width, 1], columns);
  const near = ({ size }) => [0.92 * size, 1.08 * size];
  let best = null;
  for (const part of PARTS) {
    const rough = findLines(across(part.map((share) => share * height)), [MIN_CELL, Math.min(width, height) / SIZE]);
    if (!rough) continue;
    const rows = findLines(down(rangeOf(rough, 0, SIZE)), near(rough));
    const columns = rows && findLines(across(rangeOf(rows, 0, SIZE)), near(rows));
    if (!columns) continue;
    // Another line, such as a frame, can be as far from the board as its lines are from each other. The
    // lines of the other direction continue only inside the board.
    for (const right of [0, -1, 1]) {
      for (const low of [0, -1, 1]) {
        const [x, y] = [moved(columns, right), moved(rows, low)];
        const ends = [0, SIZE - 1].flatMap((end) => [crossing(across(rangeOf(y, end, end + 1)), x), crossing(down(rangeOf(x, end, end + 1)), y)]);
        const worth = Math.min(...ends);
        if (worth > (best?.worth ?? MIN_LINE)) best = { worth, x: x.first, y: y.first, across: x.size, down: y.size };
      }
    }
  }
  return best;
}

const moved = ({ first, size }, count) => ({ first: first + count * size, size });

// Return the mean share of the lines between the squares that are edges.
function crossing(edge, { first, size }) {
  const shares = Array.from({ length: SIZE - 1 }, (_, line) => Math.round(first + (line + 1) * size)).map((at) => Math.max(...edge.subarray(at - 2, at + 2)));
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

// Return the range of pixels between two lines.
const rangeOf = ({ first, size }, from, to) => [from, to].map((line) => first + line * size);

// Return, for each line of pixels, the share of it in [from, to) that is an edge to the next line.
// length, step: the number of lines and the distance between two of them in `light`; the others are those of the pixels of a line.
function edges(light, [length, step], [most, stride], [from, to]) {
  const found = new Float32Array(length);
  const [begin, end] = [Math.max(0, Math.round(from)), Math.min(most, Math.round(to))];
  for (let line = 0; line + 1 < length; line++) {
    let sum = 0;
    for (let at = begin; at < end; at++) {
      const index = line * step + at * stride;
      sum += Math.max(-EDGE, Math.min(EDGE, light[index + step] - light[index]));
    }
    found[line] = Math.abs(sum) / EDGE / Math.max(1, end - begin);
  }
  return found;
}

// Return the nine lines at equal distances that are edges: { first, size, worth }, or null. sizes: the range of the distance.
function findLines(edge, [least, most]) {
  const wide = edge.map((_, at) => Math.max(edge[at - 1] ?? 1, edge[at], edge[at + 1] ?? 1));
  // A picture may be cropped at the board's frame, so a line outside the picture counts as an edge.
  const at = (place) => (place < 0 || place >= edge.length ? 1 : (wide[Math.round(place)] ?? 1));
  let best = null;
  for (let size = least; size <= most; size += 0.125) {
    for (let first = -1; first + SIZE * size <= edge.length; first += 0.5) {
      let worth = 1;
      for (let line = 0; line <= SIZE && worth > (best?.worth ?? 0); line++) worth = Math.min(worth, at(first + line * size));
      if (worth > (best?.worth ?? 0)) best = { first: first + 0.5, size, worth };
    }
  }
  return best;
}

// Return the squares' letters. Throw an error that names what is not clear.
function squaresOf(light, width, grid) {
  const cells = Array.from({ length: SIZE * SIZE }, (_, index) => contrast(light, width, grid, index % SIZE, Math.floor(index / SIZE)));
  const clearest = [Math.min(...cells), Math.max(...cells)].map(Math.abs); // of the dark discs, and of the light ones
  const kinds = clearest.map(Boolean);
  if (!kinds.some(Boolean)) throw new Error("picture: no discs found on the board; expected discs darker and lighter than the board");
  if (!kinds.every(Boolean)) {
    const [found, missing] = kinds[0] ? ["darker", "lighter"] : ["lighter", "darker"];
    throw new Error(`picture: the colours are not separated: there are discs ${found} than the board, but none ${missing}`);
  }
  const share = (value) => Math.abs(value) / clearest[Number(value > 0)];
  const unclear = cells.flatMap((value, index) =>
    share(value) >= SHARES[0] && share(value) < SHARES[1] ? ["abcdefgh"[index % SIZE] + (Math.floor(index / SIZE) + 1)] : [],
  );
  if (unclear.length) throw new Error(`picture: not clear whether there is a disc on ${unclear.join(", ")}`);
  return cells.map((value) => (share(value) < SHARES[0] ? "-" : value < 0 ? "X" : "O")).join("");
}

// Return how much of the way from the board's brightness to white (1) or black (-1) a cell's disc goes, or 0 for no disc.
function contrast(light, width, { x, y, across, down }, column, row) {
  const middle = [];
  const corners = [];
  for (let v = -0.5; v < 0.5; v += 1 / down) {
    for (let u = -0.5; u < 0.5; u += 1 / across) {
      const value = light[Math.round(y + (row + 0.5 + v) * down) * width + Math.round(x + (column + 0.5 + u) * across)];
      const radius = Math.hypot(u, v);
      const [near, far] = [Math.abs(u), Math.abs(v)].sort();
      if (radius > RING[0] && radius < RING[1]) middle.push(value);
      else if (near > CORNER[0] && far < CORNER[1]) corners.push(value);
    }
  }
  const [disc, board] = [median(middle), median(corners)];
  if (Math.abs(disc - board) < MIN_DISC) return 0;
  return (disc - board) / (disc < board ? board : 255 - board);
}

const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
