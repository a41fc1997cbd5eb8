// Texts to one person, which all members can read: command's answer to a call for help, and a message.
// Loaded with the first. A call under duress has no answer (decision 0047).

import { button, faint, h, say } from "./dom.js";
import { segment, write } from "./api.js";
import { control, form } from "./dialog.js";
import { state } from "./store.js";
import { loadTexts, t } from "./words.js";

const ready = ["coming", "helicopter", "stay"];

/** The ready-made texts send with one click; the text field has other words. */
function words(send) {
  const input = control("text", { type: "area", required: true });
  return [
    h("div", { class: "row" }, ready.map((word) => button(t(`call.answer.${word}`),
      `answer ${word}`, () => { input.value = t(`call.answer.${word}`); send(input); },
      { type: "button" }))),
    h("label", {}, h("span", {}, t("text")), input),
  ];
}

/** Sends a ready-made text at once, except one with a number, which the user may correct. */
const submit = (input) => {
  if (/\d/.test(input.value)) return input.focus();
  input.form.requestSubmit();
};

const limits = (user) => [
  faint(t("call.answer.public")),
  user?.role === "tracker" && faint(t("call.answer.app")),
].filter(Boolean);

/** Acknowledges an alert about a call for help, and sends a text to its caller. */
function answerCall(alert) {
  const user = state.users.get(alert.row);
  const name = localStorage.getItem("name");
  return form(t("call.answer.to", { name: user?.callsign ?? "" }), [
    ...words(submit), ...limits(user),
  ], async ({ text: answer }) => {
    await write("POST", `alerts/${segment(alert.id)}/acknowledge`, {
      person: true, answer, ...(name ? { name } : {}),
    });
    say(t("call.message.sent", { name: user?.callsign ?? "" }));
  }, t("send"));
}

/** A message to one person. */
function messageTo(user) {
  return form(t("call.message.to", { name: user.callsign }), [
    ...words(submit), ...limits(user),
  ], async (values) => {
    await write("POST", "directives", { kind: "message", text: values.text, users: [user.id] });
    say(t("call.message.sent", { name: user.callsign }));
  }, t("send"));
}

/** @param one an alert about a call for help, or a person. */
export async function answer(one) {
  await loadTexts("answers");
  return one.kind === "help" ? answerCall(one) : messageTo(one);
}
