// What this laptop notes about the messages of a person's phone, and what command sets for it. Loaded
// with the first.

import { button, h } from "./dom.js";
import { get, segment, write } from "./api.js";
import { attempt, field, form } from "./dialog.js";
import { isCommand } from "./store.js";
import { loadTexts, t } from "./words.js";

export const ready = () => loadTexts("phone");

const span = (seconds) => {
  const [n, unit] = seconds < 7200 ? [Math.round(seconds / 60), "min"] : [Math.round(seconds / 3600), "h"];
  return `${n} ${unit}`;
};

/** A line for each fact, and the two settings of command. */
export function notes(user) {
  const { phone } = user;
  return h("ul", { class: "phone-notes" }, [
    phone?.alarm && t("phone.alarm", { word: phone.alarm, age: span(phone.alarmAgeSeconds) }),
    phone?.lateBySeconds && t("phone.late", { age: span(phone.lateBySeconds) }),
    phone?.reportsEverySeconds && t("phone.every", { age: span(phone.reportsEverySeconds) }),
    phone?.clockBehindSeconds && t("phone.behind", { age: span(phone.clockBehindSeconds) }),
    ...(phone?.leftOut ?? []).map(({ reason, count }) =>
      t("phone.left", { reason, n: count })),
  ].filter(Boolean).map((words) => h("li", {}, words)),
  isCommand() && h("li", { class: "row" },
    button(t("phone.silence"), "phone silence", () => silence(user), { class: "small" }),
    phone && button(t("phone.clock"), "phone clock", () => clock(user), { class: "small" })));
}

/** After how long without a message the person is in no contact. */
const silence = (user) => attempt(async () => {
  const path = `users/${segment(user.id)}/settings`;
  const { silenceSeconds } = await get(path);
  await form(t("phone.silence.of", { name: user.callsign }), [
    field("minutes", t("phone.silence.minutes"), {
      type: "number", required: true, min: 0, value: Math.round(silenceSeconds / 60),
    }),
  ], ({ minutes }) => write("PATCH", path, { silenceSeconds: Math.round(Number(minutes) * 60) }),
  t("save"));
});

/** Command states that the phone's clock is behind: its fixes are newer than they seem. */
const clock = (user) => form(t("phone.clock.of", { name: user.callsign }), [
  h("p", {}, t("phone.clock.why")),
  field("minutes", t("phone.clock.minutes"), {
    type: "number", required: true, min: 0,
    value: Math.round((user.phone.clockBehindSeconds || user.phone.lateBySeconds || 0) / 60),
  }),
], ({ minutes }) => write("PUT", `users/${segment(user.id)}/phone-clock`, {
  behindSeconds: Math.round(Number(minutes) * 60),
}), t("save"));
