// A tree that is too large to draw whole. Its positions are opened one by one; each shows the values of its moves.

import { fromChild, movesTo, nameOf, scoreText } from "./tree_walk.js";

const WIDTH = 100; // width of a position's box, in drawing units

export class Levels {
  // view: where to draw; game: the server's description; root: the server's answer; ask: loads the level below a path of
  // moves; changed: the callback after each change.
  constructor(view, game, root, ask, changed) {
    Object.assign(this, { view, game, ask, changed, opened: [0], selected: 0 });
    view.svg.role = "group";
    const { side, board, value } = root;
    this.nodes = [{ place: 0, parent: null, move: null, side, board, value, level: 0, children: [], over: root.children.length === 0 }];
    this.add(0, root.children);
    this.sentence = `There are too many positions to draw them all. Open them one by one. ${this.said(0)}`;
    this.draw();
  }

  add(place, children) {
    const { level } = this.nodes[place];
    for (const child of children) {
      this.nodes[place].children.push(this.nodes.length);
      this.nodes.push({ ...child, place: this.nodes.length, parent: place, level: level + 1, children: [] });
    }
  }

  isOpenable(place) {
    const node = this.nodes[place];
    return !node.over && !this.opened.includes(place) && (this.game.depth === null || node.level < this.game.depth);
  }

  // The current state: the number of opened positions, the selected one, and its description.
  get now() {
    const { opened, selected, sentence } = this;
    return { at: opened.length - 1, current: selected, sentence, board: this.nodes[selected].board };
  }

  get done() {
    return this.next === null;
  }

  // Open a position.
  async open(place) {
    const found = await this.ask(movesTo(this.nodes, place), this.nodes[place].level);
    if (!this.isOpenable(place)) return; // it was opened in the meantime
    this.add(place, found.children);
    if (this.nodes[place].value === null) this.nodes[place].value = found.value;
    this.opened.push(place);
    this.select(place);
  }

  // Close the most recently opened position. Return whether there was one.
  close() {
    if (this.opened.length === 1) return false;
    const place = this.opened.pop();
    this.nodes.length = this.nodes.length - this.nodes[place].children.length;
    this.nodes[place].children = [];
    this.select(place);
    return true;
  }

  reset() {
    while (this.close());
    this.select(0);
  }

  // The position to open next: the selected one or, if it is open, the end of its line of best moves. Null if it cannot
  // be opened.
  get next() {
    let place = this.selected;
    while (this.nodes[place].children.length) place = this.best(place);
    return this.isOpenable(place) ? place : null;
  }

  async step() {
    if (this.next !== null) await this.open(this.next);
  }

  // Return the best child for the side to move, the first of equal ones; without known values, the first child.
  best(place) {
    const { side, children } = this.nodes[place];
    const known = children.filter((child) => this.nodes[child].value !== null);
    const worth = (child) => (side === 0 ? 1 : -1) * fromChild(this.nodes[child].value);
    return known.reduce((best, child) => (worth(child) > worth(best) ? child : best), known[0] ?? children[0]);
  }

  select(place) {
    this.selected = place;
    this.sentence = this.said(place);
    this.draw();
  }

  said(place) {
    const { value, positions, children, over } = this.nodes[place];
    const found = value === null ? "not searched here" : `value ${scoreText(value, this.game.sides)}`;
    const cost = positions === undefined ? "" : `, after ${positions.toLocaleString("en")} positions`;
    let more = this.isOpenable(place) ? "closed" : "at the depth limit";
    if (over) more = "the game is over";
    else if (children.length) more = `${children.length} moves, the best is ${this.nodes[this.best(place)].move}`;
    return `${nameOf(this.nodes, place)}: ${found}${cost}; ${more}.`;
  }

  draw() {
    const hadFocus = this.view.container.contains(document.activeElement) && document.activeElement !== this.view.container;
    this.view.plan(this.nodes, this.game.sides, { leaf: WIDTH, inner: WIDTH }, { isInner: () => true });
    this.view.paint();
    const states = this.nodes.map((node) => ({ visits: 0, value: node.value, bound: "exact", best: node.children.length ? this.best(node.place) : null }));
    this.view.show(states, this.selected);
    if (this.nodes.length !== this.drawn) this.view.fit();
    this.drawn = this.nodes.length;
    for (const node of this.nodes) this.makeButton(node);
    this.view.follow(this.selected);
    if (hadFocus) this.view.parts[this.selected].group.focus({ preventScroll: true });
    this.changed();
  }

  makeButton(node) {
    const { group, value, detail } = this.view.parts[node.place];
    const isOpen = this.opened.includes(node.place);
    const classes = { new: false, done: true, opened: isOpen, unknown: node.value === null };
    for (const [name, has] of Object.entries(classes)) group.classList.toggle(name, has);
    if (node.value === null) value.textContent = "?";
    detail.textContent = node.positions === undefined ? "" : node.over ? "over" : `${node.positions.toLocaleString("en")} visited`;
    const tabIndex = node.place === this.selected ? 0 : -1;
    Object.assign(group, { role: "button", tabIndex, ariaLabel: this.said(node.place), ariaExpanded: node.over ? null : isOpen });
  }

  // Return the position that an arrow key moves to from the selected one.
  neighbour(key) {
    const { parent, children } = this.nodes[this.selected];
    const level = this.nodes
      .filter((node) => node.level === this.nodes[this.selected].level)
      .sort((one, other) => this.view.at[one.place].x - this.view.at[other.place].x);
    const index = level.findIndex((node) => node.place === this.selected);
    return { ArrowLeft: level[index - 1]?.place, ArrowRight: level[index + 1]?.place, ArrowUp: parent ?? undefined, ArrowDown: children[0] }[key];
  }
}
