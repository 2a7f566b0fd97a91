// The games that are kept on this machine: a list to open, rename and delete.

import { made, madeButton, scoreText } from "./drawing.js";
import { $, ask, attempt, confirmFirst } from "./page.js";

export class KeptGames {
  // open: called with the address of a game.
  constructor(open) {
    this.open = open;
    $("mygames").addEventListener("toggle", () => $("mygames").open && this.fill());
  }

  // Read the list again, if it is seen.
  async refresh() {
    if ($("mygames").open) await this.fill();
  }

  async fill() {
    await attempt(async () => {
      const { games } = await ask("/api/kept");
      $("kept-list").replaceChildren(...games.map((game) => this.row(game)));
      $("kept-none").hidden = games.length > 0;
    });
  }

  row(game) {
    const path = `/api/kept/${encodeURIComponent(game.name)}`;
    const players = game.players?.join(" – ");
    const opening = madeButton(game.title || players, () => attempt(() => this.open(path)));
    const renaming = madeButton("Rename", () => this.rename(row, opening, game, path));
    const deleting = madeButton("Delete", () => {});
    const change = (work) => attempt(work).then(() => this.fill());
    confirmFirst(deleting, "Really delete?", () => change(() => ask(path, undefined, "DELETE")));
    for (const button of [renaming, deleting]) button.setAttribute("aria-description", game.title || `${players}, ${game.date}`);
    opening.disabled = renaming.disabled = Boolean(game.error);
    const row = made("li", "", opening, made("span", "facts", game.error ?? factsOf(game, players)), renaming, deleting);
    return row;
  }

  rename(row, opening, game, path) {
    const field = Object.assign(document.createElement("input"), { value: game.title, maxLength: 100 });
    field.setAttribute("aria-label", "Title of the game");
    let isOver = false; // a field that is taken away is left too
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

function factsOf({ title, game, date, result, margin, plies }, players) {
  const ended = result === "*" ? "not over" : `${result}${margin ? ` (${scoreText(100 * margin)})` : ""}`;
  return [title && players, game, date.slice(0, -3), ended, `${plies} ${plies === 1 ? "move" : "moves"}`].filter(Boolean).join(" · ");
}
