// Alerts wherever they are shown: which wait for somebody, the sound of new ones, and who took notice.

import { byId } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt } from "./dialog.js";
import { on, state } from "./store.js";
import { spoken, t } from "./words.js";
import { sound } from "./sound.js";

/** As long as danger that nobody has acknowledged is silent between two sounds. */
const again = 60000;
let heard = null;

export function openAlerts() {
  on(["alerts"], alarm);
  setInterval(() => { if (waiting().some((a) => a.level === "danger")) sound(true); }, again);
}

export const waiting = () => state.alerts.filter((a) => a.acknowledgedBy === null);

/** What is there when the page opens makes no sound, nor what is acknowledged. */
function alarm(alerts) {
  const fresh = heard === null ? []
    : alerts.filter((a) => !heard.has(a.id) && a.acknowledgedBy === null);
  heard = new Set(alerts.map((a) => a.id));
  // Where no view hides it: a screen reader reads what is new, whatever is looked at.
  if (fresh.length > 0) byId("heard").textContent = fresh.map((a) => spoken(a.text)).join(". ");
  if (fresh.some((a) => a.level !== "notice")) sound(fresh.some((a) => a.level === "danger"));
}

/** By the name that stands in the feed; without one the node puts its own user's. */
export const acknowledge = (one) => attempt(() => {
  const name = localStorage.getItem("name");
  return write("POST", `alerts/${segment(one.id)}/acknowledge`, name ? { name } : {});
}, t("done"));
