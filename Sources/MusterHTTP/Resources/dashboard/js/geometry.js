// Computes who would be inside an unsaved zone, as a preview. The node decides who is inside a
// saved zone.

const radius = 6371008.8;
const radians = Math.PI / 180;

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
  return polygons.some((rings) => inPolygon(place, rings));
}

/** The bearing from one place to another, in degrees clockwise from north. */
export function courseTo(a, b) {
  const dLon = (b.lon - a.lon) * radians;
  const [from, to] = [a.lat * radians, b.lat * radians];
  const angle = Math.atan2(Math.sin(dLon) * Math.cos(to),
    Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(dLon));
  return (angle / radians + 360) % 360;
}

/** The middle of a zone; null while its outline is not loaded. */
export function centre({ lat, lon, geometry }) {
  if (typeof lat === "number") return { lat, lon };
  const ring = geometry?.coordinates?.flat(geometry.type === "MultiPolygon" ? 2 : 1) ?? [];
  if (ring.length === 0) return null;
  const mean = (at) => ring.reduce((sum, place) => sum + place[at], 0) / ring.length;
  return { lat: mean(1), lon: mean(0) };
}
