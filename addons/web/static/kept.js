// The games saved on this machine: the latest games or, at the address `#games`, all games, with search, renaming and
// deletion.

import { dayText, made, madeButton } from "./drawing.js";
import { $, ask, attempt, confirmFirst, fillSelect } from "./page.js";

const FIELDS = ["search", "game", "sort"]; // the fields that filter the list
const LATEST = 6; // number of games in the short list

export class KeptGames {
  // opened: converts a game's address on the server to the address of the page that shows it.
  constructor(opened) {
    this.opened = opened;
    this.rows = []; // the rows, each with its checkbox and address
    this.wanted = 0; // number of the latest request; replies to earlier requests are ignored
    for (const id of FIELDS) $(`kept-${id}`).addEventListener("input", () => this.fill());
    $("kept-list").addEventListener("change", () => this.count());
    $("kept-all").addEventListener("change", () => {
      for (const { box } of this.rows) box.checked = $("kept-all").checked;
      this.count();
    });
    confirmFirst($("kept-delete"), "Really delete?", () => this.delete());
    addEventListener("hashchange", () => this.fill());
  }

  // Return the checked rows.
  get chosen() {
    return this.rows.filter(({ box }) => box.checked);
  }

  get showsAll() {
    return location.hash === "#games";
  }

  async fill() {
    const number = ++this.wanted;
    const { showsAll } = this;
    const asked = showsAll ? new URLSearchParams(FIELDS.map((id) => [id, $(`kept-${id}`).value])) : "sort=newest";
    await attempt(async () => {
      const { games, count, kinds } = await ask(`/api/kept?${asked}`);
      if (number !== this.wanted) return;
      fillSelect($("kept-game"), [["", "All games"], ...kinds], $("kept-game").value);
      $("kept-filters").hidden = !showsAll;
      $("kept-list").classList.toggle("all", showsAll);
      Object.assign($("kept-more"), { hidden: !showsAll && !count, href: showsAll ? "#" : "#games", textContent: showsAll ? "Latest games" : allText(count) });
      this.rows = games.slice(0, showsAll ? undefined : LATEST).map((game) => this.row(game));
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
    const name = game.title || (game.error ? game.name : titleOf(game));
    const link = game.error ? made("b", "", name) : made("a", { href: this.opened(path) }, name);
    const text = made("span", "", link, made("small", "", game.error ?? factsOf(game)));
    const box = made("input", { type: "checkbox", ariaLabel: `Select ${name}${game.date ? `, ${game.date}` : ""}` });
    const row = made("li", "", resultOf(game), text, markOf(game));
    if (this.showsAll) {
      const renaming = madeButton("Rename", () => this.rename(text, game, path), { className: "quiet-button", disabled: Boolean(game.error) });
      renaming.setAttribute("aria-description", name);
      row.prepend(box);
      row.append(renaming);
    }
    return { row, box, path };
  }

  rename(text, game, path) {
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
    text.replaceWith(field);
    field.focus();
  }
}

function allText(count) {
  return count === 1 ? "Search and delete" : `All ${count} games`;
}

function countText(shown, count, isAny) {
  if (!count) return isAny ? "No game matches." : "Your games will appear here, with the score and your mistakes. They stay on this computer.";
  return count > shown ? `The first ${shown} of ${count} games.` : "";
}

// Return the person's side, or -1 unless exactly one person played.
function ownSide({ people }) {
  return people?.length === 1 ? Number(people[0] === "white") : -1;
}

// Return a game's title: the opponent if exactly one person played, otherwise both players; and where the game
// started, unless it started with the first move.
function titleOf(game) {
  const own = ownSide(game);
  const begun = game.given ? `, from move ${game.given + 1}` : game.starts ? ", from a position" : "";
  const name = own < 0 ? game.players.join(" – ") : game.players[1 - own].replace(/^quietmove, /i, "");
  return name[0].toUpperCase() + name.slice(1) + begun;
}

const ENDINGS = { resign: "resigned", timeout: "on time", adjudicated: "adjudicated" };

// Return the score and the result from the person's point of view, or from Black's unless exactly one person played.
function resultOf({ game, result, margin, reason, people, error }) {
  if (error) return made("span", "result", "?");
  if (result === "*") return made("span", "result", "–", made("small", "", "unfinished"));
  const own = ownSide({ people });
  const sign = own === 1 ? -1 : 1;
  const score = { "1-0": 1, "0-1": -1 }[result] ?? 0;
  const word = !score ? "Drawn" : own < 0 ? `${score > 0 ? "Black" : "White"} won` : sign * score > 0 ? "Won" : "Lost";
  const kind = own < 0 || !score ? "" : sign * score > 0 ? " won" : " lost";
  const discs = game === "othello" && reason === "finished" && margin !== null;
  const [first, second] = discs ? [`${32 + (sign * margin) / 2}–${32 - (sign * margin) / 2}`, word] : [word, ENDINGS[reason] ?? result];
  return made("span", `result${kind}`, first, made("small", "", second));
}

function factsOf(game) {
  const { title, opening, date, accuracy, plies } = game;
  const own = ownSide(game);
  const side = own < 0 ? "" : `you were ${own ? "White" : "Black"}`;
  const kind = game.game === "othello" ? opening : game.game;
  const exact = accuracy?.[Math.max(own, 0)];
  const moves = `${plies} ${plies === 1 ? "move" : "moves"}`;
  return [title && titleOf(game), dayText(date), side, kind, own >= 0 && exact != null ? `accuracy ${exact} %` : moves].filter(Boolean).join(" · ");
}

// Return a badge with the worst grade of the person's mistakes (or of both players', unless exactly one person played)
// and the number of mistakes of this grade. A finished game of Othello without a review has the badge "Not reviewed".
function markOf(game) {
  const { marks, result } = game;
  if (!marks) return game.game === "othello" && result !== "*" ? made("span", "badge soft", "Not reviewed") : "";
  const own = ownSide(game);
  const found = own < 0 ? marks[0].map((count, grade) => count + marks[1][grade]) : marks[own];
  const grade = [2, 1, 0].find((each) => found[each]);
  return grade === undefined ? made("span", "badge good", "no mistakes") : made("span", `badge l${grade + 1}`, `${found[grade]} ${["?!", "?", "??"][grade]}`);
}
