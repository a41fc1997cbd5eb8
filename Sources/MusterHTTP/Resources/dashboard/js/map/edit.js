// Editing a shape on the map: corners are dragged, added at the middle of a side, and removed; for
// a circle, centre and edge are dragged. Keyboard: arrows move, Delete removes. Loaded when needed.

import { t } from "../words.js";
import { metresBetween } from "../geometry.js";
import { crossed, crossings, undoKey } from "./draw.js";
import { handle } from "./handle.js";

const mostCorners = 300;

/** The corners without the last, which repeats the first; the rings of each polygon. */
const ringsOf = (shape) => (shape.type === "MultiPolygon" ? shape.coordinates : [shape.coordinates])
  .map((rings) => rings.map((ring) => ring.slice(0, -1).map(([lon, lat]) => ({ lat, lon }))));

const shapeOf = (polygons) => {
  const coordinates = polygons.map((rings) =>
    rings.map((ring) => [...ring, ring[0]].map(({ lat, lon }) => [lon, lat])));
  return coordinates.length === 1
    ? { type: "Polygon", coordinates: coordinates[0] } : { type: "MultiPolygon", coordinates };
};

export const tooManyCorners = (shape) =>
  shape.type !== undefined && ringsOf(shape).flat(2).length > mostCorners;

/**
 * Shows the handles of a shape, which has the form used by `isInside`.
 * @param onChange receives the shape after each change, and whether its sides cross.
 * @returns an object whose `remove` removes the handles; `undo` and `redo` go through the changes.
 */
export function editShape(map, shape, onChange) {
  const isCircle = shape.radiusMetres !== undefined;
  const { lat, lon, radiusMetres } = shape;
  const circle = isCircle ? { lat, lon, radiusMetres } : null;
  let polygons = isCircle ? null : ringsOf(shape);
  const group = L.layerGroup().addTo(map);
  const wrong = L.layerGroup().addTo(map);
  const style = { className: "drawn", weight: 3, interactive: false };
  let [outline, isReady] = [null, false];

  const redraw = () => {
    outline?.remove();
    const edited = isCircle ? { ...circle } : shapeOf(polygons);
    outline = isCircle
      ? L.circle([circle.lat, circle.lon], { ...style, radius: circle.radiusMetres })
      : L.geoJSON(edited, { style, interactive: false });
    outline.addTo(map);
    wrong.clearLayers();
    for (const ring of polygons?.flat() ?? []) wrong.addLayer(crossed(ring));
    const isCrossed = (polygons?.flat() ?? []).some((ring) => crossings(ring).length > 0);
    if (isReady) onChange(edited, isCrossed);
  };

  const past = [];
  let current = null;
  let future = [];
  const now = () => JSON.stringify(circle ?? polygons);
  /** Remembers a finished change. */
  const keep = () => {
    const next = now();
    if (next === current) return;
    if (current !== null) past.push(current);
    [current, future] = [next, []];
  };
  const go = (from, to) => {
    if (from.length === 0) return;
    to.push(current);
    current = from.pop();
    if (isCircle) Object.assign(circle, JSON.parse(current));
    else polygons = JSON.parse(current);
    place();
  };
  const undo = () => { keep(); go(past, future); };
  const redo = () => { keep(); go(future, past); };
  const key = (event) => { undoKey(event, undo, redo); };
  document.addEventListener("keydown", key);
  const add = (at, name, look, { move, remove, ended }) =>
    handle(map, group, at, name, look, {
      move: (to) => { move(to); redraw(); },
      // A handle that the keyboard moves keeps the focus.
      ended: (_, isKey) => { keep(); if (!isKey) ended?.(); }, remove: remove && (() => { remove(); keep(); }),
    });

  const place = () => {
    group.clearLayers();
    if (isCircle) return circleHandles();
    let n = 0;
    for (const ring of polygons.flat()) {
      ring.forEach((corner, index) => {
        add(corner, t("corner", { n: ++n }), "corner", {
          move: (to) => Object.assign(corner, to), ended: place,
          remove: () => { if (ring.length > 3) { ring.splice(index, 1); place(); } },
        });
        const next = ring[(index + 1) % ring.length];
        const between = { lat: (corner.lat + next.lat) / 2, lon: (corner.lon + next.lon) / 2 };
        let added = null;
        add(between, t("corner.new"), "middle", {
          move: (to) => {
            if (added) Object.assign(added, to);
            else ring.splice(index + 1, 0, added = to);
          },
          ended: place,
        });
      });
    }
    redraw();
  };

  const circleHandles = () => {
    const east = () => {
      const degree = metresBetween(circle, { lat: circle.lat, lon: circle.lon + 0.01 }) / 0.01;
      return [circle.lat, circle.lon + circle.radiusMetres / degree];
    };
    const edge = add({ lat: east()[0], lon: east()[1] }, t("circle.edge"), "corner", {
      move: (to) => { circle.radiusMetres = Math.max(1, Math.round(metresBetween(circle, to))); },
      ended: () => edge.setLatLng(east()),
    });
    add(circle, t("circle.centre"), "corner", {
      move: (to) => { Object.assign(circle, to); edge.setLatLng(east()); },
    });
    redraw();
  };

  place();
  keep();
  isReady = true;
  const remove = () => {
    document.removeEventListener("keydown", key);
    for (const layer of [group, wrong, outline]) layer?.remove();
  };
  return { remove, undo, redo };
}
