// Fences: draw, import, switch on and off, draw anew, take away; and who would be inside.

import { byId, fill, h, onceAFrame } from "./dom.js";
import { getVersioned, segment, write } from "./api.js";
import { attempt, confirm, field, form } from "./dialog.js";
import { on, state } from "./store.js";
import { t } from "./words.js";
import { isInside } from "./geometry.js";
import { parsed } from "./place.js";
import { goToShape, theMap } from "./map/map.js";
import { outline } from "./map/fences.js";
import { drawShape } from "./map/draw.js";

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
      isCommand && theMap() && h("button", { "data-key": `redraw ${fence.id}`, onclick: () => redraw(fence) }, t("fence.redraw")),
      isCommand && h("button", { class: "danger", "data-key": `delete ${fence.id}`, onclick: () => confirm(t("delete.sure", { name: fence.name }), () => write("DELETE", `fences/${segment(fence.id)}`), t("delete")) }, t("delete"))));
}

const named = (names) => names.slice(0, mostNames).join(", ") + (names.length > mostNames ? " …" : "");

function lookAt(fence) {
  const shape = outline(fence)?.addTo(theMap());
  if (innerWidth <= 900) document.body.dataset.view = "map";
  goToShape(shape);
  shape?.remove();
}

async function begin(isCircle, old) {
  const view = document.body.dataset.view;
  document.body.dataset.view = innerWidth <= 900 ? "map" : view;
  const shape = await drawShape(theMap(), isCircle);
  document.body.dataset.view = view;
  if (shape) await save(shape, old);
}

/** The node keeps outlines as they were drawn: another outline is another fence. */
const redraw = (fence) => begin(fence.radiusMetres !== undefined, fence);

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

function save(shape, old) {
  const inside = wouldBeInside(shape);
  const preview = theMap() && outline({ ...shape, ...(shape.type ? { geometry: shape } : {}), kind: "info", active: true })?.addTo(theMap());
  goToShape(preview || null);
  const body = shape.type
    ? { geojson: { type: "Feature", properties: {}, geometry: { type: shape.type, coordinates: shape.coordinates } } }
    : { circle: { lat: shape.lat, lon: shape.lon, radiusMetres: shape.radiusMetres } };
  return form(t(old ? "fence.redraw" : "fence.new"), [
    h("p", { class: "card" }, h("strong", {}, inside.length === 0 ? t("would.nobody") : t("would", { n: inside.length, names: named(inside) }))),
    field("name", t("name"), { value: old?.name ?? shape.name, required: true }),
    field("kind", t("kind"), { value: old?.kind ?? shape.kind ?? "hazard", options: kinds.map((k) => [k, t(`kind.${k}`)]) }),
    field("active", t("active"), { type: "checkbox", value: old?.active ?? true }),
    old && h("p", {}, t("fence.replaces", { name: old.name })),
  ], async ({ name, kind, active }) => {
    await write("POST", "fences", { name, kind, active, ...body });
    if (old) await write("DELETE", `fences/${segment(old.id)}`);
  }).finally(() => preview?.remove());
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
