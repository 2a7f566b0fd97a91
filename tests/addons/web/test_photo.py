"""Pictures of Othello boards: forty-eight are rendered and read, and each fault of a picture is named."""

from __future__ import annotations

import base64
import random
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from quietmove import Position
from tests.addons.conftest import Server, expect_all_can_use, opened

SETS = {  # the colours of the board, its lines, the dark and the light discs, and what surrounds the board
    "green": ["#2e7d4f", "#14402a", "#111111", "#f5f5f5", "#dddddd"],
    "wood": ["#c49a62", "#6b4a24", "#2b1d12", "#fff7e6", "#4a3b2a"],
    "blue": ["#3d6fb0", "#c7d8ee", "#0b1524", "#ffffff", "#ffffff"],
    "night": ["#4d5257", "#7b8288", "#121212", "#d8d8d8", "#1b1d1f"],
}
# A cell's size, the margins at the left and the top, the noise, the scale, whether there are coordinates, and the turn
# in degrees.
FORMS = {
    "plain": [44, 30, 30, 0, 1, False, 0],
    "noise": [40, 60, 25, 14, 1, True, 0],
    "small": [52, 90, 40, 4, 0.45, True, 0],
    "crop": [47, 3, 170, 6, 1.3, True, 0],
    "turned": [50, 60, 60, 6, 1, True, 2.2],
}
RENDER = """async ([squares, colors, form, shaded]) => {
  const [cloth, line, dark, light, around] = colors, [cell, left, top, noise, scale, named, turn] = form;
  const { readPhoto } = await import("/static/photo.js");
  const size = 8 * cell, canvas = document.createElement("canvas");
  canvas.width = size + left + 70; canvas.height = size + top + 25;
  const pen = canvas.getContext("2d");
  pen.fillStyle = around; pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = cloth; pen.fillRect(left, top, size, size);
  if (shaded) {
    const fall = pen.createLinearGradient(left, top, left + size, top + size);
    fall.addColorStop(0, "#ffffff30"); fall.addColorStop(1, "#00000050");
    pen.fillStyle = fall; pen.fillRect(left, top, size, size);
  }
  pen.strokeStyle = line; pen.lineWidth = cell / 24;
  for (let at = 0; at <= 8; at++) {
    pen.strokeRect(left + at * cell, top, 0, size); pen.strokeRect(left, top + at * cell, size, 0);
  }
  [...squares].forEach((letter, index) => {
    if (letter === "-") return;
    const x = left + (index % 8 + .5) * cell, y = top + (Math.floor(index / 8) + .5) * cell;
    pen.beginPath(); pen.arc(x, y, .41 * cell, 0, 7); pen.fillStyle = letter === "X" ? dark : light; pen.fill();
    if (!shaded) return;
    const shine = pen.createRadialGradient(x - .15 * cell, y - .15 * cell, 1, x, y, .41 * cell);
    shine.addColorStop(0, "#ffffff40"); shine.addColorStop(1, "#00000040");
    pen.fillStyle = shine; pen.fill();
  });
  if (named) {
    pen.fillStyle = line; pen.font = `${cell / 3}px sans-serif`;
    for (let at = 0; at < 8; at++) {
      pen.fillText("abcdefgh"[at], left + (at + .4) * cell, top - 4);
      pen.fillText(at + 1, left + size + 6, top + (at + .6) * cell);
    }
    pen.fillRect(left + size + 40, top, 20, 3 * cell);
  }
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647 - .5;
  const found = document.createElement("canvas");
  found.width = canvas.width * scale; found.height = canvas.height * scale;
  const out = found.getContext("2d");
  out.fillStyle = around; out.fillRect(0, 0, found.width, found.height);
  out.translate(found.width / 2, found.height / 2); out.rotate(turn * Math.PI / 180);
  out.drawImage(canvas, -found.width / 2, -found.height / 2, found.width, found.height);
  const pixels = out.getImageData(0, 0, found.width, found.height);
  if (noise) pixels.data.forEach((value, at) => { if (at % 4 < 3) pixels.data[at] = value + 2 * noise * random(); });
  out.putImageData(pixels, 0, 0);
  return readPhoto(await new Promise(done => found.toBlob(done))).catch(({ message }) => message);
}"""
EMPTY = "-" * 64
READ = """async (text) => {
  const { readPhoto } = await import("/static/photo.js");
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return readPhoto(new Blob([bytes])).catch(({ message }) => message);
}"""


