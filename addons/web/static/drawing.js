// Shared drawing helpers: SVG and HTML elements, and the format of scores.

const SVG = "http://www.w3.org/2000/svg";
const DAY_MS = 86_400_000;
export const DECISIVE = 29000; // scores beyond this are wins or losses, not points

export function element(name, attributes = {}, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== "") made.textContent = text;
  return made;
}

// Render an SVG document and return the canvas. widthOf: maps the document's width to the canvas width, in pixels.
export async function painted(text, widthOf) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const width = Math.round(widthOf(image.naturalWidth));
  const canvas = made("canvas", { width, height: Math.round((width * image.naturalHeight) / image.naturalWidth) });
  canvas.getContext("2d", { willReadFrequently: true }).drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

// Create an HTML element. about: its class, or its properties; children: elements or strings.
export function made(name, about = "", ...children) {
  const element = Object.assign(document.createElement(name), typeof about === "string" ? about && { className: about } : about);
  element.append(...children);
  return element;
}

export function madeButton(text, act, about = {}) {
  const button = made("button", { type: "button", ...about }, text);
  button.addEventListener("click", act);
  return button;
}

export const notation = { numbers: false }; // whether to write moves as the Othello project's numbers, if the game has them

export function moveText({ move, project }) {
  return (notation.numbers && project) || move;
}

// Return a step's move with its number. A pass has no number.
export function numberedText(step) {
  return step.move === "pass" ? moveText(step) : `${step.number}. ${moveText(step)}`;
}

// Return whether the players are named after the letters of their pieces. Such pieces are drawn as letters.
export function hasLetters({ players, sides }) {
  return players.every((name, side) => name === sides[side]);
}

// Return a date in words, such as "today 20:06" or "3 June".
export function dayText(date) {
  const time = Date.parse(date);
  if (Number.isNaN(time)) return date;
  const day = new Date(time);
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / DAY_MS);
  if (days === 0) return `today ${day.toTimeString().slice(0, 5)}`;
  if (days === 1) return "yesterday";
  if (days > 0 && days < 7) return day.toLocaleDateString("en", { weekday: "long" });
  const isThisYear = day.getFullYear() === new Date().getFullYear();
  return day.toLocaleDateString("en-GB", { day: "numeric", month: "long", ...(!isThisYear && { year: "numeric" }) });
}

export function scoreText(score) {
  if (score === null || score === undefined) return "";
  if (Math.abs(score) > DECISIVE) return score > 0 ? "wins" : "loses";
  const points = (Math.abs(score) / 100).toFixed(Math.abs(score) % 100 ? 1 : 0);
  return `${Number(points) === 0 ? "" : score > 0 ? "+" : "\u2212"}${points}`;
}

// Return the scores of a search's lines, keyed by name(first move). If lines share a key, the first line counts.
export function firstScores(lines, name) {
  const scores = new Map();
  for (const { pv, score } of lines) {
    const found = pv[0] && name(pv[0]);
    if (found !== undefined && score != null && !scores.has(found)) scores.set(found, score);
  }
  return scores;
}

// Return the class for a move's loss compared with the best score: "best" if equal, "" for less than a point.
function lossKind(score, best) {
  if (score === best) return "best";
  if (best > DECISIVE !== score > DECISIVE || best < -DECISIVE !== score < -DECISIVE) return "blunder";
  if (Math.abs(best) > DECISIVE) return "";
  const loss = best - score;
  return loss >= 1000 ? "blunder" : loss >= 400 ? "mistake" : loss >= 100 ? "slight" : "";
}

// Return the elements that show a move's score, centred on a point. kind: additional classes.
export function scoreBadge(x, y, score, best, kind = "") {
  const [text, name] = [scoreText(score), `${kind} ${lossKind(score, best)}`];
  const width = Math.max(0.8, 0.17 * text.length + 0.12);
  return [
    element("rect", { class: `badge ${name}`, x: x - width / 2, y: y - 0.18, width, height: 0.36, rx: 0.18 }),
    element("text", { class: `score ${name}`, x, y }, text),
  ];
}
