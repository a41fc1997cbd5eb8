// The user of this laptop: their status, OK and HELP, the way to the assembly zone, and their timers;
// on every view their order with destination, distance, bearing and time left.

import { button, byId, dotted, faint, fill, h, onceAFrame, sign } from "./dom.js";
import { dueIn, maySpeak, on, ownOrder, speaker, state } from "./store.js";
import { bearing, mark, timeLeft } from "./status.js";
import { t } from "./words.js";
import { drawerHead } from "./shell.js";
import { claim, claimNow } from "./person.js";
import { timerList } from "./checkins.js";
import { answer, ownAnswer } from "./rollcall.js";
import { centre, courseTo, metresBetween } from "./geometry.js";
import { lookAt } from "./fences.js";
import { queued } from "./queue.js";
import { phoneTools, waitingList } from "./offline.js";
import { theMap } from "./map/map.js";

const holdTime = 3000;
let buttons;

/** @param pick shows a person. */
export function openMe(pick) {
  // They stay while the rest is redrawn, so that holding one is not interrupted.
  buttons = h("div", { class: "claims" }, claimButton("safe"), claimButton("help"));
  const soon = onceAFrame(() => {
    draw(pick);
    drawDuty();
  });
  on(["users", "directives", "devices", "fences", "checkins", "status"], soon);
  setInterval(soon, 5000);
  awaitCall();
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
    // The click that ends a hold is not another report.
    onclick: ({ detail }) => { if (!isDone || detail === 0) claim(safety); },
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

function draw(pick) {
  const me = speaker();
  const view = byId("me");
  const head = [drawerHead("me"), me && h("p", {}, h("strong", {}, `${me.callsign} `), mark(me))];
  const rest = h("div", { class: "stack" }, waitingList(), me && timerList(pick, me.id), me && assembly(me),
    phoneTools(() => draw(pick)));
  if (!view.firstChild) fill(view, h("div"), maySpeak() && buttons, h("div"));
  fill(view.firstChild, ...head);
  fill(view.lastChild, rest);
}

/** The nearest zone, with distance and bearing; that of an order is on every view. */
function assembly(me) {
  if (me.lat === null) return faint(t("me.nowhere"));
  const zones = [...state.fences.values()]
    .filter((fence) => fence.active && fence.kind === "muster" && centre(fence))
    .map((fence) => ({ fence, metres: distance(me, fence) }))
    .sort((a, b) => a.metres - b.metres);
  if (zones.length === 0) return faint(t("assembly.none"));
  const [{ fence, metres }] = zones;
  return h("div", { class: "card" }, faint(dotted(t("assembly"), fence.name)),
    h("p", { class: "way" }, bearing({
      distanceMetres: Math.round(metres),
      bearingDegrees: metres > 0 ? courseTo(me, centre(fence)) : null,
    })),
    theMap() && button(t("on.map"), "assembly map", () => lookAt(fence)));
}

/** To the edge of a circle; to the middle of an outline. */
const distance = (me, fence) =>
  Math.max(0, metresBetween(me, centre(fence)) - (fence.radiusMetres ?? 0));

/** Follows the user's calls for help, from the first one in the queue, or that was sent. */
function awaitCall() {
  const timer = setInterval(() => {
    if (speaker()?.safety !== "unsafe" && !queued().some(({ kind }) => kind === "help")) return;
    clearInterval(timer);
    import("./call.js").then(({ openCall }) => openCall());
  }, 500);
}

// MARK: The order

function drawDuty() {
  const order = ownOrder();
  const duty = byId("duty");
  duty.hidden = !order;
  if (!order) return fill(duty);
  duty.setAttribute("aria-label", t("duty"));
  const directive = state.directives.get(order.id);
  const left = dueIn(order);
  const zone = zoneOf(order.zone);
  const isUrgent = order.kind === "evacuate" || (left !== null && left < 0);
  duty.classList.toggle("urgent", isUrgent);
  fill(duty,
    h("strong", {}, sign(isUrgent ? "danger" : "warning"), " ",
      t("duty.you", { order: t(`order.${order.kind}`) }), zone && ` → ${zone.name}`),
    h("span", { class: "way" }, dotted(bearing(order), timeLeft(left))),
    directive?.text && h("span", {}, directive.text),
    h("span", { class: "row" },
      zone?.fence && theMap() && button(t("on.map"), "duty map", () => lookAt(zone.fence)),
      directive && maySpeak() && isOpen(directive) && button(ownAnswer(order.kind),
        "duty answer", () => answer(directive), { class: "first" })));
}

const isOpen = (directive) =>
  directive.people.some((one) => one.user === speaker().id && one.answeredAt === null);

/** By id, or by name. */
function zoneOf(zone) {
  if (!zone) return null;
  const fence = state.fences.get(zone.id ?? zone)
    ?? [...state.fences.values()].find(({ name }) => name === (zone.name ?? zone));
  return { name: fence?.name ?? zone.name ?? zone, fence };
}
