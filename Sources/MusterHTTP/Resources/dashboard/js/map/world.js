// The coarse map of the whole world: land, lakes and borders, where no map file covers. Its vector
// tiles come with the page, so that it needs neither internet nor WebGL.

import { onceAFrame } from "../dom.js";
import { canvasLayer } from "./layer.js";
import { colour } from "./icons.js";

/** A tile is 1024 pixels wide: two zoom levels below that of the map. */
const [coarser, mostZoom] = [2, 5];
const mostTiles = 64;
/** From this zoom level on, it is too coarse to find a place by it. */
const coarse = 11;
/** What is drawn beyond the canvas, in pixels: lines along the edge of a cut are there. */
const beyond = 8;
/** Decoded tiles by their path, the oldest first; null while one is requested. */
const tiles = new Map();

/** @param shown returns the base map that is shown, or nothing. */
export function worldLayer(shown) {
  const layer = canvasLayer((pen, map, origin, size) => {
    const zoom = Math.max(0, Math.min(mostZoom, Math.round(map.getZoom()) - coarser));
    const side = 256 * 2 ** (map.getZoom() - zoom);
    const count = 2 ** zoom;
    const start = map.getPixelOrigin().add(origin);
    const end = start.add(size);
    const parts = [];
    for (let x = Math.floor(start.x / side); x * side < end.x; x++) {
      for (let y = Math.max(0, Math.floor(start.y / side)); y < count && y * side < end.y; y++) {
        const tile = find(`${zoom}/${(x % count + count) % count}/${y}`, soon);
        if (tile) parts.push(placed(tile, x * side - start.x, y * side - start.y, side, size));
      }
    }
    pen.save();
    leaveOut(pen, extent(map, shown()), (lat, lon) => map.latLngToLayerPoint([lat, lon]).subtract(origin), size);
    pen.fillStyle = colour("water");
    for (const { left, top } of parts) {
      const [x, y] = [Math.floor(left), Math.floor(top)];
      pen.fillRect(x, y, Math.ceil(left + side) - x, Math.ceil(top + side) - y);
    }
    for (const [name, fill] of [["land", "map-ground"], ["lakes", "water"], ["borders", ""]]) {
      for (const part of parts) {
        pen.beginPath();
        for (const line of part.tile[name] ?? []) trace(pen, line, part, Boolean(fill));
        pen.fillStyle = pen.strokeStyle = colour(fill || "border");
        if (fill) pen.fill("evenodd");
        else pen.stroke();
      }
    }
    pen.restore();
  }, "base", 1);
  const soon = onceAFrame(() => layer.redraw());
  /** Whether a part of the view shows it, and must be marked. */
  layer.isCoarse = () => {
    const map = layer._map;
    const [west, south, east, north] = extent(map, shown()) ?? [0, 0, 0, 0];
    return map.getZoom() >= coarse
      && !L.latLngBounds([[south, west], [north, east]]).contains(map.getBounds());
  };
  return layer;
}

/** Where a base map is drawn at this zoom level: west, south, east, north. MapLibre's tiles are twice as wide. */
function extent(map, about) {
  const isDrawn = about && map.getZoom() >= about.minZoom + (about.kind === "vector" ? 1 : 0);
  return isDrawn ? about.bounds ?? [-180, -90, 180, 90] : null;
}

/** Restricts what is drawn to the outside of an extent. */
function leaveOut(pen, covered, at, size) {
  if (!covered) return;
  const [west, south, east, north] = covered;
  const [nw, se] = [at(north, west), at(south, east)];
  pen.beginPath();
  pen.rect(0, 0, size.x, size.y);
  pen.rect(nw.x, nw.y, se.x - nw.x, se.y - nw.y);
  pen.clip("evenodd");
}

/** A tile at its place on the canvas, with the part of it that is visible, in its own units. */
function placed(tile, left, top, side, size) {
  const scale = side / tile.extent;
  const unit = (pixels) => pixels / scale;
  return {
    tile, left, top, scale,
    least: [unit(-beyond - left), unit(-beyond - top)],
    most: [unit(size.x + beyond - left), unit(size.y + beyond - top)],
  };
}

