// The piece that a person has lifted, by a click, a key or by dragging, until it is played or put down.

const DRAG_PIXELS = 6; // a pointer that moves so far drags the piece

export class Hand {
  // board: its legal moves, its squares, and what is called: draw() after a change, play(moves) with those to one square.
  constructor(board) {
    this.board = board;
    this.empty();
  }

  empty() {
    this.origin = null; // the square of the lifted piece
    this.pressed = null; // the pointer that was pressed on a piece: { id, index, x, y }
    this.shift = null; // how far the piece is dragged, in pixels
  }

  // The moves that end on a square: of the lifted piece, or of any if none is lifted.
  movesTo(index) {
    return this.board.legal.filter((each) => this.board.isOn(each.square, index) && (this.origin === null || each.from === this.origin));
  }

  movesFrom(index) {
    return this.board.legal.filter((each) => each.from === index);
  }

  // A square was clicked.
  choose(index) {
    const moves = index === this.origin ? [] : this.movesTo(index);
    const canLift = index !== this.origin && this.movesFrom(index).length > 0;
    if (moves.length && (this.origin !== null || !canLift)) this.board.play(moves);
    else if (canLift) this.lift(index);
    else this.putDown();
  }

  lift(index) {
    this.origin = index;
    this.board.offered = [];
    this.board.draw();
    this.board.say(`${this.board.describe(index)} is lifted; it can move to ${this.targets(index)}.`);
  }

  putDown() {
    if (this.origin === null && !this.board.offered.length) return;
    if (this.origin !== null) this.board.say("The piece is put down.");
    this.empty();
    this.board.offered = [];
    this.board.draw();
  }

  // The names of the squares to which a piece can move.
  targets(index) {
    return [...new Set(this.movesFrom(index).map((each) => this.board.squares.name(each.square)))].join(", ");
  }

  // Follow the pointers over the buttons of the squares.
  watch(overlay) {
    const grid = overlay.element;
    this.overlay = overlay;
    grid.addEventListener("pointerdown", (event) => this.press(event));
    grid.addEventListener("pointermove", (event) => this.drag(event, grid));
    grid.addEventListener("pointerup", (event) => this.drop(event));
    grid.addEventListener("pointercancel", () => this.shift && this.putDown());
  }

  press(event) {
    const index = this.overlay.indexOf(event.target);
    const canLift = event.button === 0 && index !== null && !this.board.edit && this.movesFrom(index).length > 0;
    this.pressed = canLift ? { id: event.pointerId, index, x: event.clientX, y: event.clientY } : null;
  }

  drag(event, grid) {
    if (this.pressed?.id !== event.pointerId) return;
    const shift = [event.clientX - this.pressed.x, event.clientY - this.pressed.y];
    if (this.shift === null && Math.hypot(...shift) < DRAG_PIXELS) return;
    if (this.shift === null) grid.setPointerCapture(event.pointerId);
    if (this.origin !== this.pressed.index) this.lift(this.pressed.index);
    this.shift = shift;
    this.board.placeLifted();
  }

  // Play to the square below the pointer; a piece that comes back to its own stays lifted.
  drop(event) {
    const isDragged = this.shift !== null;
    this.pressed = null;
    this.shift = null;
    if (!isDragged) return;
    const index = this.overlay.indexOf(document.elementFromPoint(event.clientX, event.clientY));
    if (index === this.origin) this.board.draw();
    else if (index !== null && this.movesTo(index).length) this.board.play(this.movesTo(index));
    else this.putDown();
  }
}
