// The forms that start check-ins, for oneself or for others, and that set the PINs of this laptop.

import { faint, h, say } from "./dom.js";
import { write } from "./api.js";
import { attempt, field, form } from "./dialog.js";
import { isCommand } from "./store.js";
import { t } from "./words.js";
import { audience } from "./orderform.js";
import { recipients } from "./order.js";
import { mostMinutes, pinField } from "./checkins.js";

/** In minutes, as on the command line. */
const presets = {
  usual: { minutes: 20, repeats: true, reminder: 1, grace: 2 },
  lone: { minutes: 30, repeats: true, reminder: 5, grace: 5 },
  par: { minutes: 20, repeats: true, reminder: 2, grace: 2 },
  ba: { minutes: 30, repeats: false, reminder: 10, grace: 1 },
};

export const startCheckIn = () => attempt(async () => {
  const pin = await pinField();
  const number = (name, more) => field(name, t(`checkin.in.${name}`),
    { type: "number", min: 0, max: mostMinutes, ...more });
  const preset = field("preset", t("checkin.preset"), {
    value: "usual",
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
  ].filter(Boolean), sendStart, t("checkin.start"));
});

function sendStart({ audience, minutes, repeats, reminder, grace, still, note, pin }) {
  const seconds = (text) => Math.round(Number(text) * 60);
  return write("POST", "checkins", {
    durationSeconds: seconds(minutes), repeats, reminderSeconds: seconds(reminder),
    graceSeconds: seconds(grace), ...recipients(audience),
    ...still && { stillSeconds: seconds(still) }, ...note && { note }, ...pin && { pin },
  });
}

const secret = (name) => field(
  name, t(`checkin.pin.${name}`), { type: "password", required: true, autocomplete: "off" });

/** Sets both PINs of this laptop, or removes them: then one of those that are set is required. */
export const setPins = () => attempt(async () => {
  const current = await pinField() ? [secret("current")] : [];
  const fresh = ["usual", "usual2", "duress", "duress2"].map(secret);
  const remove = current.length > 0 && field("remove", t("checkin.pin.remove"), {
    type: "checkbox",
    onchange: ({ target }) => {
      for (const one of fresh) {
        one.hidden = target.checked;
        one.querySelector("input").required = !target.checked;
      }
    },
  });
  const isDone = await form(t("checkin.pins"), [
    faint(t("checkin.pins.why")), ...current, remove, ...fresh,
  ].filter(Boolean), (values) => {
    const old = values.current ? { current: values.current } : {};
    if (values.remove) return write("PUT", "checkins/pin", old);
    if (values.usual !== values.usual2 || values.duress !== values.duress2) {
      throw new Error(t("checkin.pin.differ"));
    }
    return write("PUT", "checkins/pin", { ...old, usual: values.usual, duress: values.duress });
  });
  if (isDone) say(t("done"));
});
