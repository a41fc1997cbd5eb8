// The tools of the map: zoom, fit all, find, my position, measure, range rings, draw, layers.

import { button, byId, fill, h, say } from "../dom.js";
import { isCommand, on } from "../store.js";
import { t } from "../words.js";
import { ownPosition } from "../way.js";
import { icon } from "../icons.js";
import { drawerHead, look, view } from "../shell.js";
import { drawZone } from "../fences.js";
import { fitNow, goTo, layerStates, setLayer, theMap } from "./map.js";
import { mapChoices, mapPicker, refreshMaps } from "./base.js";

const measuring = () => import("./measure.js");
let hasRings = false;

/** @param pick shows what was found: {user}, {report} or {zone}. */
export function openMapTools(pick) {
  if (!theMap()) return fill(byId("layers"), drawerHead("layers"), h("p", {}, t("map.none")));
  byId("map-tools").setAttribute("aria-label", t("tools"));
  const draw = () => fill(byId("map-tools"),
    tool("in", "zoom.in", () => theMap().zoomIn(), "wide"),
    tool("out", "zoom.out", () => theMap().zoomOut(), "wide"),
    tool("fit", "tool.fit", fitNow),
    tool("find", "tool.find", async () => (await measuring()).find(pick)),
    tool("here", "tool.here", goToMe),
    tool("measure", "tool.measure", async () => (await measuring()).measure()),
    tool("rings", "tool.rings", async () => { hasRings = (await measuring()).toggleRings(); }, "wide", hasRings),
    isCommand() && tool("fences", "fence.polygon", () => drawZone(false), "wide"),
    isCommand() && tool("circle", "fence.circle", () => drawZone(true), "wide"),
    tool("replay", "past", async () => (await import("../replay.js")).toggleReplay()),
    tool("layers", "layers", () => look("layers")));
  const tool = (name, word, work, look = "", isOn) => button(icon(name), `tool ${name}`,
    async () => { await work(); draw(); }, {
      class: look, title: t(word), "aria-label": t(word),
      "aria-pressed": isOn === undefined ? undefined : String(isOn),
    });
  draw();
  on(["status"], draw);
  on(["status"], () => { if (view() === "layers") refreshMaps().catch(() => {}); });
  drawLayers();
}

function goToMe() {
  const me = ownPosition();
  if (me) goTo(me);
  else say(t("tool.here.none"));
}

/** The drawer of the layers. */
export const drawLayers = () => fill(byId("layers"), drawerHead("layers"),
  mapChoices(),
  layerStates().map(([name, isShown]) => h("label", { class: "tick" },
    h("input", {
      type: "checkbox", checked: isShown, "data-key": `layer ${name}`,
      onchange: ({ target }) => setLayer(name, target.checked),
    }), t(`layer.${name}`))), mapPicker());
