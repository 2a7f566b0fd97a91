// The drawing of a tree: leaves evenly spaced, parents centred above their children, and each position with its value
// and window.

import { element } from "/static/drawing.js";
import { scoreText, valueText, windowText } from "./tree_walk.js";

const LEAF_HEIGHT = 30;
const HEIGHT = 48;
const FOLDED = { width: 44, height: 34 };
const GAP = 8; // space between neighbours
const LEVEL = 96; // distance between levels
const ROW = 80; // the same when only the search's path is drawn, and in a lecture
const MARGIN = 12;
const [SMALLEST, LARGEST] = [0.02, 3]; // zoom limits
const [READABLE, USUAL] = [0.65, 1.6]; // limits of the automatic zoom
const READABLE_ROW = 0.55; // smallest automatic zoom when only the search's path is drawn
const READABLE_FAR = 1.3; // smallest automatic zoom in a lecture hall

export class TreeView {
  // container: the scrolling element; its size is the viewport.
  constructor(container, label) {
    this.container = container;
    this.svg = element("svg", { role: "img", "aria-label": label });
    this.container.replaceChildren(this.svg);
    this.scale = 1;
    this.hasLeaves = true; // whether to show a leaf's value before it is visited
  }

  // Lay out a tree. sizes: box widths, with `every` if all boxes have three lines; isInner: returns whether a position
  // gets a large box; folded: maps positions to draw as a triangle to their number of leaves, or to 0 if they are not
  // drawn at all; way: a path from the root; if it is given, only the path and its positions' children are drawn.
  plan(nodes, sides, sizes, { isInner = (node) => node.children.length > 0, folded = new Map(), way = null } = {}) {
    this.nodes = nodes;
    this.sides = sides;
    this.folded = folded;
    const onWay = way && new Set(way);
    this.boxes = nodes.map((node) => {
      if (sizes.every) return { width: sizes.every, height: HEIGHT, hasThreeLines: true };
      if (onWay && !onWay.has(node.place)) return { width: sizes.beside, height: LEAF_HEIGHT, isBeside: true };
      if (folded.has(node.place)) return FOLDED;
      return isInner(node) ? { width: sizes.inner, height: HEIGHT } : { width: sizes.leaf, height: LEAF_HEIGHT };
    });
    if (way) this.placeRows(way);
    else this.place();
  }

  // Redraw all positions.
  paint() {
    this.edges = element("g");
    this.parts = this.nodes.map((node) => (this.at[node.place] ? this.draw(node) : null)); // null for a folded position
    this.svg.replaceChildren(this.edges, ...this.parts.filter(Boolean).map((part) => part.group));
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.path = [];
    this.drawn = []; // the last drawn state of each position
  }

  childrenOf(place) {
    return this.folded.has(place) ? [] : this.nodes[place].children.filter((child) => this.folded.get(child) !== 0);
  }

  // Place all positions. A subtree is as wide as its root or as its children side by side, whichever is wider.
  place() {
    const widths = new Array(this.nodes.length).fill(0);
    for (let place = this.nodes.length - 1; place >= 0; place--) {
      const below = this.childrenOf(place).reduce((sum, child) => sum + widths[child], 0);
      widths[place] = Math.max(this.boxes[place].width + GAP, below);
    }
    this.at = new Array(this.nodes.length);
    let deepest = 0;
    const distance = this.isFar ? ROW : LEVEL;
    const put = (place, left, level) => {
      deepest = Math.max(deepest, level);
      const children = this.childrenOf(place);
      const below = children.reduce((sum, child) => sum + widths[child], 0);
      let x = left + (widths[place] - below) / 2;
      for (const child of children) {
        put(child, x, level + 1);
        x += widths[child];
      }
      const middle = children.length ? (this.at[children[0]].x + this.at[children.at(-1)].x) / 2 : left + widths[place] / 2;
      this.at[place] = { x: middle, y: MARGIN + level * distance };
    };
    put(0, MARGIN, 0);
    this.width = widths[0] + 2 * MARGIN;
    this.height = deepest * distance + HEIGHT + 2 * MARGIN;
  }

