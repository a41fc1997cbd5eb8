// What to do next on a new node: a step for each thing that is missing, gone once it is there. It is for the
// user of the laptop, from a new operation or a new laptop on, until all is done or it is closed.

import { button, byId, fill, h, onceAFrame, say } from "./dom.js";
import { attempt } from "./dialog.js";
import { isCommand, loadedAt, myself, on, state } from "./store.js";
import { loadTexts, t } from "./words.js";
import { icon } from "./icons.js";
import { look } from "./shell.js";
import { act } from "./queue.js";
import { drawZone } from "./fences.js";
import { nextClick, theMap } from "./map/map.js";

/** The accuracy of a position that the user sets by a click. */
const clickMetres = 20;
const sets = ["users", "fences", "devices", "status"];
/** Whether the steps are shown, by operation: `open`, then `over`. */
const key = () => `guide ${state.status.operation ?? state.status.operationName}`;

export async function openGuide() {
  await loadTexts("guide");
  const soon = onceAFrame(draw);
  on(sets, soon);
  new MutationObserver(soon).observe(byId("no-map"), { attributeFilter: ["hidden"] });
}

/** The steps that are left: text, the key and word of a button, and what it does. */
const steps = () => [
  theMap() && !byId("no-map").hidden
    && [t("guide.map"), "guide map", t("map.add"), () => look("layers")],
  theMap() && typeof myself()?.lat !== "number"
    && [t("guide.position"), "guide position", t("guide.position.set"), setPosition],
  isCommand() && state.users.size < 2
    && [t("guide.people"), "guide people", t("invite"), () => look("team")],
  isCommand() && theMap() && ![...state.fences.values()].some(({ kind }) => kind === "muster")
    && [t("guide.zone"), "guide zone", t("guide.zone.draw"), () => drawZone(true, undefined, "", "muster")],
].filter(Boolean);

/** A new operation has no other people and no zones; on a new laptop neither place nor map is known. */
const isNew = () => (isCommand() && state.users.size < 2 && state.fences.size === 0)
  || (typeof myself()?.lat !== "number" && !byId("no-map").hidden);

function draw() {
  if (!sets.every((name) => loadedAt[name]) || !myself()) return;
  const left = steps();
  const was = localStorage.getItem(key());
  const isOpen = left.length > 0 && was !== "over" && (was === "open" || isNew());
  byId("guide").hidden = !isOpen;
  if (!isOpen) {
    if (was === "open") localStorage.setItem(key(), "over");
    return;
  }
  localStorage.setItem(key(), "open");
  byId("guide").setAttribute("aria-label", t("guide"));
  fill(byId("guide"), h("div", { class: "drawer-head" }, h("h2", {}, t("guide")),
    button(icon("close"), "guide close", close, { class: "bare", "aria-label": t("close.of", { name: t("guide") }) })),
  h("ol", {}, left.map(([text, name, word, work]) => h("li", { class: "row" },
    h("span", {}, text), button(word, name, work)))));
}

function close() {
  localStorage.setItem(key(), "over");
  draw();
  byId("map").focus({ preventScroll: true });
}

async function setPosition() {
  say(t("guide.click"));
  const place = await nextClick();
  attempt(() => act("position", "", "POST", "me/position", { ...place, accuracyMetres: clickMetres }), t("done"));
}
