// The track of a person, with a slider for its time.

import { h, say } from "../dom.js";
import { clock, since, t } from "../words.js";
import { get, segment } from "../api.js";
import { written } from "../place.js";
import { showBar } from "./draw.js";
import { colour } from "./icons.js";

let shown = null;

export async function showTrack(map, user) {
  hideTrack();
  const fixes = (await get(`tracks/${segment(user.id)}?limit=5000`)).items;
  if (fixes.length === 0) return say(t("track.none", { name: user.callsign }));
  const line = L.polyline(fixes.map((f) => [f.lat, f.lon]), {
    color: colour("accent"), weight: 4, opacity: 0.8, interactive: false,
  });
  const dot = L.circleMarker([0, 0], {
    radius: 8, color: colour("ink"), fillColor: colour("accent"), fillOpacity: 1,
    interactive: false,
  });
  const when = h("span");
  const move = (index) => {
    const fix = fixes[index];
    dot.setLatLng([fix.lat, fix.lon]);
    const time = `${clock(fix.sampleTime)} (${since(fix.sampleTime)})`;
    when.textContent = `${time} ${written(fix.lat, fix.lon)}`;
  };
  const slider = h("input", {
    type: "range", min: 0, max: fixes.length - 1, "aria-label": t("track.time"),
    oninput: (event) => move(Number(event.target.value)),
  });
  slider.value = fixes.length - 1;
  move(fixes.length - 1);
  shown = L.layerGroup([line, dot]).addTo(map);
  map.fitBounds(line.getBounds().pad(0.3), { maxZoom: 17 });
  showBar(h("strong", {}, t("track.of", { name: user.callsign })), slider, when,
    h("button", { onclick: hideTrack }, t("close")));
}

function hideTrack() {
  if (!shown) return;
  shown.remove();
  shown = null;
  showBar();
}
