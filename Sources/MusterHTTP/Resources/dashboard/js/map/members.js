// People and reports on the map. Many at one place are shown as one group symbol, in the colour of
// the worst status, with the number that need help.

import { canvasLayer } from "./layer.js";
import { cluster, clusterSize, colour, member, memberSize, report } from "./icons.js";
import { fixAge, state } from "../store.js";
import { statusWord } from "../status.js";
import { t } from "../words.js";

const cell = 46;
const fewEnough = 250;
const staleSeconds = 600;
/** The northern and southern limit of the map. */
const edge = 85.0511287798;
const ranks = { danger: 0, warning: 1, neutral: 3, safe: 4 };

/** All people and open reports with a position, on a world with side 1. */
let index = { items: [], x: new Float64Array(0), y: new Float64Array(0) };
/** The clickable objects, rebuilt by each drawing. */
let drawn = [];

/** Call this after changes of people or reports, so that drawing only adds and multiplies. */
export function indexPlaces() {
  const items = [];
  for (const row of state.reports.values()) {
    if (row.status === "open" && row.lat !== null) {
      items.push({ row, report: true, rank: row.toEvacuate ? 0.5 : 2 });
    }
  }
  for (const row of state.users.values()) {
    if (row.lat !== null) items.push({ row, user: true, rank: ranks[row.severity] });
  }
  const [x, y] = [new Float64Array(items.length), new Float64Array(items.length)];
  items.forEach(({ row }, i) => {
    const sine = Math.sin(Math.max(-edge, Math.min(edge, row.lat)) * Math.PI / 180);
    x[i] = row.lon / 360 + 0.5;
    y[i] = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  });
  index = { items, x, y };
}

export function membersLayer() {
  return canvasLayer((pen, map, origin, size) => {
    drawn = [];
    const { alone, together } = placed(map, origin, size);
    for (const one of alone) if (one.item.user) accuracy(pen, map, one);
    // The worst last, above all others.
    for (const one of [...alone, ...together].sort((a, b) => rankOf(b) - rankOf(a))) {
      if (one.item) single(pen, one, alone.length <= fewEnough);
      else many(pen, one);
    }
    for (const one of drawn) {
      one.x += origin.x;
      one.y += origin.y;
    }
  }, "people", 300);
}

const rankOf = ({ item, members }) =>
  item?.rank ?? Math.min(...members.map((one) => one.item.rank));

function placed(map, origin, size) {
  const side = 256 * 2 ** map.getZoom();
  const corner = map.getPixelOrigin().add(origin);
  // The grid is fixed to the earth, so that groups do not change while the map moves.
  const [column, row] = [Math.floor(corner.x / cell), Math.floor(corner.y / cell)];
  const cells = new Map();
  let visible = 0;
  for (let i = 0; i < index.items.length; i++) {
    const x = index.x[i] * side - corner.x;
    const y = index.y[i] * side - corner.y;
    if (x < 0 || y < 0 || x > size.x || y > size.y) continue;
    visible++;
    const key = (Math.floor((y + corner.y) / cell) - row) * 4096
      + Math.floor((x + corner.x) / cell) - column;
    let group = cells.get(key);
    if (!group) cells.set(key, group = { members: [], x: 0, y: 0 });
    group.members.push({ item: index.items[i], x, y });
    group.x += x;
    group.y += y;
  }
  const most = visible > fewEnough ? 1 : 4;
  const [alone, together] = [[], []];
  for (const group of cells.values()) {
    if (group.members.length <= most) alone.push(...group.members);
    else together.push(group);
  }
  return { alone, together };
}

function accuracy(pen, map, { item: { row }, x, y }) {
  if (!row.accuracyMetres) return;
  const north = L.latLng(row.lat + row.accuracyMetres / 111320, row.lon);
  const here = map.latLngToLayerPoint([row.lat, row.lon]);
  const radius = Math.abs(map.latLngToLayerPoint(north).y - here.y);
  if (radius < 16 || radius > 3000) return;
  pen.fillStyle = pen.strokeStyle = colour(row.severity);
  pen.lineWidth = 1;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.globalAlpha = 0.08;
  pen.fill();
  pen.globalAlpha = 0.6;
  pen.stroke();
  pen.globalAlpha = 1;
}

function single(pen, { item, x, y }, withWords) {
  const { row } = item;
  const isStale = item.user && (fixAge(row) ?? 0) > staleSeconds;
  const image = item.user
    ? member(row.severity, row.status, isStale)
    : report(row.category, row.status === "open", row.toEvacuate);
  pen.drawImage(image, x - memberSize / 2, y - memberSize / 2, memberSize, memberSize);
  drawn.push({ item, x, y });
  // With many people, only those in danger are labelled.
  if (!withWords && row.severity !== "danger") return;
  const name = shortened(item.user ? row.callsign : row.title);
  const [word, ink] = item.user ? [statusWord(row), row.severity]
    : row.toEvacuate ? [t("evacuate"), "evacuate"] : [t(`category.${row.category}`), "warning"];
  label(pen, `${name} · ${word}`, x + memberSize / 2 + 2, y, colour(ink),
    isStale && row.severity !== "danger");
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

function many(pen, { members, x: sumX, y: sumY }) {
  const [x, y] = [sumX / members.length, sumY / members.length];
  const count = { danger: 0, warning: 0, neutral: 0, safe: 0 };
  for (const { item } of members) if (item.user) count[item.row.severity]++;
  // A group of reports only is a warning.
  const worst = Object.keys(count).find((severity) => count[severity] > 0) ?? "warning";
  const need = count.danger ? `! ${count.danger}` : count.warning ? `? ${count.warning}` : "";
  const half = clusterSize / 2;
  pen.drawImage(cluster(worst), x - half, y - half, clusterSize, clusterSize);
  pen.fillStyle = colour("panel");
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = 'bold 12px "DejaVu Sans", sans-serif';
  pen.fillText(String(members.length), x, need ? y - 5 : y);
  pen.font = 'bold 10px "DejaVu Sans", sans-serif';
  if (need) pen.fillText(need, x, y + 8);
  drawn.push({ x, y, group: members.map((one) => one.item) });
}

/** The object at a point of the map's layers, or {group}; the last drawn is on top. */
export function hit(point) {
  const one = drawn.findLast((item) => Math.hypot(item.x - point.x, item.y - point.y) <= 18);
  return one?.item ?? one;
}
