// A tournament's tables, charts and list of games, rendered from its document; shared by the server's page and the report.

import { made } from "/static/drawing.js";
import { $, attempt } from "/static/page.js";
import { eloScale, histogram, ratioChart, withMinus } from "/static/charts.js";
import { bracket, crosstable, gamesTable, scores, standingsTable, timeTable, verdictTable } from "/static/tables.js";

export const GAMES = 25; // games per page
const ROWS = 100; // engines per page of the standings
const CROSSED = 30; // maximum number of engines in the crosstable
const REASONS = ["finished", "adjudicated", "resign", "timeout", "crash", "illegal", "stall"];
const FILTER = ["engine", "against", "outcome", "reason"]; // fields that filter games

export class TournamentView {
  // find: takes FILTER's values and `from`, and returns a promise of { count, from, games }; numberOf: returns a link to
  // replay a game.
  constructor(find, numberOf) {
    Object.assign(this, { find, numberOf, asked: 0 });
    $("reason").append(...["", ...REASONS].map((reason) => new Option(reason || "any", reason)));
    $("newer").addEventListener("click", () => this.turn(-GAMES));
    $("older").addEventListener("click", () => this.turn(GAMES));
    $("better").addEventListener("click", () => this.leaf(-ROWS));
    $("worse").addEventListener("click", () => this.leaf(ROWS));
    for (const id of FILTER) $(id).addEventListener("change", () => this.turn(-this.from));
    $("filter").addEventListener("submit", (event) => event.preventDefault());
    $("filter").addEventListener("reset", () => setTimeout(() => this.turn(-this.from)));
    this.clear();
  }

  clear() {
    Object.assign(this, { document: null, first: 0, chosen: null, from: 0 });
    this.asked++;
    for (const id of FILTER) $(id).value = ""; // the filter applies only to this tournament
    $("names").replaceChildren();
    $("one").hidden = true;
  }

  // Draw the tables and charts. list() draws the list of games.
  draw(document) {
    this.document = document;
    const { tournament, game, format, standings, seed, distinct, games, lines, summary } = document;
    $("one").hidden = false;
    $("title").textContent = tournament;
    const repeats = distinct < games ? `; ${distinct} of ${games} games are distinct` : "";
    $("what").textContent = `${game}, ${format}, ${standings.length} engines, seed ${seed}${repeats}`;
    $("lines").textContent = withMinus(lines.join("\n"));
    $("test").hidden = summary.llr === undefined;
    if (summary.llr !== undefined) $("course").replaceChildren(ratioChart(summary));
    $("rounds").hidden = summary.stages === undefined;
    if (summary.stages) redraw("bracket", bracket(summary.stages, this.showPair));
    this.drawStandings();
    this.drawChosen();
    this.drawVerdicts();
    if ($("names").childElementCount !== standings.length) $("names").replaceChildren(...standings.map((row) => new Option("", row.name)));
  }

  drawStandings() {
    const { standings, columns, point } = this.document;
    this.first = Math.max(0, Math.min(this.first, standings.length - 1));
    const rows = standings.slice(this.first, this.first + ROWS);
    redraw("standings", standingsTable(rows, eloScale(standings), columns, point, this.chooseEngine));
    redraw("used", timeTable(rows));
    $("more").hidden = standings.length <= ROWS;
    $("shown").textContent = `${this.first + 1} to ${this.first + rows.length} of ${standings.length}`;
    $("better").disabled = this.first === 0;
    $("worse").disabled = this.first + ROWS >= standings.length;
  }

  // Draw the margins of the chosen engine (by default the first), and the crosstable or, if it is large, a part of it.
  drawChosen() {
    const { standings, meetings, point } = this.document;
    const place = standings.findIndex((row) => row.name === this.chosen);
    const index = Math.max(0, place);
    const first = Math.max(0, Math.min(index - CROSSED / 2, standings.length - CROSSED));
    const rows = standings.slice(first, first + CROSSED);
    $("around").textContent =
      rows.length < standings.length ? `Places ${first + 1} to ${first + rows.length}; choose an engine above to see the places around it.` : "";
    redraw("crosstable", crosstable(rows, scores(meetings), this.showPair));
    $("cross").classList.remove("whole"); // half the width, next to the verdicts, if that is enough
    $("cross").classList.toggle("whole", $("crosstable").scrollWidth > $("crosstable").clientWidth);
    $("margins").hidden = !standings[index].margins.length;
    $("histogram").replaceChildren(histogram(standings[index], point));
  }

  drawVerdicts() {
    const { standings, verdicts } = this.document;
    const counted = Object.entries(verdicts).map(([reason, number]) => `${number} ${reason}`);
    $("reasons").textContent = `${counted.join(", ") || "no games"}.`;
    redraw("verdicts", verdictTable(standings, this.showCharges) ?? "");
  }

  chooseEngine = (name) => {
    this.chosen = name;
    this.drawChosen();
    this.showGames({ engine: name });
  };

  showPair = (engine, against) => this.showGames({ engine, against });

  showCharges = (engine, reason) => this.showGames({ engine, reason, outcome: "lost" });

  showGames(filter) {
    this.from = 0;
    for (const id of FILTER) $(id).value = filter[id] ?? "";
    attempt(async () => {
      await this.list();
      $("played").scrollIntoView({ block: "nearest" });
    });
  }

  // List the matching games. An answer that arrives after a newer request is dropped.
  async list() {
    const asked = ++this.asked;
    const { count, from, games } = await this.find({ ...Object.fromEntries(FILTER.map((id) => [id, $(id).value])), from: this.from });
    if (asked !== this.asked) return;
    redraw("games", games.length ? gamesTable(games, this.numberOf) : made("p", "", "No matching games."));
    $("counted").textContent = count ? `${from + 1} to ${from + games.length} of ${count}, newest first` : "";
    $("newer").disabled = from === 0;
    $("older").disabled = from + games.length >= count;
  }

  turn(change) {
    this.from = Math.max(0, this.from + change);
    attempt(() => this.list());
  }

  leaf(change) {
    this.first += change;
    this.drawStandings();
  }
}

// Replace an element's content, and restore the focus.
export function redraw(id, ...pictures) {
  const key = $(id).contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  $(id).replaceChildren(...pictures);
  if (key !== undefined) [...$(id).querySelectorAll("[data-key]")].find((each) => each.dataset.key === key)?.focus({ preventScroll: true });
}
