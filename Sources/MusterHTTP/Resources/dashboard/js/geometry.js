// Who would be inside an unsaved zone, as a preview, and the way to a zone. The node decides who is
// inside a saved zone.

/** Of the earth, in metres. */
export const radius = 6371008.8;
export const radians = Math.PI / 180;

export function metresBetween(a, b) {
  const dLat = (b.lat - a.lat) * radians;
  const dLon = (b.lon - a.lon) * radians;
  const h = Math.sin(dLat / 2) ** 2
    + Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * Math.sin(dLon / 2) ** 2;
  return 2 * radius * Math.asin(Math.min(1, Math.sqrt(h)));
}

function inRing(place, ring) {
  let inside = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [x1, y1] = ring[i];
    const [x2, y2] = ring[j];
    if (y1 > place.lat !== y2 > place.lat
      && place.lon < (x2 - x1) * (place.lat - y1) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

const inPolygon = (place, rings) =>
  inRing(place, rings[0]) && !rings.slice(1).some((ring) => inRing(place, ring));

/** `shape` is a circle {lat, lon, radiusMetres} or a GeoJSON geometry. */
export function isInside(place, shape) {
  if (shape.radiusMetres !== undefined) return metresBetween(place, shape) <= shape.radiusMetres;
  const polygons = shape.type === "MultiPolygon" ? shape.coordinates : [shape.coordinates];
  // An outline that is drawn across 180 degrees continues beyond it.
  return [0, 360, -360].some((turn) =>
    polygons.some((rings) => inPolygon({ lat: place.lat, lon: place.lon + turn }, rings)));
}

const isSeam = ([lon]) => lon === 180;

/** A geometry that is cut at 180 degrees as one that continues beyond them to the east; any other as it is. */
export function joined(geometry) {
  const { type, coordinates } = geometry;
  const has = (lon) => coordinates.some(([ring]) => ring.some(([x]) => x === lon));
  if (type !== "MultiPolygon" || !has(180) || !has(-180)) return geometry;
  return { type, coordinates: coordinates.map((rings) => (rings[0].every(([lon]) => lon <= 0)
    ? rings.map((ring) => ring.map(([lon, lat]) => [lon + 360, lat])) : rings)) };
}

/** The lines of rings without the sides along 180 degrees, where a geometry is cut. */
export const edges = (rings) => rings.flatMap((ring) => ring.reduce((lines, place, i) => {
  if (i > 0 && isSeam(place) && isSeam(ring[i - 1])) lines.push([]);
  lines.at(-1).push(place);
  return lines;
}, [[]]));

/** The bearing from one place to another, in degrees clockwise from north. */
export function courseTo(a, b) {
  const dLon = (b.lon - a.lon) * radians;
  const [from, to] = [a.lat * radians, b.lat * radians];
  const angle = Math.atan2(Math.sin(dLon) * Math.cos(to),
    Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(dLon));
  return (angle / radians + 360) % 360;
}

/** The point of a polygon's sides that is nearest to a place, on the plane at that place. */
function nearestOnSides(place, { type, coordinates }) {
  const wide = Math.cos(place.lat * radians);
  let best = null;
  for (const ring of type === "MultiPolygon" ? coordinates.flat() : coordinates) {
    ring.slice(1).forEach(([lon, lat], i) => {
      const [x, y] = [(ring[i][0] - place.lon) * wide, ring[i][1] - place.lat];
      const [dx, dy] = [(lon - place.lon) * wide - x, lat - place.lat - y];
      const length = dx * dx + dy * dy;
      const share = length > 0 ? Math.min(1, Math.max(0, -(x * dx + y * dy) / length)) : 0;
      const [east, north] = [x + share * dx, y + share * dy];
      const square = east * east + north * north;
      if (!best || square < best.square) {
        best = { square, lat: place.lat + north, lon: place.lon + east / wide };
      }
    });
  }
  return best;
}

/**
 * The way from a place to a zone's nearest edge, as the node computes it: `distanceMetres` and
 * `bearingDegrees` (whole numbers; 0 and null inside), and `at`, the point of the edge. Null while
 * the outline is not loaded.
 */
export function approach(place, zone) {
  const isCircle = zone.radiusMetres !== undefined;
  if (!isCircle && !zone.geometry) return null;
  if (isInside(place, isCircle ? zone : zone.geometry)) {
    return { distanceMetres: 0, bearingDegrees: null, at: place };
  }
  const at = isCircle ? zone : nearestOnSides(place, zone.geometry);
  if (!at) return null;
  const whole = metresBetween(place, at);
  const metres = whole - (zone.radiusMetres ?? 0);
  const share = metres / whole;
  return {
    distanceMetres: Math.round(metres), bearingDegrees: Math.round(courseTo(place, at)) % 360,
    at: { lat: place.lat + (at.lat - place.lat) * share, lon: place.lon + (at.lon - place.lon) * share },
  };
}

const middle = (numbers) => Float64Array.from(numbers).sort()[numbers.length >> 1];
/** Closer places are never far away, in metres. */
const nearMetres = 5000;

/**
 * The few places that are far away from all others, which would make a map of all of them useless: at most
 * a quarter, each at least eight times as far from the middle as the median one. Empty if there is no such
 * majority.
 */
export function outliers(places) {
  const at = { lat: middle(places.map(({ lat }) => lat)), lon: middle(places.map(({ lon }) => lon)) };
  const metres = places.map((place) => metresBetween(at, place));
  const most = Math.max(nearMetres, 8 * middle(metres));
  const found = places.filter((_, i) => metres[i] > most);
  return new Set(found.length <= places.length / 4 ? found : []);
}

/** The middle of a zone; null while its outline is not loaded. */
export function centre({ lat, lon, geometry }) {
  if (typeof lat === "number") return { lat, lon };
  const ring = geometry?.coordinates?.flat(geometry.type === "MultiPolygon" ? 2 : 1) ?? [];
  if (ring.length === 0) return null;
  const mean = (at) => ring.reduce((sum, place) => sum + place[at], 0) / ring.length;
  return { lat: mean(1), lon: mean(0) };
}
