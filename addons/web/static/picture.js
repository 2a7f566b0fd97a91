// Draws a picture: items at positions given by the server. Choosing an item plays its move. It knows no rules.

import { element, firstScores, made, scoreBadge, scoreText } from "./drawing.js";
import { Overlay } from "./overlay.js";

const EDGE = 0.4; // width of the margin around the items, which are 1 wide
const LEAST_WIDTH = 7; // minimum width in items, so that a few items do not become huge
const CARD = [1, 1.4];
const MOVE_MS = 300;
const LOWER = { max: 0.1, min: -0.1 }; // offset of these items' text below their centre
const BELOW = { card: 0.44, leaf: 0.5, max: 0.58, min: 0.62 }; // offset of these items' score below their centre, to avoid their text

export class PictureView {
  // container: the element to draw in; choose: called with a move's text, or null for a read-only picture.
  constructor(container, choose) {
    this.choose = choose;
    this.box = made("div", "picture");
    this.svg = element("svg", { "aria-hidden": "true" });
    const label = "Board; arrow keys move between items, and Enter plays";
    this.overlay = new Overlay(
      label,
      (index) => this.press(index),
      (index) => this.point(index),
    );
    this.box.append(this.svg, ...(choose ? [this.overlay.element] : []));
    container.replaceChildren(this.box);
    this.picture = null;
  }

  // marks: { open: whether a person may move, lines: search lines }
  show(picture, marks) {
    this.open = marks.open;
    if (picture !== this.picture) this.draw(picture);
    this.mark(marks.lines);
  }

  draw(picture) {
    const before = this.picture;
    this.picture = picture;
    this.width = Math.max(LEAST_WIDTH, picture.width + 2 * EDGE);
    this.height = picture.height + 2 * EDGE;
    this.left = (this.width - picture.width) / 2;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.box.style.setProperty("--ratio", this.width / this.height);
    this.marks = element("g");
    const [lines, things] = [element("g"), element("g")];
    this.groups = picture.items.map((item) => drawItem(item, this.at(item)));
    for (const item of picture.items) if (item.parent !== undefined) lines.append(this.line(item));
    things.append(...this.groups);
    this.svg.replaceChildren(element("rect", { class: "cloth", width: this.width, height: this.height, rx: 0.25 }), lines, things, this.marks);
    if (before) this.slide(before);
    if (this.choose) this.layKeys(before);
  }

  at(item) {
    return [this.left + item.x, EDGE + item.y];
  }

  line(item) {
    const [from, to] = [this.at(this.picture.items[item.parent]), this.at(item)];
    return element("path", { class: `edge ${item.mark ?? ""}`, d: `M${from}L${to}` });
  }

