// The lessons: for each idea a command, a page, and the numbers to expect. The address selects a lesson.

import { made } from "/static/drawing.js";
import "/static/appearance.js";
import { $, ask, attempt } from "/static/page.js";
import { textParts } from "./marked_text.js";

function itemRow({ target, expect }) {
  const isPage = target.startsWith("/");
  const first = isPage ? made("a", { href: target, className: "button" }, "Open the tree") : made("code", "", target);
  return made("li", "", first, made("p", "", ...textParts(expect)));
}

function lessonCard({ title, paragraphs, items }, index) {
  const texts = paragraphs.map((text) => made("p", "", ...textParts(text)));
  return made("section", { className: "card", id: `lesson-${index + 1}` }, made("h2", "", title), ...texts, made("ul", "", ...items.map(itemRow)));
}

await attempt(async () => {
  const { lessons } = await ask("/api/lessons");
  $("topics").replaceChildren(...lessons.map(({ title }, index) => made("a", { href: `#lesson-${index + 1}` }, title)));
  $("lessons").replaceChildren(...lessons.map(lessonCard));
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
});
