// The way of the user of this page: from the position of their phone to the zone of their order, or
// to another person. Computed here once, so that the strip, the lists, the panel and the map show one
// direction.
//
//     phone's own fix, or its last known position ─▶ ownPosition ─▶ ownWay, wayFrom ─▶ words, arrow, line

import { dotted, svg } from "./dom.js";
import { fixAge, speaker, state } from "./store.js";
import { bearing } from "./status.js";
import { ago, t } from "./words.js";
import { approach, courseTo, metresBetween } from "./geometry.js";
import { going } from "./order.js";

/** By how many seconds a fix of the phone may be older than the one that the node shows. */
const preference = 20;
/** From this age on, a direction states how old its position is. */
const mostSeconds = 60;

/** The newest fix that this phone gave to the page; null if it shares none. */
let phoneFix = null;
const listeners = [];

/** Calls `work` after each change of the user's position. */
export function onPosition(work) { listeners.push(work); }

/** Sets the fix of this phone: `lat`, `lon`, `accuracyMetres`, `time`; null if it is not shared. */
export function setPhoneFix(fix) {
  phoneFix = fix;
  for (const work of listeners) work();
}

/**
 * The newest position of the user, with `ageSeconds`: that of this phone, or else the one that the
 * node knows. Null without one.
 */
export function ownPosition() {
  const me = speaker();
  const knownAge = me && typeof me.lat === "number" ? fixAge(me) ?? Infinity : null;
  const phoneAge = phoneFix && Math.max(0, (Date.now() - phoneFix.time) / 1000);
  if (phoneFix && (knownAge === null || phoneAge <= knownAge + preference)) {
    return { ...phoneFix, ageSeconds: phoneAge };
  }
  return knownAge === null ? null : { lat: me.lat, lon: me.lon, ageSeconds: knownAge };
}

/** The zones that satisfy an order, or any active assembly zone. */
function goals(order) {
  const named = (state.directives.get(order?.id)?.zones ?? []).map(({ id }) => state.fences.get(id));
  const zones = named.length > 0 ? named : [...state.fences.values()]
    .filter(({ active, kind }) => active && kind === "muster");
  return zones.filter(Boolean);
}

/**
 * The way to the nearest zone of the user's order, or without an order to the nearest assembly zone:
 * `zone`, `from` and the members of `approach`. While the page lacks a position or the outlines, it is
 * what the node states. Null without any.
 */
export function ownWay() {
  const order = speaker()?.order ?? null;
  if (order && !going.includes(order.kind)) return null;
  const from = ownPosition();
  const [nearest] = from ? goals(order)
    .map((zone) => ({ zone, from, way: approach(from, zone) })).filter(({ way }) => way)
    .sort((a, b) => a.way.distanceMetres - b.way.distanceMetres) : [];
  if (nearest) return { zone: nearest.zone, from, ...nearest.way };
  const zone = order && state.fences.get(order.zone);
  return order && typeof order.distanceMetres === "number" ? { zone, from: null, ...order } : null;
}

/** The way from the user to a person or a place; null if either position is unknown. */
export function wayFrom(place) {
  const from = ownPosition();
  if (!from || typeof place.lat !== "number") return null;
  return {
    from, distanceMetres: Math.round(metresBetween(from, place)),
    bearingDegrees: Math.round(courseTo(from, place)) % 360,
  };
}

/** "880 m north (2°) · from your position of 12 min ago". */
export const wayWords = (way) => (!way ? "" : dotted(
  way.distanceMetres === 0 && way.bearingDegrees === null ? t("way.there") : bearing(way), wayAge(way)));

/** How old the position of a direction is; empty if it is of now. */
export const wayAge = ({ from }) => (from && from.ageSeconds >= mostSeconds
  ? t("way.age", { ago: Number.isFinite(from.ageSeconds) ? ago(from.ageSeconds) : t("way.unknown") }) : "");

/** The way of a person to the zone of their order: the user's own is that of the strip. */
export const orderWay = (user) => (user.id === speaker()?.id ? wayWords(ownWay()) : bearing(user.order));

// MARK: The arrow

/** Degrees clockwise from north to which the top of the screen points; null without a compass. */
let heading = null;

/**
 * A compass rose whose arrow has a bearing: its N is on top, or where north is if the phone has a
 * compass.
 */
export const arrow = (degrees) => {
  const isKnown = degrees !== null && degrees !== undefined;
  return isKnown && turned(svg("svg", {
    viewBox: "-32 -32 64 64", class: "arrow", "aria-hidden": "true", "data-bearing": degrees,
  }, svg("circle", { r: 21 }),
  svg("g", { class: "north" }, svg("text", { y: -22 }, "N")),
  svg("path", { d: "M0-19L11 14L0 8L-11 14Z" })));
};

function turned(rose) {
  const turn = heading ?? 0;
  rose.querySelector(".north").setAttribute("transform", `rotate(${-turn})`);
  rose.querySelector("path").setAttribute("transform", `rotate(${Number(rose.dataset.bearing) - turn})`);
  return rose;
}

/** Turns all arrows with the phone, where it has a compass. */
export function followCompass() {
  const point = (degrees) => {
    if (typeof degrees !== "number") return;
    heading = Math.round(degrees + (screen.orientation?.angle ?? 0) + 360) % 360;
    for (const rose of document.querySelectorAll("svg.arrow")) turned(rose);
  };
  addEventListener("deviceorientationabsolute", ({ alpha }) => {
    point(typeof alpha === "number" ? 360 - alpha : null);
  });
  // Safari.
  addEventListener("deviceorientation", ({ webkitCompassHeading }) => point(webkitCompassHeading));
}
