// The forms with which command sets the status, the team and the sign-off of a person; loaded when one
// is opened.

import { faint, h } from "./dom.js";
import { segment, write } from "./api.js";
import { field, form } from "./dialog.js";
import { state } from "./store.js";
import { t } from "./words.js";

/** Command sets a person as accounted for, or as needing help: each has its own button. */
export function override(user, safety) {
  const devices = safety === "safe"
    ? state.devices.filter((one) => one.user === user.id && !one.isRevoked) : [];
  const away = devices.length > 0 && h("fieldset", {}, h("legend", {}, t("override.devices")),
    faint(t("override.devices.why")), devices.map(({ id, callsign }) => field(
      `with ${id}`, `${callsign} · ${id.slice(0, 8)}`, { type: "checkbox", value: true })));
  return form(t(`override.${safety}.of`, { name: user.callsign }), [
    faint(t(`override.${safety}.why`)), away, field("note", t("note"), { type: "area" }),
  ].filter(Boolean), (values) => {
    const body = { safety };
    if (values.note) body.note = values.note;
    const left = devices.map(({ id }) => id).filter((id) => values[`with ${id}`] === false);
    if (left.length > 0) body.away = left;
    return write("PUT", `users/${segment(user.id)}/override`, body);
  }, t(`override.${safety}`));
}

/** A sign-off requires a note, because it ends the orders for a person. */
export const signOff = (user) => form(t("sign.off.of", { name: user.callsign }), [
  h("p", {}, t("sign.off.why")),
  user.severity === "danger" && h("p", { class: "wrong" }, t("sign.off.danger")),
  field("reason", t("reason"), { required: true, maxlength: 200 }),
  (user.severity === "danger" || user.order) && field("confirmed", t("sign.off.confirm"), {
    type: "checkbox", required: true,
  }),
], ({ reason, confirmed }) => write(
  "PUT", `users/${segment(user.id)}/signoff`, { reason, ...(confirmed ? { confirmed: true } : {}) },
), t("sign.off"));

export const team = (user) => form(t("team.of", { name: user.callsign }), [
  field("team", t("team"), { value: user.team, required: true }),
], (values) => write("PUT", `users/${segment(user.id)}/team`, values));
