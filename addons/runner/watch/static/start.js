// The form that starts a run. It always shows the equivalent definition file.

import { made, madeButton } from "/static/drawing.js";
import { $, ask, attempt, fillSelect, onSubmit } from "/static/page.js";

const WAIT_MS = 300; // delay in milliseconds between a change in the form and the preview request
const HELP = {
  sprt: "Plays until it is clear whether the first engine is better than the second by this many Elo.",
  "round-robin": "Every pair of engines meets once a round.",
  gauntlet: "In each round, each of the first engines meets every other engine.",
  swiss: "In each round, engines with similar scores meet.",
  knockout: "The loser of each match is out; engines early in the list are seeded apart.",
};
const COMPARE = "sprt";

export class StartForm {
  // began: called with the server's answer after a run was queued or saved.
  constructor(began) {
    Object.assign(this, { began, kind: COMPARE, kinds: {}, engines: [], timer: 0, asked: 0, isNamed: false });
    $("run-form").addEventListener("input", () => this.changed());
    $("run-name").addEventListener("input", () => Object.assign(this, { isNamed: $("run-name").value !== "" }));
    onSubmit($("run-form"), () => this.send(true));
    $("save-run").addEventListener("click", () => this.send(false));
    for (const id of ["open-file", "open-another"]) $(id).addEventListener("click", () => $("definition").click());
    $("definition").addEventListener("change", () => this.openFile());
  }

  // Fill the form. kinds, cores: from the server; engines: the names of the registered engines.
  fill({ kinds, cores }, engines) {
    if (!$("kinds").childElementCount) {
      this.kinds = kinds;
      const buttons = Object.entries(kinds).map(([name, { title }]) => madeButton(title, () => this.choose(name), { name }));
      $("kinds").append(...buttons);
      Object.assign($("concurrency"), { value: cores, max: cores });
      $("concurrency").parentElement.firstChild.textContent = `Simultaneous games (${cores} cores) `;
    }
    const chosen = new Set(this.chosen());
    const isFirst = !this.engines.length;
    this.engines = engines;
    for (const [index, id] of ["first", "second"].entries()) {
      const before = $(id).value;
      fillSelect($(id), engines, engines.includes(before) ? before : engines[index]);
    }
    $("player-list").replaceChildren(...engines.map((name) => playerBox(name, isFirst || chosen.has(name))));
    $("no-engines").hidden = engines.length > 1;
    this.choose(this.kind);
  }

  chosen() {
    if (this.kind === COMPARE) return [$("first").value, $("second").value];
    return [...$("player-list").querySelectorAll("input:checked")].map((box) => box.value);
  }

  choose(kind) {
    this.kind = kind;
    for (const button of $("kinds").children) button.ariaPressed = button.name === kind;
    $("kind-help").textContent = HELP[kind];
    $("two").hidden = kind !== COMPARE;
    $("players").hidden = kind === COMPARE;
    const rows = this.kinds[kind].settings.filter(({ name }) => name !== "elo1");
    const isNeeded = ({ name }) => ["rounds", "seeds", "match_pairs"].includes(name);
    $("needed").replaceChildren(...rows.filter(isNeeded).map(settingField));
    $("settings").replaceChildren(...rows.filter((row) => !isNeeded(row)).map(settingField));
    this.changed();
  }

  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.preview(), WAIT_MS);
  }

  // Return the form's data as the server expects it.
  request() {
    const engines = this.chosen();
    if (!this.isNamed) $("run-name").value = this.kind === COMPARE ? engines.join(" against ") : this.kinds[this.kind].title.toLowerCase();
    const keys = { name: $("run-name").value, format: this.kind, seed: Number($("seed").value), concurrency: Number($("concurrency").value) };
    if (this.kind === COMPARE) keys.elo1 = Number($("elo1").value);
    for (const field of $("run-form").querySelectorAll("[data-setting]")) {
      if (!["", field.dataset.usual].includes(field.value))
        keys[field.dataset.setting] = JSON.parse(field.dataset.kind === "string" ? JSON.stringify(field.value) : field.value);
    }
    const openings = $("openings").value.trim();
    if (openings) keys.openings = openings === "none" ? false : openings;
    const limit = $("limit").value.trim();
    if (limit) keys.defaults = { limit };
    return { keys, engines };
  }

  async preview() {
    if ($("start").hidden) return;
    const asked = ++this.asked;
    await attempt(async () => {
      const found = await ask("/api/runs/preview", this.request());
      if (asked !== this.asked) return;
      $("toml-name").textContent = found.file;
      $("toml").textContent = found.toml;
      $("run-problems").replaceChildren(...found.problems.map((text) => made("li", "", text)));
      const parts = [];
      if (found.games !== null) parts.push(`${found.games} games`);
      if (found.seconds !== null) parts.push(`about ${Math.max(1, Math.round(found.seconds / 60))} min, if the engines use all their time`);
      $("estimate").textContent = [parts.join(", "), ...(found.remarks ?? [])].filter(Boolean).join("; ");
    });
  }

  send(plays) {
    attempt(async () => this.began(await ask("/api/runs", { ...this.request(), plays }), plays));
  }

  openFile() {
    const [file] = $("definition").files;
    attempt(async () => {
      const text = await file.text();
      $("definition").value = "";
      this.began(await ask("/api/runs", { text }), true);
    });
  }
}

function playerBox(name, checked) {
  const box = made("input", { type: "checkbox", value: name, checked });
  return made("label", "inline", box, ` ${name}`);
}

// Return the field for a format's setting. Settings left at their default are omitted from the file.
function settingField({ name, default: usual, required, help, choices }) {
  const kind = typeof usual;
  let field;
  if (kind === "boolean" || choices.length) {
    field = made("select");
    fillSelect(field, kind === "boolean" ? ["true", "false"] : choices, String(usual));
  } else {
    field = made("input", { value: usual, type: kind === "number" ? "number" : "text", step: "any" });
  }
  Object.assign(field.dataset, { setting: name, kind, usual: required ? "" : usual });
  field.title = help;
  return made("label", "", `${name.replaceAll("_", " ")} `, field);
}
