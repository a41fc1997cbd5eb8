// The printed page: light theme, the complete list of people, the map as on the screen, and the
// time.

import { byId } from "./dom.js";
import { t } from "./words.js";
import { refresh } from "./map/map.js";
import { showAll } from "./roster.js";

/** CSS pixels of an A4 page inside its margins, with some reserve. */
const sheet = { width: 690, height: 520 };
let theme = null;

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
 * The theme changes shortly before: a canvas that is drawn while the browser prepares to print gets
 * a white background, which hides everything below it.
 */
export async function printPage() {
  daylight();
  // The layout is complete and on the screen.
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  print();
}

function daylight() {
  const root = document.documentElement;
  if (root.dataset.theme === "light") return;
  theme = root.dataset.theme;
  root.dataset.theme = "light";
  refresh();
}

function prepare() {
  // Year first, because the order of day and month is ambiguous.
  const time = new Date().toLocaleString("sv").slice(0, 16);
  byId("printed").textContent = t("printed", { time });
  showAll(true);
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
  showAll(false);
  if (theme === null) return;
  document.documentElement.dataset.theme = theme;
  theme = null;
  refresh();
}
