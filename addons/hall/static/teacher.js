// The teacher's page: entries, people and their keys, similar versions, finals, exports and events.

import { made, madeButton } from "/static/drawing.js";
import { $, ask, attempt, confirmFirst, fillSelect } from "/static/page.js";
import { table } from "/static/tables.js";
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
  later,
  lines,
  list,
  markCard,
  mayEnter,
  note,
  playersText,
  put,
  stateTag,
  timeText,
  versionRow,
  useCoordinates,
} from "./common.js";
import { reportOn } from "./report.js";

const PAUSE_MS = 3000;
const MATCH_COLORS = 5;
const state = { me: null, found: null, matrix: null };
const wanted = { name: "", state: "", assignment: "" };
const STATES = [
  ["", "all states"],
  "passed",
  ["refused", "failed"],
  ["waiting", "in the queue"],
  ["none", "nothing yet"],
  "late",
  ["unmarked", "to be marked"],
];
const FORMATS = [["auto", "round robin for up to 12 players, else Swiss"], ["swiss", "Swiss"], ["round-robin", "round robin"], "knockout"];

async function start() {
  if (!(await mayEnter("The teacher's key", ["teacher", "assistant"]))) return;
  state.me = await ask("/api/me");
  useCoordinates(state.me);
  $("who").textContent = deadlineText(state.me);
  chooseBy([
    ["entries", "Entries", showEntries],
    ...(isTeacher() ? [["people", "People", showNewcomers]] : []),
    ["alike", "Similar", showAlike],
    ["final", "Final", showFinal],
    ["export", "Export", showExport],
    ["events", "Events", showEvents],
  ])();
}

function isTeacher() {
  return state.me.role === "teacher";
}

// Return a form that sends a list, pasted or from a file, and the element with the server's notes on it.
function listForm(label, placeholder, button, path, then) {
  const text = made("textarea", { rows: 8, placeholder, ariaLabel: `List of ${label.toLowerCase()}` });
  const file = made("input", { type: "file", accept: ".csv,.txt,text/csv,text/plain", ariaLabel: "File with the list" });
  file.addEventListener("change", async () => {
    if (file.files[0]) text.value = await fileText(file.files[0]);
  });
  const notes = made("div", { role: "status" });
  const send = async () => {
    const answer = await ask(path, { list: text.value });
    notes.replaceChildren(...answer.notes.map((each) => made("p", "quiet", each)));
    then(answer, notes);
    text.value = "";
  };
  return [form([made("label", "stack", label, text), file], button, send), notes];
}

// Show the form that adds people from a list in the format that `class new` reads.
function showNewcomers() {
  const keys = made("pre", "shell");
  const [box, notes] = listForm("People", "name\nAda Lovelace\nAlan Turing", "Add", "/api/people", (answer) => {
    keys.textContent = ["name,key", ...answer.keys.map(({ name, key }) => `"${name.replaceAll('"', '""')}",${key}`)].join("\n");
  });
  const help = "One name per line, or a spreadsheet saved as CSV. Columns: name (or first name and surname), ID, e-mail, role, team. Others are ignored.";
  const [size, seed] = [field("Members per team", { type: "number", min: 2, value: 3 }), field("Seed (empty: random)", { type: "number", min: 0 })];
  const found = made("div", { role: "status" });
  const make = async () => {
    const asked = { size: Number(size.input.value), ...(seed.input.value && { seed: Number(seed.input.value) }) };
    const answer = await ask("/api/teams", asked);
    const rows = Object.entries(answer.teams).map(([team, members]) => [made("b", "n", team), made("span", "", members.join(", "))]);
    found.replaceChildren(list(rows, "Everybody is in a team already."), made("p", "quiet", `Seed ${answer.seed}`));
  };
  const words = "Puts all students who take part alone into random teams, whose sizes differ by at most one. Do this before anyone hands in anything.";
  put(
    card("Add people", made("p", "", help), box, made("p", "quiet", "Keys are shown only once."), notes, keys),
    card("Teams", made("p", "", words), form([size.box, seed.box], "Make teams", make), found),
  );
}

// Return the text of a file, decoded as UTF-8, as UTF-16 if it begins with 0xFF 0xFE or, if that fails, as Latin-1.
async function fileText(file) {
  const data = await file.arrayBuffer();
  const isWide = new Uint16Array(data.slice(0, 2))[0] === 0xfeff;
  try {
    return new TextDecoder(isWide ? "utf-16le" : "utf-8", { fatal: true }).decode(data);
  } catch {
    return new TextDecoder("latin1").decode(data);
  }
}

