// The page of a phone belongs to its owner: their danger and their timer with their order above all
// else, a MAYDAY of their team or near them with the way there, and one silent line for all other
// alarms. What concerns the owner sounds on this phone until its user silences it here: that is no
// acknowledgement, and the acknowledgement of others silences nothing.

import { button, byId, dotted, fill, h, onceAFrame, sign } from "./dom.js";
import { icon } from "./icons.js";
import { dueIn, isOwners, on, ownerOf, secondsLoaded, sortedUsers, speaker, state } from "./store.js";
import { after, because, statusWord, symbol, why } from "./status.js";
import { t } from "./words.js";
import { look } from "./shell.js";
import { minutes } from "./strip.js";
import { isWaiting, priority } from "./alerts.js";
import { checkIn, word } from "./checkins.js";
import { notify } from "./notices.js";
import { isSilent, onSound, repetition, sound } from "./sound.js";
import { arrow, onPosition, ownWay, wayFrom, wayWords } from "./way.js";
import { openWayLine } from "./map/way.js";

/** A MAYDAY within this distance concerns the owner; it no longer does beyond the larger one. */
const [nearMetres, farMetres] = [1000, 1200];
const mostMaydays = 3;
const kept = "silenced";

let pick = () => {};

/** @param showUser shows a person. */
export function openOwner(showUser) {
  pick = showUser;
  silenced = readSilenced();
  const soon = onceAFrame(draw);
  const judge = onceAFrame(raise);
  on(["users", "directives", "fences", "checkins", "alerts", "devices"], () => { soon(); judge(); });
  onPosition(() => { soon(); judge(); });
  addEventListener("resize", soon);
  setInterval(tick, 1000);
  setInterval(soon, 10000);
  setInterval(() => {
    const left = loud();
    if (isOwners() && left.some(({ level }) => level !== "warning")) sound(loudest(left));
  }, repetition.danger);
  onSound(soundMissed);
  openWayLine();
}

// MARK: What concerns the owner

/**
 * The dangers of the owner. A MAYDAY is shown only if the owner or command reported it openly: one
 * under duress must not be seen beside the person who called.
 */
const ownDangers = (me) => me.conditions.filter(({ status, severity }) => severity === "danger"
  && (status !== "mayday" || isOpenCall(me)));

const isOpenCall = ({ word: own, override }) => [own, override].some((one) => one?.claim === "help");

/** The running check-in of the owner that is due first. */
const ownTimer = (me) => state.checkins
  .filter(({ user, state: now }) => user === me.id && now !== "done")
  .sort((a, b) => (a.latestSeconds ?? Infinity) - (b.latestSeconds ?? Infinity))[0];

const calls = () => sortedUsers().filter(({ conditions, id }) => id !== speaker()?.id
  && conditions.some(({ status }) => status === "mayday"));

/** Those whose call was near once: positions jitter. */
let near = new Set();

/** The calls for help of the owner's team, or near the owner, as `user` and `way`; the nearest first. */
function maydays() {
  const me = speaker();
  const all = calls().map((user) => ({ user, way: wayFrom(user) }));
  const metres = ({ way }) => way?.distanceMetres ?? Infinity;
  near = new Set(all.filter((one) => metres(one) <= (near.has(one.user.id) ? farMetres : nearMetres))
    .map(({ user }) => user.id));
  return all.filter(({ user: { id, team } }) => near.has(id) || (me?.team && team === me.team))
    .sort((a, b) => metres(a) - metres(b) || 0);
}

const callID = ({ id, word: own, override }) => `mayday ${id} ${(override ?? own)?.saidAt ?? ""}`;

const checkInLevels = { reminder: "warning", due: "warning", overdue: "danger", unaccounted: "danger" };

/** What sounds: `id`, `level` and `text`. */
function alarms() {
  const me = speaker();
  if (!me) return [];
  const found = ownDangers(me)
    // The caller has no use for the sound, and may be hiding.
    .filter(({ status }) => status !== "mayday")
    .map((one) => ({ id: `danger ${one.status}`, level: "danger", text: reasonOf(one) }));
  const order = me.order && state.directives.get(me.order.id);
  if (order?.status === "open") {
    const left = dueIn(me.order);
    const isLate = left !== null && left < 0;
    const isRead = order.people.some((one) => one.user === me.id && one.answeredAt !== null);
    if (isLate || !isRead) {
      found.push({
        id: `order ${order.id}${isLate ? " late" : ""}`,
        level: isLate || order.kind === "evacuate" ? "danger" : "warning",
        text: t("duty.you", { order: t(`order.${order.kind}`) }),
      });
    }
  }
  const timer = ownTimer(me);
  const level = timer && checkInLevels[timer.state];
  if (level) {
    found.push({ id: `checkin ${timer.id} ${timer.state}`, level, text: dotted(t("own.checkin"), word(timer)) });
  }
  return found.concat(maydays().map(({ user, way }) => ({
    id: callID(user), level: "life", text: dotted(`MAYDAY ${user.callsign}`, wayWords(way)),
  })));
}

const reasonOf = (condition) => {
  const reason = why(condition);
  return statusWord(condition) + (reason && after(statusWord(condition), reason));
};

