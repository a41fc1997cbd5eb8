// The printed page: light theme, the map as on the screen at a round scale with the grid, the complete lists
// of people, orders, timers, zones, open reports and alerts, and the time; or ICS forms and reports with photos.

import { byId } from "./dom.js";
import { loadTexts, t } from "./words.js";
import { layerStates, refresh, setLayer, theMap } from "./map/map.js";
import { situation } from "./situation.js";

/** CSS pixels of an A4 page inside its margins, with some reserve. */
const sheet = { width: 690, height: 520 };
/** Metres of a CSS pixel on paper. */
const pixel = 0.0254 / 96;
/** Denominators of printed scales, to be multiplied by powers of ten. */
const rounds = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 10];
let theme = null;
let isGridless = false;
/** The tables, or the forms, while they are printed. */
let [tables, pages] = [null, null];

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
  isGridless = layerStates().some(([name, isShown]) => name === "grid" && !isShown);
  if (isGridless) setLayer("grid", true);
  await printWhenShown();
}

/** Prints the ICS forms, and the reports with their photos, instead of the map and the lists. */
export async function printForms() {
  daylight();
  // Loaded by those who print only.
  await loadTexts("forms");
  const { formPages } = await import("./forms.js");
  pages?.remove();
  pages = await formPages();
  document.body.append(pages);
  await printWhenShown();
}

async function printWhenShown() {
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
  tables?.remove();
  tables = pages ? null : situation();
  if (tables) document.body.append(tables);
  const box = byId("map-view");
  const [width, height] = [box.clientWidth, box.clientHeight];
  if (width === 0) return;
  box.style.width = `${width}px`;
  box.style.height = `${height}px`;
  const most = Math.min(1, sheet.width / width, sheet.height / height);
  box.style.zoom = String(scaled(most));
}

/** The largest zoom of the map up to `most` whose scale is a round number, which is printed. */
function scaled(most) {
  const map = theMap();
  if (!map) return most;
  const middle = map.getSize().divideBy(2);
  const metres = map.distance(...[-50, 50].map((x) => map.containerPointToLatLng(middle.add([x, 0]))));
  const least = metres / 100 / pixel / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const scale = Math.round(power * rounds.find((one) => one * power >= least * (1 - 1e-9)));
  byId("scale").textContent = t("scale", { scale: `1:${scale.toLocaleString("sv")}` });
  return (most * least) / scale;
}

function putBack() {
  const box = byId("map-view");
  box.style.width = box.style.height = box.style.zoom = "";
  for (const one of [tables, pages]) one?.remove();
  tables = pages = null;
  if (isGridless) setLayer("grid", false);
  isGridless = false;
  if (theme === null) return;
  document.documentElement.dataset.theme = theme;
  theme = null;
  refresh();
}
