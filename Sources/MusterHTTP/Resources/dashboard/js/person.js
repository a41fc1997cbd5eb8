// One person in the detail panel: all known data, and the actions of command.

import { button, dotted, faint, fill, h, onceAFrame } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt, field, form } from "./dialog.js";
import { act } from "./queue.js";
import {
  dueIn, fixAge, isCommand, isOwners, isOwnTracker, on, passed, speaker, state,
} from "./store.js";
import { ago, byline, since, t } from "./words.js";
import {
  after, battery, contactAge, isLow, others, statusWord, symbol, timeLeft, why,
} from "./status.js";
import { arrow, onPosition, orderWay, wayFrom, wayWords } from "./way.js";
import { written } from "./place.js";
import { openPanel, panelHead, panelOf, shownInPanel } from "./shell.js";
import { answerCall, mayAnswer } from "./alarm.js";
import { permitButton, permitList } from "./permits.js";
import { drawRoster } from "./roster.js";
import { goTo, showMap, theMap } from "./map/map.js";

/** Draws the person that the panel shows again, since statuses and ages change. */
export function openPersons() {
  const again = onceAFrame(() => {
    const user = state.users.get(shownInPanel().replace("user ", ""));
    const body = user && panelOf(`user ${user.id}`);
    if (body) draw(body, user);
  });
  on(["users", "devices", "fences", "directives", "permits", "status"], again);
  onPosition(again);
  setInterval(again, 10000);
}

export function showPerson(user) {
  draw(openPanel(`user ${user.id}`, drawRoster), user);
  drawRoster();
  goTo(user);
}

/** The log of the person that is shown, once it was requested. */
let log = null;

async function showLog(user) {
  log = { id: user.id, element: await (await import("./replay.js")).logOf(user) };
  const body = panelOf(`user ${user.id}`);
  if (body) draw(body, user);
}

/** The module about phones, once a person with one was shown. */
let phones = null;

function phoneNotes(user) {
  if (!user.phone && user.role !== "tracker") return null;
  phones ??= import("./phone.js").then(async (module) => {
    await module.ready();
    phones = module;
    const body = panelOf(`user ${user.id}`);
    if (body) draw(body, user);
  });
  return phones.notes && h("tr", {}, h("th", { scope: "row" }, t("phone.row")),
    h("td", {}, phones.notes(user)));
}

function draw(body, user) {
  const line = (word, value) =>
    value && h("tr", {}, h("th", { scope: "row" }, word), h("td", {}, value));
  const { order } = user;
  const way = isOwners() && user.id !== speaker()?.id ? wayFrom(user) : null;
  const zones = [...state.fences.values()]
    .filter((fence) => fence.active && fence.inside.includes(user.callsign))
    .map(({ name }) => name).join(", ");
  fill(body, panelHead(user.callsign),
    h("ul", { class: "conditions", "aria-label": t("conditions") }, conditions(user)),
    h("div", { class: "row" }, actions(user)),
    h("table", {}, h("tbody", {},
      line(t("role"), t(`role.${user.role}`)), line(t("team"), user.team || "–"),
      way && line(t("way.from.you"), h("span", { class: "to" }, arrow(way.bearingDegrees), wayWords(way))),
      line(t("place"), place(user)), line(t("fixed"), ago(fixAge(user))),
      line(t("zones.in"), zones),
      line(t("contact"), user.age && contactAge(user, passed())),
      order && line(t("order.kind"), dotted(t(`order.${order.kind}`) + zoneName(order),
        orderWay(user), timeLeft(dueIn(order)))),
      battery(user) && line(t("battery.row"),
        h("span", { class: isLow(user) ? "state warning" : "" }, `${user.battery} %`)),
      phoneNotes(user),
      user.word && line(t("word"), statement(user.word)),
      user.override && line(t("override"), statement(user.override)))),
    permitList(user), log?.id === user.id && log.element);
}

const zoneName = ({ zone, zoneName: name }) => {
  const known = name || state.fences.get(zone)?.name;
  return known ? ` → ${known}` : "";
};

/** The status first, and then all other conditions. */
const conditions = (user) => [
  user.conditions.find(({ status }) => status === user.status) ?? user, ...others(user),
].map(condition);

function condition(one) {
  const [word, reason] = [statusWord(one), why(one)];
  return h("li", { class: `state ${one.severity}` }, symbol(one), " ", word,
    reason && h("span", { class: "why" }, after(word, reason)));
}

const place = ({ lat, lon, accuracyMetres }) =>
  written(lat, lon) + (accuracyMetres ? ` ± ${Math.round(accuracyMetres)} m` : "");

function statement({ claim, callsign, saidAt, note }) {
  const word = t(claim === "safe" ? "state.safe" : "help");
  return `${word} — ${byline(callsign)}, ${since(saidAt)}${note ? `: “${note}”` : ""}`;
}

/** The actions for a person. */
function actions(user) {
  const action = (word, work, look) => button(t(word), word, work, { class: look });
  const path = `users/${segment(user.id)}`;
  const clear = () => write("DELETE", `${path}/override`);
  const call = state.alerts.find((one) => one.row === user.id && mayAnswer(one));
  const isAway = user.conditions.some(({ status }) => status === "signedOff");
  return [
    isCommand() && action("override.safe", () => override(user, "safe")),
    isCommand() && action("override.help", () => override(user, "help"), "danger"),
    isCommand() && user.override && action("override.clear", () => attempt(clear, t("done"))),
    ...(mayReportFor(user) ? [
      action("report.help", () => reportFor(user, "help"), "danger"),
      action("report.safe", () => reportFor(user, "safe")),
    ] : []),
    user.lat !== null && theMap() && action("on.map", () => { showMap(); goTo(user); }),
    user.lat !== null && theMap() && action("track", () => {
      showMap();
      attempt(async () => (await import("./map/track.js")).showTrack(theMap(), user));
    }),
    action("past.log", () => attempt(() => showLog(user))),
    call && action("answer", () => answerCall(call)),
    isCommand() && action("order.message", () => answerCall(user)),
    isCommand() && action("team.set", () => team(user)),
    permitButton(user),
    isCommand() && (isAway
      ? action("sign.on", () => attempt(() => write("DELETE", `${path}/signoff`), t("done")))
      : action("sign.off", () => signOff(user))),
  ];
}

/** Opens a form, whose code is loaded when it is needed. */
const opened = (name) => async (...all) => (await import("./personforms.js"))[name](...all);
export const override = opened("override");
const signOff = opened("signOff");
const team = opened("team");

/** A person who has only a phone: its owner reports for them. Command sets their status. */
const mayReportFor = (user) => isOwnTracker(user) && !isCommand();

const reportFor = (user, safety) => reportSafety(
  t(`report.${safety}.of`, { name: user.callsign }), `users/${segment(user.id)}/safety`, safety);

/** The user's own report of safety, with a note. */
export const claim = (safety) => reportSafety(t(`claim.${safety}`), "me/safety", safety);

/** The same at once, without a note. */
export const claimNow = (safety) =>
  attempt(() => act(safety, "", "PUT", "me/safety", { safety }), t(`claimed.${safety}`));

const reportSafety = (title, path, safety) => form(
  title, [field("note", t("note"), { type: "area" })],
  ({ note }) => act(safety, note, "PUT", path, { safety, ...(note ? { note } : {}) }), t("send"));
