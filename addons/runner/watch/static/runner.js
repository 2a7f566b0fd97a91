// The owner's part of the page: the queue of runs, their controls, and the views that start runs and register engines.

import { made, madeButton } from "/static/drawing.js";
import { $, ask, attempt, fillSelect, showOnly } from "/static/page.js";
import { signed, withMinus } from "/static/charts.js";
import { Engines } from "./engines.js";
import { StartForm } from "./start.js";
import { Turns } from "./turns.js";
import { redraw } from "./tournament.js";

const AGAIN_MS = 1000;
const LISTED = 6; // maximum number of games in the list of lost games
const VIEWS = ["engines", "start"]; // addresses that name a view instead of a tournament
const QUEUED = ["runs", "stopping", "waits", "stopped"];
const KINDS = { runs: "good", stopping: "warn", waits: "info", stopped: "warn", over: "good", unreadable: "bad" };
const EXPORTS = [
  ["report", "Report (HTML)"],
  ["csv", "CSV"],
  ["json", "JSON lines"],
  ["ggf", "GGF"],
  ["wthor", "WTHOR (zip)"],
  ["transcript", "Transcripts"],
];

export class Runner {
  // addressOf: returns the address where a game of the displayed tournament is replayed.
  constructor(addressOf) {
    Object.assign(this, { addressOf, isThere: false, id: "", known: null, engines: new Engines(), text: "", listed: "" });
    this.turns = new Turns($("turns"), $("turn-boards"));
    this.form = new StartForm((found, plays) => {
      location.hash = plays ? found.id : "";
      this.look();
    });
    $("all-levels").addEventListener("click", () => attempt(async () => this.form.began(await ask("/api/runs", { text: this.known.levels }), true)));
    $("pause").addEventListener("click", () => this.change("/api/runs", { paused: !this.known.paused }));
    this.actions = made("div", { className: "row", id: "run-actions" });
    this.facts = made("dl", { className: "facts", id: "facts" });
    this.ofEngine = made("select", { ariaLabel: "Engine" });
    this.ofEngine.addEventListener("change", () => this.listLost());
    this.lost = made("ul", "runs");
    this.lostBox = made("section", { id: "lost" }, made("h2", "", "Lost games first, for ", this.ofEngine), this.lost);
  }

  // Show or hide the owner's part. id: the displayed tournament, or a view. Return whether it is a view.
  async show(isAuthor, id) {
    const isView = isAuthor && VIEWS.includes(id);
    this.id = id;
    $("runner").hidden = !isAuthor;
    if (!isAuthor) return false;
    if (!this.isThere) {
      this.isThere = true;
      document.querySelector("main").classList.add("author");
      document.querySelector("#top .head").append(this.actions);
      $("course").after(this.facts);
      $("now").before(this.lostBox);
      setInterval(() => document.hidden || this.look().catch(() => {}), AGAIN_MS);
    }
    document.querySelector("main").classList.toggle("view", isView);
    showOnly($("runner"), []);
    const current = { "to-runs": !isView, "to-engines": id === "engines" };
    for (const [link, isCurrent] of Object.entries(current)) $(link).ariaCurrent = isCurrent ? "page" : "false";
    await this.look();
    if (!isView) return false;
    await this.engines.load();
    if (this.id !== id) return true; // another view was chosen in the meantime
    showOnly($("runner"), [id]);
    const { engines } = this.engines.known;
    if (id === "start") this.form.fill(this.known, namesOf(engines));
    return true;
  }

  // Load the state of the runs, and redraw the queue if it has changed.
  async look() {
    await this.turns.look();
    const known = await ask("/api/runs");
    const text = JSON.stringify([known.runs, known.files, known.paused, this.id]);
    this.known = known;
    if (text === this.text) return;
    this.text = text;
    const { runs, files } = known;
    const isView = VIEWS.includes(this.id);
    const queued = runs.filter((run) => QUEUED.includes(run.state));
    const ended = runs.filter((run) => !QUEUED.includes(run.state));
    if (!isView) showOnly($("runner"), [runs.length + files.length ? "queue" : "nothing"]);
    for (const [name, rows] of Object.entries({ queue: queued, ended })) {
      $(`${name}-card`).hidden = !rows.length;
      redraw(`${name}-list`, ...rows.map((run) => this.row(run, queued)));
    }
    $("paused").hidden = !known.paused;
    $("pause").textContent = known.paused ? "Continue" : "Pause";
    $("saved-card").hidden = !files.length;
    $("saved-list").replaceChildren(...files.map((file) => this.savedRow(file)));
    this.drawActions();
  }

  row(run, queued) {
    const { id, state, tournament, error, store, reason } = run;
    const name = made("a", { href: `#${id}` }, tournament ?? store);
    const first = state === "waits" && queued[0] !== run;
    const button = first ? madeButton("▲ First", () => this.changeRun(run, { wanted: "running", first: true })) : this.mainButton(run);
    button.dataset.key = store;
    const line = made("li", id === this.id ? "on" : "", made("span", `badge ${tagKind(run)}`, tagText(run)));
    line.append(
      made("span", "", made("strong", "", name), made("br"), made("small", "", error ?? reason ?? "", error || reason ? made("br") : "", said(run))),
      button,
    );
    return line;
  }

