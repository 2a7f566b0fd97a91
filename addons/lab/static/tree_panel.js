// A search on the page: its counts, a description of the current step, its picture, and a board.

import { BoardView } from "/static/board.js";
import { element, made, madeButton } from "/static/drawing.js";
import { $, attempt, save } from "/static/page.js";
import { pictureOf } from "./tree_export.js";
import { Simulations } from "./tree_mcts.js";
import { TreeView } from "./tree_view.js";

// Append a panel to the page and return it. game: the server's description; label: the picture's description for
// screen readers; saveRun: called with the panel and the button to save the whole run. Without saveRun, the panel has
// no save buttons and no bar of leaves.
export function makePanel(game, title, label, saveRun = null) {
  const panel = {
    game,
    title,
    counts: made("p", "counts"),
    sentence: made("p", "sentence"),
    scroll: made("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: `Tree, ${title}` }),
    board: made("div", "board small"),
    bar: element("svg", { class: "bar", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" }),
  };
  const savePicture = () => save(new Blob([pictureOf(panel)], { type: "image/svg+xml" }), fileName(panel, "svg"));
  const saveFilm = ({ target }) => attempt(() => saveRun(panel, target));
  panel.saves = made(
    "div",
    "saves",
    madeButton("SVG", savePicture, { className: "save", title: "Save the picture" }),
    madeButton("GIF", saveFilm, { className: "save", title: "Save the whole run as an animation" }),
  );
  const top = made("div", "headline", made("div", "", made("h2", "", title), panel.counts), made("div", "side", panel.board, panel.saves));
  $("panels").append(made("section", { className: "card panel", ariaLabel: title }, top, panel.bar, panel.sentence, panel.scroll));
  if (!saveRun) for (const each of [panel.bar, panel.saves]) each.remove();
  panel.view = new TreeView(panel.scroll, label);
  panel.boardView = new BoardView(panel.board, null);
  return panel;
}

// Return the name of a file saved from a panel.
export function fileName(panel, kind) {
  return `${panel.title} ${panel.game.game}.${kind}`.toLowerCase().replaceAll(" ", "-");
}

// Draw a tree at the current step of its search. isFollowed: draw only the search's path, with the moves next to it.
export function draw(panel, isFollowed) {
  const { walk, view } = panel;
  const { current, at, sentence } = walk.now;
  if (isFollowed || walk instanceof Simulations) {
    const { rows } = view;
    view.plan(walk.nodes, panel.game.sides, panel.sizes, { way: isFollowed ? walk.way : null });
    view.paint();
    if (rows && (rows.width !== view.rows.width || rows.count !== view.rows.count)) view.fit();
  }
  view.show(walk.states, current);
  panel.sentence.textContent = sentence;
  if (walk.now.phase === undefined) tellCounts(panel);
  else panel.counts.textContent = `${walk.now.phase || "Monte Carlo tree search"}, step ${at} of ${walk.end}`;
  view.follow(current ?? 0);
  drawBoard(panel, walk.now.board ?? walk.nodes[current ?? 0].board);
}

// Show the number of leaves a search has visited and saved.
function tellCounts({ walk, counts, bar, leaves }) {
  const { visited, again, saved, at } = walk.now;
  const isPiece = walk.piece !== null;
  const bold = (count) => made("b", "", count);
  counts.replaceChildren("Leaves visited ", bold(visited), " + saved ", bold(saved), ...(isPiece ? [] : [" of ", bold(leaves)]), made("br"));
  counts.append(` Step ${at}${isPiece && !walk.piece.ended ? "" : ` of ${walk.end}`}`);
  if (walk.hasNull && !isPiece) counts.append(" \u00b7 visited again ", bold(again));
  bar.toggleAttribute("hidden", isPiece);
  if (isPiece) return;
  const [seen, left] = [visited / leaves, saved / leaves];
  bar.replaceChildren(element("rect", { class: "visited", width: seen, height: 1 }), element("rect", { class: "saved", x: seen, width: left, height: 1 }));
}

export function drawBoard({ boardView, game }, board) {
  if (board === null) return; // a game without squares
  boardView.begin(game);
  boardView.show({ board, legal: [], placed: [], changed: [] });
}
