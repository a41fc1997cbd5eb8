// The tools that draw marks over a photo in the gallery.

import { button, fill, h } from "./dom.js";
import { write } from "./api.js";
import { attempt, field, form } from "./dialog.js";
import { colours, drawn } from "./marks.js";
import { isCommand, myself } from "./store.js";
import { t } from "./words.js";

const shapes = ["arrow", "circle", "line", "text"];
const mostPoints = 64;

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
