// Coordinate formats: decimal, degrees-minutes-seconds, MGRS.

import { t } from "./words.js";
import { bands, columns, e2, radius, readCoordinates, rows } from "./coordinates.js";

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

const k0 = 0.9996;

/** Zone, easting and northing (metres); WGS 84, accurate to a millimetre inside a zone. */
export function utm(lat, lon) {
  let zone = Math.min(60, Math.floor((lon + 180) / 6) + 1);
  if (lat >= 56 && lat < 64 && lon >= 3 && lon < 12) zone = 32;
  if (lat >= 72 && lon >= 0 && lon < 42) zone = lon < 9 ? 31 : lon < 21 ? 33 : lon < 33 ? 35 : 37;
  const phi = lat * Math.PI / 180;
  const lambda = (lon - (zone * 6 - 183)) * Math.PI / 180;
  const ep2 = e2 / (1 - e2);
  const N = radius / Math.sqrt(1 - e2 * Math.sin(phi) ** 2);
  const T = Math.tan(phi) ** 2;
  const C = ep2 * Math.cos(phi) ** 2;
  const A = lambda * Math.cos(phi);
  const M = radius * ((1 - e2 / 4 - 3 * e2 ** 2 / 64 - 5 * e2 ** 3 / 256) * phi
    - (3 * e2 / 8 + 3 * e2 ** 2 / 32 + 45 * e2 ** 3 / 1024) * Math.sin(2 * phi)
    + (15 * e2 ** 2 / 256 + 45 * e2 ** 3 / 1024) * Math.sin(4 * phi)
    - (35 * e2 ** 3 / 3072) * Math.sin(6 * phi));
  const easting = 500000 + k0 * N * (A + (1 - T + C) * A ** 3 / 6
    + (5 - 18 * T + T ** 2 + 72 * C - 58 * ep2) * A ** 5 / 120);
  const northing = k0 * (M + N * Math.tan(phi) * (A ** 2 / 2
    + (5 - T + 9 * C + 4 * C ** 2) * A ** 4 / 24
    + (61 - 58 * T + T ** 2 + 600 * C - 330 * ep2) * A ** 6 / 720));
  return { zone, easting, northing: lat < 0 ? northing + 10000000 : northing };
}

/** MGRS to the metre; null near the poles, where MGRS uses other letters. */
export function mgrs(lat, lon) {
  if (lat < -80 || lat > 84) return null;
  const { zone, easting, northing } = utm(lat, lon);
  const band = bands[Math.min(19, Math.floor((lat + 80) / 8))];
  const column = columns[(zone - 1) % 3][Math.floor(easting / 100000) - 1];
  const row = rows[(Math.floor(northing / 100000) + (zone % 2 === 0 ? 5 : 0)) % 20];
  const digits = (metres) => String(Math.floor(metres % 100000)).padStart(5, "0");
  return `${zone}${band} ${column}${row} ${digits(easting)} ${digits(northing)}`;
}

/** Parses a position as typed by a user, in any of the formats; null if invalid. */
export function parsed(text) {
  const match = /^\s*(-?\d+(?:\.\d+)?)\s*[,;\s]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text);
  if (!match) return readCoordinates(text);
  const [lat, lon] = [Number(match[1]), Number(match[2])];
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;
}

/** As `parsed`, but throws. */
export function position(text) {
  const found = parsed(text);
  if (!found) throw new Error(t("place.wrong"));
  return found;
}