  // Animate items from their previous positions.
  slide(before) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const places = new Map(before.items.filter((item) => item.name).map((item) => [item.name, item]));
    this.picture.items.forEach((item, index) => {
      const old = places.get(item.name);
      if (!old || (old.x === item.x && old.y === item.y)) return;
      const [x, y] = this.at(item);
      const from = `translate(${x + old.x - item.x}px, ${y + old.y - item.y}px)`;
      this.groups[index].animate({ transform: [from, `translate(${x}px, ${y}px)`] }, { duration: MOVE_MS, easing: "ease-out" });
    });
  }

  // Lay out the buttons, keeping the focus on the same item.
  layKeys(before) {
    const { items } = this.picture;
    const spots = new Map();
    items.forEach((item, index) => {
      const [[x, y], [width, height]] = [this.at(item), sizeOf(item)];
      if (item.label) spots.set(index, { x, y, width, height });
    });
    const name = before?.items[this.overlay.current]?.name;
    const indices = [...spots.keys()];
    const kept = indices.find((index) => name && items[index].name === name);
    this.overlay.lay(spots, kept ?? indices.find((index) => items[index].move) ?? indices[0], [this.width, this.height]);
  }

  press(index) {
    const { move } = this.picture.items[index];
    if (this.open && move) this.choose(move);
  }

  // Highlight the items that are removed by choosing an item; in a heap, these include the stones after it.
  point(index) {
    const chosen = index === null ? null : this.picture.items[index];
    const goes = (item, place) => place === index || (chosen.heap !== undefined && item.heap === chosen.heap && place > index);
    this.picture.items.forEach((item, place) => {
      this.groups[place].classList.toggle("going", Boolean(this.open && chosen?.move && goes(item, place)));
    });
  }

  // ---- search results: the score of each item's move, and the first moves of the best line

  mark(lines) {
    const scores = firstScores(lines, (move) => move.move);
    const best = Math.max(...scores.values());
    this.marks.replaceChildren();
    this.drawLine(lines[0]?.pv.slice(0, 3) ?? [], scores);
    this.picture.items.forEach((item, index) => {
      const score = item.move ? scores.get(item.move) : undefined;
      const [x, y] = this.at(item);
      if (score !== undefined) this.marks.append(...scoreBadge(x, y + (BELOW[item.kind] ?? 0), score, best, item.kind));
      const button = this.overlay.buttons.get(index);
      for (const each of [this.groups[index], button]) each?.classList.toggle("can", this.open && Boolean(item.move));
      if (!button) return;
      const label = `${item.label}${item.move ? ", legal move" : ""}${score === undefined ? "" : `, ${scoreText(score)}`}`;
      if (button.ariaLabel !== label) button.ariaLabel = label;
    });
  }

  drawLine(line, scores) {
    const { items } = this.picture;
    line.forEach((each, number) => {
      const item = items.find(({ name, move }) => (number === 0 ? move === each.move : each.item && name === each.item));
      if (!item) return;
      const [x, y] = this.at(item);
      const group = element("g", { transform: `translate(${x} ${y})` });
      if (number === 0 || !scores.has(item.move)) group.append(element("path", { class: "pv", d: outline(item) }));
      if (number > 0) group.append(element("text", { class: "pv", x: 0.36, y: -sizeOf(item)[1] / 2 + 0.14 }, number + 1));
      this.marks.append(group);
    });
  }
}

// ---- the drawing of each kind of item, around its centre

function sizeOf({ kind, text }) {
  if (kind === "card" || kind === "back") return CARD;
  return [kind === "leaf" ? Math.max(0.8, 0.2 * text.length + 0.2) : 1, 1]; // a leaf shows its value
}

// Return the outline of an item.
function outline(item) {
  if (item.kind === "card" || item.kind === "back") return "M-.38 -.66h.76q.1 0 .1 .1v1.12q0 .1 -.1 .1h-.76q-.1 0 -.1 -.1v-1.12q0 -.1 .1 -.1Z";
  if (item.kind === "max") return "M0 -.42L.47 .36H-.47Z";
  if (item.kind === "min") return "M0 .42L.47 -.36H-.47Z";
  const [width] = sizeOf(item);
  if (item.kind === "leaf") return `M${-width / 2} -.3h${width}v.6h${-width}Z`;
  return "M-.42 0a.42 .42 0 1 0 .84 0a.42 .42 0 1 0 -.84 0Z";
}

function drawItem(item, [x, y]) {
  const names = ["item", item.kind, item.mark ?? "", item.side === undefined ? "" : `side${item.side}`, item.move ? "choice" : ""];
  const group = element("g", { class: names.filter(Boolean).join(" "), transform: `translate(${x} ${y})` });
  if (item.kind !== "text") group.append(element("path", { class: "shape", d: outline(item) }));
  if (item.kind === "stone") group.append(element("ellipse", { class: "shine", cx: -0.12, cy: -0.16, rx: 0.14, ry: 0.09 }));
  if (item.kind === "back") group.append(element("path", { class: "weave", d: "M-.36 -.54h.72v1.08h-.72ZM0 -.54L.36 0L0 .54L-.36 0Z" }));
  if (item.kind === "card") drawFace(group, item.text);
  else if (item.text) group.append(element("text", { y: LOWER[item.kind] ?? 0 }, item.text));
  return group;
}

// Draw the face of a card: its rank and its suit's symbol.
function drawFace(group, text) {
  const suit = text.slice(-1);
  const sign = `${suit}\ufe0e`; // rendered as text, not as an emoji
  group.classList.add("\u2665\u2666".includes(suit) ? "red" : "black");
  group.append(element("text", { class: "rank", x: -0.29, y: -0.46 }, text.slice(0, -1)));
  group.append(element("text", { class: "corner", x: -0.29, y: -0.18 }, sign), element("text", { class: "suit", x: 0.06, y: 0.08 }, sign));
}
