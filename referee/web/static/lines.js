// The lines of a running search, the best first, with depth, score and speed.

import { made, moveText, scoreText } from "./drawing.js";
import { $ } from "./page.js";

const MOST_ROWS = 4;

// isPlaying: between two searches of a game the box stays, and so does what is below it; isAnalysis: whether a person has
// asked for the search.
export function drawThinking(lines, isPlaying, isAnalysis) {
  const rows = lines.slice(0, MOST_ROWS).map(({ depth, exact, score, nps, pv }) => {
    const cells = [exact ? "exact" : (depth ?? ""), scoreText(score), countText(nps), pv.map(moveText).join(" ")];
    return made("tr", "", ...cells.map((cell) => made("td", "", String(cell))));
  });
  $("thinking").tBodies[0].replaceChildren(...rows);
  $("thinking-title").textContent = isAnalysis ? "Best lines" : "The engine thinks";
  if (rows.length) $("thinking-box").hidden = false;
  else if (!isPlaying) $("thinking-box").hidden = true;
}

function countText(count) {
  if (!count) return "";
  return count < 1e4 ? String(count) : count < 1e6 ? `${Math.round(count / 1e3)} k` : `${(count / 1e6).toFixed(1)} M`;
}