HAND_IN = """([kind, text]) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], "board.png", { type: "image/png" }));
  const about = { bubbles: true, cancelable: true };
  const isPaste = kind === "paste";
  const event = isPaste ? new ClipboardEvent("paste", { ...about, clipboardData: data })
    : new DragEvent("drop", { ...about, dataTransfer: data });
  document.body.dispatchEvent(event);
}"""


def squares_after(plies: int) -> str:
    """Return the squares of a random game's position."""
    choices = random.Random(plies)
    position = Position()
    for _ in range(plies):
        position.push(choices.choice(position.legal_moves))
    return position.fen.split()[0]


@pytest.mark.parametrize("colors", SETS)
def test_a_rendered_board_is_read(page: Any, colors: str) -> None:
    for number, (form, about) in enumerate(FORMS.items()):
        for shaded in (False, True):
            squares = squares_after(7 + 11 * number + shaded)
            assert page.evaluate(RENDER, [squares, SETS[colors], about, shaded]) == squares, (form, shaded)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_of_this_page_is_read(context: Any, server: Server, scheme: str) -> None:
    with opened(context, server) as page:
        page.emulate_media(color_scheme=scheme)
        for width, plies in ((1280, 9), (1920, 24), (390, 37), (844, 50)):
            page.set_viewport_size({"width": width, "height": {844: 390, 390: 844}.get(width, 900)})
            squares = squares_after(plies)
            page.goto(f"http://{server.host}/play?{width}#game=othello&start={squares} X")
            expect(page.locator("#board .piece")).to_have_count(64 - squares.count("-"))
            picture = base64.b64encode(page.screenshot()).decode()
            assert page.evaluate(READ, picture) == squares, width
        page.emulate_media(color_scheme="light")


@pytest.mark.parametrize(
    ("squares", "colors", "message"),
    [
        (EMPTY, SETS["green"], "picture: no discs found on the board"),
        ("X" + EMPTY[1:], SETS["green"], "picture: the colours are not separated: there are discs darker than the"),
        (
            f"XO{EMPTY[2:]}",
            ["#111111", "#333333", "#111111", "#eeeeee", "#ffffff"],
            "are discs lighter than the board, but",
        ),
        (
            "XO" * 32,
            ["#777777", "#777777", "#777777", "#777777", "#777777"],
            "picture: no board found; expected a board",
        ),
    ],
)
def test_what_is_missing_on_a_picture_is_named(page: Any, squares: str, colors: list[str], message: str) -> None:
    assert message in page.evaluate(RENDER, [squares, colors, FORMS["plain"], False])


def test_a_picture_becomes_a_position_to_confirm(page: Any, tmp_path: Path) -> None:
    page.goto(page.url.split("#")[0] + "?photo#game=othello&moves=f5+d6+c3")
    expect(page.locator("#board .piece")).to_have_count(7)
    page.screenshot(path=tmp_path / "board.png")
    page.goto(page.url.split("?")[0])
    page.set_input_files("#file", tmp_path / "board.png")
    expect(page.locator("#edit-said")).to_contain_text("choose the side to move")
    expect(page.locator("#board .piece")).to_have_count(7)
    page.check("[name=tomove][value='1']")
    expect(page.locator("#edit-said")).to_contain_text("White to move")
    picture = base64.b64encode((tmp_path / "board.png").read_bytes()).decode()
    for kind in ("paste", "drop"):
        page.goto(page.url.split("?")[0].split("#")[0] + f"?{kind}")
        page.wait_for_selector("#status:text('Choose the players and begin')")
        page.evaluate(HAND_IN, [kind, picture])
        expect(page.locator("#edit-said")).to_contain_text("choose the side to move")
        expect(page.locator("#board .piece")).to_have_count(7)
    expect_all_can_use(page)
    (tmp_path / "wrong.png").write_text("no picture")
    page.set_input_files("#file", tmp_path / "wrong.png")
    expect(page.locator("#error")).to_contain_text("picture: expected a picture that the browser can show")
