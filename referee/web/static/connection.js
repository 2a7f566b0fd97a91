// The connection to a game on the server: it is opened, tried again where it is lost, and left.

import { serverAddress } from "./page.js";

const AGAIN_MS = 1000; // until a lost connection is tried again
const GONE = 4404;

export class Connection {
  // state: of the page; hear: takes a message of the server; gone: called when there is no such game; changed: called when
  // there is trouble to tell.
  constructor(state, { hear, gone, changed }) {
    Object.assign(this, { state, hear, gone, changed });
  }

  join(name) {
    const { state } = this;
    state.socket?.close();
    state.session = name;
    const isShown = new URLSearchParams(location.hash.slice(1)).get("session") === name;
    if (!isShown) history.replaceState(null, "", `#session=${name}`); // a page that is loaded again at once finds the game
    const socket = new WebSocket(`${serverAddress()}/sessions/${name}`);
    state.socket = socket;
    socket.addEventListener("message", (event) => {
      if (state.socket === socket) this.hear(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (state.socket !== socket) return;
      state.socket = null;
      if (event.code === GONE) this.gone();
      else if (!state.verdict) this.find(name);
    });
  }

  // Try again to reach a game, unless this page is not let in any more.
  async find(name) {
    const { state } = this;
    const answer = await fetch("/api/server").catch(() => null);
    const isRefused = answer?.status === 403;
    if (state.session !== name || state.socket) return;
    if (isRefused) state.trouble = `The server was started anew, and does not know this page: ${(await answer.text()).trim()}.`;
    else state.trouble = "The connection is lost; it is tried again. If the server was ended, start it again and open the address that it prints.";
    this.changed();
    if (!isRefused) setTimeout(() => state.session === name && !state.socket && this.join(name), AGAIN_MS);
  }

  send(message) {
    this.state.socket.send(JSON.stringify(message));
  }

  leave() {
    this.state.socket?.close();
    this.state.socket = this.state.session = null;
  }
}
