// The line on the map from the owner of the page to the zone of their order.

import { onceAFrame } from "../dom.js";
import { isOwners, on, past, speaker } from "../store.js";
import { onPosition, ownWay, wayWords } from "../way.js";
import { theMap } from "./map.js";

let layer = null;

export function openWayLine() {
  if (!theMap()) return;
  layer = L.layerGroup().addTo(theMap());
  const soon = onceAFrame(draw);
  on(["users", "fences", "directives"], soon);
  onPosition(soon);
  setInterval(soon, 10000);
}

function draw() {
  layer.clearLayers();
  const way = isOwners() && past.at === null && speaker()?.order ? ownWay() : null;
  if (!way?.from || way.bearingDegrees === null) return;
  const ends = [way.from, way.at].map(({ lat, lon }) => [lat, lon]);
  const style = { interactive: false, weight: 4, className: "way-line" };
  layer.addLayer(L.polyline(ends, { ...style, dashArray: "2 8" }));
  for (const end of ends) layer.addLayer(L.circleMarker(end, { ...style, radius: 5 }));
  layer.addLayer(L.tooltip({ permanent: true, direction: "center", className: "ring-name way-name" })
    .setContent(wayWords(way)).setLatLng([(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2]));
}
