// The engine register, and the form to add or change an engine.

import { made, madeButton } from "/static/drawing.js";
import { $, ask, attempt, confirmFirst, fillSelect, onSubmit } from "/static/page.js";
import { table } from "/static/tables.js";

const OWN = "quietmove"; // the command of this installation's engine
const BUILDING = "Building the commit can take minutes.";
const HIDDEN = ["Game", "Ponder"]; // options not in the form, because the tournament sets them
const STATUSES = ["ok", "FAIL", "skip", "info"]; // the order in which `quietmove-referee check` counts outcomes

export class Engines {
  constructor() {
    Object.assign(this, { known: null, edited: null, options: [], kind: "command", opened: 0 });
    $("add-engine").addEventListener("click", () => this.open(null));
    for (const button of $("engine-kinds").children) button.addEventListener("click", () => this.choose(button.dataset.kind));
    $("cancel-engine").addEventListener("click", () => $("engine-dialog").close());
    $("read-options").addEventListener("click", () => this.work("Starting the engine.", () => this.read()));
    $("build-commit").addEventListener("click", () => this.work(BUILDING, () => this.build()));
    $("check-engine").addEventListener("click", () => this.work("Checking the engine takes up to a minute.", () => this.check()));
    $("level").addEventListener("change", () => this.nameLevel());
    onSubmit($("engine-form"), () => this.work(this.kind === "commit" ? BUILDING : "", () => this.save()));
    confirmFirst($("remove-engine"), "Remove this engine?", () => this.work("", () => this.remove()));
  }

  // Load the register and render it.
  async load() {
    this.show(await ask("/api/engines"));
  }

  show(known) {
    this.known = known;
    $("register-file").textContent = known.file;
    $("register-problems").replaceChildren(...known.problems.map((text) => made("li", "", text)));
    const rows = known.engines.map((engine) => [
      engine.name,
      made("code", "", this.isPerson(engine) ? "a person" : describe(engine)),
      engine.protocol,
      this.isPerson(engine) ? "" : checkTag(engine),
      this.isPerson(engine) ? "" : madeButton("Check", (event) => this.checkAgain(engine, event.target)),
      madeButton("Edit", () => this.open(engine)),
    ]);
    const heads = [["name", "name"], ["configuration", "wide"], ["protocol", "wide"], ["check"], [""], [""]];
    $("register").replaceChildren(rows.length ? table("Engines", heads, rows) : made("p", "quiet", "No engines yet."));
  }

  isPerson({ command }) {
    return command === this.known.person.command;
  }

  async checkAgain(engine, button) {
    button.disabled = true;
    button.textContent = "Checking \u2026";
    await attempt(() => ask(`/api/engines/${encodeURIComponent(engine.name)}/check`, {}));
    await this.load();
  }

  // ---- the form

  // Open the form. engine: the engine to change, or null for a new one.
  open(engine) {
    const own = engine && engine.command === OWN && engine.protocol === "uci";
    Object.assign(this, { edited: engine, options: own ? this.known.own : [], opened: this.opened + 1 });
    for (const button of $("engine-form").querySelectorAll("button")) button.disabled = false;
    $("engine-title").textContent = engine ? `Change ${engine.name}` : "Add an engine";
    $("save-engine").textContent = engine ? "Save" : "Add";
    $("remove-engine").hidden = !engine;
    $("command").value = engine?.command ?? "";
    $("engine-name").value = engine?.name ?? "";
    $("engine-limit").value = engine?.table.limit ?? "";
    $("more-keys").value = engine?.more ?? "";
    fillSelect($("protocol"), [["", "detect"], ...this.known.protocols], engine?.protocol ?? "");
    const level = this.known.own.find((option) => option.name === "Level");
    const levels = Array.from({ length: 1 + Number(level.most) - Number(level.least) }, (_, index) => String(index + Number(level.least)));
    const titles = levels.map((each) => [each, `level ${each}`]);
    fillSelect($("level"), titles, "5");
    this.say("");
    $("engine-check").replaceChildren(...(engine?.check ? [reportOf(engine.check)] : []));
    this.choose(own ? "own" : "command", engine?.table.options ?? {});
    $("engine-kinds").hidden = Boolean(engine);
    $("engine-dialog").showModal();
  }

  // Show the fields for a kind of engine. values: the options that are set.
  choose(kind, values = {}) {
    this.kind = kind;
    for (const button of $("engine-kinds").children) button.ariaPressed = button.dataset.kind === kind;
    for (const id of ["command-box", "protocol-box", "read-box"]) $(id).hidden = kind !== "command";
    $("level-box").hidden = kind !== "level";
    $("commit-box").hidden = kind !== "commit";
    $("person-box").hidden = kind !== "person";
    if (kind === "own") this.options = this.known.own;
    else if (!this.edited) this.options = [];
    if (kind === "level") this.nameLevel();
    if (kind === "person") $("engine-name").value = "me";
    this.drawOptions(values);
  }

  nameLevel() {
    $("engine-name").value = `level ${$("level").value}`;
  }

  // Draw the option fields. values: the options that are set, shown even if the engine does not offer them.
  drawOptions(values) {
    const offered = ["level", "commit", "person"].includes(this.kind)
      ? []
      : this.options.filter((option) => option.kind !== "button" && !HIDDEN.includes(option.name));
    const known = new Set(offered.map((option) => option.name));
    const others = Object.keys(values).filter((name) => !known.has(name));
    const all = [...offered, ...others.map((name) => ({ name, kind: "string", default: "" }))];
    $("engine-options").replaceChildren(...all.map((option) => optionField(option, values[option.name])));
  }