// Ask the server for a change, and redraw part of the page.
function change(show, path, body, method = "POST") {
  return attempt(async () => {
    await ask(path, body, method);
    await show();
  });
}

async function showEntries(rest) {
  if (rest.startsWith("of-")) return showPerson(decodeURIComponent(rest.slice(3)));
  if (rest) return showReport(rest);
  const search = made("input", { placeholder: "Find a person", ariaLabel: "Find a person", value: wanted.name });
  const select = fillSelect(made("select", { ariaLabel: "State" }), STATES, wanted.state);
  const names = state.me.assignments.map((each) => each.assignment).filter(Boolean);
  const phase = fillSelect(made("select", { ariaLabel: "Assignment", hidden: !names.length }), [["", "all assignments"], ...names], wanted.assignment);
  const [counts, place] = [made("div", "cols four"), made("div", "scroll")];
  const troubles = made("div", "stack");
  const ladder = madeButton("", () =>
    change(() => showEntries(rest), "/api/ladder", { wanted: state.found.ladder === "running" ? "stopped" : "running" }, "PUT"),
  );
  put(troubles, counts, made("div", "row", ladder), card(heading("Entries", search, phase, select), place));
  const draw = () => {
    Object.assign(wanted, { name: search.value, state: select.value, assignment: phase.value });
    place.replaceChildren(people(state.found.people));
  };
  search.addEventListener("input", draw);
  for (const each of [select, phase]) each.addEventListener("change", draw);
  const refresh = async () => {
    [state.found, state.matrix] = await Promise.all([ask("/api/people"), ask("/api/matrix")]);
    troubles.replaceChildren(...warnings(state.found));
    counts.replaceChildren(...summary(state.found.people));
    ladder.textContent = state.found.ladder === "running" ? "Stop the ladder" : "Play the ladder";
    draw();
    later(() => attempt(refresh), PAUSE_MS);
  };
  return refresh();
}

// ---- similar versions

async function showAlike(rest) {
  if (rest) return showBoth(...rest.split("-"));
  put(made("p", "quiet", "Comparing\u2026"));
  const { pairs, compared, asked, mean } = await ask("/api/alike");
  const cards = pairs.map(({ people, blocked, versions }) => {
    const tags = blocked.map((name) => made("span", "badge warn", `${name} is blocked`));
    return card(heading(people.join(" and "), ...tags), list(versions.map(alikeRow)));
  });
  const words = "Two programs can be similar by chance, or use the same opening book. This list is not a verdict.";
  const usual = asked > 1 ? ` On average, two versions agree on ${percent(mean)} of their moves.` : "";
  const title = heading("Similar versions", made("span", "quiet", `compared: ${compared} versions by text and ${asked} by moves`));
  put(card(title, note("", words, usual), ...(cards.length ? [] : [made("p", "quiet", "No two versions are suspiciously similar.")])), ...cards);
  return undefined;
}

// Return a list row for two similar versions of two people.
function alikeRow({ first, second, text, play, above }) {
  const deviations = above === null ? "" : `, ${above.toFixed(1)} standard deviations above the other pairs`;
  const alike = play ? [`the same move in ${percent(play.share)} of ${play.positions} positions${deviations}`] : [];
  const said = [`${percent(text)} of the text`, ...alike].join("; ");
  return [made("b", "n", percent(text)), lines([`${versionText(first)} and ${versionText(second)}`], said), compareButton(first, second)];
}

// Return a version's assignment and number, such as "II v3 (failed)".
function versionText({ assignment, version, state, blocked }) {
  const words = [...(state === "refused" ? ["failed"] : []), ...(blocked ? ["blocked"] : [])];
  return `${assignment} v${version}${words.length ? ` (${words.join(", ")})` : ""}`.trim();
}

function compareButton(first, second) {
  const ariaLabel = `Compare ${first.person} ${versionText(first)} and ${second.person} ${versionText(second)}`;
  return madeButton("Compare", () => go(`alike/${first.entry}-${second.entry}`), { ariaLabel });
}

