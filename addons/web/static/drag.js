// The piece a person has lifted, by click, keyboard or dragging, until it is played or put down.

const DRAG_PIXELS = 6; // distance at which a pointer starts dragging

export class Hand {
  // board: provides the legal moves and the squares, draw() to redraw, and play(moves) to play one of the moves.
  constructor(board) {
    this.board = board;
    this.empty();
  }

  empty() {
    this.origin = null; // the square of the lifted piece
    this.pressed = null; // the pointer pressed on a piece: { id, index, x, y }
    this.shift = null; // offset of the dragged piece, in pixels
  }

  // Return the moves to a square by the lifted piece or, if none is lifted, by any piece.
  movesTo(index) {
    return this.board.legal.filter((each) => this.board.isOn(each.square, index) && (this.origin === null || each.from === this.origin));
  }

  movesFrom(index) {
    return this.board.legal.filter((each) => each.from === index);
  }

  // Handle a click on a square.
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

  // Return the names of a piece's target squares.
  targets(index) {
    return [...new Set(this.movesFrom(index).map((each) => this.board.squares.name(each.square)))].join(", ");
  }

  // Track pointers over the square buttons.
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

  // Play to the square under the pointer. A piece dropped on its own square stays lifted.
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
