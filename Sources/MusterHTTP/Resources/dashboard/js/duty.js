// The order that applies to the user of this laptop, on every view: destination, distance, bearing
// and time left.

import { button, byId, dotted, fill, h, onceAFrame, sign } from "./dom.js";
import { dueIn, mayWrite, myself, on, ownOrder, state } from "./store.js";
import { bearing, timeLeft } from "./status.js";
import { t } from "./words.js";
import { answer, ownAnswer } from "./rollcall.js";
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
      directive && mayWrite() && isOpen(directive) && button(ownAnswer(order.kind),
        "duty answer", () => answer(directive), { class: "first" })));
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
