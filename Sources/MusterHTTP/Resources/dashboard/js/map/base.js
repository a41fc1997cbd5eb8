// The map below everything, where the node was started with one (muster run --map FILE).

import { byId } from "../dom.js";
import { get } from "../api.js";

/** Markup in what a file says of its makers is left out, and its few common signs are put right. */
const plain = (text) =>
  text.replace(/<[^>]*>/g, "").replace(/&copy;/gi, "©").replace(/&amp;/gi, "&").trim();

export async function addBaseMap(map) {
  const about = await get("map");
  if (about.tiles === null) return;
  const [west, south, east, north] = about.bounds ?? [-180, -85.06, 180, 85.06];
  // Not Leaflet's own layer of tiles: it puts data: pictures in place of those it lets go of, which
  // the page's policy refuses.
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
  new Tiles({
    // Below its zooms nothing is shown: there would be millions of tiles, made small.
    minZoom: about.minZoom, maxNativeZoom: about.maxZoom, maxZoom: map.getMaxZoom(),
    bounds: [[south, west], [north, east]], keepBuffer: 4,
  }).addTo(map);
  // Leaflet would read the words as markup; here they are text.
  const words = [about.name, about.attribution].map(plain).filter(Boolean).join(" · ");
  byId("credit").textContent = words;
}
