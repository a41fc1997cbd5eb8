// The map: Leaflet, graticule, zones, reports, people. It works without a base map.

import { afterAFrame, byId, fill, h, onceAFrame, say } from "../dom.js";
import { loadedAt, on, shownReports, state } from "../store.js";
import { t } from "../words.js";
import { written } from "../place.js";
import { isNarrow } from "../shell.js";
import { forget } from "./icons.js";
import { graticule } from "./graticule.js";
import { hit, indexPlaces, membersLayer, shows } from "./members.js";
import { fencesLayer, zoneAt } from "./fences.js";
import { centre, outliers } from "../geometry.js";
import { baseBounds, openMaps, repaintMaps } from "./base.js";

const mostPulses = 30;
let map = null;
let members;
let fences;
let pulses;
let framed = false;
/** Until the user does anything, all data stays in the part of the map that is not covered. */
let isTouched = false;
let choosing = null;
/** The layers that can be hidden, by name. */
const layers = {};

export const theMap = () => map;

const isDrawing = () => map.getContainer().classList.contains("drawing");

/**
 * @param onPick receives the clicked object: {user}, {report}, {group} or {zone}.
 * @param onHere receives the position of a click on nothing, of a right click or a long press, and
 *   the point on the screen.
 * @param onMaps is called after a change of the base maps.
 */
export function openMap(onPick, onHere, onMaps) {
  if (!window.L) {
    fill(byId("map"), h("p", { class: "no-map" }, t("map.none")));
    return;
  }
  map = L.map("map", {
    zoomControl: false, attributionControl: false, minZoom: 2, maxZoom: 20,
    fadeAnimation: false, worldCopyJump: true,
  });
  map.setView([0, 0], 2);
  map.getContainer().setAttribute("aria-label", t("map.keys"));
  const scale = L.control.scale({ imperial: false }).addTo(map);
  byId("foot").append(scale.getContainer());
  openMaps(map, () => {
    frame();
    onMaps();
  });
  // People are below the handles of a zone that is edited.
  map.createPane("people").style.zIndex = 430;
  layers.grid = graticule().addTo(map);
  fences = fencesLayer();
  layers.fences = fences.layer.addTo(map);
  pulses = L.layerGroup().addTo(map);
  members = membersLayer().addTo(map);
  map.on("mousemove", ({ latlng }) => showPlace(latlng));
  map.on("keydown move", () => {
    if (isDrawing() && map.getContainer().matches(":focus-visible")) {
      map.fire("mousemove", { latlng: map.getCenter() });
    }
  });
  map.on("click", (event) => clicked(event, onPick, onHere));
  map.on("contextmenu", ({ latlng, containerPoint }) => {
    if (!isDrawing() && !choosing) onHere(placeOf(latlng), containerPoint);
  });
  map.getContainer().addEventListener("keydown", (event) => {
    if (event.target !== map.getContainer() || !["Enter", "ContextMenu"].includes(event.key)) return;
    event.preventDefault();
    const middle = map.getSize().divideBy(2);
    if (isDrawing() || choosing) {
      return map.fire("click", {
        latlng: map.containerPointToLatLng(middle), containerPoint: middle,
        layerPoint: map.containerPointToLayerPoint(middle),
      });
    }
    onHere(placeOf(map.containerPointToLatLng(middle)), middle);
  });
  map.on("dragstart", hold);
  for (const type of ["pointerdown", "keydown", "wheel"]) {
    addEventListener(type, () => { isTouched = true; }, { capture: true, once: true, passive: true });
  }
  const again = onceAFrame(() => (framed && !isTouched ? fitAll() : redraw()));
  for (const id of ["drawer", "detail", "notices"]) new ResizeObserver(again).observe(byId(id));
  new ResizeObserver(onceAFrame(refresh)).observe(byId("map"));
  // The list has priority.
  on(["users", "reports"], afterAFrame(redrawPlaces));
  on(["reports"], drawPulses);
  on(["fences"], onceAFrame(() => { fences.redraw(); redraw(); }));
  setInterval(redraw, 15000);
}

/** A position of the map to five decimals, which is a metre. */
function placeOf(latlng) {
  const { lat, lng } = latlng.wrap();
  return { lat: Number(lat.toFixed(5)), lon: Number(lng.toFixed(5)) };
}

function clicked({ latlng, layerPoint, containerPoint }, onPick, onHere) {
  showPlace(latlng);
  if (choosing) {
    const resolve = choosing;
    choosing = null;
    return resolve(placeOf(latlng));
  }
  if (isDrawing()) return;
  const zone = shows.fences && zoneAt(map, layerPoint);
  const item = hit(layerPoint) ?? (zone && { zone });
  if (!item) return onHere(placeOf(latlng), containerPoint);
  if (item.group && map.getZoom() < map.getMaxZoom() - 1 && spread(item.group)) {
    return fit(around(item.group.map(({ row }) => row)), 18);
  }
  onPick(item);
}

function redraw() {
  frame();
  members.redraw();
}

function redrawPlaces() {
  indexPlaces();
  redraw();
}

/** Call this when the map shows another instant. */
export function redrawMap() {
  if (!map) return;
  fences.redraw();
  drawPulses();
  redrawPlaces();
}

const around = (rows) => L.latLngBounds(rows.map(({ lat, lon }) => [lat, lon]));

const spread = (group) => {
  const bounds = around(group.map(({ row }) => row));
  return bounds.getSouthWest().distanceTo(bounds.getNorthEast()) > 3;
};

function showPlace(latlng) {
  byId("place").textContent = written(latlng.lat, latlng.wrap().lng);
}

