// Unacknowledged danger, shown on every view: what it is, where it is, and who acknowledges it.

import { button, byId, fill, h, onceAFrame, sign } from "./dom.js";
import { mayWrite, on, ownOrder } from "./store.js";
import { since, spoken, t } from "./words.js";
import { acknowledge, waiting } from "./alerts.js";
import { isSilent, onSound, wake } from "./sound.js";
import { look } from "./shell.js";

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
      more > 0 && button(t("more", { n: more }), "alarm more",
        () => look("feed")),
      isSilent() && button(t("sound.wake"), "alarm sound", wake)));
}

const line = (one) => h("li", { "data-alert": one.id },
  h("strong", {}, sign("danger"), " ", spoken(one.text)),
  h("span", {}, since(one.since)),
  h("span", { class: "row" },
    labelled("go.to", `go ${one.id}`, one, goTo),
    mayWrite() && labelled("acknowledge", `alarm seen ${one.id}`, one, acknowledge)));

/** A button whose label for a screen reader names the alert. */
const labelled = (word, key, one, work) => button(t(word), key, () => work(one),
  { "aria-label": `${t(word)}: ${spoken(one.text)}` });
