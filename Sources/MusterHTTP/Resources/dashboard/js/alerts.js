// What alerts state: priority, text, and of a person who calls for help where they are. The node sends
// them in the order of every list.

import { dotted } from "./dom.js";
import { dueIn, fixAge, secondsLoaded, state } from "./store.js";
import { approach, metresBetween } from "./geometry.js";
import { ago, said, t } from "./words.js";

const calls = ["help", "duress", "furtherCalls"];
const byLevel = { danger: "danger", warning: "warning", notice: "message" };

/** `life`, `danger`, `warning` or `message`. */
export const priority = (one) =>
  one.priority ?? (calls.includes(one.kind) ? "life" : byLevel[one.level]);

export const isLife = (one) => priority(one) === "life";
export const isAlarm = (one) => ["life", "danger"].includes(priority(one));
export const isWaiting = ({ acknowledgedBy, shelved }) => acknowledgedBy === null && !shelved;

/** The text in the user's language. */
export const alertText = ({ phrase, text }) => said(withoutPlace(phrase), text);

/** Where a person is stands beside them on the map and in their panel: a row has no coordinates. */
const withoutPlace = (phrase) => (phrase?.key !== "lastKnown" ? phrase
  : { ...phrase, values: { ...phrase.values, position: "" } });

/** A row of the strip needs its room for where the caller is: MAYDAY and the alarm stand there. */
export function shortText(one) {
  const { name, reason } = one.phrase?.key === "about" ? one.phrase.values : {};
  if (reason?.key !== "askedForHelp") return alertText(one);
  let { note } = reason.values;
  if (note?.key === "callNote") {
    const parts = note.values.parts.filter(({ key }) => key !== "sharedToken");
    note = { ...note, values: { parts } };
  }
  return note ? t("about", { name, reason: note }) : t("names", { names: name });
}

/** From when its age counts: from the act, else from when the node raised it. */
export const actOf = ({ since, happenedAt }) => happenedAt ?? since;

/** The person that an alert is about. */
export const personOf = ({ person, row }) => state.users.get(person ?? row);

/** "MAYDAY Ben": the name of a call in a short list. */
export const callName = (one) =>
  (one.kind === "furtherCalls" ? null : personOf(one)?.callsign) ?? alertText(one);

const nearZoneMetres = 3000;
const nearPersonMetres = 3000;
const mostNear = 2;
const metresOfDegree = 111320;

/** Where a person is, with age; their crew; the time of their check-in or order; who is near. */
export function situation(user) {
  if (!user) return "";
  const age = fixAge(user);
  const place = user.lat === null ? t("status.noPosition")
    : [zoneOf(user), age === null ? t("way.unknown") : ago(age)].filter(Boolean).join(", ");
  return dotted(user.team, place, dueOf(user), nearOf(user));
}

function zoneOf(user) {
  let best = null;
  for (const zone of state.fences.values()) {
    const way = zone.active && approach(user, zone);
    if (way && way.distanceMetres <= (best?.metres ?? nearZoneMetres)) {
      best = { metres: way.distanceMetres, name: zone.name };
    }
  }
  return best && (best.metres === 0 ? best.name : `${far(best.metres)} → ${best.name}`);
}

const far = (metres) => (metres < 1000 ? `${Math.round(metres / 10) * 10} m`
  : `${Number((metres / 1000).toFixed(1))} km`);

function dueOf(user) {
  const [left] = state.checkins.filter((one) => one.user === user.id && one.state !== "done"
    && typeof one.latestSeconds === "number")
    .map((one) => one.latestSeconds - secondsLoaded("checkins"))
    .concat(user.order && dueIn(user.order) !== null ? [dueIn(user.order)] : [])
    .sort((a, b) => a - b);
  if (left === undefined) return "";
  const minutes = Math.ceil(Math.abs(left) / 60);
  return t(left < 0 ? "timer.over" : "timer.left", { time: t("minutes", { n: minutes }) });
}

/** The nearest others with a position. */
function nearOf(user) {
  if (user.lat === null) return "";
  const reach = nearPersonMetres / metresOfDegree;
  const near = [];
  for (const other of state.users.values()) {
    if (other.lat === null || other.id === user.id || Math.abs(other.lat - user.lat) > reach
      || other.status === "signedOff" || other.status === "mayday") continue;
    const metres = metresBetween(user, other);
    if (metres <= nearPersonMetres) near.push({ metres, name: other.callsign });
  }
  near.sort((a, b) => a.metres - b.metres);
  const names = near.slice(0, mostNear).map(({ name, metres }) => `${name} ${far(metres)}`).join(", ");
  return names && t("alarm.near", { names });
}