/** How much of the map other parts of the page cover, at each side. */
function covered() {
  const whole = byId("map").getBoundingClientRect();
  const sides = { left: 8, top: 8, right: 8 + byId("map-tools").offsetWidth, bottom: 8 };
  sides.top += byId("notices").offsetHeight;
  for (const id of ["drawer", "detail"]) {
    const box = byId(id).getBoundingClientRect();
    if (box.width === 0) continue;
    if (isNarrow()) sides.bottom = Math.min(whole.height * 0.6, whole.bottom - box.top);
    else if (id === "drawer") sides.left += box.width;
    else sides.right += box.width;
  }
  return sides;
}

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Fits bounds into the part of the map that is not covered. */
function fit(bounds, maxZoom = 16, isAnimated = false) {
  const { left, top, right, bottom } = covered();
  map.fitBounds(bounds.pad(0.2), {
    maxZoom, animate: isAnimated && !isStill(),
    paddingTopLeft: [left, top], paddingBottomRight: [right, bottom],
  });
}

/** Flies to people with a position. */
export function fly(rows) {
  const placed = rows.filter(({ lat }) => typeof lat === "number");
  if (!map || placed.length === 0) return;
  hold();
  fit(around(placed), 16, true);
}

/** From now on the view changes only on request. */
function hold() {
  framed = isTouched = true;
}

/** Fits the view to all data until everything has been loaded once. */
function frame() {
  // A hidden map has no size, and would show the whole world.
  if (framed || !map || !byId("map").clientWidth) return;
  const isAll = ["users", "reports", "fences"].every((name) => loadedAt[name]);
  if (fitData()) framed = isAll;
  else if (!isTouched) fitAll();
}

/** As `fitAll`, on request of the user. */
export function fitNow() {
  stated = 0;
  fitAll();
}

/** Fits the view to all data; without any, to the base map. */
export function fitAll() {
  const [west, south, east, north] = fitData() ? [] : baseBounds() ?? [];
  if (typeof west === "number") fit(L.latLngBounds([[south, west], [north, east]]).pad(-0.15));
}

/** How many places the view leaves out, as was last stated. */
let stated = 0;

/**
 * Fits the view to all people, reports and zones, without the few that are far away: a message counts them,
 * and shows them too. No person in danger is left out. Returns whether there is any.
 */
function fitData(isWhole) {
  const places = [];
  for (const set of [state.users, state.reports, state.fences]) {
    for (const row of set.values()) {
      const { lat, lon } = centre(row) ?? row;
      const isUrgent = row.severity === "danger" || row.toEvacuate;
      if (typeof lat === "number") places.push({ lat, lon, isUrgent });
    }
  }
  if (places.length === 0) return false;
  const far = isWhole ? new Set() : outliers(places);
  for (const one of far) if (one.isUrgent) far.delete(one);
  // Leaflet caches the size of the hidden map.
  map.invalidateSize({ animate: false });
  let [south, west, north, east] = [90, 180, -90, -180];
  for (const one of places) {
    if (far.has(one)) continue;
    [south, north] = [Math.min(south, one.lat), Math.max(north, one.lat)];
    [west, east] = [Math.min(west, one.lon), Math.max(east, one.lon)];
  }
  fit(L.latLngBounds([[south, west], [north, east]]));
  if (far.size > 0 && stated !== far.size) {
    say(t("far.out", { n: far.size }), { word: t("show"), work: () => fitData(true) });
  }
  stated = far.size;
  return true;
}

function drawPulses() {
  pulses.clearLayers();
  const urgent = shownReports()
    .filter((r) => r.toEvacuate && r.status === "open" && r.lat !== null).slice(0, mostPulses);
  for (const { lat, lon } of urgent) {
    pulses.addLayer(L.marker([lat, lon], {
      icon: L.divIcon({ className: "", html: h("div", { class: "pulse" }), iconSize: [40, 40] }),
      interactive: false, keyboard: false,
    }));
  }
}

/** Shows or hides a layer: `grid`, `fences`, `people`, `reports` or `labels`. */
export function setLayer(name, isShown) {
  if (name in shows) shows[name] = isShown;
  if (layers[name]) map[isShown ? "addLayer" : "removeLayer"](layers[name]);
  redrawPlaces();
}

/** The layers of the map, and whether they are shown. */
export const layerStates = () => Object.entries({ ...layers, ...shows })
  .map(([name, one]) => [name, typeof one === "boolean" ? one : map.hasLayer(one)]);

/** Resolves with the next clicked position. */
export function nextClick() {
  return new Promise((resolve) => { choosing = resolve; });
}

/** Uncovers the map on a phone, whose sheets cover half of it. */
export function showMap() {
  if (isNarrow()) document.body.dataset.view = "map";
}

/** On a phone, the map fills the screen during the work. */
export async function onMap(work) {
  const { view } = document.body.dataset;
  showMap();
  try {
    return await work();
  } finally {
    document.body.dataset.view = view;
  }
}

export function goTo(row) {
  if (!map || typeof row.lat !== "number") return;
  hold();
  map.setView([row.lat, row.lon], Math.max(map.getZoom(), 15), { animate: false });
  const { left, top, right, bottom } = covered();
  map.panBy([(right - left) / 2, (bottom - top) / 2], { animate: false });
}

export function goToShape(layer) {
  if (!map || !layer) return;
  hold();
  // Immediately: a handle must not move away during a drag.
  fit(layer.getBounds(), 17);
}

/** Redraws after a change of theme or size. */
export function refresh() {
  if (!map) return;
  forget();
  map.invalidateSize({ animate: false });
  frame();
  fences.redraw();
  layers.grid.redraw();
  repaintMaps();
  members.redraw();
}
