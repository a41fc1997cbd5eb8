// Fences: draw, import, switch on and off, change in place, take away; and who would be inside.

import { byId, fill, h, onceAFrame } from "./dom.js";
import { get, getVersioned, segment, write } from "./api.js";
import { attempt, confirm, field, form } from "./dialog.js";
import { on, state } from "./store.js";
import { t } from "./words.js";
import { isInside } from "./geometry.js";
import { parsed } from "./place.js";
import { goToShape, theMap } from "./map/map.js";
import { outline } from "./map/fences.js";
import { drawShape } from "./map/draw.js";
import { editShape, tooManyCorners } from "./map/edit.js";

const kinds = ["muster", "hazard", "info"];
const mostNames = 30;
const importBytes = 1000000;

export function openFences() {
  on(["fences", "status"], onceAFrame(draw));
}

function draw() {
  const isCommand = state.status?.role === "command";
  const all = [...state.fences.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const file = h("input", { type: "file", accept: ".geojson,.json,application/geo+json", "aria-label": t("fence.import"), hidden: true, onchange: importFile });
  fill(byId("fences"),
    h("div", { class: "head" }, h("h2", {}, t("fences")),
      isCommand && h("div", { class: "row" },
        theMap() && h("button", { class: "first", "data-key": "polygon", onclick: () => begin(false) }, t("fence.polygon")),
        theMap() && h("button", { "data-key": "circle", onclick: () => begin(true) }, t("fence.circle")),
        h("button", { "data-key": "typed", onclick: typed }, t("fence.typed")),
        h("button", { "data-key": "import", onclick: () => file.click() }, t("fence.import")), file)),
    all.length === 0 && h("p", { class: "faint" }, t("fences.none")),
    h("ul", {}, all.map((fence) => card(fence, isCommand))));
}

function card(fence, isCommand) {
  const look = { muster: "safe", hazard: "unsafe" }[fence.kind] ?? "";
  const act = (verb) => attempt(async () => {
    const path = `fences/${segment(fence.id)}`;
    const { version } = await getVersioned(path);
    await write("POST", `${path}/${verb}`, undefined, version);
  }, t("done"));
  return h("li", { class: `card ${look && `${look}-card`}` },
    h("div", { class: "head" }, h("h3", {}, fence.name),
      h("span", { class: "row" }, h("span", { class: `chip state ${look}` }, t(`kind.${fence.kind}`)), h("span", { class: "chip" }, t(fence.active ? "active" : "inactive")),
        fence.conflicts.length > 0 && h("span", { class: "chip state unsafe" }, t("conflict")))),
    h("p", {}, fence.inside.length === 0 ? t("inside.nobody") : t("inside", { n: fence.inside.length, names: named(fence.inside) })),
    h("div", { class: "row" },
      theMap() && h("button", { "data-key": `map ${fence.id}`, onclick: () => lookAt(fence) }, t("on.map")),
      isCommand && h("button", { "data-key": `active ${fence.id}`, onclick: () => act(fence.active ? "deactivate" : "activate") }, t(fence.active ? "deactivate" : "activate")),
      isCommand && h("button", { "data-key": `edit ${fence.id}`, onclick: () => attempt(() => change(fence)) }, t("edit")),
      isCommand && h("button", { class: "danger", "data-key": `delete ${fence.id}`, onclick: () => confirm(t("delete.sure", { name: fence.name }), () => write("DELETE", `fences/${segment(fence.id)}`), t("delete")) }, t("delete"))));
}

const named = (names) => names.slice(0, mostNames).join(", ") + (names.length > mostNames ? " …" : "");

function lookAt(fence) {
  const shape = outline(fence)?.addTo(theMap());
  if (innerWidth <= 900) document.body.dataset.view = "map";
  goToShape(shape);
  shape?.remove();
}

/** On a phone the map has the screen while something is drawn on it. */
async function onMap(work) {
  const view = document.body.dataset.view;
  if (innerWidth <= 900) document.body.dataset.view = "map";
  try {
    return await work();
  } finally {
    document.body.dataset.view = view;
  }
}

async function begin(isCircle) {
  const shape = await onMap(() => drawShape(theMap(), isCircle));
  if (shape) await save(shape);
}

/** From the outline to the words and back, until it is saved or given up. */
async function change(fence) {
  // The version first: should somebody write in between, saving says so.
  const { row, version } = await getVersioned(`fences/${segment(fence.id)}`);
  const outlines = await get("fences.geojson");
  let shape = row.radiusMetres !== undefined ? { lat: row.lat, lon: row.lon, radiusMetres: row.radiusMetres }
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
  const told = h("strong", {}, whoWouldBeInside(shape));
  const radius = isCircle && field("radius", t("radius"), {
    value: shape.radiusMetres, type: "number", min: 1, max: 1000000, required: true,
    oninput: (event) => { told.textContent = whoWouldBeInside({ ...shape, radiusMetres: Number(event.target.value) }); },
  });
  return form(t("fence.edit"), [
    h("p", { class: "card" }, told),
    field("name", t("name"), { value: old.name, required: true }),
    field("kind", t("kind"), { value: old.kind, options: kinds.map((k) => [k, t(`kind.${k}`)]) }),
    radius,
    field("dwell", t("dwell"), { value: old.dwellSeconds, type: "number", min: 0, max: 604800, required: true }),
  ].filter(Boolean), async (values) => {
    const body = {};
    if (values.name !== old.name) body.name = values.name;
    if (values.kind !== old.kind) body.kind = values.kind;
    if (Number(values.dwell) !== old.dwellSeconds) body.dwellSeconds = Number(values.dwell);
    const edited = isCircle ? { ...shape, radiusMetres: Number(values.radius) } : shape;
    if (JSON.stringify(edited) !== first) Object.assign(body, asBody(edited));
    if (Object.keys(body).length > 0) await write("PATCH", `fences/${segment(old.id)}`, body, version);
  });
}

/** For whoever has no mouse, or has the numbers: one corner a line, or a centre and metres. */
const typed = () => {
  let shape;
  return form(t("fence.typed"), [
    field("corners", t("corners"), { type: "area", required: true, rows: 6 }),
    field("radius", t("radius"), { type: "number", min: 1, max: 1000000 }),
  ], async ({ corners, radius }) => {
    const places = corners.split("\n").filter((line) => line.trim()).map(parsed);
    if (places.includes(null)) throw new Error(t("place.wrong"));
    if (radius && places.length === 1) shape = { ...places[0], radiusMetres: Number(radius) };
    else if (!radius && places.length > 2) shape = { type: "Polygon", coordinates: [[...places, places[0]].map((p) => [p.lon, p.lat])] };
    else throw new Error(t("corners.wrong"));
  }, t("next")).then((done) => done && save(shape));
};

function wouldBeInside(shape) {
  return [...state.users.values()].filter((u) => u.lat !== null && isInside(u, shape)).map((u) => u.callsign);
}

const whoWouldBeInside = (shape) => {
  const inside = wouldBeInside(shape);
  return inside.length === 0 ? t("would.nobody") : t("would", { n: inside.length, names: named(inside) });
};

const asBody = (shape) => (shape.type
  ? { geojson: { type: "Feature", properties: {}, geometry: { type: shape.type, coordinates: shape.coordinates } } }
  : { circle: { lat: shape.lat, lon: shape.lon, radiusMetres: shape.radiusMetres } });

function save(shape) {
  const preview = theMap() && outline({ ...shape, ...(shape.type ? { geometry: shape } : {}), kind: "info", active: true })?.addTo(theMap());
  goToShape(preview || null);
  return form(t("fence.new"), [
    h("p", { class: "card" }, h("strong", {}, whoWouldBeInside(shape))),
    field("name", t("name"), { value: shape.name, required: true }),
    field("kind", t("kind"), { value: shape.kind ?? "hazard", options: kinds.map((k) => [k, t(`kind.${k}`)]) }),
    field("active", t("active"), { type: "checkbox", value: true }),
  ], ({ name, kind, active }) => write("POST", "fences", { name, kind, active, ...asBody(shape) }))
    .finally(() => preview?.remove());
}

/** Each outline of the file is shown and asked about by itself. */
function importFile(event) {
  const [file] = event.target.files;
  event.target.value = "";
  if (!file) return;
  attempt(async () => {
    if (file.size > importBytes) throw new Error(t("import.large"));
    let json;
    try {
      json = JSON.parse(await file.text());
    } catch {
      throw new Error(t("import.none"));
    }
    const features = json.type === "FeatureCollection" ? json.features : [json];
    const shapes = features.map(shapeOf).filter(Boolean);
    if (shapes.length === 0) throw new Error(t("import.none"));
    for (const shape of shapes) if (!await save(shape)) return;
  });
}

function shapeOf(feature) {
  const { geometry = feature, properties = {} } = feature ?? {};
  const name = String(properties?.name ?? "").slice(0, 120);
  const kind = kinds.includes(properties?.kind) ? properties.kind : "hazard";
  if (["Polygon", "MultiPolygon"].includes(geometry?.type)) {
    return { type: geometry.type, coordinates: geometry.coordinates, name, kind };
  }
  const radius = Number(properties?.radius_m);
  if (geometry?.type !== "Point" || !(radius > 0)) return null;
  return { lat: geometry.coordinates[1], lon: geometry.coordinates[0], radiusMetres: radius, name, kind };
}
