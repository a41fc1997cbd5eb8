// The user of this laptop: their status, OK and HELP, the way to the assembly zone, and their timers.

import { byId, dotted, faint, fill, h, onceAFrame } from "./dom.js";
import { mayWrite, myself, on, state } from "./store.js";
import { bearing, mark } from "./status.js";
import { t } from "./words.js";
import { drawerHead } from "./shell.js";
import { claim, claimNow } from "./person.js";
import { timerList } from "./checkins.js";
import { centre, courseTo, metresBetween } from "./geometry.js";
import { lookAt } from "./fences.js";
import { theMap } from "./map/map.js";

const holdTime = 3000;
let buttons;

export function openMe() {
  // They stay while the rest is redrawn, so that holding one is not interrupted.
  buttons = h("div", { class: "claims" }, claimButton("safe"), claimButton("help"));
  const soon = onceAFrame(draw);
  on(["users", "devices", "fences", "checkins", "status"], soon);
  setInterval(soon, 10000);
}

/** Held for three seconds it reports at once; a click opens the form with a note. */
function claimButton(safety) {
  let timer = null;
  let isDone = false;
  const release = () => {
    clearTimeout(timer);
    element.classList.remove("held");
  };
  const element = h("button", {
    id: `say-${safety}`, "data-key": `say ${safety}`,
    class: `claim ${safety === "help" ? "danger" : "safe"}`,
    onclick: () => { if (!isDone) claim(safety); },
    onpointerdown: () => {
      isDone = false;
      element.classList.add("held");
      timer = setTimeout(() => {
        isDone = true;
        release();
        claimNow(safety);
      }, holdTime);
    },
    onpointerup: release, onpointercancel: release, onpointerleave: release,
    oncontextmenu: (event) => event.preventDefault(),
  }, t(`claim.${safety}.short`), h("small", {}, t("claim.hold")));
  return element;
}

function draw() {
  const me = state.session ? undefined : myself();
  const view = byId("me");
  const head = [drawerHead("me"), me && h("p", {}, h("strong", {}, `${me.callsign} `), mark(me))];
  const rest = h("div", {}, me && assembly(me), timerList(() => {}, me?.id));
  if (!view.firstChild) fill(view, h("div"), mayWrite() && buttons, h("div"));
  fill(view.firstChild, ...head);
  fill(view.lastChild, rest);
}

/** The zone of the order, or else the nearest one, with distance and bearing. */
function assembly(me) {
  if (me.order?.distanceMetres !== undefined && me.order?.distanceMetres !== null) {
    return way(state.fences.get(me.order.zone), me.order);
  }
  if (me.lat === null) return faint(t("nowhere"));
  const zones = [...state.fences.values()]
    .filter((fence) => fence.active && fence.kind === "muster" && centre(fence))
    .map((fence) => ({ fence, metres: distance(me, fence) }))
    .sort((a, b) => a.metres - b.metres);
  if (zones.length === 0) return faint(t("assembly.none"));
  const [{ fence, metres }] = zones;
  return way(fence, {
    distanceMetres: Math.round(metres), bearingDegrees: metres > 0 ? courseTo(me, centre(fence)) : null,
  });
}

/** To the edge of a circle; to the middle of an outline. */
const distance = (me, fence) =>
  Math.max(0, metresBetween(me, centre(fence)) - (fence.radiusMetres ?? 0));

const way = (fence, course) => h("div", { class: "card" },
  faint(dotted(t("assembly"), fence?.name)),
  h("p", { class: "way" }, bearing(course)),
  fence && theMap() && h("button", { "data-key": "assembly map", onclick: () => lookAt(fence) },
    t("on.map")));
