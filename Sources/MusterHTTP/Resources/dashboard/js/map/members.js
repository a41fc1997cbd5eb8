// People and reports on the map. Many at one place are shown as one group symbol, in the colour of
// the worst status, with the number that need help.

import { canvasLayer } from "./layer.js";
import { cluster, clusterSize, colour, member, memberSize, report, zoom } from "./icons.js";
import { northOf } from "./fences.js";
import { byId, dotted } from "../dom.js";
import { fixAge, shownFences, shownReports, shownUsers } from "../store.js";
import { letter, statusWord } from "../status.js";
import { t } from "../words.js";

const cell = 46;
const fewEnough = 250;
const staleSeconds = 600;
const mostLabels = 300;
const font = (px) => `bold ${Math.round(px * zoom)}px "DejaVu Sans", sans-serif`;
/** What the user shows; people in danger always are. */
export const shows = { people: true, reports: true, fences: true, labels: true };
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
  for (const row of shownReports()) {
    if (shows.reports && row.status === "open" && row.lat !== null) {
      items.push({ row, report: true, rank: row.toEvacuate ? 0.5 : 2 });
    }
  }
  for (const row of shownUsers().values()) {
    if (row.lat !== null && (shows.people || row.severity === "danger")) {
      items.push({ row, user: true, rank: ranks[row.severity] });
    }
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
    const all = [...alone, ...together].sort((a, b) => rankOf(b) - rankOf(a));
    for (const one of all) {
      if (one.item) single(pen, one);
      else many(pen, one);
    }
    if (shows.labels) labels(pen, map, origin, all, alone.length <= fewEnough);
    for (const one of drawn) {
      one.x += origin.x;
      one.y += origin.y;
    }
  }, "people", 300);
}

/** Labels by priority: the worst first; one that would cover a symbol or another label is left out. */
function labels(pen, map, origin, all, isWithAll) {
  const taken = all.map(({ item, members, x, y }) => (item ? box(x, y, (memberSize - 8) * zoom)
    : box(x / members.length, y / members.length, (clusterSize - 4) * zoom)));
  const hidden = hiddenParts(map, origin);
  pen.font = font(12);
  pen.textBaseline = "middle";
  // With many people, only those in danger are labelled.
  const wanted = all.filter(({ item }) => item && (isWithAll || item.row.severity === "danger"))
    .toReversed().slice(0, mostLabels);
  for (const { item, x, y } of wanted) {
    // The symbol under a panel has no label beside it, except in danger.
    const isShown = item.row.severity === "danger" || !hidden.some((part) => covers(part, box(x, y, 1)));
    if (isShown) label(pen, taken, hidden, wordsOf(item), x, y);
  }
  for (const fence of shows.fences ? shownFences() : []) {
    const north = northOf(fence, map.getCenter().lng);
    if (!north) continue;
    const { x, y } = map.latLngToLayerPoint(north).subtract(origin);
    const text = dotted(fence.name, t(`kind.${fence.kind}`), !fence.active && t("inactive"));
    const at = label(pen, taken, hidden, { texts: [text, fence.name], ink: "ink" }, x, y, true);
    if (at) drawn.push({ zone: fence, x: at.x, y: at.y, box: at });
  }
}

function wordsOf(item) {
  const { row } = item;
  // Most people are in contact: their names are enough.
  const [word, ink] = item.user ? [row.status === "ok" ? "" : statusWord(row), row.severity]
    : row.toEvacuate ? [t("evacuate"), "danger"] : [t(`category.${row.category}`), "warning"];
  const name = shortened(item.user ? row.callsign : row.title);
  return { texts: word ? [`${name} · ${word}`, name] : [name], ink };
}

/** What floats on the map, and what is beside it. */
function hiddenParts(map, origin) {
  const whole = map.getContainer().getBoundingClientRect();
  const { x, y } = map.containerPointToLayerPoint([0, 0]).subtract(origin);
  const far = 1e5;
  const floating = ["map-tools", "drawer", "detail", "guide", "foot"].map((id) => byId(id).getBoundingClientRect())
    .filter(({ width }) => width > 0).map(({ left, top, width, height }) => ({
      left: left - whole.left + x, top: top - whole.top + y, width, height,
    }));
  return [[x - far, far], [x + whole.width, far]].map(([left, width]) => ({
    left, top: y, width, height: whole.height,
  })).concat(floating);
}

const box = (x, y, side) => ({ left: x - side / 2, top: y - side / 2, width: side, height: side });