/** Adds the visible part of a line or an area to the path. */
function trace(pen, { points, low, high }, { left, top, scale, least, most }, isArea) {
  let rest = points;
  for (const axis of [0, 1]) {
    if (high[axis] < least[axis] || low[axis] > most[axis]) return;
    if (low[axis] < least[axis]) rest = cut(rest, axis, least[axis], 1, isArea);
    if (high[axis] > most[axis]) rest = cut(rest, axis, most[axis], -1, isArea);
  }
  rest.forEach(([x, y], index) =>
    pen[index ? "lineTo" : "moveTo"](left + x * scale, top + y * scale));
  if (isArea) pen.closePath();
}

/**
 * The part of a line or an area on one side of a limit (Sutherland and Hodgman, 1974): a browser draws
 * shapes of a million pixels slowly, or not at all. A line stays one: what was between its parts is
 * drawn along the limit.
 */
function cut(points, axis, limit, sign, isArea) {
  const kept = [];
  let before = isArea ? points.at(-1) : points[0];
  for (const point of points) {
    const [a, b] = [before, point].map((one) => sign * (one[axis] - limit));
    if (a < 0 !== b < 0) {
      kept.push(point.map((end, n) => before[n] + a / (a - b) * (end - before[n])));
    }
    if (b >= 0) kept.push(point);
    before = point;
  }
  return kept;
}

// MARK: Tiles

/** The tile, if it is here; otherwise it is requested, and `onTile` is called when it is. */
function find(path, onTile) {
  if (!tiles.has(path)) {
    tiles.set(path, null);
    request(path).then((tile) => {
      tiles.set(path, tile);
      onTile();
    }, () => tiles.delete(path));
    if (tiles.size > mostTiles) tiles.delete(tiles.keys().next().value);
  }
  return tiles.get(path);
}

async function request(path) {
  const answer = await fetch(`/dashboard/world/${path}`);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return decoded(new Uint8Array(await answer.arrayBuffer()));
}

/** The shapes of each layer of a vector tile (Mapbox Vector Tile 2); none in the open sea. */
function decoded(bytes) {
  const tile = { extent: 1 };
  for (const [, layer] of fields(bytes)) {
    let name = "";
    const lines = [];
    for (const [number, value] of fields(layer)) {
      if (number === 1) name = new TextDecoder().decode(value);
      if (number === 5) tile.extent = value;
      if (number !== 2) continue;
      for (const [part, geometry] of fields(value)) if (part === 4) lines.push(...shapes(geometry));
    }
    tile[name] = lines;
  }
  return tile;
}

/** The lines of a geometry with their extents; those of areas are closed. */
function shapes(bytes) {
  const lines = [];
  const numbers = reader(bytes);
  const move = () => {
    const number = numbers.next();
    return number >>> 1 ^ -(number & 1);
  };
  let [x, y] = [0, 0];
  while (numbers.isLeft()) {
    const command = numbers.next();
    // 1 begins a line, 2 continues it, 7 closes it.
    if ((command & 7) === 7) continue;
    for (let n = command >> 3; n > 0; n--) {
      [x, y] = [x + move(), y + move()];
      if ((command & 7) === 1) lines.push({ points: [], low: [x, y], high: [x, y] });
      const { points, low, high } = lines.at(-1);
      points.push([x, y]);
      [low[0], low[1]] = [Math.min(low[0], x), Math.min(low[1], y)];
      [high[0], high[1]] = [Math.max(high[0], x), Math.max(high[1], y)];
    }
  }
  return lines;
}

/** The fields of a message of Protocol Buffers: each with its number, and a number or bytes. */
function* fields(bytes) {
  const numbers = reader(bytes);
  while (numbers.isLeft()) {
    const key = numbers.next();
    const value = numbers.next();
    yield [key >> 3, (key & 7) === 2 ? numbers.bytes(value) : value];
  }
}

/** Reads numbers of variable length, seven bits a byte. */
function reader(bytes) {
  let at = 0;
  return {
    isLeft: () => at < bytes.length,
    bytes: (count) => bytes.subarray(at, at += count),
    next() {
      for (let value = 0, scale = 1; ; scale *= 128) {
        const byte = bytes[at++] ?? 0;
        value += (byte & 127) * scale;
        if (byte < 128) return value;
      }
    },
  };
}
