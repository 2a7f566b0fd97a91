// A person at another machine who has not come yet: the address of the seat, to be sent.

import { $, ask, attempt } from "./page.js";

// Let the dialog copy the address, and end the game that nobody comes to.
export function listenToWaiting(shown) {
  $("copyseat").addEventListener("click", () =>
    attempt(async () => {
      await navigator.clipboard.writeText($("seat").value);
      $("copyseat").textContent = "Copied";
    }, $("seat")),
  );
  $("cancelgame").addEventListener("click", () =>
    attempt(async () => {
      await ask(`/api/sessions/${shown.session}`, undefined, "DELETE");
      location.assign("/");
    }),
  );
}

// Show the address of the seat that is awaited, or that the player has come. awaited: by its side, the secret of each seat.
export function drawWaiting({ players }, awaited) {
  const [color] = Object.keys(awaited ?? {});
  if (!color) {
    $("waiting").close();
    return;
  }
  $("seat").value = `${location.origin}/seat/${awaited[color]}`;
  $("copyseat").textContent = "Copy the address";
  $("waiting-text").textContent = `Send this address. It opens the seat of ${players[color === "black" ? 0 : 1]} in this game, and nothing else.`;
  $("alone").hidden = !["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  if (!$("waiting").open) $("waiting").showModal();
}
