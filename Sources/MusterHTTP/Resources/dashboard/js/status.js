// The status of a person as assessed by the node: status, severity and all conditions.

import { h, sign } from "./dom.js";
import { ago, said, span, t } from "./words.js";

/** Worst first, the sort order of lists. */
export const severities = ["danger", "warning", "neutral", "safe"];
export const statuses = [
  "mayday", "accountedFor", "inHazard", "signedOff", "unaccounted", "overdue", "expected",
  "noContact", "ordered", "atAssembly", "reportedSafe", "oldPosition",
  "noPosition", "ok",
];
const place = (list, one) => (list.indexOf(one) + list.length + 1) % (list.length + 1);

/** Sorts by severity, then status, then oldest contact first. */
export const worstFirst = (a, b) => a.rank - b.rank
  || (b.age?.seconds ?? Infinity) - (a.age?.seconds ?? Infinity)
  || (a.callsign < b.callsign ? -1 : 1);

const known = (severity) => (severities.includes(severity) ? severity : "neutral");

/** A user as sent by the node, with the values that the page displays. */
export function judged(user) {
  const severity = known(user.severity ?? { unsafe: "danger", safe: "safe" }[user.safety]);
  const conditions = user.conditions ?? [{ status: user.status, severity, reason: user.reason }];
  // Once for each user, not in each comparison of ten thousand.
  const rank = place(severities, severity) * 100 + place(statuses, user.status);
  return { ...user, callsign: nameOf(user), severity, conditions, rank };
}

/** The callsign; the node names a person without one in English, by the id. */
function nameOf({ id, role, owner, callsign }) {
  const short = id.slice(0, 8);
  const isNameless = role === "unknown" && callsign !== short && callsign.endsWith(` ${short}`);
  return isNameless ? t(owner ? "unknownTracker" : "unknownPerson", { id: short }) : callsign;
}

export const statusWord = ({ status, severity }) =>
  t(statuses.includes(status) ? `status.${status}` : `state.${known(severity)}`);

const letters = [...t("letters")];
/** One letter for each status, on its symbols in lists and on the map. */
export const letter = ({ status }) => letters[statuses.indexOf(status)] ?? "";

/** A reason after its word, which it may repeat: "In contact" has nothing more. */
export const after = (word, why) => (why.toLowerCase().startsWith(word.toLowerCase())
  ? why.slice(word.length) : ` — ${why}`);

/** The symbol of a person's status. */
export const symbol = (one) => sign(known(one.severity), letter(one));

/** The symbol and label of a person's status. */
export const mark = (one, ...more) =>
  h("span", { class: `state ${known(one.severity)}` }, symbol(one), " ", statusWord(one), ...more);

/** All conditions except the one shown as the status. */
export const others = (user) => user.conditions.filter(({ status }) => status !== user.status);

/** Why the status is what it is. */
export const because = (user) => why(
  user.conditions.find(({ status }) => status === user.status) ?? user);

/** The reason of a condition. */
export const why = ({ phrase, reason }) => said(phrase, reason);

/** "battery 12 %"; empty if the node does not know it. */
export const battery = ({ battery: percent }) =>
  (typeof percent === "number" ? t("battery", { percent }) : "");

/** A low charge, of 15 % or less. */
export const isLow = ({ battery: percent }) => typeof percent === "number" && percent <= 15;

/** "last contact 2 min ago", for a list. */
export const heard = (user, passed) => (!user.age ? ""
  : isHeard(user) ? t("contact.last", { ago: contactAge(user, passed) }) : t("contact.never"));

const isHeard = ({ age }) => (age.seconds ?? null) !== null;

/** "2 min" since the last contact, for a narrow column; empty without any. */
export const shortAge = (user, passed) =>
  (user.age && isHeard(user) ? span(user.age.seconds + passed) : "–");

/** "2 min ago"; an interval if the clocks allow nothing more precise. */
export function contactAge(user, passed) {
  if (!isHeard(user)) return t("contact.never");
  const { age } = user;
  const from = age.seconds + passed;
  const most = age.atMostSeconds;
  const words = most === null ? t("ago.least", { span: span(from) })
    : most !== undefined && most - age.seconds > Math.max(60, age.seconds / 2)
      ? t("ago.between", { from: span(from), to: span(most + passed) })
      : ago(from);
  return age.reason ? `${words} (${t("clock.differs")})` : words;
}

const compass = ["n", "ne", "e", "se", "s", "sw", "w", "nw"];

/** "1.2 km north-east (47°)", as the node writes it in alerts. */
export function bearing({ distanceMetres, bearingDegrees }) {
  if (distanceMetres === null || distanceMetres === undefined) return "";
  const far = distanceMetres < 100 ? `${distanceMetres} m`
    : distanceMetres < 1000 ? `${Math.trunc(distanceMetres / 10) * 10} m`
      : distanceMetres < 10000 ? `${(Math.trunc(distanceMetres / 100) / 10).toFixed(1)} km`
        : `${Math.trunc(distanceMetres / 1000)} km`;
  if (bearingDegrees === null || bearingDegrees === undefined) return far;
  const way = t(`compass.${compass[Math.round(bearingDegrees / 45) % 8]}`);
  return `${far} ${way} (${Math.round(bearingDegrees) % 360}°)`;
}

/** "8 min left", or how long overdue. */
export function timeLeft(seconds) {
  if (seconds === null || seconds === undefined) return "";
  // What is left is never shown as less than a minute that has begun.
  return seconds < 0 ? t("timer.over", { time: span(-seconds) })
    : t("timer.left", { time: span(seconds < 60 ? Math.ceil(seconds) : Math.ceil(seconds / 60) * 60) });
}