// Show two versions side by side. Matching parts have the same colour; a click on one scrolls to the other.
async function showBoth(first, second) {
  put(made("p", "quiet", "Comparing\u2026"));
  const { versions } = await ask(`/api/alike/${first}/${second}`);
  const cards = versions.map((each, side) => {
    const texts = Object.entries(each.files).flatMap(([name, parts]) => [
      made("h3", "", name),
      made("pre", { className: "shell", tabIndex: 0 }, ...parts.map(matchedPart)),
    ]);
    const evidence = [Number(first), Number(second)];
    const found = card(`${each.person} ${versionText(each)}`, ...(isTeacher() ? [blockForm(each.person, evidence)] : []), ...texts);
    found.addEventListener("click", ({ target }) => {
      if (target.dataset.match) cards[1 - side].querySelector(`[data-match="${target.dataset.match}"]`)?.scrollIntoView({ block: "nearest" });
    });
    return found;
  });
  const words = "Parts with the same colour are equal except for names, numbers, strings and comments, and are not in the starter program.";
  put(
    made(
      "div",
      "row",
      madeButton("Back", () => go("alike")),
      made("span", "quiet", words),
    ),
    made("div", "pair", ...cards),
  );
  for (const each of cards) {
    const mark = each.querySelector("mark");
    if (mark) mark.closest("pre").scrollTop = mark.offsetTop;
  }
}

function matchedPart([text, number]) {
  if (number === null) return text;
  const mark = made("mark", `match${number % MATCH_COLORS}`, text);
  mark.dataset.match = number;
  return mark;
}

function percent(share) {
  return `${(100 * share).toFixed(0)} %`;
}

function warnings({ refusal, problem, ladder, ladder_reason: reason }) {
  const found = [];
  const why = "Uploaded programs run only in a sandbox. To fix this:";
  if (refusal) found.push(note("bad", "Uploads are closed: this machine has no sandbox.", made("span", "", why), made("pre", "", refusal)));
  const what = ladder === "running" ? "The ladder failed and is restarted every half minute:" : "The ladder has stopped:";
  if (reason) found.push(note("warn", what, reason));
  if (problem) found.push(note("warn", "class.toml is invalid; the previous settings stay in force:", made("pre", "", problem)));
  return found;
}

// Return the cells of a person in the chosen assignment, or in all; none for the staff.
function cellsOf({ name }, assignment = wanted.assignment) {
  return (state.matrix[name] ?? []).filter((cell) => !assignment || cell.assignment === assignment);
}

// Return the filters that a cell passes.
function kindsOf({ counts, newest, unmarked }) {
  const shown = counts ?? newest;
  const state = newest ? (newest.place ? "waiting" : newest.state) : "none";
  return [state, ...(counts ? ["passed"] : []), ...(shown?.late_hours ? ["late"] : []), ...(unmarked.length ? ["unmarked"] : [])];
}

// Count the students by what they have done in the current assignment.
function summary(people) {
  const kinds = people.flatMap((row) => cellsOf(row, state.me.assignment)).map(kindsOf);
  const count = (kind) => String(kinds.filter((each) => each.includes(kind)).length);
  return [
    [count("passed"), `passed, of ${kinds.length}`],
    [count("refused"), "latest version failed"],
    [count("waiting"), "in the queue"],
    [count("none"), "nothing handed in"],
  ].map(([number, text]) => made("section", "card", made("div", "big", number), made("p", "quiet", text)));
}

function people(rows) {
  const chosen = rows.filter(
    (row) =>
      `${row.name} ${row.shown}`.toLowerCase().includes(wanted.name.toLowerCase()) &&
      (!wanted.state || cellsOf(row).some((cell) => kindsOf(cell).includes(wanted.state))),
  );
  const shown = state.me.assignments.map((each) => each.assignment).filter((name) => !wanted.assignment || name === wanted.assignment);
  const heads = [["Name", "name"], ["Shown as", "wide"], ...shown.map((name) => [name || "Version"])];
  const cells = chosen.map((row) => {
    const tag = row.blocked ? made("span", "badge warn", "blocked") : row.role === "student" ? "" : made("span", "badge soft", row.role);
    const name = made("span", "", made("a", { href: `#entries/of-${encodeURIComponent(row.name)}` }, row.name), " ", tag);
    const found = cellsOf(row).map((cell) => cellBox(cell, row.blocks));
    return [name, row.shown, ...(found.length ? found : shown.map(() => ""))];
  });
  return table("Entries", heads, cells);
}

