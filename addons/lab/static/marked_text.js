// Formatting of the guides' texts, which pages show.

import { made } from "/static/drawing.js";

// Return a text with its `code` and **results** as elements.
export function textParts(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`")) return made("code", "", part.slice(1, -1));
    return part.startsWith("**") ? made("b", "", part.slice(2, -2)) : part;
  });
}
