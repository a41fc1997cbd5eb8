// What the tools of the map find and measure: names and positions, distances, range rings; loaded with the
// first use.

import { button, fill, h } from "../dom.js";
import { state } from "../store.js";
import { t } from "../words.js";
import { bearing } from "../status.js";
import { parsed } from "../place.js";
import { ownPosition } from "../way.js";
import { courseTo, metresBetween } from "../geometry.js";
import { goTo, theMap } from "./map.js";
import { showBar, sizeOf, startDrawing } from "./draw.js";

const mostFound = 6;
/** Radii of the rings in metres; four of them fit the screen. */
const radii = [50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000];
let rings = null;

/** Distance and bearing between clicked points, and the area that they enclose. */
export function measure() {
  const map = theMap();
  const points = [];
  const layer = L.layerGroup().addTo(map);
  const result = h("span", { role: "status" });
  const click = ({ latlng }) => {
    points.push({ lat: latlng.lat, lon: latlng.lng });
    layer.clearLayers();
    const style = { className: "drawn", weight: 3, interactive: false };
    layer.addLayer(L.polyline(points.map(({ lat, lon }) => [lat, lon]), style));
    for (const { lat, lon } of points) layer.addLayer(L.circleMarker([lat, lon], { ...style, radius: 4 }));
    const [a, b] = points.slice(-2);
    if (!b) return;
    const legs = points.slice(1).map((one, i) => metresBetween(points[i], one));
    const total = legs.reduce((sum, one) => sum + one, 0);
    result.textContent = bearing({ distanceMetres: Math.round(legs.at(-1)), bearingDegrees: courseTo(a, b) })
      + (legs.length > 1 ? ` · ${t("measure.total")} ${bearing({ distanceMetres: Math.round(total) })} · ${sizeOf({}, points)}` : "");
  };
  const close = startDrawing(map, () => {
    map.off("click", click);
    layer.remove();
  });
  map.on("click", click);
  showBar(h("strong", {}, t("measure.click")), result,
    h("button", { onclick: () => close(null) }, t("close")));
}

/** Rings around the centre of the map, or around the user if their position is on the screen. Returns whether they are shown. */
export function toggleRings() {
  if (rings) {
    rings.remove();
    rings = null;
    return false;
  }
  const map = theMap();
  const me = ownPosition();
  const isNear = me && map.getBounds().contains([me.lat, me.lon]);
  const at = isNear ? L.latLng(me.lat, me.lon) : map.getCenter();
  const bounds = map.getBounds();
  const reach = map.distance(bounds.getCenter(), [bounds.getNorth(), bounds.getCenter().lng]);
  const fitting = radii.filter((one) => one <= reach).slice(-3);
  rings = L.layerGroup(fitting.flatMap((radius) => [
    L.circle(at, { radius, className: "ring", weight: 1, fill: false, interactive: false }),
    L.tooltip({ permanent: true, direction: "center", className: "ring-name" })
      .setContent(bearing({ distanceMetres: radius }))
      .setLatLng([at.lat + radius / 111320, at.lng]),
  ])).addTo(map);
  return true;
}

/** Finds people, reports and zones by name, and positions in any format. */
export function find(pick) {
  const results = h("span", { class: "row", role: "status" });
  const close = startDrawing(theMap(), () => {});
  theMap().getContainer().classList.remove("drawing");
  const found = (text) => {
    const place = parsed(text);
    const words = text.trim().toLowerCase();
    if (words === "") return [];
    const has = (name) => name.toLowerCase().includes(words);
    return [
      ...place ? [[text, () => goTo(place)]] : [],
      ...[...state.users.values()].filter((one) => has(one.callsign))
        .map((row) => [row.callsign, () => pick({ user: true, row })]),
      ...[...state.reports.values()].filter((one) => has(one.title))
        .map((row) => [row.title, () => pick({ report: true, row, isFramed: true })]),
      ...[...state.fences.values()].filter((one) => has(one.name))
        .map((zone) => [zone.name, () => pick({ zone, isFramed: true })]),
    ].slice(0, mostFound);
  };
  const input = h("input", {
    type: "search", "aria-label": t("find"), placeholder: t("find"),
    oninput: () => fill(results, found(input.value).map(([name, work], i) =>
      button(name, `found ${i}`, () => { close(null); work(); }))),
    onkeydown: (event) => {
      if (event.key !== "Enter") return;
      const [first] = found(input.value);
      if (!first) return fill(results, t("matches.none"));
      close(null);
      first[1]();
    },
  });
  showBar(input, results, h("button", { onclick: () => close(null) }, t("close")));
  input.focus();
}
