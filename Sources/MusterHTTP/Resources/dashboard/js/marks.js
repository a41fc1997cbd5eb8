// Marks that people draw over a photo: arrows, circles, lines and texts. They are never part of the
// picture; each viewer draws them.

import { svg } from "./dom.js";
import { byline } from "./words.js";

export const colours = { red: "#ff2d2d", yellow: "#ffe000", white: "#ffffff", black: "#000000" };
/** Shares of the longer side. */
const [strokeShare, textShare, headShare] = [1 / 220, 1 / 28, 1 / 40];

/** A layer over a picture, which has the same place as an image with `object-fit: contain`. */
export function markLayer({ original: { width, height }, marks }) {
  const layer = svg("svg", { class: "marks", viewBox: `0 0 ${width} ${height}` });
  layer.append(...marks.map((mark) => drawn(mark, width, height)));
  return layer;
}

export function drawn({ id, shape, colour, points, text, callsign }, width, height) {
  const size = Math.max(width, height);
  const at = points.map(({ x, y }) => [x * width, y * height]);
  const paint = {
    stroke: colours[colour], fill: "none", "stroke-width": size * strokeShare,
    "stroke-linecap": "round", "stroke-linejoin": "round",
  };
  const path = (...lines) => svg("path", {
    ...paint, d: lines.map((line) => `M${line.map((p) => p.join(" ")).join("L")}`).join(""),
  });
  const [first, second] = at;
  const make = {
    arrow: () => path(at, head(first, second, size * headShare)),
    line: () => path(at),
    circle: () => svg("circle", {
      ...paint, cx: first[0], cy: first[1],
      r: Math.hypot(second[0] - first[0], second[1] - first[1]),
    }),
    text: () => {
      const words = svg("text", {
        x: first[0], y: first[1], fill: colours[colour], "font-size": size * textShare,
      });
      words.textContent = text;
      return words;
    },
  };
  const title = svg("title", {});
  title.textContent = byline(callsign);
  return svg("g", { "data-mark": id }, title, make[shape]?.());
}

/** The two sides of an arrow's head. */
function head([x1, y1], [x2, y2], length) {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const side = (turn) => [
    x2 - length * Math.cos(angle + turn), y2 - length * Math.sin(angle + turn)];
  return [side(0.5), [x2, y2], side(-0.5)];
}
