// The links between laptops, drawn on a ring, so that no line crosses a third node.

import { svg } from "./dom.js";
import { t } from "./words.js";

/** More could not be distinguished. */
const most = 20;
const mostWords = 8;

/** Ordered along the links from this laptop, so that few links cross. */
function inOrder(own, names, pairs) {
  const found = new Set();
  const visit = (one) => {
    if (found.has(one)) return;
    found.add(one);
    for (const { from, to } of pairs) {
      if (from === one) visit(to);
      if (to === one) visit(from);
    }
  };
  [own, ...names.keys()].forEach(visit);
  return [...found];
}

/** A line in the style of its path; one-way links have an arrow to the received laptop. */
function line(pair, [x, y], [u, v], hasWord) {
  const length = Math.hypot(u - x, v - y);
  const [dx, dy] = [(u - x) / length, (v - y) / length];
  const point = (along, aside) => `${x + dx * along - dy * aside} ${y + dy * along + dx * aside} `;
  const tip = length * 0.65;
  return svg("g", { class: pair.isCurrent ? pair.path : `${pair.path} old` },
    svg("line", { x1: x, y1: y, x2: u, y2: v }),
    !pair.isMutual
      && svg("polygon", { points: point(tip, 0) + point(tip - 13, 6) + point(tip - 13, -6) }),
    hasWord && svg("text", { x: (x + u) / 2, y: (y + v) / 2 + 4 }, t(`path.${pair.path}`)));
}

export function graph(own, names, pairs) {
  if (names.size > most) return null;
  const order = inOrder(own, names, pairs);
  const turn = (n) => (2 * Math.PI * n) / order.length;
  const place = (n, far) => [220 + Math.sin(turn(n)) * far, 160 - Math.cos(turn(n)) * far];
  const at = (one) => place(order.indexOf(one), 110);
  const name = (one, n) => {
    const [x, y] = place(n, order.length > 12 && n % 2 ? 143 : 127);
    const side = Math.sign(Math.round(Math.sin(turn(n)) * 4));
    const letters = [...names.get(one)];
    return svg("text", { x, y: y + 4, "text-anchor": ["end", "middle", "start"][side + 1] },
      letters.length > 14 ? `${letters.slice(0, 13).join("")}…` : letters.join(""));
  };
  return svg("svg", {
    viewBox: "0 0 440 320", class: "graph", role: "img", "aria-label": t("mesh.who"),
  },
  pairs.map((pair) => line(pair, at(pair.from), at(pair.to), pairs.length <= mostWords)),
  order.map((one, n) => svg("g", { class: one === own ? "own" : "" },
    svg("circle", { cx: at(one)[0], cy: at(one)[1], r: 9 }), name(one, n))));
}