  // Draw one centred row per ply. The picture does not shrink when the path does.
  placeRows(way) {
    const rows = [[0], ...way.map((place) => this.nodes[place].children)].filter((row) => row.length > 0);
    const wide = (row) => row.reduce((sum, place) => sum + this.boxes[place].width + GAP / 2, 0);
    this.at = new Array(this.nodes.length);
    this.rows = { width: Math.max(this.rows?.width ?? 0, ...rows.map(wide)), count: Math.max(this.rows?.count ?? 0, rows.length) };
    for (const [level, row] of rows.entries()) {
      let x = MARGIN + (this.rows.width - wide(row)) / 2;
      for (const place of row) {
        const width = this.boxes[place].width + GAP / 2;
        this.at[place] = { x: x + width / 2, y: MARGIN + level * ROW };
        x += width;
      }
    }
    this.width = this.rows.width + 2 * MARGIN;
    this.height = (this.rows.count - 1) * ROW + HEIGHT + 2 * MARGIN;
  }

  draw(node) {
    const { x, y } = this.at[node.place];
    const box = this.boxes[node.place];
    const group = element("g", { transform: `translate(${x} ${y})`, "data-place": node.place });
    if (this.folded.has(node.place)) return this.drawFolded(node, group);
    const shape = element("rect", { x: -box.width / 2, y: 0, width: box.width, height: box.height, rx: node.side === 0 ? 3 : box.height / 2 });
    const isLeaf = box.height === LEAF_HEIGHT;
    const away = node.parent !== null && x < this.at[node.parent].x ? -1 : 1; // the side without the line to the parent: 1 for right, -1 for left
    const beside = isLeaf ? { y: LEAF_HEIGHT + 13 } : { x: away * (box.width / 2 - 20), y: -4 };
    const [first, second, third] = box.hasThreeLines ? [17, 30, { y: 42 }] : [20, 39, beside];
    const value = element("text", { class: box.isBeside || box.hasThreeLines ? "value beside" : "value", y: first });
    const detail = element("text", { class: "detail", y: second });
    const mark = element("text", { class: "mark", ...third });
    group.append(shape, value, ...(isLeaf ? [] : [detail]), mark);
    return { group, value, detail, mark, edge: node.parent === null ? null : this.drawEdge(node) };
  }

  // Draw hidden branches as a triangle with their number of leaves.
  drawFolded(node, group) {
    const { width, height } = FOLDED;
    group.setAttribute("class", `node folded side${node.side}`);
    group.append(element("path", { d: `M0 0l${width / 2} ${height}h${-width}z` }), element("text", { y: height - 6 }, this.folded.get(node.place)));
    return { group, edge: this.drawEdge(node) };
  }

  drawEdge(node) {
    const from = this.at[node.parent];
    const { x, y } = this.at[node.place];
    const top = from.y + this.boxes[node.parent].height;
    const edge = element("g");
    const [middleX, middleY] = [from.x + (x - from.x) * 0.5, top + (y - top) * 0.5];
    edge.append(element("path", { class: "line", d: `M${from.x} ${top}L${x} ${y}` }));
    edge.append(element("path", { class: "knife", d: `M${middleX - 6} ${middleY}l12 -5m-12 10l12 -5` }));
    edge.append(element("text", { class: "move", x: from.x + (x - from.x) * 0.78, y: top + (y - top) * 0.78 + 4 }, this.moveText(node)));
    this.edges.append(edge);
    return edge;
  }

  // Return the label of the move to a position; several moves may be folded into one triangle.
  moveText(node) {
    const isOneOfSeveral = this.nodes[node.parent].children.some((child) => this.folded.get(child) === 0);
    return this.folded.has(node.place) && isOneOfSeveral ? `${node.move} \u2026` : node.move;
  }

