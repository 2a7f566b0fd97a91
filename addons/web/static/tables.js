// A tournament's tables. Pure functions: data in, an element out. Text from a store is never parsed as HTML.

import { element, made, madeButton } from "/static/drawing.js";
import { eloBar, signed } from "./charts.js";

const CHARGED = ["crash", "timeout", "illegal", "stall", "resign"]; // verdicts against an engine
const count = new Intl.NumberFormat("en");
const SHADES = 5; // number of cell colours, from all lost to all won

// Return a button that keeps the focus when its table is redrawn; `key` identifies it.
export function keyed(key, text, act, about = { className: "plain" }) {
  const button = madeButton(text, act, about);
  button.dataset.key = key;
  return button;
}

// Return a table; heads: [title, class, help] each; rows: arrays of cells, each an element or a string.
export function table(caption, heads, rows) {
  const element = made("table", "", made("caption", "heard", caption));
  const head = element.createTHead().insertRow();
  for (const [title, className = "", help = ""] of heads) {
    head.append(made("th", { className, scope: "col", title: help }, title));
  }
  const body = element.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const [index, cell] of row.entries()) {
      const name = heads[index][1] ?? "";
      line.append(made("td", name, name === "name" ? named(cell) : cell));
    }
  }
  return element;
}

// Return a name as an element with the full name as its title, because narrow pages truncate long names.
function named(cell) {
  const element = typeof cell === "string" ? made("span", "", cell) : cell;
  element.title ||= element.textContent;
  return element;
}

// Return the standings. rows: the engines to show; scale: the range of the Elo chart; columns: the format's additional
// columns; choose: called with an engine's name.
export function standingsTable(rows, scale, columns, point, choose) {
  const number = "number";
  const list = [
    ["", number, "", (row) => row.place],
    ["Engine", "name", "", ({ name }) => keyed(`engine ${name}`, name, () => choose(name))],
    ["Games", number, "", (row) => row.games],
    ["Points", number, "", (row) => row.points],
    ["%", number, "", (row) => row.games > 0 && ((100 * row.points) / row.games).toFixed(1)],
    ["W-D-L", "number wide", "", (row) => `${row.wins}-${row.draws}-${row.losses}`],
    ["Elo", number, "against the average of the field", (row) => row.games > 0 && signed(row.elo)],
    ["\u00b195 %", number, "half the 95 % interval of the rating, computed from pairs of games", (row) => row.games > 0 && row.error.toFixed(0)],
    ["Elo with its 95 % interval", "chart", "", (row) => row.games > 0 && eloBar(row, scale)],
    ["LOS", number, "likelihood of being stronger than the next engine", (row) => row.games > 0 && percent(row.superiority)],
    ["Margin", "number wide", `mean over pairs of games, in ${point}s per game`, (row) => row.games > 0 && signed(row.distinct_margin.mean, 1)],
    ["\u00b1SE", "number wide", "standard error of the margin", (row) => row.games > 0 && row.distinct_margin.error?.toFixed(1)],
    ...columns.map(({ title, help, key }) => [title, number, help, (row) => row[key]]),
  ];
  return table("Standings", list, rowsOf(list, rows));
}

// Return the cells of a table's rows; columns: [title, class, help, function from row to cell] each.
function rowsOf(columns, rows) {
  const shown = (cell) => (cell instanceof Element ? cell : cell === false || cell == null ? "" : String(cell));
  return rows.map((row) => columns.map(([, , , cell]) => shown(cell(row))));
}

function percent(share) {
  return share === null ? "" : `${(100 * share).toFixed(0)}%`;
}

// Return the scores by engine and opponent, from the engine's point of view: { games, points, wins, draws, losses }.
export function scores(meetings) {
  const found = new Map();
  const add = (name, other, score) => {
    if (!found.has(name)) found.set(name, new Map());
    found.get(name).set(other, score);
  };
  for (const { first, second, games, points, wins, draws, losses } of meetings) {
    add(first, second, { games, points, wins, draws, losses });
    add(second, first, { games, points: games - points, wins: losses, draws, losses: wins });
  }
  return found;
}

// Return a crosstable, coloured by result. choose: called with both names of a cell.
export function crosstable(rows, found, choose) {
  const heads = [["", "number"], ["Engine", "name"], ...rows.map((row, index) => [String(index + 1), "score", row.name])];
  const cells = rows.map((row, index) => [
    String(index + 1),
    row.name,
    ...rows.map((other) => {
      const score = found.get(row.name)?.get(other.name);
      return row === other ? made("span", "self", "\u00b7") : score ? scoreCell(row.name, other.name, score, choose) : "";
    }),
  ]);
  return table("Crosstable: points of the engine in each row against the engine in each column", heads, cells);
}

