// The address of the page says what is shown, so that it can be kept and sent.

const WAIT_MS = 300; // browsers refuse to be told of another address too often
let waiting = null;

// Return the address: of a running game its session, of one that is kept its file, and the moves of both, which show it
// where the session has ended or the file is gone. state: what is shown; covered: whether the page does not know all of it.
export function addressOf({ game, steps, at, session, stored, verdict }, covered) {
  const running = session && !verdict;
  const said = new URLSearchParams({ ...(running && { session }), ...(stored && { replay: stored }) });
  const [start, last] = [steps[0].position, steps.length - 1];
  if (!covered && (last > 0 || start !== game.start || running || stored)) {
    said.set("game", game.game);
    if (start !== game.start) said.set("start", start);
    if (last > 0) said.set("moves", movesOf(steps));
    if (at < last) said.set("at", at);
  }
  const text = String(said);
  return new URL(text ? `#${text}` : location.pathname, location.href).href;
}

// Return the moves up to a ply, by default all.
export function movesOf(steps, ply = steps.length - 1, notation = "move") {
  return steps
    .slice(1, ply + 1)
    .map((step) => step[notation])
    .join(" ");
}

// Change the address of the page in a moment. read: returns it then.
export function keepAddress(read) {
  if (waiting !== null) return;
  waiting = setTimeout(() => {
    waiting = null;
    if (read() !== location.href) history.replaceState(null, "", read());
  }, WAIT_MS);
}
