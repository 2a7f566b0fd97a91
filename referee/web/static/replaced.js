// The games that something else has replaced on the page: one click brings the last one back.

const MOST = 10;

// Return what is shown; null where nothing would be lost. reviewed: what a review has found of it.
function snapshot({ game, seats, steps, at, verdict, ended, session, stored }, reviewed) {
  return steps.length > 1 || (session && !verdict) ? { game, seats, steps, at, verdict, ended, session, stored, reviewed } : null;
}

// Keep what is shown, which something else is going to replace.
export function remember(state, reviewed) {
  const shown = snapshot(state, reviewed);
  if (shown) state.before = [...state.before, shown].slice(-MOST);
}

// Return the game before; what is shown now comes back behind all others.
export function recall(state, reviewed) {
  const shown = snapshot(state, reviewed);
  const found = state.before.pop();
  if (shown) state.before.unshift(shown);
  return found;
}