// MARK: Sound

/** What has sounded, and what the user silenced on this phone, by id. */
let heard = new Set();
let silenced = new Set();
let isMissed = false;

/** The alarms that the user has not silenced. */
const loud = () => alarms().filter(({ id }) => !silenced.has(id));

function raise() {
  const all = alarms();
  // A call that is out of reach for a moment stays silenced.
  const ids = new Set([...all.map(({ id }) => id), ...calls().map(callID)]);
  heard = new Set([...heard].filter((id) => ids.has(id)));
  if (state.users.size > 0 && [...silenced].some((id) => !ids.has(id))) {
    keepSilenced([...silenced].filter((id) => ids.has(id)));
  }
  const fresh = all.filter(({ id }) => !heard.has(id) && !silenced.has(id));
  for (const { id } of fresh) heard.add(id);
  if (fresh.length === 0 || !isOwners()) return;
  byId("heard").textContent = fresh.map(({ text }) => text).join(". ");
  notify(fresh);
  isMissed ||= isSilent();
  sound(loudest(fresh));
}

const loudest = (some) => ["life", "danger", "warning"].find((level) => some.some((one) => one.level === level));

/** The browser allows sound only after a touch: what was raised before sounds then. */
function soundMissed() {
  if (isSilent() || !isMissed) return;
  isMissed = false;
  const left = loud();
  if (left.length > 0 && isOwners()) sound(loudest(left));
}

function silence() {
  keepSilenced(alarms().map(({ id }) => id));
  draw();
}

function keepSilenced(ids) {
  silenced = new Set(ids);
  localStorage.setItem(kept, JSON.stringify({ owner: ownerOf(state.session), ids }));
}

function readSilenced() {
  try {
    const { owner, ids } = JSON.parse(localStorage.getItem(kept));
    return new Set(owner === ownerOf(state.session) ? ids : []);
  } catch {
    return new Set();
  }
}

// MARK: The strip

function draw() {
  const me = isOwners() && speaker();
  byId("owner").classList.toggle("first", Boolean(me));
  fill(byId("own-danger"), me && ownDangers(me).map((one) => danger(one, me)));
  const rows = me ? maydays().slice(0, mostMaydays) : [];
  fill(byId("own-rest"), me && timer(ownTimer(me)), rows.map(mayday),
    me && lastLine(new Set([me.id, ...rows.map(({ user }) => user.id)])));
}

function danger(one, me) {
  const way = me.order ? null : ownWay();
  const reason = after(statusWord(one), why(one)).replace(/^ — /, "");
  return h("div", { class: "mine danger" },
    h("strong", { class: "large" }, symbol(one), " ", statusWord(one)),
    h("span", {}, reason), way && h("span", { class: "to" }, arrow(way.bearingDegrees),
      h("span", {}, h("span", { class: "faint" }, `→ ${way.zone?.name ?? ""}`), h("br"), wayWords(way))));
}

function timer(one) {
  if (!one) return null;
  const look = checkInLevels[one.state];
  return h("div", { class: `mine ${look ?? ""}`, "data-own-timer": one.id },
    h("strong", {}, icon("timers"), " ", t("own.checkin")),
    h("span", { class: "large time", role: "timer" }, timeOf(one)),
    look && (one.state !== "reminder" || one.still) && h("span", {}, word(one)),
    button(`✓ ${t("checkin.ok")}`, "own checkin", () => checkIn(one), { class: "first" }));
}

const timeOf = (one) => (typeof one.latestSeconds === "number"
  ? minutes(one.latestSeconds - secondsLoaded("checkins")) : "");

function tick() {
  const row = document.querySelector("[data-own-timer]");
  const one = row && state.checkins.find(({ id }) => id === row.dataset.ownTimer);
  if (one) row.querySelector(".time").textContent = timeOf(one);
}

function mayday({ user, way }) {
  return h("div", { class: "mine danger mayday", "data-mayday": user.id },
    way && arrow(way.bearingDegrees),
    h("span", { class: "grow" }, h("strong", {}, sign("danger"), ` MAYDAY ${user.callsign}`), h("br"),
      // The row of the order states the age of the same position.
      way ? wayWords({ ...way, from: ownWay()?.from ? null : way.from }) : because(user)),
    button(t("go.to"), `mayday ${user.id}`, () => pick(user),
      { "aria-label": `${t("go.to")}: ${user.callsign}` }));
}

/** All other alarms as one line, and the button that silences this phone. */
function lastLine(shown) {
  const isShown = ({ kind, row, person, user }) =>
    kind !== "furtherCalls" && [row, person, user].some((id) => shown.has(id));
  const n = state.alerts.filter((one) => isWaiting(one)
    && priority(one) !== "message" && !isShown(one)).length;
  const isLoud = loud().length > 0;
  return (n > 0 || isLoud) && h("div", { class: "mine last" },
    n > 0 && button(t("others.n", { n }), "others", () => look("feed"), { class: "others" }),
    isLoud && button([icon("mute"), " ", t("silence")], "silence", silence, { class: "silence" }));
}
