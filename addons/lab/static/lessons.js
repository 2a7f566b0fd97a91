// The lessons: for each idea a command, a page, and the numbers to expect; or the tasks of a course, in the same form. The
// address selects the guide and a section.

import { made } from "/static/drawing.js";
import "/static/appearance.js";
import { $, ask, attempt } from "/static/page.js";
import { textParts } from "./marked_text.js";

function itemRow({ target, expect }) {
  const isPage = target.startsWith("/");
  const text = target.startsWith("/tree") ? "Open the tree" : "Open the page";
  const first = isPage ? made("a", { href: target, className: "button" }, text) : made("code", "", target);
  return made("li", "", first, made("p", "", ...textParts(expect)));
}

function lessonCard({ title, paragraphs, items }, index) {
  const texts = paragraphs.map((text) => made("p", "", ...textParts(text)));
  return made("section", { className: "card", id: `lesson-${index + 1}` }, made("h2", "", title), ...texts, made("ul", "", ...items.map(itemRow)));
}

await attempt(async () => {
  const name = location.search === "?course" ? "course" : "lessons";
  const { [name]: lessons } = await ask(`/api/${name}`);
  const other = name === "course" ? made("a", { href: "/lessons" }, "Lessons") : made("a", { href: "?course" }, "Fifteen tasks");
  $("topics").replaceChildren(made("b", "", other), ...lessons.map(({ title }, index) => made("a", { href: `#lesson-${index + 1}` }, title)));
  $("lessons").replaceChildren(...lessons.map(lessonCard));
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
});
