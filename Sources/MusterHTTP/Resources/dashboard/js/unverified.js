// Calls for help whose callers are not proven: below the MAYDAYs, without an effect on anyone. Command
// states who called, which makes it a MAYDAY, or closes the call.

import { button, dotted, h } from "./dom.js";
import { segment, write } from "./api.js";
import { field, form } from "./dialog.js";
import { isCommand, sortedUsers, state } from "./store.js";
import { clock, loadTexts, since, t } from "./words.js";
import { goTo, showMap, theMap } from "./map/map.js";

await loadTexts("calls");

/** The open calls as cards, and how many more there are. */
export const unverifiedCalls = () => {
  const { items, further = 0 } = state.calls;
  return h("section", { id: "unverified", "aria-label": t("calls") },
    h("h3", {}, t("calls")), h("ul", {}, items.map(card)),
    further > 0 && h("p", { class: "faint" }, t("more", { n: further })));
};

const nameOf = ({ name }) => name || t("calls.unnamed");

const card = (one) => h("li", { class: "card warning-card", "data-call": one.id },
  h("strong", { class: "warning" }, t("calls.one")), " ", h("strong", {}, nameOf(one)),
  one.note && h("div", {}, one.note),
  h("div", { class: "faint" }, dotted(t(`calls.${one.cause}`), one.address,
    one.madeAt && t("calls.made", { time: clock(one.madeAt) }), since(one.receivedAt),
    t("calls.by", { name: one.receivedBy }),
    one.messages > 1 && t("calls.messages", { n: one.messages }))),
  h("div", { class: "row" },
    one.lat !== null && theMap() && act("on.map", one, showOnMap),
    isCommand() && act("calls.confirm", one, confirmCall, "first"),
    isCommand() && act("calls.close", one, closeCall)));

/** Centres the map on the stated position, and names the call there until the next click. */
function showOnMap(one) {
  showMap();
  goTo(one);
  L.popup({ autoPan: false }).setLatLng([one.lat, one.lon])
    .setContent(h("span", {}, t("calls.one"), " ", h("strong", {}, nameOf(one)))).openOn(theMap());
}

/** A button whose label for a screen reader names the call. */
const act = (word, one, work, look) => button(t(word), `${word} ${one.id}`, () => work(one),
  { class: look, "aria-label": `${t(word)}: ${nameOf(one)}` });

/** Command picks the person; one with the name of the call is chosen first. */
function confirmCall(one) {
  const people = sortedUsers().filter(({ role }) => role !== "relay" && role !== "archive")
    .sort((a, b) => (a.callsign < b.callsign ? -1 : 1));
  const same = people.find(({ callsign }) => callsign.toLowerCase() === one.name.toLowerCase());
  return form(t("calls.confirm.of", { name: nameOf(one) }), [
    h("p", {}, t("calls.confirm.why")),
    field("user", t("callsign"), {
      options: [["", ""], ...people.map(({ id, callsign, team }) => [id, dotted(callsign, team)])],
      value: same?.id ?? "", required: true,
    }),
  ], ({ user }) => write("POST", path(one, "confirm"), { user }), t("calls.confirm.send"));
}

const closeCall = (one) => form(t("calls.close.of", { name: nameOf(one) }), [
  field("reason", t("calls.reason"), { required: true, maxlength: 500 }),
], ({ reason }) => write("POST", path(one, "close"), { reason }), t("calls.close"));

const path = ({ id }, word) => `unverified-calls/${segment(id)}/${word}`;
