// Drawing with clicks on the map: the corners of an outline, or the centre and edge of a circle.

import { byId, fill, h } from "../dom.js";
import { t } from "../words.js";
import { metresBetween } from "../geometry.js";
import { colour } from "./icons.js";

let end = () => {};

/** Replaces the click handler of the map; the previous one is cancelled. */
export function startDrawing(map, giveUp) {
  end();
  end = giveUp;
  map.getContainer().classList.add("drawing");
  return () => {
    end = () => {};
    map.getContainer().classList.remove("drawing");
  };
}

/** Resolves with {type: "Polygon", …} or {lat, lon, radiusMetres}; null if cancelled. */
export function drawShape(map, isCircle) {
  return new Promise((resolve) => {
    const corners = [];
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
      if (isCircle && corners.length === 2) {
        shape = L.circle(points[0], { ...style, radius: metresBetween(...corners) });
      } else if (corners.length > 2) {
        shape = L.polygon(points, style);
      } else {
        const dots = points.map((p) => L.circleMarker(p, { ...style, radius: 5 }));
        shape = L.layerGroup([L.polyline(points, style), ...dots]);
      }
      shape.addTo(map);
      finish.disabled = corners.length < (isCircle ? 2 : 3);
    };
    const click = ({ latlng }) => {
      if (isCircle && corners.length === 2) corners.pop();
      corners.push({ lat: latlng.lat, lon: latlng.wrap().lng });
      redraw();
    };
    const key = (event) => { if (event.key === "Escape") close(null); };
    const close = (value) => {
      release();
      map.off("click", click);
      document.removeEventListener("keydown", key);
      shape?.remove();
      byId("map-bar").hidden = true;
      byId("map-bar").replaceChildren();
      resolve(value);
    };
    const release = startDrawing(map, () => close(null));
    map.on("click", click);
    document.addEventListener("keydown", key);
    fill(byId("map-bar"), h("strong", {}, t(isCircle ? "draw.circle" : "draw.outline")), finish,
      h("button", { onclick: () => { corners.pop(); redraw(); } }, t("undo")),
      h("button", { onclick: () => close(null) }, t("cancel")));
    byId("map-bar").hidden = false;
  });
}

export const isDrawing = (map) => map.getContainer().classList.contains("drawing");
