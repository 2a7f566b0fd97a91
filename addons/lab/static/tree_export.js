// Save a tree as files for slides: the picture as SVG, the whole run as an animated GIF.

import { element, painted } from "/static/drawing.js";

const PROPERTIES = "display fill stroke stroke-width stroke-dasharray stroke-opacity opacity font-family font-size font-weight text-anchor paint-order".split(
  " ",
);
const [LEAST_WIDTH, EDGE, LINE, LETTER] = [460, 12, 20, 7.2]; // sizes of the picture and the text above it, in pixels
const LINES = 5; // text lines: title, counts and description
const MOST_FRAMES = 600;
const [LARGER, MOST_PIXELS] = [1.5, 1400]; // scale of an animation frame relative to the picture, and its maximum width
const LAST_FRAME = 300; // duration of the last frame in hundredths of a second
const COLORS = 256;

// ---- SVG

// Return a panel's picture and text as a standalone SVG. size: the size of the largest picture, if there are several.
export function pictureOf({ view, title, counts, sentence }, size = view) {
  const width = Math.max(LEAST_WIDTH, size.width + 2 * EDGE);
  const top = EDGE + LINES * LINE;
  const svg = element("svg", { viewBox: `0 0 ${width} ${top + size.height}`, width, height: top + size.height });
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const style = getComputedStyle(view.container.closest(".panel"));
  svg.append(element("rect", { width: "100%", height: "100%", fill: style.backgroundColor }));
  const lines = [title, ...counts.innerText.split("\n"), ...wrapped(sentence.textContent, (width - 2 * EDGE) / LETTER)].slice(0, LINES);
  const font = { x: EDGE, fill: style.color, "font-family": "sans-serif", "font-size": 14 };
  for (const [index, line] of lines.entries()) svg.append(element("text", { ...font, y: (index + 1) * LINE, "font-weight": index ? 400 : 700 }, line));
  const tree = styled(view.svg);
  for (const [name, value] of Object.entries({ x: (width - size.width) / 2, y: top, width: view.width, height: view.height })) tree.setAttribute(name, value);
  svg.append(tree);
  return new XMLSerializer().serializeToString(svg);
}

function wrapped(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (`${lines.at(-1)} ${word}`.length > letters) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines;
}

// Return a copy that needs no style sheet.
function styled(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((root) => [...root.querySelectorAll("*")]);
  from.forEach((original, index) => {
    const style = getComputedStyle(original);
    for (const name of PROPERTIES) to[index].setAttribute(name, style.getPropertyValue(name));
    to[index].removeAttribute("class");
  });
  return copy;
}

// ---- GIF (version 89a, CompuServe 1990)

// Return a panel's run as a GIF file. goTo: shows a frame; pace: hundredths of a second per frame.
export async function animationOf(panel, goTo, pace) {
  const { view, walk } = panel;
  const count = walk.end + 1;
  if (walk.piece || count > MOST_FRAMES) throw new Error(`the run is too long to export: at most ${MOST_FRAMES} steps`);
  const size = { width: 0, height: 0 };
  for (let at = 0; at < count; at++) {
    goTo(at);
    Object.assign(size, { width: Math.max(size.width, view.width), height: Math.max(size.height, view.height) });
  }
  const frame = (at) => {
    goTo(at);
    return pixelsOf(pictureOf(panel, size));
  };
  const samples = [await frame(count >> 1), await frame(count - 1), await frame(0)];
  const { width, height } = samples[0];
  const palette = new Palette(samples);
  const parts = [head(width, height, palette)];
  let before = null;
  for (let at = 0; at < count; at++) {
    const pixels = palette.indices(await frame(at));
    parts.push(...imageOf(pixels, before, width, at === count - 1 ? LAST_FRAME : pace));
    before = pixels;
  }
  return new Blob([...parts, new Uint8Array([0x3b])], { type: "image/gif" });
}

async function pixelsOf(text) {
  const canvas = await painted(text, (width) => Math.min(LARGER * width, MOST_PIXELS));
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
}

function word(number) {
  return [number & 255, number >> 8];
}

