// Devices nearby: the log of this laptop, exposure notices, and what is sent to command.

import { button, dotted, faint, h } from "./dom.js";
import { get, segment, write } from "./api.js";
import { attempt, confirm, control, field, form, show } from "./dialog.js";
import { isCommand, load } from "./store.js";
import { clock, language, since, t } from "./words.js";

const kinds = ["infection", "contamination", "radiation"];
const shown = 50;

/** The days of keys are those of UTC. */
const weekday = (day) =>
  new Date(day).toLocaleDateString(language, { weekday: "long", timeZone: "UTC" });

/** An exposure notice in words: how long, and on which days. */
const words = ({ kind, text, days }) => [
  h("strong", { class: "danger" }, t(`exposure.${kind}`)), " ",
  days.map(({ day, minutes }) => t("exposure.near", { minutes, day: weekday(day) })).join(" "),
  text && h("div", {}, text),
];

/** The notices about the user of this laptop, as cards. */
export const exposures = (log) => (log?.notices ?? []).map((one) =>
  h("li", { class: "card warning-card", "data-exposure": one.id }, words(one)));

export const openProximity = () => attempt(async () => {
  const [log, { items: devices }, { items: sessions }, own, review] = await Promise.all([
    get("proximity"), get("proximity/devices"), get("proximity/sessions"), get("proximity/own"),
    isCommand() ? get("proximity/review") : null,
  ]);
  let dialog;
  const again = (work) => () => attempt(async () => {
    if (await work() === false) return;
    dialog.close();
    load("proximity");
    openProximity();
  });
  const consent = (name) => h("label", { class: "tick" },
    control(name, {
      type: "checkbox", value: log[name],
      onchange: ({ target }) => again(() => write("PUT", "proximity", { [name]: target.checked }))(),
    }), t(`proximity.${name}`));
  dialog = show(t("proximity"), h("div", { id: "proximity" },
    h("p", {}, dotted(...["scanning", "advertising"].map((part) =>
      `${t(`proximity.${part}`)}: ${t(`proximity.is.${log[part]}`)}`)), " ",
    button(t(log.scanning === "off" ? "proximity.on" : "proximity.off"), "record",
      again(() => write("PUT", "proximity", { on: log.scanning === "off" })))),
    h("ul", {}, exposures(log)),
    lines("proximity.devices", devices.slice(0, shown).map((one) => h("li", {},
      dotted(one.name || one.identifier.slice(0, 8), `${one.rssi} dBm`, since(one.last))))),
    lines("proximity.mine", [h("li", {},
      t("proximity.until", { id: own.identifier.slice(0, 8), time: clock(own.changesAt) }))]),
    lines("proximity.sessions", sessions.slice(0, shown).map((one) => h("li", {},
      dotted(`${clock(one.start)}–${clock(one.end)}`, weekday(one.start),
        t("proximity.count", { n: one.identifiers })), " ",
      !one.isSynced && h("strong", {}, t("proximity.unsynced"))))),
    sessions.some((one) => !one.isSynced) && button(t("proximity.send"), "send",
      again(() => write("POST", "proximity/send"))),
    consent("sendsSessions"), consent("sharesCount"),
    log.report ? reported(log.report, again)
      : button(t("exposure.report"), "report", again(report)),
    review && lines("exposure.review", review.items.map((one) => reviewed(one, again)))),
  h("div", { class: "row end" }, button(t("close"), "close", () => dialog.close())));
});

const lines = (word, items) => [
  h("h3", {}, t(word)), items.length > 0 ? h("ul", {}, items) : faint(t("proximity.none")),
];

const reported = ({ kind, text, isPublished }, again) => h("p", {},
  dotted(t("exposure.yours"), t(`exposure.${kind}`), text,
    t(isPublished ? "exposure.published" : "exposure.reported")), " ",
  button(t("exposure.withdraw"), "withdraw",
    again(() => confirm(t("exposure.withdraw.sure"), () => write("DELETE", "proximity/report")))));

const report = () => form(t("exposure.report"), [
  faint(t("exposure.why")),
  field("kind", t("kind"), { options: kinds.map((kind) => [kind, t(`exposure.${kind}`)]) }),
  field("text", t("exposure.text"), { maxlength: 160 }),
], (values) => write("PUT", "proximity/report", values), t("exposure.seal"));

function reviewed(one, again) {
  const path = `proximity/notices/${segment(one.id)}`;
  return h("li", {},
    dotted(t(`exposure.${one.kind}`), t(`exposure.${one.state}`), one.callsign, one.text,
      t("exposure.people", { n: one.people })), " ",
    one.state === "reported"
      ? button(t("exposure.publish"), `publish ${one.id}`, again(() => form(
        t("exposure.publish"), [field("text", t("exposure.public"), { maxlength: 160 })],
        (values) => write("PUT", path, values), t("exposure.publish"))))
      : button(t("exposure.withdraw"), `withdraw ${one.id}`, again(() => write("DELETE", path))));
}
