// The moves of a game as a tree: beside the main line stand those that were only tried. Each step knows the one `before`
// it, those that may come `next`, the main line's first, and its `ply`.

// Take over the steps of a line from the beginning of a game on, as they were played. Return them.
export function joined(steps) {
  steps.forEach((step, ply) => {
    if (!step.next) link(steps[ply - 1] ?? null, step, true);
  });
  return steps;
}

// Put a step after another one, and return it. isPlayed: whether it belongs to the game itself, which keeps it.
export function link(before, step, isPlayed = false) {
  Object.assign(step, { before, next: [], ply: before ? before.ply + 1 : 0, isPlayed, comment: "" });
  before?.next.push(step);
  return step;
}

// Return the line from the beginning through a step, and on along the first moves.
export function lineThrough(step) {
  const line = [];
  for (let each = step; each; each = each.before) line.unshift(each);
  for (let each = step.next[0]; each; each = each.next[0]) line.push(each);
  return line;
}

// The nearest step up to this one that is not the first choice; null on the main line.
export function branchOf(step) {
  for (let each = step; each.before; each = each.before) if (each.before.next[0] !== each) return each;
  return null;
}

// Put the variation that a step belongs to before those beside it.
export function promote(step) {
  const branch = branchOf(step);
  const { next } = branch.before;
  next.unshift(...next.splice(next.indexOf(branch), 1));
}

// Take a step that was only tried away, with all after it. Return the one before it.
export function remove(step) {
  const { next } = step.before;
  next.splice(next.indexOf(step), 1);
  return step.before;
}

// Return the steps that were played, or where nothing was, as on a board for analysis, the main line.
export function playedLine(root) {
  const line = [root];
  for (let step = root; step; step = step.next.find((each) => each.isPlayed)) if (step !== root) line.push(step);
  return line.length > 1 ? line : lineThrough(root);
}

// Grow a tree by the lines of the server, in their order: [{ moves, comment, steps }], with the steps that are new in each.
export function grow(root, lines) {
  const counts = new Map(); // of the moves after a step that stand in order
  const ordered = new Set();
  for (const { moves, comment, steps } of lines) {
    let step = root;
    for (const move of moves.split(" ").filter(Boolean)) {
      const before = step;
      step = before.next.find((each) => each.move === move) ?? link(before, steps.shift());
      if (ordered.has(step)) continue;
      ordered.add(step);
      const count = counts.get(before) ?? 0;
      before.next.splice(before.next.indexOf(step), 1);
      before.next.splice(count, 0, step);
      counts.set(before, count + 1);
    }
    if (comment) step.comment = comment;
  }
}

// Return all lines of a tree, the main line first, and each step with a comment: [{ moves, comment }].
export function linesOf(root) {
  const found = [];
  const walk = (step, moves) => {
    if (step.comment || !step.next.length) found.push({ moves: moves.join(" "), comment: step.comment });
    for (const each of step.next) walk(each, [...moves, each.move]);
  };
  walk(root, []);
  return found;
}
