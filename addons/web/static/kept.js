// The games saved on this machine: a list to search, open, rename and delete.

import { made, madeButton, scoreText } from "./drawing.js";
import { $, ask, attempt, confirmFirst, fillSelect } from "./page.js";

const FIELDS = ["search", "game", "sort"]; // the fields that filter the list

export class KeptGames {
  // open: called with a game's address.
  constructor(open) {
    this.open = open;
    this.rows = []; // the rows, each with its checkbox and address
    this.wanted = 0; // number of the latest request; earlier answers are dropped
    for (const id of FIELDS) $(`kept-${id}`).addEventListener("input", () => this.fill());
    $("kept-list").addEventListener("change", () => this.count());
    $("kept-all").addEventListener("change", () => {
      for (const { box } of this.rows) box.checked = $("kept-all").checked;
      this.count();
    });
    confirmFirst($("kept-delete"), "Really delete?", () => this.delete());
  }

  // Return the checked rows.
  get chosen() {
    return this.rows.filter(({ box }) => box.checked);
  }

  async fill() {
    const number = ++this.wanted;
    const asked = new URLSearchParams(FIELDS.map((id) => [id, $(`kept-${id}`).value]));
    await attempt(async () => {
      const { games, count, kinds } = await ask(`/api/kept?${asked}`);
      if (number !== this.wanted) return;
      fillSelect($("kept-game"), [["", "All games"], ...kinds], $("kept-game").value);
      this.rows = games.map((game) => this.row(game));
      $("kept-list").replaceChildren(...this.rows.map(({ row }) => row));
      $("kept-none").textContent = countText(games.length, count, kinds.length > 0);
      this.count();
    });
  }

  // Show the number of selected games.
  count() {
    const { length } = this.chosen;
    $("kept-delete").disabled = !length;
    $("kept-delete").textContent = length > 1 ? `Delete ${length} games` : "Delete";
    $("kept-all").checked = length > 0 && length === this.rows.length;
  }

  async delete() {
    await attempt(async () => {
      for (const { path } of this.chosen) await ask(path, undefined, "DELETE");
    });
    await this.fill();
  }

  // Return a game's list item, its checkbox and its address.
  row(game) {
    const path = `/api/kept/${encodeURIComponent(game.name)}`;
    const players = game.players?.join(" – ");
    const opening = madeButton(game.title || players, () => attempt(() => this.open(path)));
    const renaming = madeButton("Rename", () => this.rename(row, opening, game, path));
    const name = game.title || `${players}, ${game.date}`;
    const box = made("input", { type: "checkbox", ariaLabel: `Choose ${name}` });
    renaming.setAttribute("aria-description", name);
    opening.disabled = renaming.disabled = Boolean(game.error);
    const row = made("li", "", box, opening, made("span", "facts", game.error ?? factsOf(game, players)), renaming);
    return { row, box, path };
  }

  rename(row, opening, game, path) {
    const field = made("input", { value: game.title, maxLength: 100, ariaLabel: "Title of the game" });
    let isOver = false; // removing the field triggers blur again
    const end = (title) => {
      if (isOver) return;
      isOver = true;
      attempt(async () => title !== game.title && (await ask(path, { title }, "PUT"))).then(() => this.fill());
    };
    field.addEventListener("keydown", ({ key }) => {
      if (key === "Enter") end(field.value.trim());
      else if (key === "Escape") end(game.title);
    });
    field.addEventListener("blur", () => end(field.value.trim()));
    row.replaceChild(field, opening);
    field.focus();
  }
}

function countText(shown, count, isAny) {
  if (!count) return isAny ? "No game matches." : "No game has been played yet.";
  return count > shown ? `The first ${shown} of ${count} games.` : "";
}

const ENDINGS = { resign: "by resignation", timeout: "on time", adjudicated: "adjudicated" };

function factsOf({ title, game, opening, date, result, margin, reason, plies, accuracy, people }, players) {
  const how = ENDINGS[reason] ? `, ${ENDINGS[reason]}` : margin ? ` (${scoreText(100 * margin)})` : "";
  const ended = result === "*" ? "not over" : `${result}${how}`;
  const own = ["black", "white"].flatMap((color, side) => (people.includes(color) && accuracy?.[side] != null ? [`${accuracy[side]} %`] : []));
  const reviewed = accuracy && ["reviewed", ...own].join(", ");
  return [title && players, opening || game, date.length > 16 ? date.slice(0, -3) : date, ended, reviewed, `${plies} ${plies === 1 ? "move" : "moves"}`]
    .filter(Boolean)
    .join(" · ");
}
