// The map: Leaflet, graticule, zones, reports, people. It works without a base map.

import { afterAFrame, byId, fill, h, onceAFrame } from "../dom.js";
import { loadedAt, on, state } from "../store.js";
import { t } from "../words.js";
import { written } from "../place.js";
import { forget } from "./icons.js";
import { graticule } from "./graticule.js";
import { hit, indexPlaces, membersLayer } from "./members.js";
import { fencesLayer } from "./fences.js";
import { isDrawing } from "./draw.js";
import { addBaseMap } from "./base.js";

const mostPulses = 30;
let map = null;
let grid;
let members;
let fences;
let pulses;
let framed = false;
let choosing = null;

export const theMap = () => map;

/** @param onPick receives the clicked object: {user}, {report} or {group}. */
export function openMap(onPick) {
  if (!window.L) {
    fill(byId("map"), h("p", { class: "no-map" }, t("map.none")));
    return;
  }
  map = L.map("map", {
    zoomControl: true, attributionControl: false, minZoom: 2, maxZoom: 20,
    fadeAnimation: false, worldCopyJump: true,
  });
  map.setView([0, 0], 2);
  map.getContainer().setAttribute("aria-label", t("map"));
  L.control.scale({ imperial: false }).addTo(map);
  addBaseMap(map).catch(() => {}); // The map works without a base map.
  // Names of zones are below people, and people are below the handles of a zone that is edited.
  map.createPane("zone-names").style.zIndex = 420;
  map.createPane("people").style.zIndex = 430;
  grid = graticule().addTo(map);
  fences = fencesLayer();
  fences.layer.addTo(map);
  pulses = L.layerGroup().addTo(map);
  members = membersLayer().addTo(map);
  map.on("mousemove", ({ latlng }) => showPlace(latlng));
  map.on("click", ({ latlng, layerPoint }) => {
    showPlace(latlng);
    if (choosing) {
      const resolve = choosing;
      choosing = null;
      return resolve({ lat: latlng.lat, lon: latlng.wrap().lng });
    }
    if (isDrawing(map)) return;
    const item = hit(layerPoint);
    if (!item) return;
    if (item.group && map.getZoom() < map.getMaxZoom() - 1 && spread(item.group)) {
      return map.fitBounds(around(item.group).pad(0.3), { maxZoom: 18 });
    }
    onPick(item);
  });
  map.on("dragstart", () => { framed = true; });
  new ResizeObserver(onceAFrame(refresh)).observe(byId("map"));
  // The list has priority.
  on(["users", "reports"], afterAFrame(() => { indexPlaces(); redraw(); }));
  on(["reports"], drawPulses);
  on(["fences"], onceAFrame(() => { fences.redraw(); frame(); }));
  setInterval(redraw, 15000);
}

function redraw() {
  frame();
  members.redraw();
}

const around = (group) => L.latLngBounds(group.map((i) => [i.row.lat, i.row.lon]));

const spread = (group) => {
  const bounds = around(group);
  return bounds.getSouthWest().distanceTo(bounds.getNorthEast()) > 3;
};

function showPlace(latlng) {
  byId("place").textContent = written(latlng.lat, latlng.wrap().lng);
}

/** Fits the view to all data until everything has been loaded once. */
function frame() {
  // A hidden map has no size, and would show the whole world.
  if (framed || !map || !byId("map").clientWidth) return;
  let [south, west, north, east] = [90, 180, -90, -180];
  for (const set of [state.users, state.reports, state.fences]) {
    for (const { lat, lon } of set.values()) {
      if (typeof lat !== "number") continue;
      [south, north] = [Math.min(south, lat), Math.max(north, lat)];
      [west, east] = [Math.min(west, lon), Math.max(east, lon)];
    }
  }
  if (south > north) return;
  framed = ["users", "reports", "fences"].every((name) => loadedAt[name]);
  // Leaflet caches the size of the hidden map.
  map.invalidateSize({ animate: false });
  const bounds = L.latLngBounds([[south, west], [north, east]]);
  map.fitBounds(bounds.pad(0.2), { maxZoom: 16, animate: false });
}

function drawPulses() {
  pulses.clearLayers();
  const urgent = [...state.reports.values()]
    .filter((r) => r.toEvacuate && r.status === "open" && r.lat !== null).slice(0, mostPulses);
  for (const { lat, lon } of urgent) {
    pulses.addLayer(L.marker([lat, lon], {
      icon: L.divIcon({ className: "", html: h("div", { class: "pulse" }), iconSize: [40, 40] }),
      interactive: false, keyboard: false,
    }));
  }
}

/** Resolves with the next clicked position. */
export function nextClick() {
  return new Promise((resolve) => { choosing = resolve; });
}

/** Shows the map on a phone, which shows the list or the map, never both. */
export function showMap() {
  if (innerWidth <= 900) document.body.dataset.view = "map";
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
  framed = true;
  map.setView([row.lat, row.lon], Math.max(map.getZoom(), 15));
}

export function goToShape(layer) {
  // Immediately: a handle must not move away during a drag.
  if (map && layer) map.fitBounds(layer.getBounds().pad(0.3), { maxZoom: 17, animate: false });
}

/** Redraws after a change of theme or size. */
export function refresh() {
  if (!map) return;
  forget();
  map.invalidateSize({ animate: false });
  frame();
  fences.redraw();
  grid.redraw();
  members.redraw();
}
