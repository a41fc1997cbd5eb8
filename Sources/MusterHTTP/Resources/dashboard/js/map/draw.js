// Drawing with clicks on the map: the corners of an outline, or the centre and edge of a circle.

import { byId, fill, h } from "../dom.js";
import { language, t } from "../words.js";
import { bearing } from "../status.js";
import { metresBetween, radians, radius } from "../geometry.js";
import { colour } from "./icons.js";

let cancel = () => {};

/** Shows controls above the map; hides them without any. */
export function showBar(...controls) {
  const hadFocus = byId("map-bar").contains(document.activeElement);
  fill(byId("map-bar"), ...controls);
  byId("map-bar").hidden = controls.length === 0;
  if (hadFocus && controls.length === 0) byId("map").focus({ preventScroll: true });
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
  // Enter then sets a point at the centre.
  map.getContainer().focus({ preventScroll: true });
  document.addEventListener("keydown", key);
  return end;
}

/** The area of a ring of {lat, lon} in square metres, on a plane at its latitude. */
export function areaOf(corners) {
  let sum = 0;
  corners.forEach((a, i) => {
    const b = corners[(i + 1) % corners.length];
    sum += (b.lon - a.lon) * (a.lat + b.lat - 2 * corners[0].lat);
  });
  const mean = corners.reduce((total, { lat }) => total + lat, 0) / corners.length;
  return Math.abs(sum) / 2 * (radius * radians) ** 2 * Math.cos(mean * radians);
}

const turn = (a, b, c) =>
  Math.sign((b.lon - a.lon) * (c.lat - a.lat) - (b.lat - a.lat) * (c.lon - a.lon));

/** The sides of a ring that cross another side, as pairs of corners. */
export function crossings(corners) {
  const sides = corners.map((corner, i) => [corner, corners[(i + 1) % corners.length]]);
  const cross = ([a, b], [c, d]) => turn(a, b, c) * turn(a, b, d) < 0
    && turn(c, d, a) * turn(c, d, b) < 0;
  return sides.filter((one) => sides.some((other) => cross(one, other)));
}

/** The sides of an outline that cross are drawn over it, in the colour of danger. */
export const crossed = (corners) => L.layerGroup(crossings(corners).map((side) =>
  L.polyline(side.map(({ lat, lon }) => [lat, lon]),
    { color: colour("danger"), weight: 5, interactive: false })));

/** "0.32 km²", with what lies around it. */
export const sizeOf = ({ radiusMetres }, corners) => {
  const area = corners ? areaOf(corners) : Math.PI * radiusMetres ** 2;
  const text = area < 1e5 ? `${Number(area.toPrecision(3)).toLocaleString(language)} m²` : `${(area / 1e6).toPrecision(3)} km²`;
  return corners ? text
    : `r = ${bearing({ distanceMetres: Math.round(radiusMetres) })} · ${text}`;
};

/** Ctrl+Z and Ctrl+Y, or Ctrl+Shift+Z, outside a text field. Returns whether the key was one. */
export function undoKey(event, undo, redo) {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || !"zy".includes(key)
    || event.target.matches?.("input, textarea")) return false;
  event.preventDefault();
  if (key === "y" || event.shiftKey) redo();
  else undo();
  return true;
}

/**
 * Resolves with {type: "Polygon", …} or {lat, lon, radiusMetres}; null if cancelled. The second
 * click finishes a circle; a double click, or a click on the first corner, finishes an outline.
 * While sides cross, it cannot be finished, and the draft stays.
 * @param at the centre of a circle, if it is already known.
 */
export function drawShape(map, isCircle, at) {
  return new Promise((resolve) => {
    let corners = at ? [at] : [];
    let undone = [];
    let pointer = null;
    const shape = L.layerGroup().addTo(map);
    const style = { className: "drawn", weight: 3, interactive: false };
    const [size, wrong] = [h("span"), h("span", { role: "status", class: "state danger" })];
    const finish = h("button", { class: "first", onclick: () => end() }, t("finish"));
    const undo = h("button", { onclick: () => step(-1) }, t("undo"));
    const redo = h("button", { onclick: () => step(1) }, t("redo"));
    const isWhole = () => corners.length > 2 && crossings(corners).length === 0;
    const end = () => {
      if (isCircle) {
        const radiusMetres = Math.max(1, Math.round(metresBetween(...corners)));
        return close({ ...corners[0], radiusMetres });
      }
      if (!isWhole()) return;
      const ring = corners.map(({ lat, lon }) => [lon, lat]);
      close({ type: "Polygon", coordinates: [[...ring, ring[0]]] });
    };
    const step = (way) => {
      if (way < 0 && corners.length > 0) undone.push(corners.pop());
      else if (way > 0 && undone.length > 0) corners.push(undone.pop());
      redraw();
    };
    const points = (places) => places.map(({ lat, lon }) => [lat, lon]);
    const redraw = () => {
      shape.clearLayers();
      const [centre] = corners;
      const preview = pointer && centre ? [...corners, pointer] : corners;
      if (isCircle && centre && pointer) {
        const radiusMetres = metresBetween(centre, pointer);
        shape.addLayer(L.circle([centre.lat, centre.lon], { ...style, radius: radiusMetres }));
        size.textContent = sizeOf({ radiusMetres });
      } else {
        const line = corners.length > 2 ? L.polygon : L.polyline;
        shape.addLayer(line(points(corners), style));
        shape.addLayer(L.polyline(points(preview), { ...style, weight: 1, dashArray: "4 4" }));
        for (const dot of points(corners)) {
          shape.addLayer(L.circleMarker(dot, { ...style, radius: 5 }));
        }
        shape.addLayer(crossed(corners));
        size.textContent = !isCircle && preview.length > 2 ? sizeOf({}, preview) : "";
      }
      finish.disabled = !isWhole();
      undo.disabled = corners.length === 0;
      redo.disabled = undone.length === 0;
      wrong.textContent = corners.length > 2 && finish.disabled ? t("draw.crossed") : "";
    };
    const isNear = (point, { lat, lon }) =>
      point.distanceTo(map.latLngToContainerPoint([lat, lon])) < 12;
    // On the same turn of the Earth as the first corner, so that sides across 180 degrees are short.
    const placeOf = (latlng) => {
      const { lat, lng } = latlng.wrap();
      return { lat, lon: lng + 360 * Math.round(((corners[0]?.lon ?? lng) - lng) / 360) };
    };
    const click = ({ latlng, containerPoint }) => {
      const isClose = (one) => !isCircle && one && isNear(containerPoint, one);
      if (corners.length > 2 && isClose(corners[0])) return end();
      // The second click of a double click.
      if (isClose(corners.at(-1))) return end();
      corners.push(placeOf(latlng));
      undone = [];
      if (isCircle && corners.length === 2) return end();
      redraw();
    };
    const move = ({ latlng }) => {
      pointer = placeOf(latlng);
      redraw();
    };
    const key = (event) => undoKey(event, () => step(-1), () => step(1));
    const close = startDrawing(map, (value) => {
      map.off({ click, mousemove: move });
      map.doubleClickZoom.enable();
      document.removeEventListener("keydown", key);
      shape.remove();
      resolve(value);
    });
    map.on({ click, mousemove: move });
    map.doubleClickZoom.disable();
    document.addEventListener("keydown", key);
    redraw();
    showBar(h("strong", {}, t(isCircle ? "draw.circle" : "draw.outline")), size, wrong,
      !isCircle && finish, !isCircle && undo, !isCircle && redo,
      h("button", { onclick: () => close(null) }, t("cancel")));
  });
}
