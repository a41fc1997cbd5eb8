// The page on paper: in the colours of the day, everybody on the list, the map as it is on the
// screen, and when that was.

import { byId } from "./dom.js";
import { t } from "./words.js";
import { refresh } from "./map/map.js";
import { showEverybody, showSome } from "./roster.js";

/** CSS pixels of an A4 sheet between its margins, with a little to spare. */
const sheet = { width: 690, height: 520 };
let theme = null;
let view = null;

export function openPaper() {
  addEventListener("beforeprint", prepare);
  addEventListener("afterprint", putBack);
  addEventListener("keydown", (event) => {
    if (event.key !== "p" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    printPage();
  });
}

/**
 * The colours change a moment before: what is drawn on a canvas while the browser prepares to print
 * comes out with a white ground, which hides all that lies below it.
 */
export async function printPage() {
  showMap();
  daylight();
  // Laid out, drawn, and on the screen.
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  print();
}

/** On a phone there is a map to print only while it has the screen. */
function showMap() {
  if (byId("map-view").clientWidth > 0) return;
  view = document.body.dataset.view;
  document.body.dataset.view = "map";
}

function daylight() {
  const root = document.documentElement;
  if (root.dataset.theme === "light") return;
  theme = root.dataset.theme;
  root.dataset.theme = "light";
  refresh();
}

function prepare() {
  // Year first: a day before a month, or after it, has been read wrong often enough.
  const time = new Date().toLocaleString("sv").slice(0, 16);
  byId("printed").textContent = t("printed", { time });
  showEverybody();
  const box = byId("map-view");
  const [width, height] = [box.clientWidth, box.clientHeight];
  if (width === 0) return;
  box.style.width = `${width}px`;
  box.style.height = `${height}px`;
  box.style.zoom = String(Math.min(1, sheet.width / width, sheet.height / height));
}

function putBack() {
  const box = byId("map-view");
  box.style.width = box.style.height = box.style.zoom = "";
  showSome();
  if (view !== null) document.body.dataset.view = view;
  view = null;
  if (theme === null) return;
  document.documentElement.dataset.theme = theme;
  theme = null;
  refresh();
}
