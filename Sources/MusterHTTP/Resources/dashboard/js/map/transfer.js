// The upload of a map, which is loaded when one is added.

import { dotted, say } from "../dom.js";
import { segment } from "../api.js";
import { t } from "../words.js";

/** Sends a file to the node. A gigabyte may take minutes, so there is no limit of time. */
const transfer = (file, onProgress) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open("POST", `/api/v1/maps/${segment(file.name)}`);
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded }) =>
    onProgress(Math.floor(loaded / file.size * 100)));
  request.addEventListener("loadend", () => (request.status === 201 ? resolve(request.response)
    : reject(new Error(request.response?.detail ?? `${file.name}: ${request.status}`))));
  request.send(file);
});

/**
 * Uploads files one after another, and shows what became of them.
 * @param left what could not be used of a map. @param refreshed reads the list of maps and returns it.
 */
export async function addMaps(chosen, map, left, refreshed) {
  for (const file of chosen) {
    const tell = (n) => say(t("map.adding", { name: file.name, n }));
    tell(0);
    try {
      const item = await transfer(file, tell);
      const { name, tiles } = item;
      say(dotted(t("map.added", { name }), left(item)));
      if (tiles) localStorage.setItem("base", name);
      const [west, south, east, north] = (await refreshed()).find((one) => one.name === name)?.bounds ?? [];
      // Across 180 degrees, east is less than west.
      if (north !== undefined) map.fitBounds([[south, west], [north, east < west ? east + 360 : east]], { maxZoom: 14, animate: false });
    } catch (error) {
      say(error.message);
    }
  }
}