// Return a cell of the table: the version that counts, or else the newest, with remarks such as lateness and points.
function cellBox({ assignment, counts, newest, points, weight, unmarked }, blocks) {
  const shown = counts ?? newest;
  const version = shown
    ? [made("a", { href: `#entries/${shown.entry}` }, `v${shown.version}`), " ", stateTag(shown)]
    : [made("span", "badge soft", "none yet")];
  const remarks = [
    assignment in blocks && "blocked",
    shown?.late_hours > 0 && `${shown.late_hours} h late`,
    newest && newest.entry !== shown.entry && `v${newest.version} ${newest.state === "refused" ? "failed" : newest.state}`,
    weight > 0 && `${points} of ${weight}`,
    ...unmarked,
  ];
  return made("div", "", ...version, " ", made("small", "", remarks.filter(Boolean).join(", ")));
}

async function showPerson(name) {
  const [{ people, assignments }, { entries }] = await Promise.all([ask("/api/people"), ask("/api/entries")]);
  const person = people.find((each) => each.name === name);
  if (!person) return put(note("bad", "There is no such person."));
  const own = entries.filter((each) => each.person === name).reverse();
  const path = `/api/people/${encodeURIComponent(name)}`;
  const key = made("p", "key");
  const rows = own.map((each) => versionRow(each, `, ${each.language}`, `entries/${each.entry}`));
  const mayBlock = isTeacher() && name !== state.me.name;
  const title = heading(`${name}, shown as ${person.shown}`, ...(mayBlock && !person.blocked ? [blockForm(name)] : []));
  const blocks = [...(person.blocked ? [["", person.reason]] : []), ...Object.entries(person.blocks)];
  const refusal = blocks.map(([assignment, reason]) => {
    const body = { blocked: false, assignment: assignment || null };
    const unblock = madeButton("Unblock", () => {});
    confirmFirst(unblock, "Let them take part again?", () => change(() => showPerson(name), `${path}/block`, body, "PUT"));
    return note("warn", `Blocked${assignment && ` in ${assignment}`}.`, reason, " ", ...(mayBlock ? [unblock] : []));
  });
  const members = person.members.map((each) => memberRow(each, person, key));
  const cards = [card(title, ...refusal, list(members), key), card("Versions", list(rows, "Nothing handed in yet."))];
  const [mark, games] = await Promise.all(["mark", "history"].map((each) => ask(`/api/${each}?person=${encodeURIComponent(name)}`)));
  if (person.role === "student" && mark.parts.length) cards.push(markCard("Mark", mark, (part) => byHand(name, part)));
  return put(made("div", "row", back("All entries", "entries")), ...cards, ...extension(person, path, assignments), ...historyCards(games));
}

// Return fields that block a person. evidence: two versions whose comparison is saved with the reason.
function blockForm(name, evidence = null) {
  const assignments = state.me.assignments.map((each) => each.assignment).filter(Boolean);
  const where = fillSelect(made("select", { ariaLabel: `Block ${name} in` }), [["", "all assignments"], ...assignments]);
  const reason = made("input", { placeholder: "Reason (shown to the person)", ariaLabel: `Reason to block ${name}`, maxLength: 200 });
  const block = madeButton(`Block ${name}`, () => {});
  const to = `entries/of-${encodeURIComponent(name)}`;
  confirmFirst(block, "Reject uploads, and take the versions off the ladder?", () => {
    const body = { blocked: true, reason: reason.value, assignment: where.value || null, evidence };
    const show = () => (location.hash === `#${to}` ? showPerson(name) : go(to));
    return change(show, `/api/people/${encodeURIComponent(name)}/block`, body, "PUT");
  });
  return made("span", "row", where, reason, block);
}

