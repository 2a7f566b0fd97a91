// The report on one version: the compiler's output, the checks, and the board of a failed check.

import { BoardView } from "/static/board.js";
import { made, madeButton } from "/static/drawing.js";
import { card, heading, lines, list, note, moveTexts } from "./common.js";

const KINDS = { ok: ["good", "passed"], FAIL: ["bad", "failed"], skip: ["info", "not checked"], info: ["info", "information"] };

// Return the elements of a version's report.
export function reportOn(entry) {
  const { report, game, state, version, counts } = entry;
  if (state === "received" && entry.place === null) return [note("warn", `v${version} is not in the queue.`, "It is checked once your teacher unblocks it.")];
  if (state === "received") return [note("", `v${version} is number ${entry.place} in the queue.`, "You can close the page and come back for the report.")];
  if (state === "building") return [note("", `v${version} is being compiled in the sandbox.`)];
  if (state === "checking") return [note("", `v${version} is being checked.`, "This takes up to a minute.")];
  const rows = (report?.examinations ?? []).filter((row) => row.applies);
  const failed = rows.filter((row) => row.status === "FAIL");
  const missed = [...failed, ...rows.filter((row) => row.status === "skip")].filter((row) => row.required);
  const decisive = state === "passed" ? undefined : missed[0]; // the check that keeps the version off the ladder
  const advice = failed.filter((row) => !row.required).length;
  const parts = [];
  if (state === "passed") {
    const passed = rows.filter((row) => row.status === "ok").length;
    parts.push(
      note(
        "good",
        `v${version} passed ${passed} of ${rows.length} checks.`,
        advice ? "The failed checks are only advice." : counts ? "It counts from now on." : "",
      ),
    );
  } else {
    const which = decisive ? ` check ${rows.indexOf(decisive) + 1} of ${rows.length}: ${decisive.name}` : "";
    parts.push(note("bad", `v${version} failed${which}.`, decisive ? decisive.text : entry.reason));
  }
  if (report?.build?.output.length) parts.push(card("Compiler output", made("pre", "shell", report.build.output.join("\n"))));
  const shown = made("div", "stack");
  const chosen = decisive ?? failed.find((row) => row.evidence);
  const show = (row) => shown.replaceChildren(...evidenceOf(row, game));
  if (rows.length) {
    const all = rows.map((row, index) => {
      const [kind, text] = KINDS[row === decisive ? "FAIL" : row.status];
      const words = lines([`${index + 1}. ${row.name}`, row.required ? "" : " (advice)"], row.text);
      return [made("span", `badge ${kind}`, text), words, row.evidence ? madeButton("Show", () => show(row)) : ""];
    });
    parts.push(shown, card("All checks", list(all)));
    if (chosen?.evidence) show(chosen);
  }
  return parts;
}

function evidenceOf(row, game) {
  const { board, legal, dialogue, stderr } = row.evidence;
  const talk = made("dl", { className: "talk", tabIndex: 0 }); // can be scrolled with the keyboard
  for (const line of dialogue) {
    const [, time, way, text] = /^(\S+) ([<>]) ?(.*)$/.exec(line) ?? ["", "", "", line];
    talk.append(made("dt", "", way === ">" ? "to you" : way === "<" ? "you" : ""), made("dd", "", text, " ", made("span", "quiet", time ? `${time} s` : "")));
  }
  for (const line of stderr) talk.append(made("dt", "", "stderr"), made("dd", "", line));
  setTimeout(() => talk.scrollTo(0, talk.scrollHeight)); // the failure is at the end
  const copy = madeButton("Copy", () => navigator.clipboard?.writeText([...dialogue, ...stderr].join("\n")));
  const side = made("div", "stack", made("section", "card", heading(`Dialogue in "${row.name}"`, copy), talk));
  const moves = board ? board.legal.map(moveTexts) : legal;
  if (legal.length) side.prepend(card("Legal moves", made("p", "", made("code", "", moves.join(", ")))));
  if (!board || !legal.length) return [side];
  const place = made("div", { className: "board", role: "img", ariaLabel: `Board after ${row.evidence.moves.length} moves` });
  const section = card("Board", place);
  const view = new BoardView(place, null);
  view.begin(game);
  view.show(board, { open: false, lines: [] });
  return [made("div", "cols report", section, side)];
}
