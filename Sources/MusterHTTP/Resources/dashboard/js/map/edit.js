// Editing a shape on the map: corners are dragged, added at the middle of a side, and removed; for
// a circle, centre and edge are dragged. Keyboard: arrows move, Delete removes.

import { t } from "../words.js";
import { metresBetween } from "../geometry.js";
import { colour } from "./icons.js";

const mostCorners = 300;
const step = 8;
const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

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
 * @param onChange receives the shape after each change.
 * @returns an object whose `remove` removes the handles.
 */
export function editShape(map, shape, onChange) {
  const isCircle = shape.radiusMetres !== undefined;
  const { lat, lon, radiusMetres } = shape;
  const circle = isCircle ? { lat, lon, radiusMetres } : null;
  const polygons = isCircle ? null : ringsOf(shape);
  const group = L.layerGroup().addTo(map);
  const style = { color: colour("accent"), weight: 3, interactive: false };
  let [outline, isReady] = [null, false];

  const redraw = () => {
    outline?.remove();
    const edited = isCircle ? { ...circle } : shapeOf(polygons);
    outline = isCircle
      ? L.circle([circle.lat, circle.lon], { ...style, radius: circle.radiusMetres })
      : L.geoJSON(edited, { style, interactive: false });
    outline.addTo(map);
    if (isReady) onChange(edited);
  };

  /** A handle; `move` moves it to a position, `remove` removes it. */
  const handle = (place, name, look, { move, remove, ended }) => {
    const marker = L.marker([place.lat, place.lon], {
      draggable: true, title: name, alt: name, zIndexOffset: look === "middle" ? 0 : 1000,
      icon: L.divIcon({ className: `handle ${look}`, iconSize: [18, 18] }),
    }).addTo(group);
    const to = (latlng) => { move({ lat: latlng.lat, lon: latlng.lng }); redraw(); };
    marker.on("drag", () => to(marker.getLatLng()));
    marker.on("dragend", () => ended?.());
    if (remove) marker.on("contextmenu", remove);
    const element = marker.getElement();
    element?.setAttribute("aria-label", name);
    element?.addEventListener("keydown", (event) => {
      const way = ways[event.key];
      if (way) {
        const moved = L.point(way).multiplyBy(event.shiftKey ? 1 : step);
        const point = map.latLngToContainerPoint(marker.getLatLng()).add(moved);
        marker.setLatLng(map.containerPointToLatLng(point));
        to(marker.getLatLng());
      } else if (remove && ["Delete", "Backspace"].includes(event.key)) {
        remove();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return marker;
  };

  const place = () => {
    group.clearLayers();
    if (isCircle) return circleHandles();
    let n = 0;
    for (const ring of polygons.flat()) {
      ring.forEach((corner, index) => {
        handle(corner, t("corner", { n: ++n }), "corner", {
          move: (to) => Object.assign(corner, to), ended: place,
          remove: () => { if (ring.length > 3) { ring.splice(index, 1); place(); } },
        });
        const next = ring[(index + 1) % ring.length];
        const between = { lat: (corner.lat + next.lat) / 2, lon: (corner.lon + next.lon) / 2 };
        let added = null;
        handle(between, t("corner.new"), "middle", {
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
    const edge = handle({ lat: east()[0], lon: east()[1] }, t("circle.edge"), "corner", {
      move: (to) => { circle.radiusMetres = Math.max(1, Math.round(metresBetween(circle, to))); },
      ended: () => edge.setLatLng(east()),
    });
    handle(circle, t("circle.centre"), "corner", {
      move: (to) => { Object.assign(circle, to); edge.setLatLng(east()); },
    });
    redraw();
  };

  place();
  isReady = true;
  return { remove() { group.remove(); outline?.remove(); } };
}
