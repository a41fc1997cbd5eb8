// Base maps and overlays of this node: which there are, which is shown, and adding more.

import { button, byId, dotted, faint, fill, h, say } from "../dom.js";
import { get, segment, write } from "../api.js";
import { confirm } from "../dialog.js";
import { on, state } from "../store.js";
import { t } from "../words.js";
import { look } from "../shell.js";
import { colour } from "./icons.js";

const files = ".pmtiles,.mbtiles,.gpx,.kml,.kmz,.geojson,.geojsonl,.geojsons,.json,.gpkg,.zip";
let map = null;
let items = [];
/** The layer of the base map, and those of the overlays by name. */
let base = null;
const overlays = new Map();
/** The coarse map of the whole world, below all others. */
let [world, opening] = [null, null];
let changed = () => {};
let turns = 0;

/** Removes markup from a file's attribution, and decodes common entities. */
const plain = (text) =>
  text.replace(/<[^>]*>/g, "").replace(/&copy;/gi, "©").replace(/&amp;/gi, "&").trim();

const bases = () => items.filter(({ tiles }) => tiles);
/** What could not be used of an overlay, with its place in the file. */
const left = ({ import: read }) => read?.leftOut > 0 && t("map.left",
  { n: read.leftOut, why: read.omissions.slice(0, 3).map(({ place, reason }) => `${place}, ${reason}`).join("; ") });
const shown = () => bases().find(({ name }) => name === base?.name);

/** The extent of the base map, or nothing. */
export const baseBounds = () => shown()?.bounds;

/** Adds the base map; `onChange` is called after a change of the maps. */
export function openMaps(theMap, onChange) {
  [map, changed] = [theMap, onChange];
  map.createPane("base").style.zIndex = 190;
  map.createPane("overlays").style.zIndex = 380;
  map.on("moveend", credit);
  on(["users"], openWorld);
  const zone = map.getContainer();
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    add([...event.dataTransfer.files]);
  });
  refreshMaps().catch(() => {});
}

/** Adds the map of the world once people are shown, who come first on a slow link. */
function openWorld() {
  opening ??= import("./world.js").then(({ worldLayer }) => {
    world = worldLayer(shown).addTo(map);
    credit();
  }, () => { opening = null; });
}

/** Reads which maps there are; the first is shown until the user chooses another one. */
export async function refreshMaps() {
  const { items: found } = await get("maps");
  if (JSON.stringify(found) === JSON.stringify(items)) return credit();
  items = found;
  const chosen = localStorage.getItem("base");
  await choose(bases().find(({ name }) => name === chosen)?.name
    ?? (chosen === "" ? "" : bases()[0]?.name ?? ""));
  for (const [name, layer] of overlays) {
    if (items.some((one) => one.name === name)) continue;
    layer.remove();
    overlays.delete(name);
  }
  for (const { name, kind } of items) {
    if (kind !== "overlay" || overlays.has(name)) continue;
    try {
      const shapes = await get(`maps/${segment(name)}/features`);
      overlays.set(name, (await import("./overlay.js")).overlayLayer(name, shapes).addTo(map));
    } catch (error) {
      say(`${name}: ${error.message}`);
    }
  }
  changed();
}

async function choose(name) {
  if (base?.name === name && shown()) return credit();
  const turn = ++turns;
  base?.layer.remove();
  base = null;
  const about = bases().find((one) => one.name === name);
  try {
    const layer = about && (about.kind === "vector"
      ? await (await import("./vector.js")).vectorLayer(about) : images(about));
    // Another one may have been chosen meanwhile.
    if (layer && turn === turns) base = { name, layer: layer.addTo(map) };
  } catch (error) {
    say(error.message);
  }
  world?.redraw();
  credit();
}

/** Redraws in the colours of another theme. */
export function repaintMaps() {
  base?.layer.repaint?.();
  world?.redraw();
  for (const layer of overlays.values()) layer.setStyle({ color: colour("accent") });
}

