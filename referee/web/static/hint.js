// Asks an engine of the server for one good move in the position that is shown.

import { moveText, scoreText } from "./drawing.js";
import { $, report, serverAddress } from "./page.js";

const LIMIT = "movetime=1000";

export class Hint {
  // draw: called when there is a hint to show.
  constructor(draw) {
    this.draw = draw;
    this.step = null; // whose position was asked about
    this.line = null; // the best line that was found for it
    this.socket = null;
  }

  // Return what is drawn on the board in a step; null without a hint for it.
  linesOf(step) {
    if (step !== this.step) this.end();
    return step === this.step && this.line ? [this.line] : null;
  }

  // question: as an analysis asks it.
  ask(question, step) {
    this.end();
    this.step = step;
    $("hinted").textContent = "Looking for a good move …";
    const socket = new WebSocket(`${serverAddress()}/analysis`);
    this.socket = socket;
    socket.addEventListener("open", () => socket.send(JSON.stringify({ ...question, limit: LIMIT, id: 1 })));
    socket.addEventListener("message", (event) => {
      const { error, lines, done } = JSON.parse(event.data);
      if (this.socket !== socket) return;
      if (!error && !done) return;
      this.end();
      if (error) {
        report(error);
        return;
      }
      const [best] = lines;
      Object.assign(this, { step, line: { ...best, pv: best.pv.slice(0, 1) } });
      $("hinted").textContent = `Hint: ${[moveText(best.pv[0]), scoreText(best.score)].filter(Boolean).join(", ")}`;
      this.draw();
    });
  }

  // Ask no more, and forget what was found.
  end() {
    this.socket?.close();
    Object.assign(this, { socket: null, step: null, line: null });
    $("hinted").textContent = "";
  }
}
