// Buttons over a drawing's selectable parts, for mouse, touch, keyboard and screen readers.

import { made, madeButton } from "./drawing.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Overlay {
  // label: the button group's label; press: called with the pressed button's index; point: called with the index of the
  // button that the pointer enters or the focus reaches, or null when either leaves.
  constructor(label, press, point = () => {}) {
    this.press = press;
    this.element = made("div", { className: "keys", role: "group", ariaLabel: label });
    this.element.addEventListener("keydown", (event) => this.step(event));
    for (const name of ["pointerover", "focusin"]) this.element.addEventListener(name, (event) => point(this.indexOf(event.target)));
    for (const name of ["pointerout", "focusout"]) this.element.addEventListener(name, () => point(null));
    this.buttons = new Map(); // by spot index
    this.current = null; // the index of the button in the tab order
  }

  // Place a button over each spot. spots: each spot's centre and size by index, in drawing units; current: the index in
  // the tab order; the last argument is the drawing's size.
  lay(spots, current, [across, down]) {
    const held = this.element.contains(document.activeElement);
    this.spots = spots;
    this.buttons.clear();
    for (const [index, { x, y, width, height }] of spots) {
      const choose = () => {
        this.goTo(index);
        this.press(index);
      };
      const button = madeButton("", choose, { tabIndex: -1 });
      const [left, top] = [(x - width / 2) / across, (y - height / 2) / down];
      Object.assign(button.style, { left: percent(left), top: percent(top), width: percent(width / across), height: percent(height / down) });
      this.buttons.set(index, button);
    }
    this.element.replaceChildren(...this.buttons.values());
    this.current = null;
    if (!spots.has(current)) return;
    this.goTo(current);
    if (held) this.buttons.get(current).focus();
  }

  // Return a button's index, or null for any other element.
  indexOf(element) {
    for (const [index, button] of this.buttons) if (button === element) return index;
    return null;
  }

  goTo(index) {
    if (this.current !== null) this.buttons.get(this.current).tabIndex = -1;
    this.current = index;
    this.buttons.get(index).tabIndex = 0;
  }

  // Focus the nearest button in an arrow key's direction.
  step(event) {
    const arrow = ARROWS[event.key];
    if (!arrow || this.current === null) return;
    event.preventDefault();
    const from = this.spots.get(this.current);
    let [next, least] = [null, Infinity];
    for (const [index, spot] of this.spots) {
      const [dx, dy] = [spot.x - from.x, spot.y - from.y];
      const ahead = dx * arrow[0] + dy * arrow[1];
      const aside = Math.abs(dx * arrow[1] + dy * arrow[0]);
      if (ahead > 0.01 && aside <= 4 * ahead && ahead + 2 * aside < least) [next, least] = [index, ahead + 2 * aside];
    }
    if (next === null) return;
    this.goTo(next);
    this.buttons.get(next).focus();
  }
}

function percent(part) {
  return `${100 * part}%`;
}
