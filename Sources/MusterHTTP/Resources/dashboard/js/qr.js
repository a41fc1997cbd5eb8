// A QR code of at most 458 bytes: always version 14, error correction L, mask 0 (ISO/IEC 18004).

import { svg } from "./dom.js";

const size = 73;
const [room, count, each] = [461, 4, 30];
const alignments = [6, 26, 46, 66];
/** Error correction L with mask 0, and the version, with their own corrections. */
const [format, about] = [0x77c4, 0xe60d];

// Arithmetic in GF(256) with the polynomial 0x11d.
const [powers, logs] = [[], []];
for (let i = 0, x = 1; i < 255; i++) {
  powers[i] = powers[i + 255] = x;
  logs[x] = i;
  x = x << 1 ^ (x & 0x80 ? 0x11d : 0);
}
const times = (a, b) => (a && b ? powers[logs[a] + logs[b]] : 0);

let divisor = [1];
for (let i = 0; i < each; i++) {
  divisor = [...divisor, 0].map((one, at) => one ^ times(divisor[at - 1] ?? 0, powers[i]));
}

/** The Reed-Solomon codewords of a block. */
function correction(data) {
  const rest = [...data, ...divisor.slice(1).fill(0)];
  for (let i = 0; i < data.length; i++) {
    const factor = rest[i];
    divisor.forEach((one, at) => { rest[i + at] ^= times(one, factor); });
  }
  return rest.slice(data.length);
}

/** The data with its corrections, interleaved. */
function codewords(bytes) {
  const bits = (value, length) => value.toString(2).padStart(length, "0");
  const text = bits(4, 4) + bits(bytes.length, 16) + bytes.map((one) => bits(one, 8)).join("") + "0000";
  const data = text.match(/.{8}/g).map((one) => parseInt(one, 2));
  for (let fill = 0xec; data.length < room; fill ^= 0xfd) data.push(fill);
  const least = Math.floor(room / count);
  const parts = [0, 1, 2, 3].map((i) => data.slice(i * least, (i + 1) * least + (i === 3)));
  const weave = (lists) => lists[3].flatMap((_, i) => lists.map((one) => one[i]))
    .filter((one) => one !== undefined);
  return [...weave(parts), ...weave(parts.map(correction))];
}

/** Rows of modules, where 1 is dark; null if the text is too long. */
function modules(text) {
  const bytes = [...new TextEncoder().encode(text)];
  if (bytes.length > room - 3) return null;
  const grid = Array.from({ length: size }, () => new Array(size).fill(null));
  const set = (x, y, dark) => { if (grid[y]?.[x] !== undefined) grid[y][x] = Number(dark); };
  const square = (cx, cy, reach, light) => {
    for (let y = -reach; y <= reach; y++) {
      for (let x = -reach; x <= reach; x++) {
        set(cx + x, cy + y, !light.includes(Math.max(Math.abs(x), Math.abs(y))));
      }
    }
  };
  for (let i = 8; i < size - 8; i++) for (const at of [[i, 6], [6, i]]) set(...at, i % 2 === 0);
  const far = size - 4;
  for (const [x, y] of [[3, 3], [far, 3], [3, far]]) square(x, y, 4, [2, 4]);
  for (const x of alignments) {
    // Not over the three large squares.
    for (const y of alignments) if (!grid[y][x] || ![12, 72].includes(x + y)) square(x, y, 2, [1]);
  }
  for (let i = 0; i < 15; i++) {
    const dark = format >> i & 1;
    set(...i < 8 ? [size - 1 - i, 8] : [8, size - 15 + i], dark);
    set(...i < 8 ? [8, i < 6 ? i : i + 1] : [i === 8 ? 7 : 14 - i, 8], dark);
  }
  set(8, size - 8, 1);
  for (let i = 0; i < 18; i++) {
    const [a, b] = [size - 11 + i % 3, Math.floor(i / 3)];
    for (const at of [[a, b], [b, a]]) set(...at, about >> i & 1);
  }
  place(grid, codewords(bytes));
  return grid;
}

/** Places the data in columns of two from the right, upwards and downwards in turn. */
function place(grid, data) {
  let [bit, isUp] = [0, true];
  for (let right = size - 1; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (grid[y][x] !== null) continue;
        grid[y][x] = data[bit >> 3] >> 7 - (bit & 7) & 1 ^ (x + y + 1) % 2;
        bit++;
      }
    }
  }
}

/** The code as a picture with its quiet zone; null if the text is too long. */
export function code(text, label) {
  const grid = modules(text);
  if (!grid) return null;
  const dark = grid.flatMap((row, y) => row.map((one, x) => (one ? `M${x + 4} ${y + 4}h1v1h-1z` : "")));
  return svg("svg", {
    viewBox: `0 0 ${size + 8} ${size + 8}`, class: "code", role: "img", "aria-label": label,
    "shape-rendering": "crispEdges",
  }, svg("path", { d: dark.join("") }));
}
