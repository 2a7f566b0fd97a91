import "/static/appearance.js";
import { $, ask, attempt } from "/static/page.js";

async function toss() {
  const { side } = await ask("/api/toss");
  $("status").textContent = side;
}

$("toss").addEventListener("click", () => attempt(toss));
