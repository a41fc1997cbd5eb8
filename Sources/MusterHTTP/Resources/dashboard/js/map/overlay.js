// Overlays on the map: their shapes, and what a shape can become. Loaded with the first overlay.

import { h } from "../dom.js";
import { segment, write } from "../api.js";
import { attempt } from "../dialog.js";
import { act } from "../queue.js";
import { isCommand, mayAdd } from "../store.js";
import { loadTexts, t } from "../words.js";
import { isInside } from "../geometry.js";
import { remember } from "../undo.js";
import { kinds } from "../zone.js";
import { colour } from "./icons.js";

const mostNames = 100;
/** How near a click must be to a point or a line, in pixels. */
const reach = 10;
/** The radius of a zone around a point; it can be dragged afterwards. */
const pointMetres = 50;

await loadTexts("shapes");

/** @param name that of the overlay, for shapes without one. @param collection the shapes. */
export function overlayLayer(name, collection) {
  const style = { color: colour("accent"), weight: 3, fillOpacity: 0.1, interactive: false, pane: "overlays" };
  const file = name.replace(/\.\w+$/, "");
  let names = 0;
  return L.geoJSON(collection, {
    ...style, style, pointToLayer: (_, at) => L.circleMarker(at, { ...style, radius: 5, fillOpacity: 1 }),
    onEachFeature: (feature, layer) => {
      const { properties } = feature;
      feature.title = properties.name || `${file} ${collection.features.indexOf(feature) + 1}`;
      if (!properties.name || ++names > mostNames) return;
      // An element: Leaflet would parse a text as markup.
      layer.bindTooltip(h("span", {}, properties.name),
        { permanent: true, direction: "right", className: "ring-name", pane: "overlays" });
    },
  });
}

/** A point before a line, and both before the smallest area; null away from the shape. */
function rank(map, layer, place, point) {
  const at = (latlng) => map.latLngToContainerPoint(latlng);
  const { type } = layer.feature.geometry;
  if (type === "Point") {
    const pixels = at(layer.getLatLng()).distanceTo(point);
    return pixels <= reach ? pixels - 2 * reach : null;
  }
  if (type.endsWith("Polygon")) {
    if (!isInside(place, layer.feature.geometry)) return null;
    const box = layer.getBounds();
    return at(box.getNorthWest()).distanceTo(at(box.getSouthEast()));
  }
  const isNear = layer.getLatLngs().flat(0).some((one, i, all) => (Array.isArray(one) ? one : all)
    .some((end, n, line) => n > 0
      && L.LineUtil.pointToSegmentDistance(point, at(line[n - 1]), at(end)) <= reach));
  return isNear ? -reach : null;
}

/** The shape of the layers at a place and its point on the map; null without one. */
function shapeAt(map, layers, place, point) {
  let best = null;
  for (const layer of layers) {
    layer.eachLayer((one) => {
      const found = rank(map, one, place, point);
      if (found !== null && !(found >= best?.found)) best = { found, feature: one.feature };
    });
  }
  return best?.feature ?? null;
}

/**
 * What a menu shows of the shape at a place: its texts, and what it can become, at once and with an undo.
 * @param point the place on the map's container.
 */
export function shapeMenu(map, layers, place, point) {
  const feature = shapeAt(map, layers, place, point);
  if (!feature) return {};
  const { title, geometry: { type }, properties: { description } } = feature;
  const details = description && h("p", { role: "presentation" }, description);
  if (details) {
    Object.assign(details.style, {
      maxWidth: "320px", maxHeight: "9em", overflow: "auto", whiteSpace: "pre-line", overflowWrap: "anywhere",
    });
  }
  const isLine = type.endsWith("LineString");
  return {
    about: [h("p", { role: "presentation" }, h("strong", {}, title)), details],
    items: [
      ...mayAdd() ? [[t("shape.report"), "shape report", () => attempt(() => makeReport(feature, place))]] : [],
      ...isCommand() && !isLine ? kinds().map(([kind]) => [t(`shape.${kind}`), `shape ${kind}`,
        () => attempt(() => makeZone(feature, kind))]) : [],
    ],
  };
}

const mayUndo = (text, path) => remember(text, () => write("DELETE", path));

async function makeZone({ title: name, geometry, properties: { description } }, kind) {
  const properties = {
    ...(description ? { description } : {}), ...(geometry.type === "Point" ? { radius_m: pointMetres } : {}),
  };
  const { id } = await write("POST", "fences",
    { name, kind, active: true, geojson: { type: "Feature", properties, geometry } });
  mayUndo(t("zone.saved", { name }), `fences/${segment(id)}`);
}

/** A report at the point, or where the user clicked the area or line. */
async function makeReport({ title, geometry, properties: { description = "" } }, place) {
  const [lon, lat] = geometry.type === "Point" ? geometry.coordinates : [place.lon, place.lat];
  const filed = await act("report", title, "POST", "reports",
    { title, description, category: "other", toEvacuate: false, lat, lon });
  if (filed?.id) mayUndo(t("shape.filed", { title }), `reports/${segment(filed.id)}`);
  return filed;
}
