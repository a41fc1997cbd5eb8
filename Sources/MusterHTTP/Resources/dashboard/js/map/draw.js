// Drawing with clicks on the map: the corners of an outline, or the centre and edge of a circle.

import { byId, fill, h } from "../dom.js";
import { t } from "../words.js";
import { metresBetween } from "../geometry.js";
import { colour } from "./icons.js";

let cancel = () => {};

/** Shows controls above the map; hides them without any. */
export function showBar(...controls) {
  fill(byId("map-bar"), ...controls);
  byId("map-bar").hidden = controls.length === 0;
}

/**
 * Begins to draw on the map, and cancels the previous drawing.
 * @param ended receives the value of the returned function, or null if Escape cancels.
 */
export function startDrawing(map, ended) {
  cancel();
  const end = (value) => {
    cancel = () => {};
    map.getContainer().classList.remove("drawing");
    document.removeEventListener("keydown", key);
    ended(value);
    showBar();
  };
  const key = (event) => { if (event.key === "Escape") cancel(); };
  cancel = () => end(null);
  map.getContainer().classList.add("drawing");
  document.addEventListener("keydown", key);
  return end;
}

/**
 * Resolves with {type: "Polygon", …} or {lat, lon, radiusMetres}; null if cancelled. The second
 * click finishes a circle; a click on the first corner finishes an outline.
 * @param at the centre of a circle, if it is already known.
 */
export function drawShape(map, isCircle, at) {
  return new Promise((resolve) => {
    const corners = at ? [at] : [];
    let shape = null;
    const style = { color: colour("accent"), weight: 3, interactive: false };
    const finish = h("button", {
      class: "first", disabled: true, onclick: () => close(result()),
    }, t("finish"));
    const result = () => {
      if (isCircle) {
        return { ...corners[0], radiusMetres: Math.max(1, Math.round(metresBetween(...corners))) };
      }
      const ring = corners.map(({ lat, lon }) => [lon, lat]);
      return { type: "Polygon", coordinates: [[...ring, ring[0]]] };
    };
    const redraw = () => {
      shape?.remove();
      const points = corners.map(({ lat, lon }) => [lat, lon]);
      if (corners.length > 2) {
        shape = L.polygon(points, style);
      } else {
        const dots = points.map((p) => L.circleMarker(p, { ...style, radius: 5 }));
        shape = L.layerGroup([L.polyline(points, style), ...dots]);
      }
      shape.addTo(map);
      finish.disabled = corners.length < 3;
    };
    const isFirst = (point) => corners.length > 2
      && point.distanceTo(map.latLngToContainerPoint([corners[0].lat, corners[0].lon])) < 12;
    const click = ({ latlng, containerPoint }) => {
      if (!isCircle && isFirst(containerPoint)) return close(result());
      corners.push({ lat: latlng.lat, lon: latlng.wrap().lng });
      if (isCircle && corners.length === 2) return close(result());
      redraw();
    };
    const preview = ({ latlng }) => {
      if (!isCircle || corners.length === 0) return;
      shape?.remove();
      const [{ lat, lon }] = corners;
      shape = L.circle([lat, lon], { ...style, radius: map.distance([lat, lon], latlng) }).addTo(map);
    };
    const close = startDrawing(map, (value) => {
      map.off({ click, mousemove: preview });
      shape?.remove();
      resolve(value);
    });
    map.on({ click, mousemove: preview });
    redraw();
    showBar(h("strong", {}, t(isCircle ? "draw.circle" : "draw.outline")), !isCircle && finish,
      h("button", { onclick: () => { corners.pop(); redraw(); } }, t("undo")),
      h("button", { onclick: () => close(null) }, t("cancel")));
  });
}

export const isDrawing = (map) => map.getContainer().classList.contains("drawing");
