// The forms with which command sets the status, the team and the sign-off of a person; loaded when one
// is opened.

import { dotted, faint, h } from "./dom.js";
import { segment, write } from "./api.js";
import { field, form } from "./dialog.js";
import { holdRow, load, state } from "./store.js";
import { t } from "./words.js";
import { recipients } from "./order.js";
import { hazards, revoke } from "./permits.js";
import { remember } from "./undo.js";

/** Command sets a person as accounted for, or as needing help: each has its own button. */
export function override(user, safety) {
  const devices = safety === "safe"
    ? state.devices.filter((one) => one.user === user.id && !one.isRevoked) : [];
  const away = devices.length > 0 && h("fieldset", {}, h("legend", {}, t("override.devices")),
    faint(t("override.devices.why")), devices.map(({ id, callsign }) => field(
      `with ${id}`, `${callsign} · ${id.slice(0, 8)}`, { type: "checkbox", value: true })));
  return form(t(`override.${safety}.of`, { name: user.callsign }), [
    faint(t(`override.${safety}.why`)), away, field("note", t("note"), { type: "area" }),
  ].filter(Boolean), async (values) => {
    const body = { safety };
    if (values.note) body.note = values.note;
    const left = devices.map(({ id }) => id).filter((id) => values[`with ${id}`] === false);
    if (left.length > 0) body.away = left;
    const path = `users/${segment(user.id)}/override`;
    holdRow(user.id);
    await write("PUT", path, body);
    holdRow(user.id);
    remember(t(`override.${safety}.of`, { name: user.callsign }), () => {
      // A status that another commander set since, perhaps a need for help, is not undone.
      const now = state.users.get(user.id)?.override?.claim;
      if (now !== safety && now !== user.override?.claim) throw new Error(t("undo.changed"));
      return setAgain(path, user.override);
    });
  }, t(`override.${safety}`));
}

/** Sets the status of before again; removes it if there was none. */
const setAgain = (path, before) => (before
  ? write("PUT", path, { safety: before.claim, ...(before.note ? { note: before.note } : {}) })
  : write("DELETE", path));

/** A sign-off requires a note, because it ends the orders for a person. */
export const signOff = (user) => form(t("sign.off.of", { name: user.callsign }), [
  h("p", {}, t("sign.off.why")),
  user.severity === "danger" && h("p", { class: "wrong" }, t("sign.off.danger")),
  field("reason", t("reason"), { required: true, maxlength: 200 }),
  (user.severity === "danger" || user.order) && field("confirmed", t("sign.off.confirm"), {
    type: "checkbox", required: true,
  }),
], async ({ reason, confirmed }) => {
  const path = `users/${segment(user.id)}/signoff`;
  await write("PUT", path, { reason, ...(confirmed ? { confirmed: true } : {}) });
  remember(`${user.callsign}: ${t("status.signedOff")}`, () => write("DELETE", path));
}, t("sign.off"));

/** Minutes for which a permit is valid, unless another time is entered. */
const usualMinutes = 30;

/**
 * The form of an entry permit: for a person, into the zone that they are in; or for a zone, by default to those
 * who are inside.
 * @param one a person, or a hazard zone.
 */
export function permit(one) {
  const isZone = Boolean(one.kind);
  const users = [...state.users.values()].sort((a, b) => (a.callsign < b.callsign ? -1 : 1));
  const inside = users.filter(({ callsign }) => isZone && one.inside.includes(callsign));
  const all = `users ${inside.map(({ id }) => id).join()}`;
  const names = new Map(users.map(({ id, callsign }) => [`user ${id}`, callsign]));
  if (inside.length > 1) names.set(all, inside.map(({ callsign }) => callsign).join(", "));
  for (const { team } of users) if (team) names.set(`team ${team}`, t("team.of.name", { team }));
  const zones = hazards();
  return form(t("permit.of", { name: one.callsign ?? one.name }), [
    faint(t("permit.why")),
    field("who", t("audience"), {
      options: [...names],
      value: !isZone ? `user ${one.id}` : inside.length > 1 ? all : `user ${(inside[0] ?? users[0])?.id}`,
    }),
    field("zone", t("permit.zone"), {
      options: zones.map(({ id, name }) => [id, name]),
      value: isZone ? one.id : (zones.find((zone) => zone.inside.includes(one.callsign)) ?? zones[0])?.id,
    }),
    field("minutes", t("permit.minutes"), {
      type: "number", value: usualMinutes, min: 1, max: 10000, required: true,
    }),
  ], async ({ who, zone, minutes }) => {
    const sent = await write("POST", "permits", {
      zone, durationSeconds: Math.round(Number(minutes) * 60), ...recipients(who),
    });
    load("permits");
    const text = t("permit.of", { name: `${names.get(who)} → ${state.fences.get(zone)?.name}` });
    remember(dotted(text, t("minutes", { n: minutes })), () => sent && revoke(sent.id));
  }, t("permit.issue"));
}

const putTeam = ({ id }, team) => write("PUT", `users/${segment(id)}/team`, { team });

/** Sets the team of people. */
export function team(...users) {
  const many = t("people.n", { n: users.length });
  const own = new Set(users.map((one) => one.team));
  const known = [...new Set([...state.users.values()].map((one) => one.team))].filter(Boolean).sort();
  return form(t("team.of", { name: users.length === 1 ? users[0].callsign : many }), [
    field("team", t("team"), { value: own.size === 1 ? users[0].team : "", required: true, list: "teams" }),
    h("datalist", { id: "teams" }, known.map((value) => h("option", { value }))),
  ], async ({ team: name }) => {
    const set = [];
    // What is set before one is refused can be undone too.
    try {
      for (const user of users) {
        await putTeam(user, name);
        set.push({ id: user.id, team: user.team });
      }
    } finally {
      const who = set.length === 1 ? users[0].callsign : t("people.n", { n: set.length });
      if (set.length > 0) {
        remember(dotted(who, t("team.of.name", { team: name })), async () => {
          const own = set.filter(({ id, team: before }) => [name, before].includes(state.users.get(id)?.team));
          for (const one of own) await putTeam(one, one.team);
          if (own.length < set.length) throw new Error(t("undo.changed"));
        });
      }
    }
  });
}
