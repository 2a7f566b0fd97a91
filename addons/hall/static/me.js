// A person's page: uploads, reports, games, the ladder, the name and the key.

import { made, madeButton } from "/static/drawing.js";
import { $, ask, attempt, confirmFirst, report } from "/static/page.js";
import { signed } from "/static/charts.js";
import {
  assignmentSelect,
  card,
  chooseBy,
  deadlineText,
  field,
  form,
  go,
  heading,
  historyCards,
  ladder,
  later,
  list,
  markCard,
  mayEnter,
  note,
  put,
  timeText,
  versionRow,
  useCoordinates,
} from "./common.js";
import { playAgainst } from "./entry_game.js";
import { reportOn } from "./report.js";

const PAUSE_MS = 1500;
const GAMES = 25; // games per page
const WAITING = ["received", "building", "checking"];
const state = { me: null };

async function start() {
  if (!(await mayEnter("Your key"))) return;
  state.me = await ask("/api/me");
  useCoordinates(state.me);
  describe();
  chooseBy([
    ["handin", "Hand in", showHandIn],
    ["report", "Report", showReport],
    ["games", "My games", showGames],
    ["ladder", "Ladder", showLadder],
    ["play", "Play", showPlay],
    ["mark", "Mark", showMark],
    ["you", "You", showYou],
  ])();
}

function describe() {
  $("who").textContent = [state.me.name, deadlineText(state.me)].filter(Boolean).join(" \u00b7 ");
}

// ---- uploads

function showHandIn() {
  const { me } = state;
  const open = me.assignments.filter((each) => !each.opens && !each.over);
  const select = assignmentSelect(
    open.map((each) => each.assignment),
    me.assignment,
  );
  const send = (file) => upload(file, select?.value);
  const input = made("input", { type: "file", accept: ".py,.c,.cpp,.cc,.cxx,.java,.rs,.js,.go,.zip", ariaLabel: "File" });
  input.addEventListener("change", () => input.files.length && attempt(() => send(input.files[0])));
  const choose = madeButton("Choose a file", () => input.click(), { className: "primary" });
  const facts = made("p", "quiet", `${me.languages.join(", ")}. At most ${me.kilobytes / 1000} MB.`);
  const drop = made("div", "drop", made("b", "", "Drop player.py or a zip here"), facts, ...(select ? [select] : []), choose, input);
  for (const name of ["dragenter", "dragover"])
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) attempt(() => send(event.dataTransfer.files[0]));
  });
  const named = me.assignment ? ` -F assignment='${me.assignment}'` : "";
  const command = `curl -H 'Authorization: Bearer KEY' -F file=@player.py${named} ${location.origin}/api/entries`;
  const details = made("details", "", made("summary", "", "From a shell"), made("pre", "shell", command));
  const template = made("a", { href: "/starters/player.py", download: "player.py" }, "a starter program");
  const parts = [
    ...(mayHandIn()
      ? [
          card(
            "Hand in a version",
            drop,
            details,
            made("p", "quiet", "You can build on ", template, "; see the ", made("a", { href: "/handout" }, "handout"), "."),
          ),
        ]
      : []),
    card(heading("Your versions", made("span", "quiet", "the latest one that passed counts")), versions(me.entries)),
  ];
  const refusal = me.refusal ? [note("bad", "Uploads are closed: this machine has no sandbox.", me.refusal)] : [];
  if (me.over || me.opens) refusal.push(note("warn", "Uploads are closed:", deadlineText(me)));
  for (const { assignment, blocked_for: reason } of me.assignments)
    if (reason !== null) refusal.push(note("bad", `Your teacher has blocked you${assignment && ` in ${assignment}`}.`, reason || "Ask why."));
  if (me.blocked) refusal.push(note("bad", "Your teacher has blocked you.", me.reason || "Ask why."));
  const late = open.filter((each) => each.late_text).map((each) => made("p", "", [each.assignment, each.late_text].filter(Boolean).join(": ")));
  if (late.length) refusal.push(note("warn", "Late work loses points.", ...late));
  put(
    ...refusal,
    made("div", "cols", ...parts),
    ...open.flatMap((each) => each.papers.map((paper) => paperCard(each, paper))),
    card(
      "Limits",
      ...(me.assignments.length < 2 ? [] : me.assignments.map((each) => made("p", "", [deadlineText(each), each.limit_text].join("; ")))),
      made(
        "p",
        "",
        `${me.assignments.length < 2 ? `${me.limit_text}. ` : ""}${me.memory} MB, one core, no network. Moves are read from standard input and written to standard output.`,
      ),
    ),
  );
}

// Return a card to hand in a PDF for a part of the mark.
function paperCard({ assignment }, { part, megabytes, received }) {
  const file = field(`PDF of at most ${megabytes} MB`, { type: "file", accept: ".pdf,application/pdf" });
  const send = async () => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ part, assignment })) if (value) body.append(name, value);
    body.append("file", file.input.files[0]);
    await ask("/api/papers", body);
    state.me = await ask("/api/me");
    showHandIn();
  };
  const files = received.map((each) => [
    made("span", "", timeText(each.received_at)),
    made("small", "", `${(each.bytes / 1000).toFixed(0)} kB, ${each.member}`),
  ]);
  return card(
    heading(`${assignment} ${part}`.trim(), made("span", "quiet", "the newest file counts")),
    list(files, "Nothing handed in yet."),
    form([file.box], "Hand in", send),
  );
}

