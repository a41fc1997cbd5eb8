// The situation on paper, below the map: people, orders, check-ins, zones, open reports and alerts as tables.
// What the lists on the screen filter or leave out does not matter.

import { dotted, h } from "./dom.js";
import { passed, sortedUsers, state } from "./store.js";
import { byline, clock, said, since, t } from "./words.js";
import { mark, shortAge, statusWord } from "./status.js";
import { written } from "./place.js";
import { reasons } from "./roster.js";
import { left, word } from "./checkins.js";
import { minutes } from "./strip.js";
import { byUrgency, delivery, isEverywhere, isOpenReport } from "./reports.js";
import { actOf, alertText, priority } from "./alerts.js";
import { secondsLeft, zonesOf } from "./rollcall.js";

/** Longer texts may have several lines. */
const mostShort = 24;

/** The element with all tables that have rows. */
export const situation = () => h("div", { id: "situation", class: "paper" },
  people(), alerts(), orders(), timers(), reports(), zones());

/** A table with a heading; `heads` are keys of texts. Nothing without rows. */
function table(title, heads, rows) {
  return rows.length > 0 && h("section", {}, h("h2", {}, `${title} (${rows.length})`), h("table", {},
    h("thead", {}, h("tr", {}, heads.map((key) => h("th", { scope: "col" }, t(key))))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {
      class: typeof cell === "string" && cell.length > mostShort && "long" }, cell || "")))))));
}

const people = () => table(t("people"), ["state", "callsign", "team", "contact", "place", "reason"],
  sortedUsers().map((user) => [mark(user), user.callsign, user.team, shortAge(user, passed()),
    typeof user.lat === "number" && written(user.lat, user.lon), user.status !== "ok" && reasons(user)]));

const alerts = () => table(t("feed"), ["severity", "text", "track.time", "note"], state.alerts.map((one) => [
  t(`priority.${priority(one)}`), alertText(one), since(actOf(one)),
  one.shelved ? t("shelved.by", { ...one.shelved, time: clock(one.shelved.until) })
    : one.acknowledgedBy !== null && t("acknowledged", {
      name: byline(one.acknowledgedBy), ago: since(one.acknowledgedAt),
    })]));

const isOpen = ({ status }) => status === "open";

const orders = () => table(t("orders"), ["order.kind", "audience", "state", "unaccounted"],
  [...state.directives.values()].sort((a, b) => isOpen(b) - isOpen(a) || (a.createdAt < b.createdAt ? 1 : -1))
    .map((one) => {
      const people = one.people.filter((person) => !person.late && person.state !== "late");
      const missing = people.filter((person) => person.state === "unaccounted");
      const left = secondsLeft(one);
      return [
        dotted(t(`order.${one.kind}`) + (zonesOf(one) && ` → ${zonesOf(one)}`), one.text),
        dotted(said(one.audience, one.addressees), byline(one.callsign), since(one.createdAt)),
        dotted(t("accounted", { n: people.length - missing.length, of: people.length }),
          !isOpen(one) ? t("closed") : left !== null && minutes(left)),
        isOpen(one) && missing.map(named).join(", "),
      ];
    }));

/** "Ana (MAYDAY)". */
function named({ user, callsign }) {
  const known = state.users.get(user);
  return known && known.severity !== "neutral" ? `${callsign} (${statusWord(known)})` : callsign;
}

const timers = () => table(t("checkins"), ["callsign", "state", "track.time", "note"],
  state.checkins.filter((one) => one.state !== "done")
    .map((one) => [one.callsign, word(one), left(one), one.note]));

const reports = () => table(t("reports"), ["severity", "title", "category", "place", "track.time", "note"],
  [...state.reports.values()].filter(isOpenReport).sort(byUrgency).map((one) => [
    one.severity === null ? t("filter.unrated") : String(one.severity),
    dotted(one.title, one.toEvacuate && t("evacuate")), t(`category.${one.category}`),
    typeof one.lat === "number" && written(one.lat, one.lon), since(one.createdAt),
    dotted(byline(one.ownerCallsign), one.conflicts.length > 0 && t("conflict"),
      !isEverywhere(one) && delivery(one))]));

const zones = () => table(t("fences"), ["name", "kind", "zones.in"],
  [...state.fences.values()].sort((a, b) => b.active - a.active || (a.name < b.name ? -1 : 1)).map((one) => [
    one.name, dotted(t(`kind.${one.kind}`), !one.active && t("inactive")),
    one.inside.length === 0 ? "–" : `${one.inside.length}: ${one.inside.join(", ")}`]));
