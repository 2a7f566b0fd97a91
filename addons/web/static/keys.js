// Page-wide keyboard shortcuts, inactive in form fields and under dialogs. A move can also be typed.

const TYPING_MS = 500; // time limit for the next character of a typed move
const FIELDS = "input:not([type=checkbox], [type=radio]), select, textarea";

export class Keys {
  // actions: the function for each key; moves: returns the moves that can be typed now, as pairs of name and function.
  constructor(actions, moves) {
    this.actions = actions;
    this.names = () => new Map(moves().map(([name, act]) => [name.replace(" ", "").toLowerCase(), act]));
    this.typed = "";
    document.addEventListener("keydown", (event) => this.hear(event));
  }

  hear(event) {
    const { key, target } = event;
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (target.closest(FIELDS) || document.querySelector("dialog[open]")) return;
    if (target.type === "radio" && key.startsWith("Arrow")) return; // arrow keys select another radio button
    if (key.length === 1 && this.type(key.toLowerCase())) return;
    const act = this.actions[key.length === 1 ? key.toLowerCase() : key];
    if (!act || (event.repeat && !key.startsWith("Arrow"))) return;
    if (act(event) !== false) event.preventDefault();
  }

  // Handle a key as part of a typed move, and return whether it fits a move. If the key also has an action, the action
  // runs unless the move is continued in time.
  type(key) {
    clearTimeout(this.waiting);
    const names = this.names();
    const fits = (text) => [...names.keys()].filter((name) => name.startsWith(text));
    if (!fits(this.typed + key).length) this.end(this.typed); // the earlier keys were not a move: run their action
    const text = this.typed + key;
    const possible = fits(text);
    this.typed = possible.length ? text : "";
    if (!possible.length) return false;
    if (possible.length === 1 && possible[0] === text) this.end(text);
    else this.waiting = setTimeout(() => this.end(text), TYPING_MS);
    return true;
  }

  end(text) {
    this.typed = "";
    if (text) (this.names().get(text) ?? this.actions[text])?.();
  }
}
