// Marks that people draw over a photo: arrows, circles, lines and texts. They are never part of the
// picture; each viewer draws them.

import { button, fill, h, svg } from "./dom.js";
import { write } from "./api.js";
import { attempt, field, form } from "./dialog.js";
import { isCommand, myself } from "./store.js";
import { t } from "./words.js";

const colours = { red: "#ff2d2d", yellow: "#ffe000", white: "#ffffff", black: "#000000" };
const shapes = ["arrow", "circle", "line", "text"];
const mostPoints = 64;
/** Shares of the longer side. */
const [strokeShare, textShare, headShare] = [1 / 220, 1 / 28, 1 / 40];

/** A layer over a picture, which has the same place as an image with `object-fit: contain`. */
export function markLayer({ original: { width, height }, marks }) {
  const layer = svg("svg", { class: "marks", viewBox: `0 0 ${width} ${height}` });
  layer.append(...marks.map((mark) => drawn(mark, width, height)));
  return layer;
}

function drawn({ id, shape, colour, points, text, callsign }, width, height) {
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
  title.textContent = callsign;
  return svg("g", { "data-mark": id }, title, make[shape]?.());
}

/** The two sides of an arrow's head. */
function head([x1, y1], [x2, y2], length) {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const side = (turn) => [
    x2 - length * Math.cos(angle + turn), y2 - length * Math.sin(angle + turn)];
  return [side(0.5), [x2, y2], side(-0.5)];
}

/**
 * Tools to draw on a photo: `element`, `isOn()`, and `bind(layer, photo, path)` for each shown one.
 * `changed` is called after a mark was added or removed.
 */
export function markTools(changed) {
  let [shape, colour, layer, photo, path] = [null, "red", null, null, null];
  const element = h("div", { class: "row marking", role: "toolbar", "aria-label": t("mark.draw") });

  function draw() {
    const pick = (name, sign) => button(sign, `mark ${name}`, () => {
      shape = shape === name ? null : name;
      draw();
    }, { "aria-pressed": String(shape === name), "aria-label": t(`mark.${name}`), title: t(`mark.${name}`) });
    const own = lastOwn();
    fill(element, pick("arrow", "↗"), pick("circle", "◯"), pick("line", "✎"), pick("text", "T"),
      pick("erase", "⌫"),
      h("label", { class: "as" }, h("span", {}, t("mark.colour")), h("select", {
        name: "colour", value: colour, onchange: (event) => { colour = event.target.value; },
      }, Object.keys(colours).map((name) => h("option", { value: name }, t(`colour.${name}`))))),
      own && button(t("undo"), "mark undo", () => erase(own.id)));
    element.querySelector("select").value = colour;
    layer?.classList.toggle("drawing", shape !== null);
  }

  const lastOwn = () => photo?.marks.filter(({ author }) => author === myself()?.id)
    .toSorted((a, b) => (a.drawnAt < b.drawnAt ? 1 : -1))[0];
  const erase = (id) => attempt(async () => {
    await write("DELETE", `${path}/marks/${id}`);
    await changed();
  });
  const add = async (points, text) => {
    await write("POST", `${path}/marks`, { shape, colour, points, ...text && { text } });
    await changed();
  };

  function bind(nextLayer, nextPhoto, nextPath) {
    [layer, photo, path] = [nextLayer, nextPhoto, nextPath];
    let line = null;
    const { width, height } = photo.original;
    const share = (event) => {
      const point = new DOMPoint(event.clientX, event.clientY)
        .matrixTransform(layer.getScreenCTM().inverse());
      const bound = (value) => Math.min(1, Math.max(0, value));
      return { x: bound(point.x / width), y: bound(point.y / height) };
    };
    const preview = () => {
      layer.querySelector("[data-mark=new]")?.remove();
      const points = marked(line);
      if (points) {
        layer.append(drawn({ id: "new", shape, colour, points, text: "", callsign: "" }, width, height));
      }
    };
    layer.addEventListener("pointerdown", (event) => {
      if (!shape) return;
      event.stopPropagation();
      if (shape === "erase") {
        const id = event.target.closest("[data-mark]")?.dataset.mark;
        const mark = photo.marks.find((one) => one.id === id);
        if (mark && (isCommand() || mark.author === myself()?.id)) erase(id);
        return;
      }
      if (shape === "text") return writeText(share(event));
      layer.setPointerCapture(event.pointerId);
      line = [share(event)];
    });
    layer.addEventListener("pointermove", (event) => {
      if (!line) return;
      event.stopPropagation();
      line.push(share(event));
      preview();
    });
    layer.addEventListener("pointerup", (event) => {
      if (!line) return;
      event.stopPropagation();
      const points = marked(line);
      line = null;
      if (points) attempt(() => add(points));
    });
    draw();
  }
  const writeText = (point) => form(t("mark.text"), [
    field("text", t("text"), { required: true, maxlength: 60 }),
  ], ({ text }) => add([point], text), t("mark.draw"));

  /** The points of the shape that the pointer's path means; null for a click. */
  function marked(line) {
    if (!line || line.length < 2) return null;
    const ends = [line[0], line.at(-1)];
    if (shape !== "line") return ends;
    const step = Math.max(1, (line.length - 1) / (mostPoints - 1));
    const count = Math.min(line.length, mostPoints);
    return Array.from({ length: count }, (_, n) => line[Math.round(n * step)]);
  }

  draw();
  return { element, bind, isOn: () => shapes.includes(shape) || shape === "erase" };
}