function head(width, height, palette) {
  const letters = (text) => [...text].map((letter) => letter.charCodeAt(0));
  const loop = [0x21, 0xff, 11, ...letters("NETSCAPE2.0"), 3, 1, 0, 0, 0];
  return new Uint8Array([...letters("GIF89a"), ...word(width), ...word(height), 0xf7, 0, 0, ...palette.bytes, ...loop]);
}

// Return one frame: the rectangle that differs from the previous frame, or everything for the first.
function imageOf(pixels, before, width, delay) {
  const { left, top, right, bottom } = before ? difference(before, pixels, width) : { left: 0, top: 0, right: width, bottom: pixels.length / width };
  const inside = [];
  for (let y = top; y < bottom; y++) inside.push(pixels.subarray(y * width + left, y * width + right));
  const descriptor = [0x21, 0xf9, 4, 4, ...word(delay), 0, 0, 0x2c, ...[left, top, right - left, bottom - top].flatMap(word), 0, 8];
  return [new Uint8Array(descriptor), ...blocks(compressed(inside))];
}

// The most frequent colours, with five bits per channel.
class Palette {
  constructor(frames) {
    const counts = new Map();
    for (const { data } of frames) {
      for (let i = 0; i < data.length; i += 4) counts.set(keyOf(data, i), (counts.get(keyOf(data, i)) ?? 0) + 1);
    }
    const keys = [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one)).slice(0, COLORS);
    this.colors = keys.map(colorOf);
    this.places = new Map(keys.map((key, index) => [key, index]));
  }

  get bytes() {
    return [...this.colors, ...new Array(COLORS - this.colors.length).fill([0, 0, 0])].flat();
  }

  indices({ data }) {
    const pixels = new Uint8Array(data.length / 4);
    for (let i = 0; i < pixels.length; i++) {
      const key = keyOf(data, 4 * i);
      if (!this.places.has(key)) this.places.set(key, this.nearest(colorOf(key)));
      pixels[i] = this.places.get(key);
    }
    return pixels;
  }

  nearest(color) {
    const distance = (other) => other.reduce((sum, part, channel) => sum + (part - color[channel]) ** 2, 0);
    return this.colors.reduce((best, other, index) => (distance(other) < distance(this.colors[best]) ? index : best), 0);
  }
}

function colorOf(key) {
  return [key >> 10, (key >> 5) & 31, key & 31].map((part) => (part << 3) | (part >> 2));
}

function keyOf(data, i) {
  return ((data[i] >> 3) << 10) | ((data[i + 1] >> 3) << 5) | (data[i + 2] >> 3);
}

// Return the rectangle in which two frames differ, or one pixel if they do not.
function difference(before, after, width) {
  const box = { left: width, top: after.length / width, right: 0, bottom: 0 };
  for (let i = 0; i < after.length; i++) {
    if (before[i] === after[i]) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    Object.assign(box, { left: Math.min(box.left, x), top: Math.min(box.top, y), right: Math.max(box.right, x + 1), bottom: y + 1 });
  }
  return box.bottom ? box : { left: 0, top: 0, right: 1, bottom: 1 };
}

// Compress pixels by LZW with codes of 9 to 12 bits (Welch 1984).
function compressed(rows) {
  const [CLEAR, END, FULL] = [256, 257, 4096];
  const bytes = [];
  let [bits, held, size, next] = [0, 0, 9, END + 1];
  let codes = new Map();
  const put = (code) => {
    bits |= code << held;
    for (held += size; held >= 8; held -= 8) {
      bytes.push(bits & 255);
      bits >>>= 8;
    }
  };
  put(CLEAR);
  let prefix = -1;
  for (const row of rows) {
    for (const pixel of row) {
      const key = (prefix << 8) | pixel;
      const known = prefix < 0 ? pixel : codes.get(key);
      if (known !== undefined) {
        prefix = known;
        continue;
      }
      put(prefix);
      if (next === FULL) {
        put(CLEAR);
        [size, next, codes] = [9, END + 1, new Map()];
      } else {
        if (next === 1 << size) size += 1;
        codes.set(key, next++);
      }
      prefix = pixel;
    }
  }
  put(prefix);
  put(END);
  if (held) bytes.push(bits & 255);
  return bytes;
}

function blocks(bytes) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.slice(at, at + 255);
    parts.push(new Uint8Array([part.length, ...part]));
  }
  return [...parts, new Uint8Array([0])];
}
