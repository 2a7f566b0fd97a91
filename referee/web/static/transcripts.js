// Games that a person hands in: typed, pasted, or as a file.

import { $, ask, attempt, fillSelect } from "./page.js";

// replay: shows a game, of its name, position and moves; open: shows a game of a file; names: of the game that is shown, and
// of the one that is chosen.
export function listenToTranscripts(replay, open, names) {
  let games = []; // of the file

  async function showImported(index) {
    await open(games[index].record);
  }

  $("paste").addEventListener("submit", (event) => {
    event.preventDefault();
    const fieldOf = (message) => $(message.startsWith("position") ? "start" : "transcript");
    attempt(async () => {
      await replay(names.chosen(), $("start").value, $("transcript").value);
      scrollTo(0, 0);
    }, fieldOf);
  });
  // What is pasted beside the fields is a game to be replayed.
  document.addEventListener("paste", (event) => {
    if (event.target.matches("input, textarea")) return;
    const text = event.clipboardData.getData("text").trim();
    if (!text) return; // such as a picture
    $("transcript").value = text;
    attempt(() => replay(names.shown(), "", text), $("transcript"));
  });
  $("file").addEventListener("change", () =>
    attempt(async () => {
      const file = $("file").files[0];
      if (!file) return;
      const found = await ask(`/api/import?${new URLSearchParams({ name: file.name })}`, file);
      games = found.games;
      fillSelect(
        $("imported"),
        games.map((each, index) => [String(index), each.title]),
        "0",
      );
      $("which").hidden = false;
      $("more").hidden = !found.more;
      $("more").textContent = `${file.name} has more games; these are the first ${games.length}.`;
      await showImported(0);
    }, $("file")),
  );
  $("imported").addEventListener("change", () => attempt(() => showImported(Number($("imported").value))));
}
