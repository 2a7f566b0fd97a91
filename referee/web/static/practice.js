// The page on which mistakes of one's own games are practised: the same table as that for play.

import { BoardView } from "./board.js";
import { $, ask, attempt } from "./page.js";

const NOTHING = "There is nothing to practise yet. Play a game, and review it: its mistakes come here.";
const board = new BoardView($("board"), () => {});

await attempt(async () => {
  const { steps, ...game } = await ask("/api/replay", { game: "othello" });
  board.begin(game);
  board.show(steps[0]);
  $("status").textContent = NOTHING;
});
