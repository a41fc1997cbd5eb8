// Alerts: which are not acknowledged, the sound of new ones, and who acknowledged them.

import { announce, byId } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt } from "./dialog.js";
import { on, state } from "./store.js";
import { spoken, t } from "./words.js";
import { sound } from "./sound.js";

/** The interval between sounds of unacknowledged danger. */
const again = 60000;
let heard = null;

export function openAlerts() {
  on(["alerts"], alarm);
  setInterval(() => { if (waiting().some((a) => a.level === "danger")) sound(true); }, again);
}

export const waiting = () => state.alerts.filter((a) => a.acknowledgedBy === null);

/** Alerts that exist when the page opens make no sound, nor do acknowledged ones. */
function alarm(alerts) {
  const fresh = heard === null ? []
    : alerts.filter((a) => !heard.has(a.id) && a.acknowledgedBy === null);
  heard = new Set(alerts.map((a) => a.id));
  const urgent = fresh.filter((a) => a.level !== "notice");
  // Outside all views, so that a screen reader reads new alerts in every view.
  if (urgent.length > 0) byId("heard").textContent = urgent.map((a) => spoken(a.text)).join(". ");
  if (urgent.length > 0) sound(urgent.some((a) => a.level === "danger"));
  announce(fresh.filter((a) => a.level === "notice").map((a) => spoken(a.text)));
}

/** Under the name entered in the feed; without one, the node uses its own user's name. */
export const acknowledge = (one) => attempt(() => {
  const name = localStorage.getItem("name");
  return write("POST", `alerts/${segment(one.id)}/acknowledge`, name ? { name } : {});
}, t("done"));
