// The keys that act on the whole page, but in no field of a form and under no dialog. A move can be typed as it is named.

const TYPING_MS = 1000; // the next letter or figure of a typed move comes within this time
const FIELDS = "input:not([type=checkbox]), select, textarea";

export class Keys {
  // actions: by its name, what a key does; moves: returns the name of each move that can be typed now, and what it does.
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
    if (key.length === 1 && this.type(key.toLowerCase())) return;
    const act = this.actions[key.length === 1 ? key.toLowerCase() : key];
    if (!act || (event.repeat && !key.startsWith("Arrow"))) return;
    if (act(event) !== false) event.preventDefault();
  }

  // Take a key as a part of a typed move, and return whether it may be one. A key that names a file acts otherwise when no
  // figure has followed it in time.
  type(key) {
    clearTimeout(this.waiting);
    const names = this.names();
    const fits = (text) => [...names.keys()].filter((name) => name.startsWith(text));
    if (!fits(this.typed + key).length) this.typed = "";
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
    (this.names().get(text) ?? this.actions[text])?.();
  }
}
