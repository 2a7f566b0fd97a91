// Games that a person enters: typed, pasted, or as a file.

import { $, ask, attempt, fillSelect, onSubmit, takeDropped } from "./page.js";
import { readPhoto } from "./photo.js";

const FILE = /^(\d*\s*\(\s*;|\{|\[\w+\s+")/; // text in a game file format: GGF, SGF, JSON lines or PGN

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
      await openFile(new File([moves], "pasted.txt")); // one game per line, or a game and its name
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
  $("file").addEventListener("change", () => attempt(async () => $("file").files[0] && (await openFile($("file").files[0])), $("file")));
  async function openFile(file) {
    if (file.type.startsWith("image/")) return openText("othello", await readPhoto(file), "");
    const found = await ask(`/api/import?${new URLSearchParams({ name: file.name })}`, file);
    games = found.games;
    const titles = games.map((each, index) => [String(index), each.title]);
    fillSelect($("imported"), titles, "0");
    $("which").hidden = false;
    const more = found.more ? [`${file.name} has more games; these are the first ${games.length}.`] : [];
    $("more").hidden = !more.length && !found.problems.length;
    $("more").textContent = [...more, ...found.problems].join("\n");
    await open(games[0].record);
    if (games.length === 1 && !found.problems.length) $("replay").close();
  }
  $("imported").addEventListener("change", () => attempt(() => open(games[Number($("imported").value)].record)));
}
