// Unacknowledged danger, shown on every view: what it is, where it is, and who acknowledges it.

import { byId, fill, h, onceAFrame, sign } from "./dom.js";
import { mayWrite, on, ownOrder } from "./store.js";
import { ago, secondsSince, spoken, t } from "./words.js";
import { acknowledge, waiting } from "./alerts.js";
import { isSilent, onSound, wake } from "./sound.js";

const most = () => (innerWidth <= 1100 ? 1 : 3);
let goTo = () => {};

/** @param lead shows what an alert is about. */
export function openAlarm(lead) {
  goTo = lead;
  const soon = onceAFrame(draw);
  on(["alerts", "status", "users", "devices"], soon);
  onSound(soon);
  setInterval(soon, 10000);
  addEventListener("resize", soon);
}

/** Newest first, without the order that the bar of `duty.js` shows. */
const dangers = () => waiting()
  .filter(({ level, kind, row }) => level === "danger"
    && !(kind === "directive" && row === ownOrder()?.id))
  .sort((a, b) => (a.since < b.since ? 1 : -1));

function draw() {
  const all = dangers();
  const more = all.length - most();
  byId("alarm").hidden = all.length === 0;
  byId("alarm").setAttribute("aria-label", t("alarm"));
  fill(byId("alarm"), h("ul", {}, all.slice(0, most()).map(line)),
    (more > 0 || isSilent()) && all.length > 0 && h("div", { class: "row" },
      more > 0 && h("button", {
        "data-key": "alarm more", onclick: () => { document.body.dataset.view = "feed"; },
      }, t("alarm.more", { n: more })),
      isSilent() && h("button", { "data-key": "alarm sound", onclick: wake }, t("sound.wake"))));
}

const line = (one) => h("li", { "data-alert": one.id },
  h("strong", {}, sign("danger"), " ", spoken(one.text)),
  h("span", {}, ago(secondsSince(one.since))),
  h("span", { class: "row" },
    h("button", {
      "data-key": `go ${one.id}`, "aria-label": `${t("go.to")}: ${spoken(one.text)}`,
      onclick: () => goTo(one),
    }, t("go.to")),
    mayWrite() && h("button", {
      "data-key": `alarm seen ${one.id}`, "aria-label": `${t("acknowledge")}: ${spoken(one.text)}`,
      onclick: () => acknowledge(one),
    }, t("acknowledge"))));