  savedRow(file) {
    const start = () => attempt(async () => this.form.began(await ask("/api/runs", { file }), true));
    return made("li", "", made("span", "badge soft", "saved"), made("span", "", file), madeButton("Start", start));
  }

  // Return the button for a run's most common action in its state.
  mainButton(run) {
    if (run.state === "runs" || run.state === "waits") return madeButton("Stop", () => this.changeRun(run, { wanted: "stopped" }));
    if (run.state === "stopping") return madeButton("Stop now", () => this.changeRun(run, { wanted: "stopped", now: true }));
    if (run.state === "stopped") return madeButton("Resume", () => this.changeRun(run, { wanted: "running" }));
    return madeButton("Open", () => location.assign(`#${run.id}`));
  }

  changeRun(run, change) {
    this.change(`/api/runs/${encodeURIComponent(run.store)}`, change);
  }

  change(path, change) {
    attempt(async () => {
      await ask(path, change, "PUT");
      await this.look();
    });
  }

  // Draw the controls of the displayed run: stop or resume, more rounds, export.
  drawActions() {
    const run = this.known.runs.find((each) => each.id === this.id);
    this.actions.replaceChildren();
    if (!run || run.error) return;
    if (QUEUED.includes(run.state)) this.actions.append(this.mainButton(run));
    if (run.rounds && (run.state === "over" || run.state === "stopped")) this.actions.append(this.moreRounds(run));
    const select = made("select", { ariaLabel: "Export" });
    fillSelect(select, [["", "Export"], ...EXPORTS]);
    select.addEventListener("change", () => {
      made("a", { href: `/api/runs/${encodeURIComponent(run.store)}/export?as=${select.value}`, download: "" }).click();
      select.value = "";
    });
    this.actions.append(select);
  }

  moreRounds(run) {
    const field = made("input", { type: "number", min: run.rounds + 1, value: 2 * run.rounds, ariaLabel: "Total rounds" });
    const go = () => this.changeRun(run, { wanted: "running", rounds: Number(field.value) });
    return made("span", "row", field, madeButton("rounds: continue", go));
  }

  // Draw the parts of a tournament that only the owner sees. found: the tournament's document.
  draw(found) {
    if (!this.isThere) return;
    const engines = this.known.runs.find((run) => run.id === this.id)?.engines ?? found.standings.map((row) => row.name);
    if (this.ofEngine.textContent !== engines.join("")) fillSelect(this.ofEngine, engines, engines[0]);
    const listed = `${this.id} ${found.games}`;
    if (listed !== this.listed) this.listLost();
    this.listed = listed;
    const first = found.standings.find((row) => row.name === engines[0]);
    this.drawFacts(found, first);
  }

  // List an engine's games, lost games first.
  listLost() {
    attempt(async () => {
      const query = new URLSearchParams({ engine: this.ofEngine.value, sort: "lost" });
      const { games } = await ask(`/api/tournaments/${this.id}/games?${query}`);
      this.lost.replaceChildren(...games.slice(0, LISTED).map((game) => this.gameRow(game)));
      this.lostBox.hidden = !games.length;
    });
  }

  gameRow(game) {
    const isBlack = game.black === this.ofEngine.value;
    const margin = isBlack ? game.margin : -game.margin;
    const review = margin < 0 ? `&review=${isBlack ? 0 : 1}` : ""; // opens at the engine's first mistake
    const link = made("a", { className: "button", href: this.addressOf(game) + review, ariaLabel: `Open game ${game.number}` }, "Open");
    const against = `${game.number}, ${isBlack ? "Black" : "White"} against ${isBlack ? game.white : game.black} `;
    const text = made("span", "", against, game.reason === "finished" ? "" : made("span", "badge warn", game.reason));
    return made("li", "", made("strong", "", signed(margin)), text, link);
  }

  // Draw the figures next to a comparison's curve, from the first engine's point of view.
  drawFacts({ summary, games, progress }, first) {
    this.facts.hidden = summary.llr === undefined;
    if (this.facts.hidden) return;
    const speed = progress.games_per_second ? `, ${(60 * progress.games_per_second).toFixed(0)} a minute` : "";
    const facts = [
      ["Ratio", withMinus(summary.llr.toFixed(2))],
      ["Bounds", withMinus(`${summary.lower.toFixed(2)} and ${summary.upper.toFixed(2)}`)],
      ["Games", `${games}${speed}`],
      ["Pairs", first.pentanomial.join("\u2013")],
      ["Points", `${first.points} of ${first.games} for ${first.name}`],
    ];
    this.facts.replaceChildren(...facts.flatMap(([title, text]) => [made("dt", "", title), made("dd", "", text)]));
  }
}

const namesOf = (engines) => engines.map((engine) => engine.name);

function tagKind(run) {
  return run.state === "over" && run.accepted === "H0" ? "warn" : KINDS[run.state];
}

function tagText(run) {
  if (run.state === "over" && run.accepted) return run.accepted === "H1" ? "better" : "not better";
  return run.state === "over" ? "ended" : run.state;
}

function said(run) {
  if (run.games === undefined) return "";
  const format = run.format === "sprt" ? "compare" : run.format.replace("-", " ");
  const all = run.planned ?? run.most;
  return `${format}, ${run.games}${all && all !== run.games ? ` of ${run.planned ? "" : "at most "}${all}` : ""} games`;
}
