// What became of the user's call for help: whether it was sent, is at command, who saw it and what
// they answer. Loaded with the first call.
//
//     queue (not sent) ─┐
//     GET me/call ──────┴─▶ line below the strip

import { button, byId, dotted, faint, fill, h, onceAFrame, sign } from "./dom.js";
import { get } from "./api.js";
import { form } from "./dialog.js";
import { cancelCall, retry, unsentCalls } from "./queue.js";
import { maySpeak, on } from "./store.js";
import { answer as answerOrder } from "./rollcall.js";
import { clock, loadTexts, t } from "./words.js";

/** A receipt changes no data set: while a call is not seen, it is read again. */
const again = 2000;
/** The queue is in this page. */
const queueEvery = 500;
const mostTexts = 3;
let call = null;
/** The entry that is shown as not sent. */
let shown = "";
let isLoading = false;
let isStale = false;

export async function openCall() {
  await loadTexts("answers");
  on(["alerts", "users", "directives"], load);
  on(["status"], onceAFrame(draw));
  setInterval(() => { if (call?.open && !isSeen(call)) load(); }, again);
  setInterval(() => { if (stateOf(waiting()) !== shown) draw(); }, queueEvery);
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

const waiting = () => unsentCalls()[0];
const stateOf = (entry) => `${entry?.key} ${entry?.why}`;

/** Asks before it cancels a call that is not sent: a touch in a pocket does not. */
export const askCancel = (entry) => form(t("call.cancel.sure", { time: clock(entry.at) }), [],
  () => cancelCall(entry), t("call.cancel.yes"), t("call.cancel.no"));

function draw() {
  const waits = waiting();
  shown = stateOf(waits);
  const place = byId("call");
  const isShown = Boolean(waits || call?.open);
  place.hidden = !isShown;
  if (!isShown) return fill(place);
  place.classList.toggle("unsent", Boolean(waits));
  if (waits) {
    return fill(place, h("strong", {}, sign("danger"), " ", t("call.notSent")),
      h("span", {}, t("call.made", { time: clock(waits.at) })),
      waits.why && h("span", {}, t("queue.refused", { why: waits.why })),
      h("span", { class: "row" },
        waits.why && button(t("retry"), "call retry", () => retry(waits), { class: "first" }),
        button(t("call.cancel"), "call cancel", () => askCancel(waits))));
  }
  fill(place, h("strong", {}, t("call.yours")), h("span", {}, standing(call)),
    call.answers.slice(0, mostTexts).map(text));
}

/** What the call has reached: "Seen by Anna (command), 14:03". */
function standing({ seenBy, atCommand }) {
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
