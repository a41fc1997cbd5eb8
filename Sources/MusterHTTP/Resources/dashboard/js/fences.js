// Zones: the list, new zones, and the panel of one zone, in which command edits it in place.

import { button, byId, faint, fill, h, onceAFrame, sign } from "./dom.js";
import { change, get, getVersioned, segment, write } from "./api.js";
import { attempt, confirm, control, field, form, formElement } from "./dialog.js";
import { isCommand, on, state } from "./store.js";
import { t } from "./words.js";
import { position } from "./place.js";
import { drawButton } from "./order.js";
import { addRule, mayAddRule, ruleList } from "./zonerules.js";
import { asBody, asFence, kinds, named, whoWouldBeInside } from "./zone.js";
import {
  closePanel, drawerHead, openPanel, panelHead, panelOf, shownInPanel,
} from "./shell.js";
import { goToShape, onMap, showMap, theMap } from "./map/map.js";
import { outline } from "./map/fences.js";
import { drawShape, sizeOf } from "./map/draw.js";

export function openFences() {
  on(["fences", "status"], onceAFrame(draw));
  on(["fences", "status"], onceAFrame(() => {
    const id = shownInPanel().replace("zone ", "");
    const panel = panelOf(`zone ${id}`);
    if (!panel) return;
    if (state.fences.has(id)) drawFacts(panel, state.fences.get(id));
    else closePanel();
  }));
}

const looks = { muster: "safe", hazard: "danger" };

