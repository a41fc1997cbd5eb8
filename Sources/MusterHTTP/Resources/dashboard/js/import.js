// Imports zones from a GeoJSON file: one page to review, edit and save all of them.

import { faint, h } from "./dom.js";
import { control, form } from "./dialog.js";
import { write } from "./api.js";
import { t } from "./words.js";
import { asBody, asFence, kinds, whoWouldBeInside } from "./zone.js";
import { theMap } from "./map/map.js";
import { outline } from "./map/fences.js";

const mostBytes = 1000000;
/** The maximum number of zones that a user can review. */
const mostShapes = 200;

/** Opens the review of a file; throws if the file has no zones. */
export async function importZones(file) {
  if (file.size > mostBytes) throw new Error(t("import.large"));
  const { shapes, others } = read(decode(new Uint8Array(await file.arrayBuffer())));
  if (shapes.length === 0) throw new Error(t("import.none"));
  if (shapes.length > mostShapes) throw new Error(t("import.many", { n: shapes.length }));
  const lines = shapes.map(line);
  const hide = showOnMap(shapes);
  try {
    await form(t("import.review", { n: shapes.length }), [
      others > 0 && faint(t("import.others", { n: others })),
      h("ol", { class: "review" }, lines.map((one) => one.element)),
    ], (values) => save(lines, values), t("import.save"));
  } finally {
    hide();
  }
}

/** Shows all zones on the map until the returned function is called. */
function showOnMap(shapes) {
  if (!theMap()) return () => {};
  const outlines = shapes.map((one) => outline(asFence(one, one.kind)));
  const group = L.featureGroup(outlines).addTo(theMap());
  theMap().fitBounds(group.getBounds().pad(0.3), { maxZoom: 17, animate: false });
  return () => group.remove();
}

/** One zone of the review: name, kind, who would be inside, and whether to import it. */
function line(shape, number) {
  const result = faint(whoWouldBeInside(shape));
  const input = (key, word, more) =>
    control(`${key} ${number}`, { ...more, "aria-label": `${t(word)} ${number + 1}` });
  const inputs = [
    input("take", "import.take", { type: "checkbox", value: true }),
    input("name", "name", { value: shape.name, maxlength: 120 }),
    input("kind", "kind", { value: shape.kind, options: kinds() }),
  ];
  const element = h("li", { class: "card" }, h("div", { class: "line" }, inputs), result);
  return { shape, element, inputs, result, isSaved: false };
}

/**
 * Saves the zones one after another. An error is shown beside its zone, and the others are still
 * saved. Saved zones are not saved again.
 */
async function save(lines, values) {
  const wanted = lines.map((one, number) => ({
    one, name: values[`name ${number}`], kind: values[`kind ${number}`],
  })).filter(({ one }, number) => values[`take ${number}`] && !one.isSaved);
  const nameless = wanted.find(({ name }) => name === "");
  if (nameless) {
    nameless.one.inputs[1].focus();
    throw new Error(t("import.name"));
  }
  let refused = 0;
  for (const { one, name, kind } of wanted) {
    try {
      await write("POST", "fences", { name, kind, active: true, ...asBody(one.shape) });
      one.isSaved = true;
      for (const input of one.inputs) input.disabled = true;
      one.result.className = "safe";
      one.result.textContent = t("import.saved");
    } catch (error) {
      refused++;
      one.result.className = "wrong";
      one.result.textContent = error.message;
      if (error.status === 0) throw error;
    }
  }
  if (refused > 0) throw new Error(t("import.refused", { n: refused, of: wanted.length }));
}

/** Returns the text of a file in UTF-8, or in UTF-16 with a byte order mark. */
function decode(bytes) {
  const name = { 0xfeff: "utf-16be", 0xfffe: "utf-16le" }[bytes[0] * 256 + bytes[1]] ?? "utf-8";
  return new TextDecoder(name).decode(bytes);
}

/** Returns the features that can be zones, and the number of others. */
function read(text) {
  const json = parse(text);
  const features = json?.type === "FeatureCollection" ? json.features : [json].flat();
  const shapes = (Array.isArray(features) ? features : []).map(shapeOf);
  const found = shapes.filter(Boolean);
  return { shapes: found, others: shapes.length - found.length };
}

/** Returns a document, or the objects of a sequence, one a line (RFC 8142); null for one that is none. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    const lines = text.split(/[\n\x1e]/).filter((line) => line.trim()).map((line) => {
      try {
        return JSON.parse(line);
      } catch {
        return null;
      }
    });
    if (!lines.some((one) => one?.type)) throw new Error(t("import.none"));
    return lines;
  }
}

const nameKeys = ["name", "title", "label"];

/** Returns the name of a shape by the keys that programs write, in any case. */
function nameOf(properties) {
  const given = Object.entries(properties ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  for (const key of nameKeys) {
    const found = given.find(([other, value]) => other.toLowerCase() === key && value
      && ["string", "number"].includes(typeof value));
    if (found) return String(found[1]).slice(0, 120);
  }
  return "";
}

function shapeOf(feature) {
  const { geometry = feature, properties } = feature ?? {};
  const name = nameOf(properties);
  const kind = kinds().some(([one]) => one === properties?.kind) ? properties.kind : "hazard";
  if (!Array.isArray(geometry?.coordinates)) return null;
  const { type, coordinates } = geometry;
  if (type === "Polygon" && isPolygon(coordinates)
    || type === "MultiPolygon" && coordinates.length > 0 && coordinates.every(isPolygon)) {
    return { type, coordinates, name, kind };
  }
  const radiusMetres = Number(properties?.radius_m);
  if (type !== "Point" || !(radiusMetres > 0) || !isPlace(coordinates)) return null;
  const [lon, lat] = coordinates;
  return { lat, lon, radiusMetres, name, kind };
}

const isPlace = (place) =>
  Array.isArray(place) && Math.abs(place[0]) <= 360 && Math.abs(place[1]) <= 90;

/** Checks that the geometry can be drawn; the node validates it. */
const isPolygon = (rings) => Array.isArray(rings) && rings.length > 0
  && rings.every((ring) => Array.isArray(ring) && ring.length > 3 && ring.every(isPlace));