/**
 * Draws a label beside a symbol, or centred at the edge of a zone; returns where, or null. Where the
 * first text has no place, the second, the name alone, may have one. A panel or the edge of the
 * screen hides its end only if neither has a place, and never its beginning.
 */
function label(pen, taken, hidden, { texts, ink }, x, y, isCentred) {
  const aside = (memberSize / 2 + 2) * zoom;
  const boxes = texts.flatMap((text) => {
    const width = pen.measureText(text).width + 4;
    const places = isCentred
      ? [0.5, 1, 0].flatMap((part) => [-8, 10, -24, 26].map((by) => [x - width * part, y + by * zoom]))
      : [0, 8, -8].map((by) => y + by * zoom)
        .flatMap((top) => [[x + aside, top], [x - aside - width, top]])
        .concat([20, -20].map((by) => [x - width / 2, y + by * zoom]));
    return places.map(([left, middle]) => ({ text, left, top: middle - 8 * zoom, width, height: 16 * zoom }));
  });
  const isOff = (parts) => (one) => !parts.some((other) => covers(one, other));
  const isFree = isOff(taken);
  const at = boxes.filter(isOff(hidden)).find(isFree)
    ?? boxes.find((one) => isOff(hidden)({ ...one, width: 1 }) && isFree(one));
  if (!at) return null;
  const { text, left, width } = at;
  const middle = at.top + 8 * zoom;
  taken.push(at);
  pen.textAlign = "left";
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeStyle = colour("panel");
  pen.strokeText(text, left, middle);
  pen.fillStyle = colour(ink);
  pen.fillText(text, left, middle);
  return { ...at, x: left + width / 2, y: middle };
}

const covers = (one, other) =>
  one.left < other.left + other.width && other.left < one.left + one.width
  && one.top < other.top + other.height && other.top < one.top + one.height;

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
    // Calls for help are grouped among themselves alone: nothing else hides their number.
    const key = (Math.floor((y + corner.y) / cell) - row) * 4096
      + Math.floor((x + corner.x) / cell) - column + (isCall(index.items[i]) ? calls : 0);
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

/** Keeps the cells of calls for help apart from those of others. */
const calls = 2 ** 32;
const isCall = ({ user, row }) => user && row.status === "mayday";

const isStale = (row) => row.isPale || fixAge(row) > staleSeconds;

function single(pen, { item, x, y }) {
  const { row } = item;
  const image = item.user
    ? member(row.severity, letter(row), isStale(row))
    : report(row.category, row.status === "open", row.toEvacuate);
  const side = memberSize * zoom;
  pen.drawImage(image, x - side / 2, y - side / 2, side, side);
  drawn.push({ item, x, y });
}

const shortened = (text) => (text.length > 22 ? `${text.slice(0, 21)}…` : text);

function many(pen, { members, x: sumX, y: sumY }) {
  const [x, y] = [sumX / members.length, sumY / members.length];
  const count = { danger: 0, warning: 0, neutral: 0, safe: 0 };
  for (const { item } of members) if (item.user) count[item.row.severity]++;
  // A group of reports only is a warning.
  const worst = Object.keys(count).find((severity) => count[severity] > 0) ?? "warning";
  const reports = members.filter(({ item }) => item.report).length;
  const [people, isOfCalls] = [members.length - reports, members.every(({ item }) => isCall(item))];
  const need = isOfCalls ? "MAYDAY" : count.danger ? `! ${count.danger}` : count.warning ? `? ${count.warning}` : "";
  const side = clusterSize * zoom;
  pen.drawImage(cluster(worst), x - side / 2, y - side / 2, side, side);
  pen.fillStyle = colour("panel");
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = font(12);
  // People and reports are counted apart.
  const number = [people > 0 && people, reports > 0 && `▲${reports}`].filter(Boolean).join(" ");
  pen.fillText(number, x, need ? y - 5 * zoom : y);
  pen.font = font(isOfCalls ? 7 : 10);
  if (need) pen.fillText(need, x, y + 8 * zoom);
  drawn.push({ x, y, group: members.map((one) => one.item) });
}

/** The object at a point of the map's layers: an item, {group} or {zone}; the last drawn is on top. */
export function hit(point) {
  const isAt = ({ x, y, box: label }) => (label
    ? Math.abs(x - point.x) <= label.width / 2 && Math.abs(y - point.y) <= 12 * zoom
    : Math.hypot(x - point.x, y - point.y) <= 18 * zoom);
  const one = drawn.findLast((item) => !item.zone && isAt(item)) ?? drawn.findLast(isAt);
  return one?.item ?? one;
}
