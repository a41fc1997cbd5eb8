// One person: all that is known, and what command can say for them.

import { h, sign } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt, field, form, show } from "./dialog.js";
import { fixAge, state } from "./store.js";
import { ago, secondsSince, spoken, t } from "./words.js";
import { written } from "./place.js";
import { goTo, theMap } from "./map/map.js";
import { showTrack } from "./map/track.js";

export function showPerson(user) {
  const isCommand = state.status?.role === "command";
  const line = (word, value) => h("tr", {}, h("th", { scope: "row" }, word), h("td", {}, value));
  const said = (w) => `${t(w.claim === "safe" ? "safety.safe" : "help")} — ${w.callsign}, ${ago(secondsSince(w.saidAt))}${w.note ? `: “${w.note}”` : ""}`;
  const dialog = show(user.callsign,
    h("p", { class: `state ${user.safety}` }, sign(user.safety), " ", t(`safety.${user.safety}`)),
    h("table", {}, h("tbody", {},
      line(t("reason"), spoken(user.reason)), line(t("role"), t(`role.${user.role}`)), line(t("team"), user.team || "–"),
      line(t("place"), `${written(user.lat, user.lon)}${user.accuracyMetres ? ` ± ${Math.round(user.accuracyMetres)} m` : ""}`),
      line(t("fixed"), ago(fixAge(user))),
      user.word && line(t("word"), said(user.word)), user.override && line(t("override"), said(user.override)))),
    h("div", { class: "row end" },
      user.lat !== null && theMap() && h("button", { onclick: () => { dialog.close(); document.body.dataset.view = "map"; attempt(() => showTrack(theMap(), user)); } }, t("track")),
      isCommand && h("button", { onclick: () => { dialog.close(); override(user); } }, t("override.set")),
      isCommand && user.override && h("button", { onclick: () => { dialog.close(); attempt(() => write("DELETE", `users/${segment(user.id)}/override`), t("done")); } }, t("override.clear")),
      isCommand && h("button", { onclick: () => { dialog.close(); team(user); } }, t("team.set")),
      h("button", { class: "first", onclick: () => dialog.close() }, t("close"))));
  goTo(user);
}

const override = (user) => form(t("override.of", { name: user.callsign }), [
  field("safety", t("safety"), { options: [["safe", t("safety.safe")], ["help", t("help")]] }),
  field("note", t("note"), { type: "area" }),
], (values) => write("PUT", `users/${segment(user.id)}/override`, values));

const team = (user) => form(t("team.of", { name: user.callsign }), [
  field("team", t("team"), { value: user.team, required: true }),
], (values) => write("PUT", `users/${segment(user.id)}/team`, values));

/** The user's own word. */
export const claim = (safety) => form(t(safety === "safe" ? "claim.safe" : "claim.help"), [
  field("note", t("note"), { type: "area" }),
], (values) => write("PUT", "me/safety", { safety, ...(values.note ? { note: values.note } : {}) }), t("say"));
