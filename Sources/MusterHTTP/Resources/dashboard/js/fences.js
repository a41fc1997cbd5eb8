// Zones: draw, activate, edit, delete; and who would be inside.

import { button, byId, faint, fill, h, onceAFrame } from "./dom.js";
import { change, get, getVersioned, segment, write } from "./api.js";
import { attempt, confirm, field, form } from "./dialog.js";
import { isCommand, on, state } from "./store.js";
import { t } from "./words.js";
import { position } from "./place.js";
import { importZones } from "./import.js";
import { drawButton } from "./order.js";
import { addRule, mayAddRule, ruleList } from "./zonerules.js";
import { asBody, asFence, kinds, named, whoWouldBeInside } from "./zone.js";
import { goToShape, onMap, showMap, theMap } from "./map/map.js";
import { outline } from "./map/fences.js";
import { drawShape } from "./map/draw.js";
import { editShape, tooManyCorners } from "./map/edit.js";

export function openFences() {
  on(["fences", "status"], onceAFrame(draw));
}

function draw() {
  const mayDraw = isCommand();
  const all = [...state.fences.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  fill(byId("fences"),
    h("div", { class: "head" }, h("h2", {}, t("fences")), mayDraw && newZone()),
    all.length === 0 && faint(t("fences.none")),
    h("ul", {}, all.map((fence) => card(fence, mayDraw))));
}

/** The buttons for a new zone. */
function newZone() {
  const file = h("input", {
    type: "file", accept: ".geojson,.json,application/geo+json", hidden: true,
    "aria-label": t("fence.import"), onchange: importFile,
  });
  const way = (key, look, work) => button(t(`fence.${key}`), key, work, { class: look });
  return h("div", { class: "row" },
    theMap() && way("polygon", "first", () => begin(false)),
    theMap() && way("circle", "", () => begin(true)),
    drawButton("zone order"),
    way("typed", "", typed), way("import", "", () => file.click()), file);
}

function importFile(event) {
  const [file] = event.target.files;
  event.target.value = "";
  if (file) attempt(() => importZones(file));
}

function card(fence, mayChange) {
  const look = { muster: "safe", hazard: "danger" }[fence.kind] ?? "";
  const path = `fences/${segment(fence.id)}`;
  const action = (key, word, work, look) =>
    button(t(word), `${key} ${fence.id}`, work, { class: look });
  const turn = fence.active ? "deactivate" : "activate";
  const chip = (look, word) => h("span", { class: `chip ${look}` }, t(word));
  return h("li", { class: `card ${look && `${look}-card`}` },
    h("div", { class: "head" }, h("h3", {}, fence.name), h("span", { class: "row" },
      chip(`state ${look}`, `kind.${fence.kind}`), chip("", fence.active ? "active" : "inactive"),
      fence.conflicts.length > 0 && chip("state danger", "conflict"))),
    h("p", {}, fence.inside.length === 0 ? t("inside.nobody")
      : t("inside", { n: fence.inside.length, names: named(fence.inside) })),
    ruleList(fence, mayChange),
    h("div", { class: "row" },
      theMap() && action("map", "on.map", () => lookAt(fence)),
      mayChange && action("active", turn,
        () => attempt(() => change("POST", path, undefined, `/${turn}`), t("done"))),
      mayChange && action("edit", "edit", () => attempt(() => edit(fence))),
      mayChange && mayAddRule(fence) && action("rule", "rule.add", () => addRule(fence)),
      mayChange && action("delete", "delete", () => confirm(
        t("delete.sure", { name: fence.name }), () => write("DELETE", path), t("delete")),
      "danger")));
}

export function lookAt(fence) {
  const shape = outline(fence)?.addTo(theMap());
  showMap();
  goToShape(shape);
  shape?.remove();
}

async function begin(isCircle) {
  const shape = await onMap(() => drawShape(theMap(), isCircle));
  if (shape) await save(shape);
}

/** Alternates between outline and form until the zone is saved or cancelled. */
async function edit(fence) {
  // The version first: saving then detects a change in between.
  const { row, version } = await getVersioned(`fences/${segment(fence.id)}`);
  const outlines = await get("fences.geojson");
  const { lat, lon, radiusMetres } = row;
  let shape = radiusMetres !== undefined ? { lat, lon, radiusMetres }
    : outlines.features.find((feature) => feature.id === row.id)?.geometry;
  if (!shape) throw new Error(t("fence.gone"));
  const first = JSON.stringify(shape);
  if (!theMap() || tooManyCorners(shape)) return saveChange(row, shape, first, version);
  lookAt({ ...row, geometry: shape });
  for (;;) {
    const edited = await onMap(() => editShape(theMap(), shape));
    if (!edited || await saveChange(row, edited, first, version)) return;
    shape = edited;
  }
}

function saveChange(old, shape, first, version) {
  const isCircle = shape.radiusMetres !== undefined;
  const inside = h("strong", {}, whoWouldBeInside(shape));
  const radius = isCircle && field("radius", t("radius"), {
    value: shape.radiusMetres, type: "number", min: 1, max: 1000000, required: true,
    oninput: ({ target }) => {
      inside.textContent = whoWouldBeInside({ ...shape, radiusMetres: Number(target.value) });
    },
  });
  return form(t("fence.edit"), [
    h("p", { class: "card" }, inside),
    field("name", t("name"), { value: old.name, required: true }),
    field("kind", t("kind"), { value: old.kind, options: kinds() }),
    radius,
    field("dwell", t("dwell"), {
      value: old.dwellSeconds, type: "number", min: 0, max: 604800, required: true,
    }),
  ], async (values) => {
    const body = {};
    if (values.name !== old.name) body.name = values.name;
    if (values.kind !== old.kind) body.kind = values.kind;
    if (Number(values.dwell) !== old.dwellSeconds) body.dwellSeconds = Number(values.dwell);
    const edited = isCircle ? { ...shape, radiusMetres: Number(values.radius) } : shape;
    if (JSON.stringify(edited) !== first) Object.assign(body, asBody(edited));
    if (Object.keys(body).length === 0) return;
    await write("PATCH", `fences/${segment(old.id)}`, body, version);
  });
}

/** Input as text: one corner per line, or a centre and a radius. */
const typed = () => {
  let shape;
  return form(t("fence.typed"), [
    field("corners", t("corners"), { type: "area", required: true, rows: 6 }),
    field("radius", t("radius"), { type: "number", min: 1, max: 1000000 }),
  ], async ({ corners, radius }) => {
    const places = corners.split("\n").filter((line) => line.trim()).map(position);
    if (radius && places.length === 1) {
      shape = { ...places[0], radiusMetres: Number(radius) };
    } else if (!radius && places.length > 2) {
      const ring = [...places, places[0]].map((p) => [p.lon, p.lat]);
      shape = { type: "Polygon", coordinates: [ring] };
    } else {
      throw new Error(t("corners.wrong"));
    }
  }, t("next")).then((done) => done && save(shape));
};

function save(shape) {
  const preview = theMap() && outline(asFence(shape, "info"))?.addTo(theMap());
  goToShape(preview || null);
  return form(t("fence.new"), [
    h("p", { class: "card" }, h("strong", {}, whoWouldBeInside(shape))),
    field("name", t("name"), { required: true }),
    field("kind", t("kind"), { value: "hazard", options: kinds() }),
    field("active", t("active"), { type: "checkbox", value: true }),
  ], ({ name, kind, active }) => write("POST", "fences", { name, kind, active, ...asBody(shape) }))
    .finally(() => preview?.remove());
}
