// The base map, if the node was started with one (muster run --map FILE).

import { byId } from "../dom.js";
import { get } from "../api.js";

/** Removes markup from a file's attribution, and decodes common entities. */
const plain = (text) =>
  text.replace(/<[^>]*>/g, "").replace(/&copy;/gi, "©").replace(/&amp;/gi, "&").trim();

/** Adds the base map and returns its layer; null without one. */
export async function addBaseMap(map) {
  const about = await get("map");
  if (about.tiles === null) return null;
  const [west, south, east, north] = about.bounds ?? [-180, -85.06, 180, 85.06];
  // Not Leaflet's own tile layer: it replaces released tiles by data: images, which the page's
  // content security policy rejects.
  const Tiles = L.GridLayer.extend({
    createTile({ x, y, z }, done) {
      const tile = document.createElement("img");
      tile.alt = "";
      tile.addEventListener("load", () => done(null, tile));
      tile.addEventListener("error", () => done(new Error("no tile"), tile));
      tile.src = `/tiles/${z}/${x}/${y}`;
      return tile;
    },
  });
  const base = new Tiles({
    // Nothing is shown below its minimum zoom, which would need millions of scaled tiles.
    minZoom: about.minZoom, maxNativeZoom: about.maxZoom, maxZoom: map.getMaxZoom(),
    bounds: [[south, west], [north, east]], keepBuffer: 4,
  }).addTo(map);
  // Leaflet would parse the attribution as markup; here it is text.
  const words = [about.name, about.attribution].map(plain).filter(Boolean).join(" · ");
  byId("credit").textContent = words;
  return base;
}
