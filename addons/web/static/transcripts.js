// Games that a person enters: typed, pasted, or as a file.

import { made, madeButton } from "./drawing.js";
import { $, ask, attempt, onSubmit, takeDropped } from "./page.js";
import { readPhoto } from "./photo.js";

const FILE = /^(\d*\s*\(\s*;|\{|\[\w+\s+")/; // text in a game file format: GGF, SGF, JSON lines or PGN

const NAMES = [/\.jou$/i, /\.trn$/i]; // WTHOR's lists of players and of tournaments
const MOST_LISTED = 20; // games listed at a time

// replay: shows a game given its name, position and moves; open: shows a game from a file; shown: the displayed game;
// newGame: the form with the chosen game; isSure: returns whether a running game may be left, and otherwise asks.
export function listenToTranscripts({ replay, open, shown, newGame, isSure }) {
  let games = []; // the file's games

  onSubmit($("paste"), () => {
    if (!isSure()) return;
    const fieldOf = (message) => $(message.startsWith("position") ? "start" : "transcript");
    attempt(() => openText(newGame.game, $("start").value, $("transcript").value), fieldOf);
  });
  async function openText(game, start, moves) {
    const text = [moves, start].find((each) => FILE.test(each.trim()));
    if (text) return openFile(new File([text], "pasted.txt"));
    try {
      await replay(game, start, moves);
    } catch (error) {
      if (game !== "othello" || start || !/[\n\t]/.test(moves.trim())) throw error;
      await openFile(new File([moves], "pasted.txt")); // games, one per line; a tab and a name may follow the moves
      return;
    }
    $("replay").close();
  }
  // Treat text pasted outside the fields as a game to replay.
  document.addEventListener("paste", (event) => {
    const [file] = event.clipboardData.files;
    if (file && isSure()) attempt(() => openFile(file));
    if (file || event.target.matches("input, textarea")) return;
    const text = event.clipboardData.getData("text").trim();
    if (!text) return;
    $("transcript").value = text;
    $("start").value = "";
    if (shown.isRunning) {
      newGame.choose(shown.game.game);
      $("replay").showModal(); // the dialog contains the button that asks
    }
    if (isSure()) attempt(() => openText(shown.game.game, "", text), $("transcript"));
  });
  // Open a dropped file like a selected file.
  takeDropped((files) => {
    $("file").files = files;
    $("file").dispatchEvent(new Event("change"));
  });
  $("file").addEventListener("change", () => attempt(async () => $("file").files[0] && (await openFile(...$("file").files)), $("file")));
  // Open a file. Other files are the lists of names of a WTHOR file, in any order.
  async function openFile(...files) {
    const file = files.find(({ name }) => !NAMES.some((ending) => ending.test(name)));
    if (!file) throw new Error("file: choose the .wtb file together with its .jou and .trn files");
    if (file.type.startsWith("image/")) return openText("othello", await readPhoto(file), "");
    const lists = NAMES.map((ending) => files.find(({ name }) => ending.test(name)) ?? new Blob());
    const sizes = lists.map(({ size }) => size).join(" ");
    const found = await ask(`/api/import?${new URLSearchParams({ name: file.name, sizes })}`, new File([file, ...lists], file.name));
    games = found.games;
    $("imported-search").value = "";
    listGames();
    $("which").hidden = false;
    const more = found.more ? [`${file.name} has more games; these are the first ${games.length}.`] : [];
    $("more").hidden = !more.length && !found.problems.length;
    $("more").textContent = [...more, ...found.problems].join("\n");
    await open(games[0].record);
    if (games.length === 1 && !found.problems.length) $("replay").close();
  }
  $("imported-search").addEventListener("input", listGames);
  // List the games whose titles contain all words of the search.
  function listGames() {
    const words = $("imported-search").value.toLowerCase().split(/\s+/);
    const found = games.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
    const rows = found.slice(0, MOST_LISTED).map(({ title, record }) =>
      made(
        "li",
        "",
        madeButton(title, () => attempt(() => open(record)), { className: "quiet-button" }),
      ),
    );
    $("imported").replaceChildren(...rows);
    $("imported-count").textContent =
      rows.length < found.length ? `${rows.length} of ${found.length} games; search for others` : `${found.length} game${found.length === 1 ? "" : "s"}`;
  }
}