function images({ name, minZoom, maxZoom, bounds }) {
  const [west, south, east, north] = bounds ?? [-180, -85.06, 180, 85.06];
  // Not Leaflet's own tile layer: it replaces released tiles by data: images, which the page's
  // content security policy rejects.
  const Tiles = L.GridLayer.extend({
    createTile({ x, y, z }, done) {
      const tile = document.createElement("img");
      tile.alt = "";
      tile.addEventListener("load", () => done(null, tile));
      tile.addEventListener("error", () => done(new Error("no tile"), tile));
      tile.src = `/tiles/${segment(name)}/${z}/${x}/${y}`;
      return tile;
    },
  });
  return new Tiles({
    // Nothing is shown below its minimum zoom, which would need millions of scaled tiles.
    minZoom, maxNativeZoom: maxZoom, maxZoom: map.getMaxZoom(),
    bounds: [[south, west], [north, east]], keepBuffer: 4,
  });
}

/** What a menu shows of the overlay's shape at a place: as `shapeMenu`. */
export async function shapeMenu(...place) {
  const drawn = [...overlays.values()].filter((layer) => map.hasLayer(layer));
  return drawn.length > 0 ? (await import("./overlay.js")).shapeMenu(map, drawn, ...place) : {};
}

// MARK: What is shown

/** The attribution of the base map, and the mark of that of the world; where there is none, how to add one. */
function credit() {
  const about = shown();
  const [west, south, east, north] = about?.bounds ?? [];
  const { lat, lng } = map.getCenter().wrap();
  const covers = Boolean(about) && (!about.bounds
    || (lng >= west && lng <= east && lat >= south && lat <= north));
  fill(byId("credit"), dotted(covers && plain(about.title), covers && plain(about.attribution),
    world?.isCoarse() && t("map.coarse")));
  if (byId("no-map").hidden !== covers) {
    byId("no-map").hidden = covers;
    // A login may not add one.
    fill(byId("no-map"), !covers && (state.session ? t("map.here.none")
      : button(t("map.add.here"), "no map", () => look("layers"))));
  }
}

// MARK: The drawer of the layers

/** The choice of the base map, and the overlays. */
export function mapChoices() {
  const radio = (name, word) => h("label", { class: "tick" }, h("input", {
    type: "radio", name: "base", checked: (base?.name ?? "") === name, "data-key": `base ${name}`,
    onchange: () => {
      localStorage.setItem("base", name);
      choose(name);
    },
  }), word);
  return [
    h("fieldset", {}, h("legend", {}, t("layer.base")), radio("", t("map.no")),
      bases().map((one) => radio(one.name, plain(one.title) || one.name))),
    [...overlays].map(([name, layer]) => h("label", { class: "tick" }, h("input", {
      type: "checkbox", checked: map.hasLayer(layer), "data-key": `overlay ${name}`,
      onchange: ({ target }) => layer[target.checked ? "addTo" : "removeFrom"](map),
    }), name)),
    items.filter(left).map((one) => faint(`${one.name}: ${left(one)}`)),
    items.filter(({ fault }) => fault).map(({ fault }) => h("p", { class: "wrong" }, fault)),
    // Only the user of the laptop decides what is on its disk.
    state.session === null && items.filter(({ isRemovable }) => isRemovable).map(({ name }) =>
      h("p", {}, button(t("remove.of", { name }), `map remove ${name}`, () => removeMap(name)))),
  ];
}

async function removeMap(name) {
  const path = `maps/${segment(name)}`;
  if (await confirm(t("delete.sure", { name }), () => write("DELETE", path), t("remove"))) {
    await refreshMaps();
  }
}

/** What adds a map. */
export function mapPicker() {
  const input = h("input", {
    type: "file", accept: files, multiple: true, hidden: true,
    onchange: () => add([...input.files]),
  });
  return [
    h("p", { class: "row" }, button(t("map.add"), "map add", () => input.click()), input),
    faint(t("map.add.how")),
  ];
}

/** Uploads files that were chosen, or dropped on the map, one after another. */
const add = async (chosen) => (await import("./transfer.js")).addMaps(chosen, map, left, async () => {
  await refreshMaps();
  return items;
});
