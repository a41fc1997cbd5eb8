// One person: all known data, and the actions of command.

import { button, faint, h, sign } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt, control, field, form, show } from "./dialog.js";
import { fixAge, isCommand, isOwnTracker, passed, state } from "./store.js";
import { ago, since, spoken, t } from "./words.js";
import { battery, contactAge, isLow, others, statusWord } from "./status.js";
import { written } from "./place.js";
import { takes } from "./features.js";
import { goTo, theMap } from "./map/map.js";
import { showTrack } from "./map/track.js";

export function showPerson(user) {
  const line = (word, value) => h("tr", {}, h("th", { scope: "row" }, word), h("td", {}, value));
  const dialog = show(user.callsign,
    h("ul", { class: "conditions", "aria-label": t("conditions") }, conditions(user)),
    h("table", {}, h("tbody", {},
      line(t("role"), t(`role.${user.role}`)), line(t("team"), user.team || "–"),
      line(t("place"), place(user)), line(t("fixed"), ago(fixAge(user))),
      user.age && line(t("contact"), contactAge(user, passed())),
      battery(user) && line(t("battery.row"),
        h("span", { class: isLow(user) ? "state warning" : "" }, `${user.battery} %`)),
      user.word && line(t("word"), said(user.word)),
      user.override && line(t("override"), said(user.override)))),
    h("div", { class: "row end" }, actions(user, () => dialog.close()),
      h("button", { class: "first", onclick: () => dialog.close() }, t("close"))));
  goTo(user);
}

/** The status first, and then all other conditions. */
const conditions = (user) => [
  user.conditions.find(({ status }) => status === user.status) ?? user, ...others(user),
].map(condition);

const condition = (one) => h("li", { class: `state ${one.severity}` },
  sign(one.severity), " ", statusWord(one), one.reason && h("span", { class: "why" },
    ` — ${spoken(one.reason)}`));

const place = ({ lat, lon, accuracyMetres }) =>
  written(lat, lon) + (accuracyMetres ? ` ± ${Math.round(accuracyMetres)} m` : "");

function said({ claim, callsign, saidAt, note }) {
  const word = t(claim === "safe" ? "state.safe" : "help");
  return `${word} — ${callsign}, ${since(saidAt)}${note ? `: “${note}”` : ""}`;
}

/** The actions for a person, as buttons of the dialog. */
function actions(user, close) {
  const action = (word, work, look) =>
    button(t(word), word, () => { close(); work(); }, { class: look });
  const path = `users/${segment(user.id)}`;
  const clear = () => write("DELETE", `${path}/override`);
  const track = () => {
    document.body.dataset.view = "map";
    attempt(() => showTrack(theMap(), user));
  };
  const isAway = user.conditions.some(({ status }) => status === "signedOff");
  return [
    user.lat !== null && theMap() && action("track", track),
    ...(mayReportFor(user) ? [
      action("report.help", () => reportFor(user, "help"), "danger"),
      action("report.safe", () => reportFor(user, "safe")),
    ] : []),
    isCommand() && action("override.set", () => override(user)),
    isCommand() && user.override && action("override.clear", () => attempt(clear, t("done"))),
    isCommand() && action("team.set", () => team(user)),
    isCommand() && takes("PUT", "users/{id}/signoff") && (isAway
      ? action("sign.on", () => attempt(() => write("DELETE", `${path}/signoff`), t("done")))
      : action("sign.off", () => signOff(user))),
  ];
}

/** Command sets a person as accounted for, or as needing help; there is no default. */
function override(user) {
  const devices = takes("PUT", "users/{id}/override", "away")
    ? state.devices.filter((one) => one.user === user.id && !one.isRevoked) : [];
  const away = h("fieldset", { hidden: true }, h("legend", {}, t("override.devices")),
    faint(t("override.devices.why")),
    devices.map((one) => field(`with ${one.id}`, deviceWord(one), {
      type: "checkbox", value: true,
    })));
  const choice = (value, word, why) => h("label", { class: `choice ${value}` },
    control("safety", {
      type: "radio", value, required: true,
      onchange: () => { away.hidden = value !== "safe" || devices.length === 0; },
    }), h("span", {}, h("strong", {}, t(word)), " ", t(why)));
  return form(t("override.of", { name: user.callsign }), [
    choice("safe", "status.accountedFor", "override.safe.why"),
    choice("help", "help", "override.help.why"),
    away,
    field("note", t("note"), { type: "area" }),
  ], (values) => {
    const body = { safety: values.safety };
    if (values.note) body.note = values.note;
    const left = devices.map(({ id }) => id).filter((id) => values[`with ${id}`] === false);
    if (values.safety === "safe" && left.length > 0) body.away = left;
    return write("PUT", `users/${segment(user.id)}/override`, body);
  });
}

const deviceWord = ({ id, callsign }) => `${callsign} · ${id.slice(0, 8)}`;

/** A sign-off requires a note, because it ends the orders for a person. */
const signOff = (user) => form(t("sign.off.of", { name: user.callsign }), [
  h("p", {}, t("sign.off.why")),
  user.severity === "danger" && h("p", { class: "wrong" }, t("sign.off.danger")),
  field("reason", t("reason"), { required: true, maxlength: 200 }),
  (user.severity === "danger" || user.order) && field("confirmed", t("sign.off.confirm"), {
    type: "checkbox", required: true,
  }),
], ({ reason, confirmed }) => write(
  "PUT", `users/${segment(user.id)}/signoff`, { reason, ...(confirmed ? { confirmed: true } : {}) },
), t("sign.off"));

const team = (user) => form(t("team.of", { name: user.callsign }), [
  field("team", t("team"), { value: user.team, required: true }),
], (values) => write("PUT", `users/${segment(user.id)}/team`, values));

/** A person who has only a phone: its owner, or command, reports for them. */
const mayReportFor = (user) => Boolean(user.owner) && takes("PUT", "users/{id}/safety")
  && (isCommand() || isOwnTracker(user));

const reportFor = (user, safety) => reportSafety(
  t(`report.${safety}.of`, { name: user.callsign }), `users/${segment(user.id)}/safety`, safety);

/** The user's own report of safety. */
export const claim = (safety) => reportSafety(t(`claim.${safety}`), "me/safety", safety);

const reportSafety = (title, path, safety) => form(
  title, [field("note", t("note"), { type: "area" })],
  ({ note }) => write("PUT", path, { safety, ...(note ? { note } : {}) }), t("send"));
