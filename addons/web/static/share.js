// Sharing: the address of the displayed game, copies for other programs, and files.

import { painted, scoreText } from "./drawing.js";
import { $, ask, attempt, hasPage, save } from "./page.js";
import { linesOf, playedLine } from "./variations.js";

const WAIT_MS = 300; // minimum time between address changes; browsers reject frequent changes
const PNG_WIDTH = 900; // pixels
const TYPES = { txt: "text/plain", ggf: "text/plain", jsonl: "application/jsonl", svg: "image/svg+xml" };

const FILES = ["ggf", "sgf", "pgn"]; // formats written by the server

// Return the moves up to a ply, by default all of them.
export function movesOf(steps, ply = steps.length - 1, notation = "move") {
  return steps
    .slice(1, ply + 1)
    .map((step) => step[notation])
    .join(" ");
}

export class Share {
  // shown: the displayed game; say: shows a confirmation.
  constructor(shown, say) {
    this.shown = shown;
    this.waiting = null; // timer of the next address change
    const texts = {
      copy: [() => movesOf(shown.steps), "Moves copied."],
      copynumbers: [() => movesOf(shown.steps, shown.last, "project"), "Moves copied as numbers."],
      copyposition: [() => shown.step?.position ?? "", "Position copied."],
      copyaddress: [() => this.address, "Link copied."],
    };
    for (const [id, [read, done]] of Object.entries(texts)) {
      $(id).addEventListener("click", () => attempt(() => navigator.clipboard.writeText(read()).then(() => say(done))));
    }
    $("files").addEventListener("click", ({ target: { dataset } }) => {
      if (!dataset.kind) return;
      attempt(async () => (await this.download(dataset.kind)) && say("Saved without variations and comments; JSON files include them."));
    });
  }

  // Return the page's address. It names the session of a running game or the file of a saved game, and contains the
  // moves in case the session has ended or the file is gone.
  get address() {
    const { game, steps, at, last, session, seat, stored, isRunning, isCovered } = this.shown;
    const said = new URLSearchParams({ ...(isRunning && { session }), ...(seat && { seat }), ...(stored && { replay: stored }) });
    const start = steps[0].position;
    if (!isCovered && (last > 0 || start !== game.start || isRunning || stored)) {
      said.set("game", game.game);
      if (start !== game.start) said.set("start", start);
      if (last > 0) said.set("moves", movesOf(steps));
      if (at < last) said.set("at", at);
    }
    const text = String(said);
    return new URL(text ? `#${text}` : location.pathname, location.href).href;
  }

  // Show the buttons that apply to a step, and schedule an update of the address.
  draw({ game, step, steps, at, isCovered }) {
    const isOthello = game.game === "othello";
    $("tobook").hidden = !hasPage("/explorer") || !isOthello || steps[0].position !== game.start || at === 0;
    $("tobook").href = `/explorer#${new URLSearchParams({ moves: movesOf(steps, at), note: scoreText(step.found?.score) })}`;
    const kinds = { ggf: isOthello, sgf: isOthello, pgn: isOthello, svg: step.text === null, png: step.text === null };
    $("copynumbers").hidden = !game.numbered;
    $("files").hidden = $("copyaddress").hidden = isCovered;
    for (const [kind, has] of Object.entries(kinds)) $("files").querySelector(`[data-kind=${kind}]`).hidden = !has;
    this.waiting ??= setTimeout(() => {
      this.waiting = null;
      if (this.address !== location.href) history.replaceState(null, "", this.address);
    }, WAIT_MS);
  }

  // Save a file. Return whether variations and comments were lost; pictures never have any. kind: the file extension.
  async download(kind) {
    const { game, steps, at } = this.shown;
    const record = this.record();
    const name = `${game.game.replace(/[^\w]+/g, "-")}-${(record.date || dateText()).replace(/\D+/g, "-")}`;
    const text = await textOf(kind, record, steps.slice(0, at + 1));
    save(kind === "png" ? await imageOf(text) : new Blob([text], { type: TYPES[kind] }), `${name}.${kind}`);
    return Boolean(record.lines) && (kind === "txt" || FILES.includes(kind));
  }

  // Return the game in saved form, with its variations and the other data of its file.
  record() {
    const { game, seats, steps, verdict, stored } = this.shown;
    const [black, white] = seats.map((seat) => ({ name: seat.person ? "you" : (seat.name ?? "") }));
    const known = verdict?.margin == null ? {} : { reason: verdict.reason, detail: verdict.detail, margin_black: verdict.margin };
    const date = stored ? "" : dateText(); // a tournament's games have no date
    const about = game.record ?? { spec: { game: game.game, black, white }, date, ...known };
    const lines = linesOf(steps[0]);
    const tried = lines.length > 1 || lines[0].comment ? { lines } : {};
    return { ...about, start: about.start ?? steps[0].position, moves: movesIn(playedLine(steps[0])), ...tried };
  }
}

function movesIn(steps) {
  return steps.slice(1).map(({ move, by, elapsed, clock, score }) => ({ move, by, elapsed_ms: elapsed, clock_ms: clock, score }));
}

// Return a file's text. shown: the steps up to the position of a picture.
async function textOf(kind, record, shown) {
  if (kind === "txt") return `${record.moves.map((each) => each.move).join(" ")}\n`;
  if (kind === "jsonl") return `${JSON.stringify(record)}\n`;
  if (FILES.includes(kind)) return (await ask("/api/download", { kind, record })).text;
  return (await ask("/api/download", { kind: "svg", record: { ...record, moves: movesIn(shown) } })).text;
}

async function imageOf(text) {
  const canvas = await painted(text, () => PNG_WIDTH);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

// Return the local time, such as 2026-06-01 20:15:00 (the format of the sv locale).
function dateText() {
  return new Date().toLocaleString("sv");
}
