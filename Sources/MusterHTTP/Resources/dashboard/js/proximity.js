// Devices nearby: the log of this laptop, exposure notices, and what is sent to command.

import { button, dotted, faint, h } from "./dom.js";
import { get, segment, write } from "./api.js";
import { attempt, confirm, control, field, form, show } from "./dialog.js";
import { load } from "./store.js";
import { clock, since, spoken, t } from "./words.js";
import { exposures, weekday } from "./feed.js";

const kinds = ["infection", "contamination", "radiation"];

export const openProximity = () => attempt(async () => {
  const { state: log, devices, sessions, own, review } = await get("proximity/overview");
  let dialog;
  const again = (work) => () => attempt(async () => {
    if (await work() === false) return;
    dialog.close();
    load("proximity");
    openProximity();
  });
  const put = (body) => again(() => write("PUT", "proximity", body));
  const consent = (name) => h("label", { class: "tick" }, control(name, {
    type: "checkbox", value: log[name], onchange: put({ [name]: !log[name] }),
  }), t(`near.${name}`));
  const isUnsynced = sessions.some((one) => !one.isSynced);
  dialog = show(t("nearby"), h("div", { id: "proximity" },
    h("p", {}, dotted(...["scanning", "advertising"].map((part) =>
      `${t(`near.${part}`)}: ${t(`near.${log[part]}`)}`)), " ",
    button(t(log.on ? "near.stop" : "near.start"), "record", put({ on: !log.on }))),
    log.problem && h("p", { class: "warning" }, spoken(log.problem)),
    h("ul", {}, exposures(log)),
    h("h3", {}, t("near.devices")),
    h("ul", {}, devices.map((one) => h("li", {},
      dotted(one.name || one.identifier.slice(0, 8), `${one.rssi} dBm`, since(one.last))))),
    faint(t("near.own", { id: own.identifier.slice(0, 8), time: clock(own.changesAt) })),
    h("h3", {}, t("near.sessions")),
    h("ul", {}, sessions.map((one) => h("li", {},
      dotted(weekday(one.start), `${clock(one.start)}–${clock(one.end)}`, one.identifiers), " ",
      one.isSynced ? t("near.synced")
        : h("strong", {}, t(one.isSent ? "near.sent" : "near.unsynced"))))),
    isUnsynced && button(t("near.send"), "send", again(() => write("POST", "proximity/send"))),
    consent("sendsSessions"), consent("sharesCount"), consent("showsName"),
    h("h3", {}, t("exposed.report")),
    log.report ? reported(log.report, again) : button(t("exposed.report"), "report", again(report)),
    review && h("ul", {}, review.items.map((one) => reviewed(one, again)))),
  h("div", { class: "row end" }, button(t("close"), "close", () => dialog.close())));
});

const reported = ({ kind, text, isPublished }, again) => h("p", {},
  dotted(t(`exposed.${kind}`), text, t(isPublished ? "exposed.published" : "exposed.reported")),
  " ", button(t("exposed.withdraw"), "withdraw", again(() =>
    confirm(t("exposed.withdraw"), () => write("DELETE", "proximity/report"),
      t("exposed.withdraw")))));

const report = () => form(t("exposed.report"), [
  faint(t("exposed.why")),
  field("kind", t("kind"), {
    options: kinds.map((kind) => [kind, t(`exposed.${kind}`)]), required: true,
  }),
  field("text", t("note"), { maxlength: 160 }),
], (values) => write("PUT", "proximity/report", values), t("near.send"));

function reviewed(one, again) {
  const path = `proximity/notices/${segment(one.id)}`;
  const publish = () => form(t("exposed.publish"),
    [field("text", t("exposed.public"), { maxlength: 160 })],
    (values) => write("PUT", path, values), t("exposed.publish"));
  return h("li", {},
    dotted(t(`exposed.${one.kind}`), t(`exposed.${one.state}`), one.callsign, one.text,
      t("exposed.people", { n: one.people })), " ",
    one.state === "reported" ? button(t("exposed.publish"), `publish ${one.id}`, again(publish))
      : button(t("exposed.withdraw"), `withdraw ${one.id}`, again(() => write("DELETE", path))));
}
