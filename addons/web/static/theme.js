// Choose light or dark before the page is drawn; without this, a dark page would flash white.
(() => {
  const { mode = "" } = JSON.parse(localStorage.getItem("quietmove-look") ?? "{}");
  document.documentElement.dataset.mode = mode;
})();
