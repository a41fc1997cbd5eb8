// The feed: alerts above, then those that command shelved, and zone events below.

import { button, byId, dotted, faint, fill, h, onceAFrame } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt, field, form } from "./dialog.js";
import { isCommand, mayWrite, on, state } from "./store.js";
import { byline, clock, language, since, t } from "./words.js";
import { acknowledge, answerCall, mayAnswer, waiting } from "./alarm.js";
import { actOf, alertText, isAlarm, isWaiting, priority } from "./alerts.js";
import { answer } from "./rollcall.js";
import { drawerHead } from "./shell.js";
import { calls } from "./contacts.js";
import { clearDuress } from "./checkins.js";

const most = 150;
const cards = { life: "danger-card", danger: "danger-card", warning: "warning-card", message: "" };
let goTo = () => {};
/** Draws the unverified calls; loaded with the first one. */
let unverified = null;

/** @param lead shows what an alert is about. */
export function openFeed(lead) {
  goTo = lead;
  const view = byId("feed");
  // Stays while the lists below are redrawn, so that typed text is not lost.
  const name = h("input", {
    maxlength: 100, value: localStorage.getItem("name") ?? "",
    onchange: (event) => localStorage.setItem("name", event.target.value.trim()),
  });
  fill(view, drawerHead("feed"), h("div", { id: "alerts" }),
    // A logged-in user acknowledges under their own name only.
    state.session === null && h("label", { class: "as" }, h("span", {}, t("acknowledge.as")), name),
    h("div", { id: "events" }));
  on(["calls"], loadCalls);
  on(["status"], (status) => { name.placeholder = status.callsign; });
  on(["alerts", "calls", "events", "proximity", "status"], onceAFrame(draw));
  setInterval(draw, 15000);
}

async function loadCalls() {
  if (unverified || !hasCalls()) return;
  ({ unverifiedCalls: unverified } = await import("./unverified.js"));
  draw();
}
const hasCalls = () => state.calls?.items.length > 0;

/** The days of keys are those of UTC. */
export const weekday = (day) =>
  new Date(day).toLocaleDateString(language, { weekday: "long", timeZone: "UTC" });

/** The notices about the user of this laptop, as cards. */
export const exposures = (log) => (log?.notices ?? []).map(({ id, kind, text, days }) =>
  h("li", { class: "card warning-card", "data-exposure": id },
    h("strong", { class: "warning" }, t(`exposed.${kind}`)), " ",
    days.map(({ day, minutes }) => t("exposed.near", { minutes, day: weekday(day) })).join(" "),
    text && h("div", {}, text)));

function draw() {
  const { alerts } = state;
  const events = [...state.events].reverse().slice(0, most);
  // A message needs no response.
  const n = waiting().filter((one) => priority(one) !== "message").length;
  byId("waiting").replaceChildren(n > 0 ? String(n) : "");
  const nearby = exposures(state.proximity);
  const focused = byId("alerts").contains(document.activeElement) ? document.activeElement.dataset.key : "";
  const shelved = alerts.filter((one) => one.shelved);
  const rows = (some) => some.length > 0 && h("ul", {}, some.map(alert));
  // Unverified calls are the first warning.
  fill(byId("alerts"), nearby.length > 0 && h("ul", {}, nearby),
    rows(alerts.filter(isAlarm)), hasCalls() && unverified?.(),
    rows(alerts.filter((one) => !isAlarm(one) && !one.shelved)),
    shelved.length > 0 && h("h3", {}, t("shelved")), rows(shelved),
    alerts.length === 0 && faint(t("alerts.none")));
  // The button of an alert that was acknowledged is gone.
  if (focused?.startsWith("seen ") && document.activeElement === document.body) {
    byId("alerts").querySelector(`[data-key="${CSS.escape(focused.replace("seen", "lead"))}"]`)?.focus();
  }
  fill(byId("events"), h("h3", {}, t("events")),
    events.length === 0
      ? faint(t("events.none")) : h("ul", {}, events.map(event)));
}

const look = (one) => (isWaiting(one) ? cards[priority(one)] : "seen");

/** Members who acknowledged an alert that command has not. */
function members({ acknowledgements = [] }) {
  const names = acknowledgements.filter(({ role }) => role !== "command").map(({ name }) => name);
  return names.length > 0
    && h("span", { class: "faint" }, t("acknowledged.members", { names: names.join(", ") }));
}

const alert = (one) => h("li", { class: `card ${look(one)}` },
  h("strong", { class: isAlarm(one) ? "danger" : "" }, t(`priority.${priority(one)}`)),
  " ", alertText(one), calls(one),
  one.shelved && faint(t("shelved.by", { ...one.shelved, time: clock(one.shelved.until) })),
  h("div", { class: "row" }, h("span", { class: "faint" }, since(actOf(one))),
    one.acknowledgedBy === null ? members(one) : h("span", { class: "faint" }, t("acknowledged", {
      name: byline(one.acknowledgedBy), ago: since(one.acknowledgedAt),
    })),
    // The calls themselves are listed above.
    one.kind !== "unverifiedCall" && button(t("go.to"), `lead ${one.id}`, () => goTo(one)),
    one.acknowledgedBy === null && mayWrite()
      && button(t("acknowledge"), `seen ${one.id}`, () => acknowledge(one)),
    isCommand() && (one.shelved ? button(t("shelve.back"), `unshelve ${one.id}`, () => unshelve(one))
      : mayShelve(one) && button(t("shelve"), `shelve ${one.id}`, () => shelve(one))),
    mayAnswer(one) && button(t("answer"), `answer ${one.id}`, () => answerCall(one)),
    one.kind === "duress" && isCommand()
      && button(t("duress.clear"), `clear ${one.row}`, () => clearDuress(one)),
    one.kind === "directive" && mayWrite()
      && button(t("answer"), `ack ${one.row}`, () => answer({ id: one.row }))));

// MARK: Shelving

/** Warnings about calls for help, or about what the own user is to do. */
const unshelvable = ["unverifiedCall", "calledOff", "directive", "stillness", "inHazard"];
const mayShelve = (one) => priority(one) === "warning" && !unshelvable.includes(one.kind);
const place = ({ id }) => `alerts/${segment(id)}/shelve`;

const shelve = (one) => form(t("shelve"), [
  faint(alertText(one)),
  field("minutes", t("checkin.in.minutes"), { type: "number", min: 1, max: 60, value: 15, required: true }),
  field("reason", t("reason"), { required: true, maxlength: 200 }),
], ({ minutes, reason }) => write("POST", place(one), { minutes: Number(minutes), reason }), t("shelve"));

const unshelve = (one) => attempt(() => write("DELETE", place(one)), t("done"));

const event = (one) => h("li", { class: "card" },
  h("strong", {}, one.callsign), ` ${t(`event.${one.type}`)} `, h("strong", {}, one.fenceName),
  h("div", { class: "faint" }, dotted(
    clock(one.sampleTime), since(one.sampleTime), one.baseline && t("baseline"))));
