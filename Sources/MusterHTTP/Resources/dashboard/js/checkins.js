// Check-ins: the timers that run, the one due first on top.

import { button, h, say } from "./dom.js";
import { write } from "./api.js";
import { attempt, confirm, field, form } from "./dialog.js";
import { maySetPins, pinField, setPins, startCheckIn } from "./checkinform.js";
import { isCommand, isOwnTracker, load, loadedAt, mayWrite, myself, on, state } from "./store.js";
import { span, t } from "./words.js";
import { takes } from "./features.js";

const looks = { due: "warning", overdue: "danger", unaccounted: "danger" };
const mostTimers = 300;
/** A week. */
const mostMinutes = 10080;

/** An older node has no check-ins. */
const areOffered = () => takes("POST", "checkins/report");

/** Loads the timers again after each change of a person. */
export function openCheckIns() {
  on(["users"], () => { if (areOffered()) load("checkins"); });
}

/** The board; null without a running timer where none can be started. */
export function checkInBoard(pick) {
  const timers = state.checkins.filter((one) => one.state !== "done");
  const mayStart = areOffered() && mayWrite();
  if (timers.length === 0 && !mayStart) return null;
  return h("article", { class: "card", id: "checkins" },
    h("div", { class: "head" }, h("h3", {}, t("checkins")),
      h("span", { class: "row" },
        maySetPins() && button(t("checkin.pins"), "checkin pins", setPins),
        mayStart && button(t("checkin.start"), "checkin start", startCheckIn))),
    timers.length > 0 && h("ul", { class: "people", "aria-label": t("checkins") },
      timers.slice(0, mostTimers).map((one) => row(one, pick))));
}

function row(one, pick) {
  const user = state.users.get(one.user);
  const mayReport = (mayWrite() && !state.session && myself()?.id === one.user) || isCommand()
    || isOwnTracker(user);
  return h("li", { class: "person-line" },
    h("button", {
      class: "name", "data-key": `timer ${one.id}`, disabled: !user, onclick: () => pick(user),
    }, one.callsign),
    h("span", { class: `state ${look(one)}` }, word(one)),
    h("span", { class: "why" }, [left(one), one.note].filter(Boolean).join(" · ")),
    mayReport && h("span", { class: "act row" },
      button(t("checkin.extend"), `extend ${one.id}`, () => extend(one),
        { "aria-label": t("checkin.extend.of", { name: one.callsign }) }),
      button(t("checkin.stop"), `stop ${one.id}`, () => stop(one),
        { "aria-label": t("checkin.stop.of", { name: one.callsign }) }),
      button(`✓ ${t("checkin.ok")}`, `checkin ${one.id}`, () => checkIn(one),
        { "aria-label": t("checkin.of", { name: one.callsign }) })));
}

/** Who did not move for the set time is asked whether they are well. */
const isAsked = (one) => one.still && one.state === "reminder";
const look = (one) => (isAsked(one) ? "warning" : looks[one.state] ?? "neutral");
const word = (one) => t(isAsked(one) ? "checkin.still" : `checkin.${one.state}`);

/** The time to the latest due time, by this page's clock since the timers were loaded. */
function left(one) {
  if (one.latestSeconds === null) return "";
  const passed = (Date.now() - (loadedAt.checkins ?? Date.now())) / 1000;
  const seconds = Math.round(one.latestSeconds - passed);
  return seconds < 0 ? t("ago", { span: span(-seconds) }) : t("checkin.left", { span: span(seconds) });
}

const report = (one, more = {}) => write(
  "POST", "checkins/report", { kind: "ok", user: one.user, timer: one.id, ...more });

/** Asks for a PIN if the laptop requires one. Either of its two PINs gives the same answer. */
const checkIn = (one) => attempt(async () => {
  const pin = await pinField();
  if (pin) {
    const isDone = await form(t("checkin.of", { name: one.callsign }), [pin],
      (values) => report(one, values), t("checkin.ok"));
    if (!isDone) return;
  } else {
    await report(one);
  }
  say(t("checkin.done"));
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
  const reason = field("note", t("checkin.reason"), { required: one.user !== myself()?.id });
  await form(t("checkin.stop.of", { name: one.callsign }), [reason, await pinField()],
    (values) => report(one, { kind: "stop", ...values }), t("checkin.stop"));
});

/** Ends this node's alarm about a person under duress, after a question. */
export const clearDuress = (alert) => confirm(
  t("duress.clear.sure"), () => write("POST", "checkins/clear", { user: alert.row }),
  t("duress.clear"));