// Return the files, the form and the history of a part by hand.
function byHand(name, { assignment, name: part, weight, history, papers }) {
  const files = papers.map(({ number, member, bytes, received_at: at }) => {
    const facts = made("small", "", `${timeText(at)}, ${member}, ${(bytes / 1000).toFixed(0)} kB`);
    return [made("a", { href: `/api/papers/${number}`, download: "" }, `File ${number}`), facts];
  });
  const points = field(`Points for ${part}, 0 to ${weight} (empty: withdraw)`, { type: "number", min: 0, max: weight, step: "any" });
  const comment = made("textarea", { rows: 2, maxLength: 2000, value: history[0]?.comment ?? "", ariaLabel: `Comment on ${part}` });
  points.input.value = history[0]?.points ?? "";
  const save = async () => {
    const value = points.input.value === "" ? null : Number(points.input.value);
    await ask(`/api/marks/${encodeURIComponent(name)}`, { assignment, part, points: value, comment: comment.value }, "PUT");
    await showPerson(name);
  };
  const old = history.map((each) => [made("b", "n", String(each.points ?? "none")), lines([each.comment], `${each.asked_by}, ${timeText(each.at)}`)]);
  const past = made("details", "", made("summary", "", `History (${history.length})`), list(old, "Nobody has entered points."));
  return [...(files.length ? [list(files)] : []), form([points.box, made("label", "", "Comment (shown to the person)", comment)], "Save", save), past];
}

// Return a row for a person with a key: a member of a team, or someone who takes part alone.
function memberRow({ name, id, email }, person, key) {
  const path = `/api/people/${encodeURIComponent(name)}`;
  const renew = madeButton("New key", () => {}, { ariaLabel: `New key for ${name}` });
  confirmFirst(renew, "Replace the old key?", () =>
    attempt(async () => {
      key.textContent = (await ask(`${path}/key`, {})).key;
    }),
  );
  const remove = madeButton("Remove", () => {}, { ariaLabel: `Remove ${name}` });
  confirmFirst(remove, "Revoke the key? If no other member is left, the versions stop playing.", () =>
    attempt(async () => {
      await ask(path, undefined, "DELETE");
      go("entries");
    }),
  );
  const buttons = isTeacher() ? [renew, ...(person.name === state.me.name ? [] : [remove])] : [];
  return [made("b", "n", name), made("small", "", [id, email].filter(Boolean).join(", ")), made("span", "row", ...buttons)];
}

// Return forms to extend a student's deadlines, one for each assignment with a deadline. Only teachers get any.
function extension(person, path, assignments) {
  if (person.role !== "student" || !isTeacher()) return [];
  return assignments.map((assignment) => {
    const own = field("Later deadline (empty: the class's deadline)", { type: "datetime-local" });
    if (person.deadlines[assignment]) own.input.value = localTime(person.deadlines[assignment]);
    const save = async () => {
      const moment = own.input.value ? new Date(own.input.value).toISOString() : null;
      await ask(`${path}/deadline`, { deadline: moment, assignment }, "PUT");
      await showPerson(person.name);
    };
    return card(`Extension ${assignment}`.trim(), form([own.box], "Save", save));
  });
}

function localTime(seconds) {
  const moment = new Date(1000 * seconds);
  return new Date(moment - 60000 * moment.getTimezoneOffset()).toISOString().slice(0, 16);
}

async function showReport(number) {
  const entry = await ask(`/api/entries/${number}`);
  const path = `/api/entries/${number}`;
  const show = () => showReport(number);
  const again = madeButton("Check again", () => change(show, `${path}/check`, {}), { disabled: Boolean(entry.place) });
  const toggle = () => change(show, `${path}/block`, { blocked: !entry.blocked }, "PUT");
  const block = madeButton(entry.blocked ? "Unblock this version" : "Block this version", toggle);
  const files = made("a", { href: `${path}/source` }, "Files");
  put(made("div", "row", back(entry.person, `entries/of-${encodeURIComponent(entry.person)}`), again, block, files), ...reportOn(entry));
  if (entry.place) later(() => attempt(show), PAUSE_MS);
}

function back(text, to) {
  return madeButton(`\u2039 ${text}`, () => go(to));
}

