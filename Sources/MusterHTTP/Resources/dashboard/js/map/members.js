// People and reports on the map. Where many stand in one place, one sign stands for all of them, in
// the colour of the worst, and says how many of them need help.

import { canvasLayer } from "./layer.js";
import { colour, member, memberSize, report } from "./icons.js";
import { state, fixAge } from "../store.js";
import { t } from "../words.js";

const cell = 46;
const fewEnough = 250;
const staleSeconds = 600;

/** What can be clicked: filled anew by each drawing. */
let drawn = [];

export function membersLayer() {
  return canvasLayer((pen, map, origin, size) => {
    drawn = [];
    const { alone, together } = placed(map, origin, size);
    for (const item of alone) if (item.user) accuracy(pen, map, item);
    for (const item of alone) single(pen, item, alone.length <= fewEnough);
    for (const group of together) cluster(pen, group);
    for (const item of drawn) {
      item.x += origin.x;
      item.y += origin.y;
    }
  }, 300);
}

function placed(map, origin, size) {
  const items = [];
  const add = (row, item) => {
    if (row.lat === null) return;
    const point = map.latLngToLayerPoint([row.lat, row.lon]);
    const [x, y] = [point.x - origin.x, point.y - origin.y];
    if (x < 0 || y < 0 || x > size.x || y > size.y) return;
    items.push({ ...item, row, x, y });
  };
  for (const row of state.reports.values()) {
    if (row.status === "open") add(row, { report: true, rank: row.toEvacuate ? 0 : 2 });
  }
  const ranks = { unsafe: 0, unknown: 1, safe: 3 };
  for (const row of state.users.values()) add(row, { user: true, rank: ranks[row.safety] });
  items.sort((a, b) => b.rank - a.rank);
  const cells = new Map();
  for (const item of items) {
    // The grid stands still on the earth, so that groups do not change while the map is moved.
    const key = `${Math.floor((item.x + origin.x) / cell)} ${Math.floor((item.y + origin.y) / cell)}`;
    (cells.get(key) ?? cells.set(key, []).get(key)).push(item);
  }
  const most = items.length > fewEnough ? 1 : 4;
  const [alone, together] = [[], []];
  for (const group of cells.values()) {
    if (group.length <= most) alone.push(...group);
    else together.push(group);
  }
  return { alone, together };
}

function accuracy(pen, map, { row, x, y }) {
  if (!row.accuracyMetres) return;
  const north = L.latLng(row.lat + row.accuracyMetres / 111320, row.lon);
  const radius = Math.abs(map.latLngToLayerPoint(north).y - map.latLngToLayerPoint([row.lat, row.lon]).y);
  if (radius < 16 || radius > 3000) return;
  pen.fillStyle = pen.strokeStyle = colour(row.safety);
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.globalAlpha = 0.08;
  pen.fill();
  pen.globalAlpha = 0.6;
  pen.stroke();
  pen.globalAlpha = 1;
}

function single(pen, item, withWords) {
  const { row, x, y } = item;
  const isStale = item.user && (fixAge(row) ?? 0) > staleSeconds;
  const image = item.user
    ? member(row.safety, isStale)
    : report(row.category, row.status === "open", row.toEvacuate);
  pen.drawImage(image, x - memberSize / 2, y - memberSize / 2, memberSize, memberSize);
  drawn.push(item);
  if (!withWords) return;
  const name = shortened(item.user ? row.callsign : row.title);
  const word = item.user ? t(`safety.${row.safety}`) : row.toEvacuate ? t("evacuate") : t(`category.${row.category}`);
  label(pen, `${name} · ${word}`, x + memberSize / 2 + 2, y, colour(item.user ? row.safety : row.toEvacuate ? "evacuate" : "unknown"), isStale);
}

const shortened = (text) => (text.length > 22 ? `${text.slice(0, 21)}…` : text);

function label(pen, text, x, y, ink, isStale) {
  pen.font = 'bold 12px "DejaVu Sans", sans-serif';
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.globalAlpha = isStale ? 0.65 : 1;
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeStyle = colour("panel");
  pen.strokeText(text, x, y);
  pen.fillStyle = ink;
  pen.fillText(text, x, y);
  pen.globalAlpha = 1;
}

function cluster(pen, group) {
  const x = group.reduce((sum, i) => sum + i.x, 0) / group.length;
  const y = group.reduce((sum, i) => sum + i.y, 0) / group.length;
  const people = group.filter((i) => i.user);
  const unsafe = people.filter((i) => i.row.safety === "unsafe").length;
  const unknown = people.filter((i) => i.row.safety === "unknown").length;
  const worst = unsafe ? "unsafe" : unknown ? "unknown" : people.length ? "safe" : "unknown";
  pen.fillStyle = colour(worst);
  pen.strokeStyle = colour("panel");
  pen.lineWidth = 3;
  pen.beginPath();
  pen.arc(x, y, 18, 0, 7);
  pen.fill();
  pen.stroke();
  pen.fillStyle = colour("panel");
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = 'bold 12px "DejaVu Sans", sans-serif';
  pen.fillText(String(group.length), x, unsafe || unknown ? y - 5 : y);
  pen.font = 'bold 10px "DejaVu Sans", sans-serif';
  if (unsafe) pen.fillText(`! ${unsafe}`, x, y + 8);
  else if (unknown) pen.fillText(`? ${unknown}`, x, y + 8);
  drawn.push({ x, y, group, worst });
}

/** What stands at a point of the map's layers; the last drawn is on top. */
export function hit(point) {
  return drawn.findLast((item) => Math.hypot(item.x - point.x, item.y - point.y) <= 18);
}
