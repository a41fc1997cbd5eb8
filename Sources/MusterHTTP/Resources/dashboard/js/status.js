// What the node judges of a person: one status, its severity, and every condition that applies.

import { h, sign } from "./dom.js";
import { ago, span, spoken, t } from "./words.js";

/** Worst first; so are lists sorted. */
export const severities = ["danger", "warning", "neutral", "safe"];
export const statuses = [
  "mayday", "accountedFor", "inHazard", "signedOff", "unaccounted", "overdue", "expected",
  "noContact", "ordered", "atAssembly", "reportedSafe", "noPosition", "ok",
];
const place = (list, one) => (list.indexOf(one) + list.length + 1) % (list.length + 1);

/** By severity, then by the order of the statuses, then the oldest news first. */
export const worstFirst = (a, b) =>
  place(severities, a.severity) - place(severities, b.severity)
  || place(statuses, a.status) - place(statuses, b.status)
  || (b.age?.seconds ?? Infinity) - (a.age?.seconds ?? Infinity)
  || (a.callsign < b.callsign ? -1 : 1);

const known = (severity) => (severities.includes(severity) ? severity : "neutral");

/** A user as the node sends it, with whatever the page needs to draw it. */
export function judged(user) {
  const severity = known(user.severity ?? { unsafe: "danger", safe: "safe" }[user.safety]);
  const conditions = user.conditions ?? [{ status: user.status, severity, reason: user.reason }];
  return { ...user, severity, conditions };
}

export const statusWord = ({ status, severity }) =>
  t(statuses.includes(status) ? `status.${status}` : `state.${known(severity)}`);

/** The sign and the word of a person's status. */
export const mark = (one, ...more) =>
  h("span", { class: `state ${known(one.severity)}` }, sign(known(one.severity)), " ",
    statusWord(one), ...more);

/** Every condition but the one that gives the status its name. */
export const others = (user) => user.conditions.filter(({ status }) => status !== user.status);

/** As a label: its word, and the reason in full where a pointer rests on it. */
export const label = (condition) => h("span", {
  class: `chip state ${known(condition.severity)}`, title: spoken(condition.reason ?? ""),
}, statusWord(condition));

/** Why the status is what it is. */
export const because = (user) => spoken(
  user.conditions.find(({ status }) => status === user.status)?.reason ?? user.reason ?? "");

/** "heard 2 min ago"; an interval where the clocks do not say it more closely. */
export function heard({ age }, passed = 0) {
  if (!age) return "";
  if (age.seconds === null || age.seconds === undefined) return t("heard.never");
  const from = age.seconds + passed;
  const most = age.atMostSeconds;
  const words = most === null ? t("heard.least", { span: span(from) })
    : most !== undefined && most - age.seconds > Math.max(60, age.seconds / 2)
      ? t("heard.between", { from: span(from), to: span(most + passed) })
      : t("heard", { ago: ago(from) });
  return age.reason ? `${words} (${spoken(age.reason)})` : words;
}

const compass = ["n", "ne", "e", "se", "s", "sw", "w", "nw"];

/** "1.2 km north-east (47°)". */
export function bearing({ distanceMetres, bearingDegrees }) {
  if (distanceMetres === null || distanceMetres === undefined) return "";
  const far = distanceMetres < 1000 ? `${Math.round(distanceMetres / 10) * 10} m`
    : `${(distanceMetres / 1000).toFixed(distanceMetres < 10000 ? 1 : 0)} km`;
  if (bearingDegrees === null || bearingDegrees === undefined) return far;
  const way = t(`compass.${compass[Math.round(bearingDegrees / 45) % 8]}`);
  return `${far} ${way} (${Math.round(bearingDegrees)}°)`;
}

/** "8 min left", or how long overdue. */
export function timeLeft(seconds) {
  if (seconds === null || seconds === undefined) return "";
  return seconds < 0 ? t("time.over", { span: span(-seconds) })
    : t("time.left", { span: span(seconds) });
}
