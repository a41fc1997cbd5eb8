// Zones on the map: colour and dashes for each kind.

import { shownFences } from "../store.js";
import { edges } from "../geometry.js";
import { colour } from "./icons.js";

const looks = {
  muster: { name: "safe", dashArray: null },
  hazard: { name: "danger", dashArray: "10 5" },
  info: { name: "accent", dashArray: "3 5" },
};

/**
 * The northern edge, where a label covers no people inside; null while the outline is not loaded. Of a
 * zone across 180 degrees, that on the side of `centre`.
 */
export function northOf({ lat, lon, radiusMetres, geometry }, centre) {
  if (radiusMetres !== undefined) return [Math.min(90, lat + radiusMetres / 111320), lon];
  const corners = geometry?.coordinates.flat(geometry.type === "MultiPolygon" ? 2 : 1);
  if (!corners) return null;
  const [xs, ys] = [0, 1].map((i) => corners.map((at) => at[i]));
  const east = Math.max(...xs);
  const middle = (Math.min(...xs) + east) / 2;
  return [Math.max(...ys), east > 180 && middle > centre + 180 ? middle - 360 : middle];
}

export function fencesLayer() {
  const group = L.layerGroup();
  return {
    layer: group,
    redraw() {
      group.clearLayers();
      for (const fence of shownFences()) {
        const shape = outline(fence);
        if (shape) group.addLayer(shape);
      }
    },
  };
}

/** A zone as a map shape; null while its outline is not loaded. */
export function outline(fence) {
  const look = looks[fence.kind] ?? looks.info;
  const style = {
    color: colour(look.name), weight: 3, dashArray: look.dashArray, interactive: false,
    fillOpacity: fence.active ? 0.12 : 0, opacity: fence.active ? 1 : 0.5,
  };
  if (fence.radiusMetres !== undefined) {
    return L.circle([fence.lat, fence.lon], { ...style, radius: fence.radiusMetres });
  }
  if (!fence.geometry) return null;
  const { coordinates } = fence.geometry;
  if (!coordinates.flat(3).some((n) => n > 180)) return L.geoJSON(fence.geometry, { style, interactive: false });
  // On both sides of the map, whose centre is between -180 and 180 degrees; without the sides of the cut.
  const copy = (turn) => {
    const at = ([lon, lat]) => [lat, lon + turn];
    return [
      L.polygon(coordinates.map((rings) => rings.map((ring) => ring.map(at))), { ...style, stroke: false }),
      L.polyline(edges(coordinates.flat()).map((line) => line.map(at)), style),
    ];
  };
  const east = L.featureGroup(copy(0));
  return Object.assign(L.featureGroup([...copy(-360), east]), { getBounds: () => east.getBounds() });
}

const reach = 8;
/** The zone whose outline is at a point of the map's layers; undefined if there is none. */
export function zoneAt(map, point) {
  const at = (place) => map.latLngToLayerPoint(place);
  const isNear = (ring) => [0, -360].some((turn) => ring.some(([lon, lat], i) =>
    i > 0 && L.LineUtil.pointToSegmentDistance(
      point, at([ring[i - 1][1], ring[i - 1][0] + turn]), at([lat, lon + turn])) <= reach));
  return shownFences().find((fence) => {
    if (fence.radiusMetres !== undefined) {
      const metres = map.distance([fence.lat, fence.lon], map.layerPointToLatLng(point));
      const perPixel = map.distance(map.layerPointToLatLng(point),
        map.layerPointToLatLng(point.add([1, 0])));
      return Math.abs(metres - fence.radiusMetres) <= reach * perPixel;
    }
    const { type, coordinates } = fence.geometry ?? {};
    return (type === "MultiPolygon" ? coordinates.flat() : coordinates ?? []).some(isNear);
  });
}
