// The way back of a call for help: its caller sees whether it was sent, is at command, who saw it and
// what they answer; command answers from the alert or the person.
//
//     queue (not sent) ─┐
//     GET me/call ──────┴─▶ line in the strip

import { button, byId, dotted, faint, fill, h, onceAFrame, sign } from "./dom.js";
import { get, segment, write } from "./api.js";
import { form, control } from "./dialog.js";
import { queued } from "./queue.js";
import { isCommand, maySpeak, on, state } from "./store.js";
import { answer as answerOrder } from "./rollcall.js";
import { clock, t } from "./words.js";

/** A receipt changes no data set: while a call is not seen, it is read again. */
const again = 2000;
/** The queue is in this page. */
const queueEvery = 500;
const mostTexts = 3;
let call = null;
/** The key of the entry that is shown as not sent. */
let shown;
let isLoading = false;
let isStale = false;

export function openCall() {
  on(["alerts", "users", "directives"], load);
  on(["status"], onceAFrame(draw));
  setInterval(() => { if (call?.open && !isSeen(call)) load(); }, again);
  setInterval(() => { if (waiting()?.key !== shown) draw(); }, queueEvery);
  load();
}

const isSeen = ({ seenBy }) => seenBy.some(({ role }) => role === "command");

async function load() {
  if (!maySpeak()) return;
  isStale = true;
  if (isLoading) return;
  isLoading = true;
  while (isStale) {
    isStale = false;
    try {
      ({ call } = await get("me/call"));
    } catch (error) {
      // Without the node the last known state stays, and the banner shows that it is old.
      console.warn(String(error));
    }
  }
  isLoading = false;
  draw();
}

const waiting = () => queued().find(({ kind, why }) => kind === "help" && !why);

function draw() {
  const waits = waiting();
  shown = waits?.key;
  const place = byId("call");
  const isShown = Boolean(waits || call?.open);
  place.hidden = !isShown;
  if (!isShown) return fill(place);
  place.classList.toggle("unsent", Boolean(waits));
  if (waits) {
    return fill(place, h("strong", {}, sign("danger"), " ", t("call.notSent")),
      h("span", {}, t("call.made", { time: clock(waits.at) })));
  }
  fill(place, h("strong", {}, t("call.yours")), h("span", {}, standing(call)),
    call.answers.slice(0, mostTexts).map(text));
}

/** What the call has reached: "Seen by Anna (command), 14:03". */
export function standing({ seenBy, atCommand }) {
  if (seenBy.length === 0) return t(atCommand ? "call.atCommand" : "call.sent");
  return dotted(...seenBy.map((one) => t("call.seen", {
    name: one.via ? t("call.via", { name: one.name, post: one.via }) : one.name,
    role: t(`role.${one.role}`).toLocaleLowerCase(),
    time: one.at ? clock(Date.parse(one.at)) : "–",
  })));
}

const text = (one) => h("span", { class: "row", "data-answer": one.id },
  h("strong", {}, `${one.name}: “${one.text}”`),
  one.read ? faint(t("call.read"))
    : button(t("call.read.mark"), `call read ${one.id}`, () => answerOrder({ id: one.id })));

// MARK: Answers

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

/** Whether command may answer this alert. A call under duress has no way back (decision 0047). */
export const mayAnswer = (alert) => isCommand() && alert.kind === "help";

/** Acknowledges an alert about a call for help, and sends a text to its caller. */
export const answerCall = (alert) => {
  const user = state.users.get(alert.row);
  const name = localStorage.getItem("name");
  return form(t("call.answer.to", { name: user?.callsign ?? "" }), [
    ...words(submit), ...limits(user),
  ], ({ text: answer }) => write("POST", `alerts/${segment(alert.id)}/acknowledge`, {
    person: true, answer, ...(name ? { name } : {}),
  }), t("send"));
};

/** The open alert about a person's call for help. */
export const callOf = (user) =>
  state.alerts.find(({ kind, row }) => kind === "help" && row === user.id);

/** A message to one person. */
export const messageTo = (user) => form(t("call.message.to", { name: user.callsign }), [
  ...words(submit), ...limits(user),
], (values) => write("POST", "directives", {
  kind: "message", text: values.text, users: [user.id],
}), t("send"));