  // Show a search's positions. Only positions whose state object changed are redrawn.
  show(states, current) {
    const before = this.path;
    this.path = [];
    for (let place = current; place !== null; place = this.nodes[place].parent) this.path.push(place);
    const changed = this.nodes.map((node) => node.place).filter((place) => states[place] !== this.drawn[place]);
    const [last] = before;
    for (const place of new Set([...changed, ...[last, current].filter((each) => each != null)])) this.mark(place, states[place], place === current);
    const edges = new Set([...before, ...this.path, ...changed, ...changed.flatMap((place) => this.nodes[place].children)]);
    for (const place of edges) if (this.parts[place]) this.markEdge(place, states);
    this.drawn = [...states];
  }

  mark(place, state, isCurrent) {
    const part = this.parts[place];
    if (!part?.value) return; // the position is folded
    const { side, value } = this.nodes[place];
    const isPreview = this.hasLeaves && state.value === null && value !== undefined;
    const texts = state.text === undefined ? this.textsOf(place, state, isPreview) : [state.text, state.detail, state.extra];
    for (const [index, text] of texts.entries()) [part.value, part.detail, part.mark][index].textContent = text;
    const status = state.hidden ? "hidden" : state.stale ? "stale" : state.open ? "open" : state.visits ? "done" : "new";
    part.group.setAttribute("class", `node side${side} ${status}${isCurrent ? " current" : ""}${state.isNull ? " null" : ""}${isPreview ? " preview" : ""}`);
  }

  // Return a position's texts: its value, its window, and how it was visited.
  textsOf(place, state, isPreview) {
    const { side, children, value } = this.nodes[place];
    const limits = windowText(state, this.sides);
    const detail = limits ? `\u03b1 ${limits[0]} \u2002\u03b2 ${limits[1]}` : `${this.sides[side]} to move`;
    const marks = [state.isNull && children.length > 0 ? "null" : "", state.visits > 1 ? `${state.visits}\u00d7` : ""];
    return [isPreview ? scoreText(value, this.sides) : valueText(state, this.sides), state.visits ? detail : "", marks.join(" ").trim()];
  }

  markEdge(place, states) {
    const parent = this.nodes[place].parent;
    if (parent === null) return;
    const { cut, hidden } = states[place];
    const marks = { cut, hidden, best: states[parent].best === place, path: this.path.includes(place) };
    const names = ["edge", ...Object.keys(marks).filter((name) => marks[name])];
    this.parts[place].edge.setAttribute("class", names.join(" "));
  }

  // Mark the position `place` as selected, or no position if `place` is null.
  choose(place) {
    this.svg.querySelector(".chosen")?.classList.remove("chosen");
    this.parts[place]?.group.classList.add("chosen");
  }

  zoom(scale) {
    this.scale = Math.max(SMALLEST, Math.min(LARGEST, scale));
    this.svg.setAttribute("width", Math.ceil(this.width * this.scale));
    this.svg.setAttribute("height", Math.ceil(this.height * this.scale));
  }

  // Fit the picture to the available width, but keep it readable. Full screen allows a larger scale.
  fit(least = this.rows ? READABLE_ROW : READABLE) {
    const tall = ((this.isFar ? 0.6 : 0.68) * innerHeight) / this.height; // tree.css limits the height to 70 %
    const usual = this.isFar ? tall : Math.max(1, Math.min(USUAL, tall));
    this.zoom(Math.max(least, Math.min(document.fullscreenElement && !this.isFar ? LARGEST : usual, (this.container.clientWidth - 2) / this.width)));
  }

  // Whether the page shows a lecture, which must be readable from the last row.
  get isFar() {
    return Boolean(this.container.closest(".lecture"));
  }

  // Return whether the picture's whole width fits at a readable scale.
  get isReadable() {
    return this.width * (this.isFar ? READABLE_FAR : READABLE) <= this.container.clientWidth;
  }

  // Scroll a position into view.
  follow(place) {
    const box = this.container;
    const { x, y } = this.at[place];
    const [left, top] = [x * this.scale - box.clientWidth / 2, y * this.scale - box.clientHeight / 2];
    const seen = Math.abs(left - box.scrollLeft) < box.clientWidth / 2 - 60 && Math.abs(top - box.scrollTop) < box.clientHeight / 2 - 40;
    if (!seen) box.scrollTo({ left, top });
  }
}
