// The user of this laptop: their status, OK and HELP, the way to the assembly zone, and their timers;
// on every view their order with destination, distance, bearing and time left.

import { button, byId, dotted, faint, fill, h, onceAFrame, sign } from "./dom.js";
import { dueIn, maySpeak, on, ownOrder, speaker, state } from "./store.js";
import { mark, timeLeft } from "./status.js";
import { t } from "./words.js";
import { drawerHead } from "./shell.js";
import { claim, claimNow } from "./person.js";
import { timerList } from "./checkins.js";
import { answer, ownAnswer } from "./rollcall.js";
import { lookAt } from "./fences.js";
import { waitingList } from "./offline.js";
import { openPosition, phoneTools } from "./position.js";
import { queued } from "./queue.js";
import { arrow, followCompass, onPosition, ownPosition, ownWay, wayAge, wayWords } from "./way.js";
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
  onPosition(soon);
  openPosition(soon);
  followCompass();
  awaitCall();
}

/** Held for three seconds it reports at once; a click opens the form with a note. */
export function claimButton(safety) {
  let timer = null;
  let isDone = false;
  const release = () => {
    clearTimeout(timer);
    element.classList.remove("held");
  };
  const element = h("button", {
    id: `say-${safety}`, type: "button", "data-key": `say ${safety}`,
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
  const rest = h("div", { class: "stack" }, waitingList(), me && timerList(pick, me.id), me && assembly(),
    phoneTools());
  if (!view.firstChild) fill(view, h("div"), maySpeak() && buttons, h("div"));
  fill(view.firstChild, ...head);
  fill(view.lastChild, rest);
}

/** The way to the zone of the order, or to the nearest assembly zone. */
function assembly() {
  if (!ownPosition()) return faint(t("me.nowhere"));
  const way = ownWay();
  if (!way?.zone) return faint(t("assembly.none"));
  return h("div", { class: "card" }, faint(dotted(t("assembly"), way.zone.name)),
    wayRow(way), theMap() && button(t("on.map"), "assembly map", () => lookAt(way.zone)));
}

/** The arrow and the words of a way. */
const wayRow = (way) => h("div", { class: "to" }, arrow(way.bearingDegrees),
  h("span", { class: "way" }, wayWords({ ...way, from: null })), faint(wayAge(way)));

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
  byId("owner").setAttribute("aria-label", t("own"));
  duty.hidden = !order;
  if (!order) {
    byId("owner").classList.remove("urgent");
    return fill(duty);
  }
  const directive = state.directives.get(order.id);
  const left = dueIn(order);
  const way = ownWay();
  const zone = way?.zone ? { name: way.zone.name, fence: way.zone } : zoneOf(order.zone);
  const isUrgent = order.kind === "evacuate" || (left !== null && left < 0);
  duty.classList.toggle("urgent", isUrgent);
  byId("owner").classList.toggle("urgent", isUrgent);
  fill(duty,
    h("strong", {}, sign(isUrgent ? "danger" : "warning"), " ",
      t("duty.you", { order: t(`order.${order.kind}`) }), zone && ` → ${zone.name}`),
    way && wayRow(way),
    left !== null && h("span", { class: "way" }, timeLeft(left)),
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
