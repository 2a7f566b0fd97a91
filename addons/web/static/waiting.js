// The dialog that waits for a person on another machine, with the seat's address to send to them.

import { $, ask, attempt } from "./page.js";

let watching = ""; // the secret part of the spectators' address

const seatAddress = (secret) => `${location.origin}/seat/${secret}`;

// Connect the dialog's buttons: copy the addresses, and cancel the game.
export function listenToWaiting(shown) {
  const copies = (id, text) =>
    $(id).addEventListener("click", () =>
      attempt(async () => {
        await navigator.clipboard.writeText(text());
        $(id).textContent = "Copied";
      }, $("seat")),
    );
  copies("copyseat", () => $("seat").value);
  copies("copywatch", () => seatAddress(watching));
  $("cancelgame").addEventListener("click", () =>
    attempt(async () => {
      await ask(`/api/sessions/${shown.session}`, undefined, "DELETE");
      location.assign("/");
    }),
  );
}

// Show the address of the awaited seat, or close the dialog if none is awaited. awaited: the seats' secrets by side.
export function drawWaiting(game, awaited) {
  const { players } = game;
  const [color] = Object.keys(awaited ?? {});
  if (!color) {
    $("waiting").close();
    return;
  }
  watching = game.watching;
  $("seat").value = seatAddress(awaited[color]);
  $("copyseat").textContent = "Copy the address";
  $("copywatch").textContent = "Copy the address for spectators";
  $("copywatch").hidden = !watching;
  $("waiting-text").textContent = `Send this address to the other player. It opens only the seat of ${players[color === "black" ? 0 : 1]} in this game.`;
  $("alone").hidden = !["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  if (!$("waiting").open) $("waiting").showModal();
}
