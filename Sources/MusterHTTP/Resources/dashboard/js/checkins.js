// Check-ins: the timers that run, the one due first on top.

import { h, say } from "./dom.js";
import { get, write } from "./api.js";
import { attempt, confirm, field, form } from "./dialog.js";
import { isCommand, isOwnTracker, load, loadedAt, mayWrite, myself, on, state } from "./store.js";
import { span, t } from "./words.js";
import { takes } from "./features.js";

const looks = { due: "warning", overdue: "danger", unaccounted: "danger" };
const mostTimers = 300;

/** An older node has no check-ins. */
const areOffered = () => takes("POST", "checkins/report");

/** Loads the timers again after each change of a person. */
export function openCheckIns() {
  on(["users"], () => { if (areOffered()) load("checkins"); });
}

/** The board; null without a running timer. */
export function checkInBoard(pick) {
  const timers = state.checkins.filter((one) => one.state !== "done");
  if (timers.length === 0) return null;
  return h("article", { class: "card", id: "checkins" },
    h("div", { class: "head" }, h("h3", {}, t("checkins"))),
    h("ul", { class: "people", "aria-label": t("checkins") },
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
    mayReport && h("button", {
      class: "act", "data-key": `checkin ${one.id}`,
      "aria-label": t("checkin.of", { name: one.callsign }), onclick: () => checkIn(one),
    }, `✓ ${t("checkin.ok")}`));
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
  if (takes("GET", "checkins/pin") && (await get("checkins/pin")).isRequired) {
    const isDone = await form(
      t("checkin.of", { name: one.callsign }),
      [field("pin", t("checkin.pin"), { type: "password", required: true, autocomplete: "off" })],
      ({ pin }) => report(one, { pin }), t("checkin.ok"));
    if (!isDone) return;
  } else {
    await report(one);
  }
  say(t("checkin.done"));
});

/** Ends this node's alarm about a person under duress, after a question. */
export const clearDuress = (alert) => confirm(
  t("duress.clear.sure"), () => write("POST", "checkins/clear", { user: alert.row }),
  t("duress.clear"));
