// One person: all that is known, and what command can say for them.

import { h, sign } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt, field, form, show } from "./dialog.js";
import { fixAge, isCommand } from "./store.js";
import { ago, secondsSince, spoken, t } from "./words.js";
import { written } from "./place.js";
import { goTo, theMap } from "./map/map.js";
import { showTrack } from "./map/track.js";

export function showPerson(user) {
  const line = (word, value) => h("tr", {}, h("th", { scope: "row" }, word), h("td", {}, value));
  const dialog = show(user.callsign,
    h("p", { class: `state ${user.safety}` }, sign(user.safety), " ", t(`safety.${user.safety}`)),
    h("table", {}, h("tbody", {},
      line(t("reason"), spoken(user.reason)), line(t("role"), t(`role.${user.role}`)),
      line(t("team"), user.team || "–"), line(t("place"), place(user)),
      line(t("fixed"), ago(fixAge(user))),
      user.word && line(t("word"), said(user.word)),
      user.override && line(t("override"), said(user.override)))),
    h("div", { class: "row end" }, actions(user, () => dialog.close()),
      h("button", { class: "first", onclick: () => dialog.close() }, t("close"))));
  goTo(user);
}

const place = ({ lat, lon, accuracyMetres }) =>
  written(lat, lon) + (accuracyMetres ? ` ± ${Math.round(accuracyMetres)} m` : "");

function said({ claim, callsign, saidAt, note }) {
  const word = t(claim === "safe" ? "safety.safe" : "help");
  return `${word} — ${callsign}, ${ago(secondsSince(saidAt))}${note ? `: “${note}”` : ""}`;
}

/** What can be done about somebody; the dialog makes room for it. */
function actions(user, close) {
  const button = (word, work) => h("button", { onclick: () => { close(); work(); } }, t(word));
  const clear = () => write("DELETE", `users/${segment(user.id)}/override`);
  const track = () => {
    document.body.dataset.view = "map";
    attempt(() => showTrack(theMap(), user));
  };
  return [
    user.lat !== null && theMap() && button("track", track),
    isCommand() && button("override.set", () => override(user)),
    isCommand() && user.override && button("override.clear", () => attempt(clear, t("done"))),
    isCommand() && button("team.set", () => team(user)),
  ];
}

const override = (user) => form(t("override.of", { name: user.callsign }), [
  field("safety", t("safety"), {
    options: [["", t("choose")], ["safe", t("safety.safe")], ["help", t("help")]], required: true,
  }),
  field("note", t("note"), { type: "area" }),
], (values) => write("PUT", `users/${segment(user.id)}/override`, values));

const team = (user) => form(t("team.of", { name: user.callsign }), [
  field("team", t("team"), { value: user.team, required: true }),
], (values) => write("PUT", `users/${segment(user.id)}/team`, values));

/** The user's own word. */
export const claim = (safety) => form(t(safety === "safe" ? "claim.safe" : "claim.help"), [
  field("note", t("note"), { type: "area" }),
], ({ note }) => write("PUT", "me/safety", { safety, ...(note ? { note } : {}) }), t("say"));
