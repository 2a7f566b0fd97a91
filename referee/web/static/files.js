// The game that is shown as files: its moves, the formats of other programs, and a picture of its board.

import { ask, save } from "./page.js";
import { linesOf, playedLine } from "./variations.js";

const PIXELS = 900; // the width of a picture of points
const TYPES = { txt: "text/plain", ggf: "text/plain", jsonl: "application/jsonl", svg: "image/svg+xml" };

// Return the game as it is kept, with the lines that were tried; what its file says of it stays as it is. state: { game, seats, steps, verdict, stored }
function recordOf({ game, seats, steps, verdict, stored }) {
  const [black, white] = seats.map((seat) => ({ name: seat.person ? "you" : (seat.name ?? "") }));
  const known = verdict?.margin == null ? {} : { reason: verdict.reason, detail: verdict.detail, margin_black: verdict.margin };
  const date = stored ? "" : dateText(); // of a tournament's game it is not known
  const about = game.record ?? { spec: { game: game.game, black, white }, date, ...known };
  const lines = linesOf(steps[0]);
  const tried = lines.length > 1 || lines[0].comment ? { lines } : {};
  return { ...about, start: about.start ?? steps[0].position, moves: movesIn(playedLine(steps[0])), ...tried };
}

function movesIn(steps) {
  return steps.slice(1).map(({ move, by, elapsed, clock, score }) => ({ move, by, elapsed_ms: elapsed, clock_ms: clock, score }));
}

// Save a file. Return whether the lines that were tried are lost in it, of which a picture shows none anyway. kind: its
// ending; state also has { at }, the move whose position a picture shows.
export async function download(kind, state) {
  const record = recordOf(state);
  const name = `${state.game.game.replace(/[^\w]+/g, "-")}-${(record.date || dateText()).replace(/\D+/g, "-")}`;
  const text = await textOf(kind, record, state.steps.slice(0, state.at + 1));
  save(kind === "png" ? await painted(text) : new Blob([text], { type: TYPES[kind] }), `${name}.${kind}`);
  return Boolean(record.lines) && (kind === "txt" || kind === "ggf");
}

// shown: the steps up to the position of a picture.
async function textOf(kind, record, shown) {
  if (kind === "txt") return `${record.moves.map((each) => each.move).join(" ")}\n`;
  if (kind === "jsonl") return `${JSON.stringify(record)}\n`;
  if (kind === "ggf") return (await ask("/api/download", { kind, record })).text;
  return (await ask("/api/download", { kind: "svg", record: { ...record, moves: movesIn(shown) } })).text;
}

async function painted(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const height = Math.round((PIXELS * image.naturalHeight) / image.naturalWidth);
  const canvas = Object.assign(document.createElement("canvas"), { width: PIXELS, height });
  canvas.getContext("2d").drawImage(image, 0, 0, PIXELS, height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function dateText() {
  const now = new Date();
  return new Date(now - 60_000 * now.getTimezoneOffset()).toISOString().slice(0, 19).replace("T", " ");
}
