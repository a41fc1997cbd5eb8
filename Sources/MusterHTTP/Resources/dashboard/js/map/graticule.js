// Lines of latitude and longitude at round numbers, the background without a base map.

import { canvasLayer } from "./layer.js";
import { colour } from "./icons.js";

const steps = [
  30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001,
];
const wanted = 130;

export function graticule() {
  return canvasLayer((pen, map, origin, size) => {
    const nw = map.layerPointToLatLng(origin);
    const se = map.layerPointToLatLng(origin.add(size));
    const perDegree = size.x / Math.max(1e-9, se.lng - nw.lng);
    const step = steps.findLast((s) => s * perDegree >= wanted) ?? 30;
    const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    pen.strokeStyle = colour("grid");
    pen.fillStyle = colour("faint");
    pen.lineWidth = 1;
    pen.globalAlpha = 0.7;
    pen.font = '12px "DejaVu Sans", sans-serif';
    const view = map.containerPointToLayerPoint([0, 0]).subtract(origin);
    const foot = view.y + map.getSize().y - 8;
    const named = (degrees, ends) =>
      `${Math.abs(degrees).toFixed(digits)}°${ends[degrees < 0 ? 0 : 1]}`;
    for (let i = Math.ceil(nw.lng / step); i * step <= se.lng; i++) {
      const x = Math.round(map.latLngToLayerPoint([0, i * step]).x - origin.x) + 0.5;
      line(pen, x, 0, x, size.y);
      pen.fillText(named(i * step, "WE"), x + 3, foot);
    }
    for (let i = Math.ceil(Math.max(-85, se.lat) / step); i * step <= Math.min(85, nw.lat); i++) {
      const y = Math.round(map.latLngToLayerPoint([i * step, 0]).y - origin.y) + 0.5;
      line(pen, 0, y, size.x, y);
      pen.fillText(named(i * step, "SN"), view.x + 8, y - 3);
    }
    pen.globalAlpha = 1;
  }, "overlayPane", 100);
}

function line(pen, x1, y1, x2, y2) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}
