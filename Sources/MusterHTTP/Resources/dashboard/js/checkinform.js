// The form that starts a check-in: a usual case or own durations, for oneself or for others.

import { h } from "./dom.js";
import { get, write } from "./api.js";
import { attempt, field, form } from "./dialog.js";
import { isCommand } from "./store.js";
import { t } from "./words.js";
import { takes } from "./features.js";
import { audience, recipients } from "./order.js";

/** In minutes, as on the command line. */
const presets = {
  usual: { minutes: 20, repeats: true, reminder: 1, grace: 2 },
  lone: { minutes: 30, repeats: true, reminder: 5, grace: 5 },
  par: { minutes: 20, repeats: true, reminder: 2, grace: 2 },
  ba: { minutes: 30, repeats: false, reminder: 10, grace: 1 },
};
/** A week. */
const mostMinutes = 10080;

/** The field of the PIN, if this laptop requires one; otherwise null. */
export async function pinField() {
  if (!takes("GET", "checkins/pin") || !(await get("checkins/pin")).isRequired) return null;
  return field("pin", t("checkin.pin"), { type: "password", required: true, autocomplete: "off" });
}

export const startCheckIn = () => attempt(async () => {
  const pin = await pinField();
  const number = (name, more) => field(name, t(`checkin.in.${name}`),
    { type: "number", min: 0, max: mostMinutes, ...more });
  const preset = field("preset", t("checkin.preset"), {
    options: Object.keys(presets).map((name) => [name, t(`checkin.preset.${name}`)]),
    onchange: ({ target }) => {
      const inputs = target.form.elements;
      for (const [name, value] of Object.entries(presets[target.value])) {
        if (name === "repeats") inputs[name].checked = value;
        else inputs[name].value = value;
      }
    },
  });
  const { minutes, repeats, reminder, grace } = presets.usual;
  await form(t("checkin.start"), [
    isCommand() && audience(t("checkin.self")),
    preset,
    h("div", { class: "row" }, number("minutes", { value: minutes, min: 1, required: true }),
      number("reminder", { value: reminder }), number("grace", { value: grace })),
    field("repeats", t("checkin.in.repeats"), { type: "checkbox", value: repeats }),
    number("still", { min: 1 }),
    field("note", t("checkin.in.note"), { type: "area" }),
    pin,
  ].filter(Boolean), send, t("checkin.start"));
});

function send({ whom, minutes, repeats, reminder, grace, still, note, pin }) {
  const seconds = (text) => Math.round(Number(text) * 60);
  return write("POST", "checkins", {
    durationSeconds: seconds(minutes), repeats, reminderSeconds: seconds(reminder),
    graceSeconds: seconds(grace), ...recipients(whom),
    ...still && { stillSeconds: seconds(still) }, ...note && { note }, ...pin && { pin },
  });
}