  values() {
    const fields = [...$("engine-options").querySelectorAll("[data-option]")].filter((field) => field.value !== "");
    return Object.fromEntries(fields.map((field) => [field.dataset.option, field.value]));
  }

  // Return the form's data as the server expects it.
  asked() {
    const table = { name: $("engine-name").value.trim(), limit: $("engine-limit").value.trim(), options: this.values() };
    if (this.kind === "level") table.options = { Level: $("level").value, Seed: "{seed}" }; // a different seed per game
    if (this.kind === "person") Object.assign(table, this.known.person);
    else if (this.kind === "command") Object.assign(table, { command: $("command").value.trim(), protocol: $("protocol").value });
    else table.command = OWN;
    return { table, more: $("more-keys").value, replaces: this.edited?.name ?? "" };
  }

  // Send the form's data. A reply that arrives after another form was opened is an error, which `work` ignores.
  async send(path, data, ...rest) {
    const { opened } = this;
    const reply = await ask(path, data, ...rest);
    if (opened !== this.opened) throw new Error("another form was opened");
    return reply;
  }

  async read() {
    const values = this.values();
    const found = await this.send("/api/engines/offered", this.asked());
    this.options = found.options;
    $("protocol").value = found.protocol;
    if (!$("engine-name").value) $("engine-name").value = found.name;
    this.drawOptions(values);
    this.say(`It started in ${found.seconds} s, speaks ${found.protocol} and has ${found.options.length} options.`, "good");
  }

  // Build the commit, and fill the form with the engine's command.
  async build() {
    const commit = { repository: $("repository").value, commit: $("commit").value, build: $("build").value, engine: $("built").value };
    const { name, command, more } = await this.send("/api/engines/built", commit);
    $("command").value = command;
    $("engine-name").value = name;
    $("more-keys").value = more;
    this.choose("command");
    await this.read();
  }

  async check() {
    await this.nameFirst();
    const report = await this.send("/api/engines/check", this.asked());
    this.say("");
    $("engine-check").replaceChildren(reportOf(report));
  }

  // Fill in the name and the protocol, which checking and saving require.
  async nameFirst() {
    if (this.kind === "commit") await this.build();
    else if (this.kind === "command" && !$("protocol").value) await this.read();
  }

  async save() {
    await this.nameFirst();
    this.show(await this.send("/api/engines", this.asked()));
    $("engine-dialog").close();
  }

  async remove() {
    this.show(await this.send(`/api/engines/${encodeURIComponent(this.edited.name)}`, undefined, "DELETE"));
    $("engine-dialog").close();
  }

  // Run a slow action, and show its errors in the form.
  async work(text, act) {
    const buttons = [...$("engine-form").querySelectorAll("button")];
    const { opened } = this;
    this.say(text);
    for (const button of buttons) button.disabled = button.id !== "cancel-engine";
    try {
      await act();
    } catch (error) {
      if (opened === this.opened) this.say(error.message, "bad");
      else await this.load(); // another form is open, but the register may have changed
    } finally {
      if (opened === this.opened) for (const button of buttons) button.disabled = false;
    }
  }

  say(text, kind = "") {
    const line = $("engine-said");
    line.textContent = text;
    line.hidden = !text;
    line.className = `box ${kind}`;
  }
}

// Return an option's field; leaving it empty keeps the engine's default.
function optionField(option, value = "") {
  const bounds = option.kind === "spin" && option.least !== "" ? `, ${option.least} to ${option.most}` : "";
  let field;
  if (option.kind === "combo" || option.kind === "check") {
    field = made("select");
    const choices = option.kind === "check" ? ["true", "false"] : option.choices;
    fillSelect(field, [["", `default: ${option.default}`], ...choices], value);
    if (field.value !== value) field.append(new Option(value, value, true, true));
  } else {
    field = made("input", { value, placeholder: option.default, autocomplete: "off" });
  }
  field.dataset.option = option.name;
  return made("label", "", `${option.name}${bounds} `, field);
}

function describe(engine) {
  const options = Object.entries(engine.options).map(([name, value]) => `${name} = ${value}`);
  const command = engine.command === OWN && options.length ? "" : engine.command;
  return [command, ...options].filter(Boolean).join(", ");
}

function checkTag({ check }) {
  if (!check) return made("span", "badge soft", "not checked");
  return check.failed ? made("span", "badge bad", `failed ${check.failed}`) : made("span", "badge good", "passed");
}

// Return the report of a check, failures first, each with its reason.
function reportOf({ failed, examinations, seconds }) {
  const counts = STATUSES.map((status) => [examinations.filter((each) => each.status === status).length, status]);
  const present = counts.filter(([count]) => count > 0).map(([count, status]) => `${count} ${status}`);
  const said = `Check: ${present.join(", ")}.`;
  const rank = (each) => ["FAIL", "skip", "info", "ok"].indexOf(each.status);
  const rows = examinations.toSorted((one, other) => rank(one) - rank(other));
  const list = made("ul", "report", ...rows.map((each) => made("li", each.status, `${each.status} ${each.name}: ${each.text}`)));
  const rest = failed ? " You can add it anyway." : "";
  const box = made("div", `box ${failed ? "bad" : "good"}`, `${said} It took ${seconds.toFixed(1)} s.${rest}`);
  const details = made("details", "", made("summary", "", "All checks"), list);
  details.open = failed > 0;
  box.append(details);
  return box;
}
