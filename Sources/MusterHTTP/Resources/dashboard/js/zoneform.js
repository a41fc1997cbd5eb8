// The forms of zones: drawing and entering a new one, editing one in place, a new rule; loaded when one is
// opened.

import { button, faint, fill, h } from "./dom.js";
import { get, getVersioned, segment, write } from "./api.js";
import { control, field, form, formElement } from "./dialog.js";
import { t } from "./words.js";
import { joined } from "./geometry.js";
import { position } from "./place.js";
import { asBody, asFence, kinds, whoWouldBeInside } from "./zone.js";
import { closePanel } from "./shell.js";
import { goToShape, onMap, theMap } from "./map/map.js";
import { outline } from "./map/fences.js";
import { drawShape, sizeOf } from "./map/draw.js";
import { remember } from "./undo.js";

const ruleKinds = ["atLeast", "atMost", "entryBy", "within"];
const roles = ["command", "member", "observer"];

/** As `drawZone` of `fences.js`. */
export async function drawZone(isCircle, at, name, kind) {
  const shape = await onMap(() => drawShape(theMap(), isCircle, at));
  if (shape) await save(shape, name, kind);
}

/**
 * The form below the facts, and handles on the map.
 * @returns a function that removes the handles.
 */
export async function edit(fence, container) {
  // The version first: saving then detects a change in between.
  const { row, version } = await getVersioned(`fences/${segment(fence.id)}`);
  const outlines = await get("fences.geojson");
  const { editShape, tooManyCorners } = await import("./map/edit.js");
  const { lat, lon, radiusMetres } = row;
  let shape = radiusMetres !== undefined ? { lat, lon, radiusMetres }
    : outlines.features.find((feature) => feature.id === row.id)?.geometry;
  if (!shape) throw new Error(t("fence.gone"));
  if (shape.type) shape = joined(shape);
  if (!container.isConnected) return () => {};
  const first = structuredClone(shape);
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
  fill(container, zoneForm(row, { inside, radius, editor, first },
    () => {
      if (isCrossed) throw new Error(t("draw.crossed"));
      return JSON.stringify(shape) === JSON.stringify(first) ? null : shape;
    }, version));
  return () => editor?.remove();
}

const zoneSize = ({ coordinates, radiusMetres }) =>
  sizeOf({ radiusMetres }, coordinates?.[0].slice(1).map(([lon, lat]) => ({ lat, lon })));

const zoneForm = (old, { inside, radius, editor, first }, changedShape, version) => formElement([
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
  const [body, before] = [{}, {}];
  const put = (key, now, then) => {
    if (now !== then) [body[key], before[key]] = [now, then];
  };
  put("name", name, old.name);
  put("kind", kind, old.kind);
  put("dwellSeconds", Number(dwell), old.dwellSeconds);
  const shape = changedShape();
  if (shape) {
    Object.assign(body, asBody(shape));
    Object.assign(before, asBody(first));
  }
  if (Object.keys(body).length === 0) return;
  const path = `fences/${segment(old.id)}`;
  await write("PATCH", path, body, version);
  remember(t("zone.saved", { name }), async () => {
    const { row, version: now } = await getVersioned(path);
    if (Object.keys(body).some((key) => key in row && row[key] !== body[key])) throw new Error(t("undo.changed"));
    await write("PATCH", path, before, now);
  });
}, closePanel);

/** Input as text: one corner per line, or a centre and a radius. */
export const typed = () => {
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

function save(shape, proposed = "", kind = "hazard") {
  const preview = theMap() && outline(asFence(shape, "info"))?.addTo(theMap());
  goToShape(preview || null);
  return form(t("fence.new"), [
    h("p", { class: "card" }, h("strong", {}, whoWouldBeInside(shape))),
    field("name", t("name"), { value: proposed, required: true }),
    field("kind", t("kind"), { value: kind, options: kinds() }),
    field("active", t("active"), { type: "checkbox", value: true }),
  ], async (values) => {
    const row = await write("POST", "fences", { ...values, ...asBody(shape) });
    if (row) remember(t("zone.saved", { name: values.name }), () => write("DELETE", `fences/${segment(row.id)}`));
  }).finally(() => preview?.remove());
}

/** The form for a new rule; a time is entered in minutes. */
export const addRule = (fence) => form(t("rule.of", { name: fence.name }), [
  field("kind", t("rule.kind"), { options: ruleKinds.map((kind) => [kind, t(`rule.kind.${kind}`)]) }),
  field("number", t("rule.number"), {
    type: "number", min: 0, max: 100000, value: 1, required: true,
  }),
  field("role", t("rule.only.role"), {
    options: [["", t("all.role")], ...roles.map((role) => [role, t(`role.${role}`)])],
  }),
  field("team", t("rule.only.team"), { maxlength: 200 }),
], ({ kind, number, role, team }) => write("POST", `fences/${segment(fence.id)}/rules`, {
  kind, number: Number(number) * (kind === "entryBy" ? 60 : 1),
  ...(role ? { role } : {}), ...(team ? { team } : {}),
}), t("rule.add"));
