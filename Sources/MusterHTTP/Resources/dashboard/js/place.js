// Coordinate formats: decimal, degrees-minutes-seconds, MGRS.

import { t } from "./words.js";
import { mgrs, readCoordinates } from "./coordinates.js";
import { metresBetween } from "./geometry.js";
import { state } from "./store.js";

export const formats = ["decimal", "dms", "mgrs"];
let format = localStorage.getItem("coordinates") ?? "decimal";

export const chosen = () => format;
export function choose(name) {
  format = name;
  localStorage.setItem("coordinates", name);
}

export function written(lat, lon) {
  if (lat === null || lat === undefined) return t("nowhere");
  if (format === "dms") return `${dms(lat, "N", "S")} ${dms(lon, "E", "W")}`;
  if (format === "mgrs") return mgrs(lat, lon) ?? decimal(lat, lon);
  return decimal(lat, lon);
}

export const decimal = (lat, lon) => `${lat.toFixed(5)}, ${lon.toFixed(5)}`;

function dms(degrees, positive, negative) {
  const tenths = Math.round(Math.abs(degrees) * 36000);
  const d = Math.floor(tenths / 36000);
  const m = Math.floor((tenths % 36000) / 600);
  const s = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return `${d}°${String(m).padStart(2, "0")}′${s}″${degrees < 0 ? negative : positive}`;
}

/** Parses a position as typed or pasted by a user, in any of the formats; null if invalid. */
export const parsed = (text) => readCoordinates(text);

const farMetres = 100_000;

/** Metres to the nearest person; infinite without a position or people. */
function nearest(text) {
  const place = parsed(text);
  return Math.min(...[...state.users.values()].filter(({ lat }) => place && typeof lat === "number")
    .map((user) => metresBetween(user, place)));
}

/** A warning about a position that is more than 100 km from everyone; empty for any other. */
export function farNote(text) {
  const metres = nearest(text);
  return metres === Infinity || metres <= farMetres ? ""
    : t("place.far", { n: Math.round(metres / 1000) });
}

/** Two numbers the other way round, if only that is a position, or near; empty for other texts. */
export function exchanged(text) {
  const other = text.replace(/^\s*([-+\d.]+)[,;\s]+([-+\d.]+)\s*$/, "$2, $1");
  return other !== text && parsed(other)
    && (!parsed(text) || (nearest(text) > farMetres && nearest(other) <= farMetres)) ? other : "";
}

/** As `parsed`, but throws. */
export function position(text) {
  const found = parsed(text);
  if (!found) throw new Error(t("place.wrong"));
  return found;
}
