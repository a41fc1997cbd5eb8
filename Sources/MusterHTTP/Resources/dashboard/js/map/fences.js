// Zones on the map: colour, dashes and label for each kind.

import { state } from "../store.js";
import { t } from "../words.js";
import { h } from "../dom.js";
import { colour } from "./icons.js";

const looks = {
  muster: { name: "safe", dashArray: null },
  hazard: { name: "danger", dashArray: "10 5" },
  info: { name: "accent", dashArray: "3 5" },
};

const mostNames = 40;

function north(shape) {
  if (!shape.getRadius) {
    const bounds = shape.getBounds();
    return [bounds.getNorth(), bounds.getCenter().lng];
  }
  const { lat, lng } = shape.getLatLng();
  return [Math.min(90, lat + shape.getRadius() / 111320), lng];
}

/** The label at the northern edge, where it covers no people inside. */
function nameOf(fence, shape) {
  const words = [fence.name, t(`kind.${fence.kind}`), !fence.active && t("inactive")];
  return L.tooltip({ pane: "zone-names", permanent: true, direction: "top", className: "fence-name" })
    .setContent(h("span", {}, words.filter(Boolean).join(" · "))).setLatLng(north(shape));
}

export function fencesLayer() {
  const group = L.layerGroup();
  return {
    layer: group,
    redraw() {
      group.clearLayers();
      for (const fence of state.fences.values()) {
        const shape = outline(fence);
        if (!shape) continue;
        group.addLayer(shape);
        if (state.fences.size <= mostNames) group.addLayer(nameOf(fence, shape));
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
  return L.geoJSON(fence.geometry, { style, interactive: false });
}
