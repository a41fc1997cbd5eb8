// An unsaved zone: a circle {lat, lon, radiusMetres}, or a GeoJSON geometry.

import { state } from "./store.js";
import { t } from "./words.js";
import { isInside } from "./geometry.js";

const mostNames = 30;

/** The kinds of zones, for a selection field. */
export const kinds = () => ["muster", "hazard", "info"].map((kind) => [kind, t(`kind.${kind}`)]);

export const named = (names) =>
  names.slice(0, mostNames).join(", ") + (names.length > mostNames ? " …" : "");

/** The people with a position inside. */
const peopleInside = (shape) =>
  [...state.users.values()].filter((user) => user.lat !== null && isInside(user, shape));

export function whoWouldBeInside(shape) {
  const inside = peopleInside(shape);
  return inside.length === 0 ? t("would.none")
    : t("would", { n: inside.length, names: named(inside.map((user) => user.callsign)) });
}

/** The form used by the API. */
export function asBody({ type, coordinates, lat, lon, radiusMetres }) {
  if (!type) return { circle: { lat, lon, radiusMetres } };
  return { geojson: { type: "Feature", properties: {}, geometry: { type, coordinates } } };
}

/** The form used for drawing on the map. */
export const asFence = (shape, kind) =>
  ({ ...shape, kind, active: true, ...(shape.type ? { geometry: shape } : {}) });
