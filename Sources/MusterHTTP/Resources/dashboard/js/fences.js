// Zones: the list, and the panel of one zone. Their forms are in `zoneform.js`, which is loaded when one
// is opened.

import { button, byId, dotted, faint, fill, h, onceAFrame, sign } from "./dom.js";
import { change, segment } from "./api.js";
import { attempt } from "./dialog.js";
import { isCommand, on, state } from "./store.js";
import { t } from "./words.js";
import { drawButton } from "./order.js";
import { mayAddRule, ruleList } from "./zonerules.js";
import { named } from "./zone.js";
import { permitButton, permitList } from "./permits.js";
import {
  closePanel, drawerHead, openPanel, panelHead, panelOf, shownInPanel,
} from "./shell.js";
import { goToShape, showMap, theMap } from "./map/map.js";
import { outline } from "./map/fences.js";
import { deleteSoon, remember } from "./undo.js";

const forms = () => import("./zoneform.js");

export function openFences() {
  on(["fences", "status"], onceAFrame(draw));
  on(["fences", "status", "permits"], onceAFrame(() => {
    const id = shownInPanel().replace("zone ", "");
    const panel = panelOf(`zone ${id}`);
    if (!panel) return;
    if (state.fences.has(id)) drawFacts(panel, state.fences.get(id));
    else closePanel();
  }));
}

const looks = { muster: "safe", hazard: "danger" };

function draw() {
  const all = [...state.fences.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  fill(byId("fences"), drawerHead("fences"), isCommand() && newZone(),
    all.length === 0 && faint(t("fences.none")),
    h("ul", {}, all.map(item)));
}

const item = (fence) => h("li", {}, h("button", {
  class: "item", "data-key": `zone ${fence.id}`, onclick: () => showZone(fence),
}, h("i", { class: looks[fence.kind] ?? "neutral" }, sign(looks[fence.kind] ?? "neutral")),
h("span", {}, h("strong", {}, fence.name), h("small", {}, facts(fence))),
h("span", { class: "age" }, t("inside.n", { n: fence.inside.length }))));

const facts = (fence) => dotted(
  t(`kind.${fence.kind}`), !fence.active && t("inactive"),
  fence.conflicts.length > 0 && t("conflict"), fence.rules?.length > 0 && t("rules"));

/** The buttons for a new zone. */
function newZone() {
  const file = h("input", {
    type: "file", accept: ".geojson,.geojsonl,.json,.kml,.kmz,.gpx,.gpkg,.zip", hidden: true,
    "aria-label": t("fence.import"), onchange: importFile,
  });
  const way = (key, look, work) => button(t(`fence.${key}`), key, work, { class: look });
  return h("div", { class: "row asks" },
    theMap() && way("polygon", "first", () => drawZone(false)),
    theMap() && way("circle", "", () => drawZone(true)),
    drawButton("zone order"),
    way("typed", "", async () => (await forms()).typed()), way("import", "", () => file.click()), file);
}

function importFile({ target }) {
  const [file] = target.files;
  target.value = "";
  if (file) attempt(async () => (await import("./import.js")).importZones(file));
}

export function lookAt(fence) {
  const shape = outline(fence)?.addTo(theMap());
  showMap();
  goToShape(shape);
  shape?.remove();
}

/**
 * Draws a new zone.
 * @param at the centre of a circle, if it is already known.
 * @param name that is proposed. @param kind that is proposed, by default a hazard.
 */
export const drawZone = async (...all) => (await forms()).drawZone(...all);

/**
 * Opens a zone in the panel. For command its corners can be dragged at once; nothing is written
 * before Save.
 * @param isFramed whether the map moves to the zone.
 */
export function showZone(fence, isFramed = true) {
  let stopEditing = () => {};
  const panel = openPanel(`zone ${fence.id}`, () => stopEditing());
  fill(panel, h("div", { class: "stack" }), h("div"));
  drawFacts(panel, fence);
  if (isFramed && theMap()) lookAt(fence);
  if (isCommand()) {
    attempt(async () => { stopEditing = await (await forms()).edit(fence, panel.lastChild); });
  }
}

/** The part of the panel that follows the data: name, who is inside, rules, actions. */
function drawFacts(panel, fence) {
  const mayChange = isCommand();
  const action = (key, word, work) => button(t(word), `${key} ${fence.id}`, work);
  const turn = fence.active ? "deactivate" : "activate";
  fill(panel.firstChild, panelHead(fence.name),
    h("p", { class: `state ${looks[fence.kind] ?? ""}` }, facts(fence)),
    h("p", {}, fence.inside.length === 0 ? t("inside.none")
      : t("inside", { n: fence.inside.length, names: named(fence.inside) })),
    permitList(fence), ruleList(fence, mayChange),
    h("div", { class: "row" },
      theMap() && action("map", "on.map", () => lookAt(fence)),
      permitButton(fence),
      mayChange && action("active", turn,
        () => attempt(() => turned(fence, turn))),
      mayChange && mayAddRule(fence) && action("rule", "rule.add", async () => (await forms()).addRule(fence)),
      mayChange && action("delete", "delete", () => deleteSoon("fences", fence, fence.name))));
}

async function turned(fence, turn) {
  const set = (to) => change("POST", `fences/${segment(fence.id)}`, undefined, `/${to}`);
  await set(turn);
  remember(`${fence.name}: ${t(turn === "activate" ? "active" : "inactive")}`,
    () => set(turn === "activate" ? "deactivate" : "activate"));
}
