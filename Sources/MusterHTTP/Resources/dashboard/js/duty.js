// The order that applies to the user of this laptop, on every view: destination, distance, bearing
// and time left.

import { byId, fill, h, onceAFrame, sign } from "./dom.js";
import { mayWrite, myself, on, ownOrder, passed, state } from "./store.js";
import { bearing, timeLeft } from "./status.js";
import { t } from "./words.js";
import { answer } from "./answer.js";
import { lookAt } from "./fences.js";
import { theMap } from "./map/map.js";

export function openDuty() {
  const soon = onceAFrame(draw);
  on(["users", "directives", "devices", "fences", "status"], soon);
  setInterval(soon, 5000);
}

function draw() {
  const order = ownOrder();
  const duty = byId("duty");
  duty.hidden = !order;
  if (!order) return fill(duty);
  duty.setAttribute("aria-label", t("duty"));
  const directive = state.directives.get(order.id);
  const left = order.dueSeconds === null ? null : order.dueSeconds - passed();
  const zone = zoneOf(order.zone);
  const isUrgent = order.kind === "evacuate" || (left !== null && left < 0);
  duty.classList.toggle("urgent", isUrgent);
  fill(duty,
    h("strong", {}, sign(isUrgent ? "danger" : "warning"), " ",
      t("duty.you", { order: t(`order.${order.kind}`) }), zone && ` → ${zone.name}`),
    h("span", { class: "way" }, [bearing(order), timeLeft(left)].filter(Boolean).join(" · ")),
    directive?.text && h("span", {}, directive.text),
    h("span", { class: "row" },
      zone?.fence && theMap() && h("button", {
        "data-key": "duty map", onclick: () => lookAt(zone.fence),
      }, t("on.map")),
      directive && mayWrite() && isOpen(directive) && h("button", {
        class: "first", "data-key": "duty answer", onclick: () => answer(directive),
      }, t(`answer.own.${order.kind}`))));
}

const isOpen = (directive) =>
  directive.people.some((one) => one.user === myself().id && one.answeredAt === null);

/** By id, or by name. */
function zoneOf(zone) {
  if (!zone) return null;
  const fence = state.fences.get(zone.id ?? zone)
    ?? [...state.fences.values()].find(({ name }) => name === (zone.name ?? zone));
  return { name: fence?.name ?? zone.name ?? zone, fence };
}