function scoreCell(name, other, { games, points, wins, draws, losses }, choose) {
  const shade = Math.min(SHADES - 1, Math.floor((SHADES * points) / games));
  const text = half(points);
  const label = `${name} against ${other}: ${text} of ${games}; won ${wins}, drawn ${draws}, lost ${losses}`;
  return keyed(`pair ${name}\n${other}`, text, () => choose(name, other), { className: `cell shade${shade}`, title: label, ariaLabel: label });
}

// Format points with a fraction: 3½.
function half(points) {
  const whole = Math.floor(points);
  return points === whole ? String(whole) : `${whole || ""}\u00bd`;
}

// Return a table of the verdicts against each engine, or null if there are none. choose: called with name and verdict.
export function verdictTable(rows, choose) {
  const charged = rows.filter((row) => Object.keys(row.verdicts).length);
  const kinds = CHARGED.filter((kind) => charged.some((row) => row.verdicts[kind]));
  if (!charged.length) return null;
  const cell = (row, kind) => {
    const number = row.verdicts[kind];
    if (!number) return "";
    return keyed(`verdict ${row.name}\n${kind}`, String(number), () => choose(row.name, kind));
  };
  const columns = [["Engine", "name", "", ({ name }) => name], ...kinds.map((kind) => [kind, "number", "", (row) => cell(row, kind)])];
  return table("Games lost through a verdict against the engine", columns, rowsOf(columns, charged));
}

// Return a table of each engine's moves, time and nodes.
export function timeTable(rows) {
  const columns = [
    ["Engine", "name", "", ({ name }) => name],
    ["Moves", "number", "", ({ used }) => count.format(used.moves)],
    ["Seconds", "number", "", ({ used }) => used.seconds.toFixed(1)],
    ["Seconds per move", "number", "", ({ used }) => used.moves > 0 && (used.seconds / used.moves).toFixed(4)],
    ["Longest", "number", "", ({ used }) => used.longest.toFixed(3)],
    ["Nodes per move", "number", "", ({ used: { moves, nodes } }) => moves > 0 && nodes > 0 && count.format(Math.round(nodes / moves))],
    ["Nodes per second", "number", "", ({ used: { seconds, nodes } }) => seconds > 0 && nodes > 0 && count.format(Math.round(nodes / seconds))],
  ];
  return table("Resources used by each engine", columns, rowsOf(columns, rows));
}

// Return a list of games. numberOf: returns the element with a game's number, which replays the game.
export function gamesTable(games, numberOf) {
  const link = (game) => {
    const found = numberOf(game);
    found.dataset.key = `game ${game.number}`;
    found.ariaLabel = `Game ${game.number}, ${game.black} against ${game.white}: replay`;
    return found;
  };
  const columns = [
    ["Game", "number", "", link],
    ["Round", "number wide", "", (game) => game.round],
    ["Black", "name", "", (game) => game.black],
    ["White", "name", "", (game) => game.white],
    ["Result", "number", "", (game) => game.result],
    ["Margin", "number", "", (game) => signed(game.margin)],
    ["Moves", "number wide", "", (game) => game.plies],
    ["Verdict", "note", "", ({ reason, charged }) => (charged === null ? reason : `${reason}: ${charged}`)],
  ];
  return table("Games", columns, rowsOf(columns, games));
}

// Return a knockout's rounds side by side, joined by lines. stages: for each round, the matches with known engines.
export function bracket(stages, choose) {
  const middle = ({ place }, index) => (place + 0.5) * 2 ** index; // in rows of the first round
  const rows = Math.max(...stages.flatMap((matches, index) => matches.map(({ place }) => (place + 1) * 2 ** index)));
  const box = made("div", "bracket");
  box.style.gridTemplateRows = `auto repeat(${rows}, 4.5rem)`;
  for (const [index, matches] of stages.entries()) {
    const column = 2 * index + 1;
    box.append(placed(made("h3", "", `Round ${index + 1}`), column, 1));
    for (const match of matches) box.append(placed(matchCard(match, index, choose), column, match.place * 2 ** index + 2, 2 ** index));
    const following = new Map((stages[index + 1] ?? []).map((match) => [match.place, match]));
    const joined = matches.filter(({ place }) => following.has(place >> 1));
    if (!joined.length) continue;
    const lines = element("svg", { viewBox: `0 0 2 ${rows}`, preserveAspectRatio: "none" });
    for (const match of joined) lines.append(element("path", { d: `M0 ${middle(match, index)}H1V${middle({ place: match.place >> 1 }, index + 1)}H2` }));
    box.append(placed(lines, column + 1, 2, rows));
  }
  return box;
}

function placed(child, column, row, height = 1) {
  child.style.gridArea = `${row} / ${column} / span ${height}`;
  return child;
}

function matchCard(match, index, choose) {
  const side = (name, points) => made("span", match.winner === name ? "side winner" : "side", named(name), made("span", "", half(points)));
  const card = keyed(`match ${index} ${match.first}\n${match.second}`, "", () => choose(match.first, match.second), { className: "match" });
  card.append(side(match.first, match.points[0]), side(match.second, match.points[1]));
  return card;
}