function draw() {
  const all = [...state.fences.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  fill(byId("fences"), drawerHead("fences"), isCommand() && newZone(),
    all.length === 0 && faint(t("fences.none")),
    h("ul", {}, all.map(item)));
}

const item = (fence) => h("li", {}, h("button", {
  class: "item", "data-key": `zone ${fence.id}`, onclick: () => showZone(fence),
}, h("i", { class: looks[fence.kind] ?? "neutral" }, sign(looks[fence.kind] ?? "neutral")),
h("span", {}, h("strong", {}, fence.name), h("small", {}, facts(fence))),
h("span", { class: "age" }, t("inside.n", { n: fence.inside.length }))));

const facts = (fence) => [
  t(`kind.${fence.kind}`), !fence.active && t("inactive"),
  fence.conflicts.length > 0 && t("conflict"), fence.rules?.length > 0 && t("rules"),
].filter(Boolean).join(" · ");

/** The buttons for a new zone. */
function newZone() {
  const file = h("input", {
    type: "file", accept: ".geojson,.json,application/geo+json", hidden: true,
    "aria-label": t("fence.import"), onchange: importFile,
  });
  const way = (key, look, work) => button(t(`fence.${key}`), key, work, { class: look });
  return h("div", { class: "row asks" },
    theMap() && way("polygon", "first", () => drawZone(false)),
    theMap() && way("circle", "", () => drawZone(true)),
    drawButton("zone order"),
    way("typed", "", typed), way("import", "", () => file.click()), file);
}

function importFile(event) {
  const [file] = event.target.files;
  event.target.value = "";
  if (file) attempt(async () => (await import("./import.js")).importZones(file));
}

export function lookAt(fence) {
  const shape = outline(fence)?.addTo(theMap());
  showMap();
  goToShape(shape);
  shape?.remove();
}

/**
 * Draws a new zone, by default a hazard.
 * @param at the centre of a circle, if it is already known.
 * @param name that is proposed.
 */
export async function drawZone(isCircle, at, name) {
  const shape = await onMap(() => drawShape(theMap(), isCircle, at));
  if (shape) await save(shape, name);
}

/**
 * Opens a zone in the panel. For command its corners can be dragged at once; nothing is written
 * before Save.
 * @param isFramed whether the map moves to the zone.
 */
export function showZone(fence, isFramed = true) {
  let stopEditing = () => {};
  const panel = openPanel(`zone ${fence.id}`, () => stopEditing());
  fill(panel, h("div", { class: "stack" }), h("div"));
  drawFacts(panel, fence);
  if (isFramed && theMap()) lookAt(fence);
  if (isCommand()) {
    attempt(async () => { stopEditing = await edit(fence, panel.lastChild); });
  }
}

/** The part of the panel that follows the data: name, who is inside, rules, actions. */
function drawFacts(panel, fence) {
  const mayChange = isCommand();
  const path = `fences/${segment(fence.id)}`;
  const action = (key, word, work) => button(t(word), `${key} ${fence.id}`, work);
  const turn = fence.active ? "deactivate" : "activate";
  fill(panel.firstChild, panelHead(fence.name),
    h("p", { class: `state ${looks[fence.kind] ?? ""}` }, facts(fence)),
    h("p", {}, fence.inside.length === 0 ? t("inside.none")
      : t("inside", { n: fence.inside.length, names: named(fence.inside) })),
    ruleList(fence, mayChange),
    h("div", { class: "row" },
      theMap() && action("map", "on.map", () => lookAt(fence)),
      mayChange && action("active", turn,
        () => attempt(() => change("POST", path, undefined, `/${turn}`), t("done"))),
      mayChange && mayAddRule(fence) && action("rule", "rule.add", () => addRule(fence)),
      mayChange && action("delete", "delete", () => confirm(
        t("delete.sure", { name: fence.name }), () => write("DELETE", path), t("delete")))));
}

/**
 * The form below the facts, and handles on the map.
 * @returns a function that removes the handles.
 */
async function edit(fence, container) {
  // The version first: saving then detects a change in between.
  const { row, version } = await getVersioned(`fences/${segment(fence.id)}`);
  const outlines = await get("fences.geojson");
  const { editShape, tooManyCorners } = await import("./map/edit.js");
  const { lat, lon, radiusMetres } = row;
  let shape = radiusMetres !== undefined ? { lat, lon, radiusMetres }
    : outlines.features.find((feature) => feature.id === row.id)?.geometry;
  if (!shape) throw new Error(t("fence.gone"));
  if (!container.isConnected) return () => {};
  const first = JSON.stringify(shape);
  const inside = h("p", { role: "status" });
  const radius = radiusMetres !== undefined && control("radius", {
    value: radiusMetres, type: "number", min: 1, max: 1000000, required: true,
    oninput: ({ target }) => {
      shape = { ...shape, radiusMetres: Number(target.value) };
      changed();
    },
  });
  let isCrossed = false;
  const changed = () => {
    inside.textContent = [
      isCrossed && t("draw.crossed"), shape.type !== "MultiPolygon" && zoneSize(shape),
      whoWouldBeInside(shape),
    ].filter(Boolean).join(" · ");
  };
  const editor = theMap() && !tooManyCorners(shape) && editShape(theMap(), shape, (edited, cross) => {
    shape = edited;
    isCrossed = cross;
    if (radius) radius.value = shape.radiusMetres;
    changed();
  });
  changed();
  fill(container, zoneForm(row, { inside, radius, editor },
    () => {
      if (isCrossed) throw new Error(t("draw.crossed"));
      return JSON.stringify(shape) === first ? null : shape;
    }, version));
  return () => editor?.remove();
}

const zoneSize = ({ coordinates, radiusMetres }) =>
  sizeOf({ radiusMetres }, coordinates?.[0].slice(1).map(([lon, lat]) => ({ lat, lon })));

const zoneForm = (old, { inside, radius, editor }, changedShape, version) => formElement([
  h("h3", {}, t("fence.edit")),
  editor && faint(t(radius ? "edit.circle" : "edit.outline")), inside,
  editor && h("div", { class: "row" }, ["undo", "redo"].map((way) =>
    button(t(way), `${way} zone`, editor[way], { type: "button" }))),
  field("name", t("name"), { value: old.name, required: true }),
  field("kind", t("kind"), { value: old.kind, options: kinds() }),
  radius && h("label", {}, h("span", {}, t("radius")), radius),
  field("dwell", t("dwell"), {
    value: old.dwellSeconds, type: "number", min: 0, max: 604800, required: true,
  }),
], async ({ name, kind, dwell }) => {
  const body = {};
  if (name !== old.name) body.name = name;
  if (kind !== old.kind) body.kind = kind;
  if (Number(dwell) !== old.dwellSeconds) body.dwellSeconds = Number(dwell);
  const shape = changedShape();
  if (shape) Object.assign(body, asBody(shape));
  if (Object.keys(body).length > 0) {
    await write("PATCH", `fences/${segment(old.id)}`, body, version);
  }
}, closePanel);

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

function save(shape, proposed = "") {
  const preview = theMap() && outline(asFence(shape, "info"))?.addTo(theMap());
  goToShape(preview || null);
  return form(t("fence.new"), [
    h("p", { class: "card" }, h("strong", {}, whoWouldBeInside(shape))),
    field("name", t("name"), { value: proposed, required: true }),
    field("kind", t("kind"), { value: "hazard", options: kinds() }),
    field("active", t("active"), { type: "checkbox", value: true }),
  ], ({ name, kind, active }) => write("POST", "fences", { name, kind, active, ...asBody(shape) }))
    .finally(() => preview?.remove());
}
