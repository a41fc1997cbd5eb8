// Check-ins: the timers that run, the one due first on top. Their forms are in `checkinforms.js`.

import { button, byId, dotted, faint, fill, h, onceAFrame, say } from "./dom.js";
import { get, write } from "./api.js";
import { attempt, confirm, field, form } from "./dialog.js";
import { act } from "./queue.js";
import { isCommand, isOwnTracker, load, loadedAt, maySpeak, mayWrite, on, speaker, state } from "./store.js";
import { timeLeft } from "./status.js";
import { t } from "./words.js";
import { drawerHead } from "./shell.js";

const looks = { reminder: "warning", due: "warning", overdue: "warning", unaccounted: "danger" };
const mostTimers = 300;
/** A week. */
export const mostMinutes = 10080;

/** Draws the timers, and loads them again after each change of a person. @param pick shows one. */
export function openCheckIns(pick) {
  on(["users"], () => load("checkins"));
  const soon = onceAFrame(() => draw(pick));
  on(["checkins", "status", "devices"], soon);
  setInterval(soon, 10000);
}

/** Opens a form, whose code is loaded when it is needed. */
const forms = (name) => async () => (await import("./checkinforms.js"))[name]();

const running = () => state.checkins.filter((one) => one.state !== "done");

function draw(pick) {
  fill(byId("timers"), drawerHead("timers"),
    h("div", { class: "row asks" },
      maySpeak()
        && button(t("checkin.start"), "checkin start", forms("startCheckIn"), { class: "first" }),
      maySetPins() && button(t("checkin.pins"), "checkin pins", forms("setPins"))),
    timerList(pick) ?? faint(t("timers.none")));
}

/** The running timers, of one person or of all; null if there is none. */
export function timerList(pick, user) {
  const timers = running().filter((one) => user === undefined || one.user === user);
  return timers.length === 0 ? null : h("ul", { class: "people", "aria-label": t("checkins") },
    timers.slice(0, mostTimers).map((one) => row(one, pick)));
}

function row(one, pick) {
  const user = state.users.get(one.user);
  const isMine = maySpeak() && speaker()?.id === one.user;
  const mayReport = isMine || isCommand() || isOwnTracker(user);
  return h("li", { class: "person-line" },
    h("button", {
      class: "name", "data-key": `timer ${one.id}`, disabled: !user, onclick: () => pick(user),
    }, user?.callsign ?? one.callsign),
    h("span", { class: `state ${look(one)}` }, word(one)),
    h("span", { class: "why" }, dotted(left(one), one.note)),
    mayReport && h("span", { class: "act row" },
      button(t("checkin.extend"), `extend ${one.id}`, () => extend(one),
        { "aria-label": t("checkin.extend.of", { name: one.callsign }) }),
      button(t("checkin.stop"), `stop ${one.id}`, () => stop(one),
        { "aria-label": t("checkin.stop.of", { name: one.callsign }) }),
      button(`✓ ${t("checkin.ok")}`, `checkin ${one.id}`, () => checkIn(one),
        { "aria-label": t("checkin.of", { name: one.callsign }), class: isMine ? "first" : "" })));
}

/** Who did not move for the set time is asked whether they are well. */
const isAsked = (one) => one.still && one.state === "reminder";
const look = (one) => looks[one.state] ?? "neutral";
/** The state of a timer in words. */
export const word = (one) => t(isAsked(one) ? "checkin.still" : `checkin.${one.state}`);

/** The time to the latest due time, by this page's clock since the timers were loaded. */
export function left(one) {
  if (one.latestSeconds === null) return "";
  const passed = (Date.now() - (loadedAt.checkins ?? Date.now())) / 1000;
  const seconds = Math.round(one.latestSeconds - passed);
  return timeLeft(seconds);
}

const report = (one, more = {}) => write(
  "POST", "checkins/report", { kind: "ok", user: one.user, timer: one.id, ...more });

/** Asks for a PIN if the laptop requires one. Either of its two PINs gives the same answer. */
export const checkIn = (one) => attempt(async () => {
  const pin = await pinField();
  if (pin) {
    const isDone = await form(t("checkin.of", { name: one.callsign }), [pin],
      (values) => report(one, values), t("checkin.ok"));
    if (!isDone) return null;
  } else {
    const sent = await act("checkin", one.callsign, "POST", "checkins/report",
      { kind: "ok", user: one.user, timer: one.id });
    if (sent?.queued) return sent;
  }
  say(t("checkin.done"));
  return null;
});

const extend = (one) => attempt(async () => {
  const minutes = field("minutes", t("checkin.in.minutes"),
    { type: "number", value: 10, min: 1, max: mostMinutes, required: true });
  await form(t("checkin.extend.of", { name: one.callsign }), [minutes, await pinField()],
    ({ minutes: more, ...rest }) => report(
      one, { kind: "extend", seconds: Math.round(Number(more) * 60), ...rest }),
    t("checkin.extend"));
});

/** Stopping the timer of another person needs a reason. */
const stop = (one) => attempt(async () => {
  const reason = field("note", t("checkin.reason"), { required: one.user !== speaker()?.id });
  await form(t("checkin.stop.of", { name: one.callsign }), [reason, await pinField()],
    (values) => report(one, { kind: "stop", ...values }), t("checkin.stop"));
});

/** Ends this node's alarm about a person under duress, after a question. */
export const clearDuress = (alert) => confirm(
  t("duress.clear.sure"), () => write("POST", "checkins/clear", { user: alert.row }),
  t("duress.clear"));

/** The field of the PIN, if this laptop requires one; otherwise null. */
export async function pinField() {
  try {
    if (!(await get("checkins/pin")).isRequired) return null;
  } catch (error) {
    // Out of range: the node refuses what it requires one for.
    if (error.status === 0 && state.session) return null;
    throw error;
  }
  return field("pin", t("checkin.pin"), { type: "password", required: true, autocomplete: "off" });
}

/** Whether the user can set the PINs: on their own laptop only. */
const maySetPins = () => mayWrite() && state.session === null;