function mayHandIn() {
  const { me } = state;
  return !(me.over || me.opens || me.blocked || me.refusal);
}

function versions(entries) {
  const rows = entries.map((each) => versionRow(each, "", `report/${each.entry}`));
  return list(rows, "No versions yet.");
}

async function upload(file, assignment) {
  const body = new FormData();
  body.append("file", file);
  if (assignment) body.append("assignment", assignment);
  const found = await ask("/api/entries", body);
  state.me = await ask("/api/me");
  go(`report/${found.entry}`);
}

// ---- report

async function showReport(number) {
  const chosen = number || state.me.entries[0]?.entry;
  if (!chosen) return put(note("", "You have not handed in a version yet."));
  const entry = await ask(`/api/entries/${chosen}`);
  if (!location.hash.startsWith("#report")) return undefined;
  const following = Math.max(...state.me.entries.map((each) => each.version)) + 1;
  const again = madeButton(`Hand in v${following}`, () => go("handin"), { className: "primary", hidden: !mayHandIn() });
  const counting = state.me.entries.find((each) => each.counts);
  const words = counting && counting.entry !== entry.entry ? `v${counting.version} still counts on the ladder.` : "";
  const files = made("a", { href: `/api/entries/${entry.entry}/source` }, "Your files");
  put(...reportOn(entry).flatMap((part, index) => (index ? [part] : [part, made("div", "row", again, files, made("span", "quiet", words))])));
  if (WAITING.includes(entry.state)) later(() => attempt(() => showReport(number)), PAUSE_MS);
  else state.me = await ask("/api/me");
  return undefined;
}

// ---- my games

async function showGames(rest = "") {
  const [from, assignment = ""] = rest.split("/");
  const found = await ask(`/api/games?from=${Number(from)}${assignment && `&assignment=${assignment}`}`);
  if (!location.hash.startsWith("#games")) return;
  const place = found.assignment ? `/${encodeURIComponent(found.assignment)}` : "";
  const select = assignmentSelect([...new Set(state.me.entries.map((each) => each.assignment))], found.assignment);
  select?.addEventListener("change", () => go(`games/0/${encodeURIComponent(select.value)}`));
  const rows = found.games.map((each) => {
    const margin = each.is_black ? each.margin : -each.margin;
    const against = `${each.number}, ${each.is_black ? "Black" : "White"} against ${each.is_black ? each.white : each.black}`;
    const link = made("a", { href: `/game#${each.number}${place}` }, against);
    const reason = each.reason === "finished" ? "" : made("span", `badge ${margin < 0 ? "bad" : "good"}`, each.reason);
    return [made("b", "n", signed(margin)), made("span", "", link, " ", reason)];
  });
  const first = Number(from);
  const turns = made("div", "row");
  if (first) turns.append(madeButton("Previous", () => go(`games/${Math.max(0, first - GAMES)}${place}`)));
  if (first + rows.length < found.count) turns.append(madeButton("More", () => go(`games/${first + GAMES}${place}`)));
  const head = heading("My games", ...(select ? [select] : []), made("span", "quiet", `${found.count} games of the version that counts, lost games first`));
  const history = first ? [] : historyCards(await ask(`/api/history${assignment && `?assignment=${assignment}`}`));
  if (!location.hash.startsWith("#games")) return;
  put(card(head, list(rows, "No games yet. Versions that pass play on the ladder."), turns), ...history);
}

// ---- the ladder, the name, the key

const ownEntries = () => state.me.entries.map((each) => each.entry);

async function showLadder() {
  const found = await ask("/api/standings");
  put(card("Ladder", made("div", "scroll", ladder(found, ownEntries()))));
}

async function showPlay() {
  const { rows } = await ask("/api/standings");
  const versions = rows.filter((row) => row.entry);
  put(...playAgainst(versions, ownEntries()));
}

async function showMark() {
  const mark = await ask("/api/mark");
  put(mark.parts.length ? markCard("Your mark so far", mark) : note("", "This class gives no marks."));
}

async function showYou() {
  const { input, box } = field("Shown on the public board as", { value: state.me.shown, maxLength: 40 });
  const rename = async () => {
    state.me = await ask("/api/me", { shown: input.value }, "PUT");
    await showYou();
  };
  const nameForm = form([box], "Save", rename, { field: input });
  const useOwn = madeButton(`Use ${state.me.name}`, () => {
    input.value = state.me.name;
    nameForm.requestSubmit();
  });
  nameForm.lastChild.append(useOwn);
  const place = made("div", "stack", made("p", "", "A new key replaces the old one, which stops working in your scripts and other browsers."));
  const change = madeButton("New key", () => {});
  confirmFirst(change, "Replace the old key?", () =>
    attempt(async () =>
      place.replaceChildren(made("p", "", "This is your new key. It is shown only once:"), made("p", "key", (await ask("/api/key", {})).key)),
    ),
  );
  const leave = madeButton("Log out", () =>
    attempt(async () => {
      await ask("/api/logout", {});
      location.assign("/");
    }),
  );
  place.append(made("div", "row", change));
  const cards = [card("Your name", nameForm), card("Your key", place, made("div", "row", leave))];
  put(made("div", "cols", ...cards));
}

report(null);
await attempt(start);