async function showFinal(chosen) {
  const { finals, players, waiting, assignment, assignments, rehearsal } = await ask(`/api/finals${chosen && `?assignment=${chosen}`}`);
  const select = assignmentSelect(assignments, assignment);
  select?.addEventListener("change", () => go(`final/${encodeURIComponent(select.value)}`));
  const shown = await ask("/api/final");
  const format = fillSelect(made("select", { ariaLabel: "Format" }), FORMATS);
  const seed = field("Seed (empty: random)", { type: "number", min: 0 });
  const first = field("Number of players from the top of the ladder (empty: all)", { type: "number", min: 2 });
  const begin = async () => {
    const asked = {
      format: format.value,
      assignment,
      ...(seed.input.value && { seed: Number(seed.input.value) }),
      ...(first.input.value && { first: Number(first.input.value) }),
    };
    await ask("/api/finals", asked);
    await showFinal(chosen);
  };
  const isRehearsal = ({ name }) => name.startsWith("rehearsal");
  const isPlayed = finals.some((each) => each.wanted !== "over" && !(each.wanted === "stopped" && isRehearsal(each)));
  const title = rehearsal ? "Start a rehearsal" : "Start the final";
  const settings = form([made("label", "", "Format", format), seed.box, first.box], title, begin, { disabled: isPlayed });
  const rows = finals.map((each) => {
    const [text, wanted] = each.wanted === "running" ? ["Stop", "stopped"] : ["Continue", "running"];
    const act = () => change(() => showFinal(chosen), `/api/finals/${each.final.slice(6)}`, { wanted }, "PUT");
    const button = madeButton(text, act, { hidden: each.wanted === "over" });
    const facts =
      each.final === shown.final ? `${shown.format}, seed ${shown.seed}: ${shown.games} of ${shown.planned ?? "?"} games played, ${shown.shown} shown` : "";
    return [
      made("b", "n", each.final),
      made(
        "span",
        "",
        isRehearsal(each) ? "rehearsal, " : "",
        { running: "running", stopped: "stopped", over: "finished" }[each.wanted],
        " ",
        made("small", "", facts, each.reason),
      ),
      button,
    ];
  });
  const link = made("a", { href: "/board", target: "_blank" }, "Open the projector\u2019s page");
  const who = `Taking part: ${playersText(players)}${waiting ? `; still waiting to be checked: ${waiting}` : ""}. The same seed gives the same final. A knockout after another final is seeded from its table.${rehearsal ? " Before the deadline, a final is a rehearsal, which counts for nothing." : ""}`;
  const cards = [
    card(heading("The final", ...(select ? [select] : [])), made("p", "", who), settings),
    card("Finals", list(rows, "No finals yet."), made("p", "", link)),
  ];
  put(made("div", "cols", ...cards));
  if (finals.some((each) => each.wanted === "running"))
    later(() => location.hash.startsWith("#final") && !settings.contains(document.activeElement) && attempt(() => showFinal(chosen)), PAUSE_MS);
}

function showExport() {
  const link = (href, text) => made("a", { href, download: "" }, text);
  const rows = [
    [
      made("b", "n", "CSV"),
      lines(["one line per person and assignment: version, lateness, rating, place in the final, points, mark"], "for a spreadsheet"),
      link("/api/export.csv", "Save"),
    ],
    [
      made("b", "n", "Gradescope"),
      made("span", "", "tests, score and leaderboard of each student\u2019s newest version, in a zip"),
      link("/api/results.zip", "Save"),
    ],
    ...[
      ["sheet", "Final sheet", "one line per student, one column per part, for a spreadsheet"],
      ["moodle", "Moodle", "for Grades, Import, CSV; identify users by ID number or e-mail address"],
      ["canvas", "Canvas", "for Gradebook, Import; students are found by the SIS user ID"],
    ].map(([name, title, help]) => [made("b", "n", title), made("span", "", help), link(`/api/marks/${name}.csv`, "Save")]),
    [made("b", "n", "JSON"), made("span", "", "all reports, versions and ratings"), link("/api/export.json", "Save")],
  ];
  const say = ({ entered }, notes) => notes.prepend(made("p", "", `Points entered: ${entered}`));
  const columns = "Columns: name or ID, points and, optionally, comment, part and assignment. Others are ignored.";
  const [box, notes] = listForm("Points", "ID,points,comment\n0815,20.5,a clear text", "Enter", "/api/marks", say);
  put(card("Export", list(rows)), card("Points by hand", made("p", "", columns), box, notes));
}

async function showEvents() {
  const { events } = await ask("/api/events");
  const evidence = ({ number }) => made("a", { href: `/api/evidence/${number}`, download: "" }, "evidence");
  const rows = events.map((each) => [timeText(each.at), each.person, each.what, made("span", "", each.text, " ", each.evidence ? evidence(each) : "")]);
  const heads = [["When"], ["Who", "name"], ["What"], ["", "name"]];
  put(card("Events", made("div", "scroll", table("Events", heads, rows))));
}

await attempt(start);
