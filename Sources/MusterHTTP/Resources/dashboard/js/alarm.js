// Unacknowledged danger, shown on every view: what it is, where it is, and who acknowledges it.

import { announce, button, byId, fill, h, onceAFrame, sign } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt } from "./dialog.js";
import { isCommand, isOwners, mayWrite, on, ownOrder, state } from "./store.js";
import { since, spoken, t } from "./words.js";
import { calls } from "./contacts.js";
import { notify } from "./notices.js";
import { isSilent, onSound, sound, wake } from "./sound.js";
import { look } from "./shell.js";

const most = () => (innerWidth <= 1100 ? 1 : 3);
let goTo = () => {};

/** @param lead shows what an alert is about. */
export function openAlarm(lead) {
  goTo = lead;
  const soon = onceAFrame(draw);
  on(["alerts"], raise);
  on(["alerts", "status", "users", "devices"], soon);
  setInterval(() => { if (!isOwners() && waiting().some((a) => a.level === "danger")) sound(true); }, again);
  onSound(soon);
  setInterval(soon, 10000);
  addEventListener("resize", soon);
}

/** Newest first, without the order that the bar of `me.js` shows. */
const dangers = () => waiting()
  .filter(({ level, kind, row }) => level === "danger"
    && !(kind === "directive" && row === ownOrder()?.id))
  .sort((a, b) => (a.since < b.since ? 1 : -1));

function draw() {
  // The owner of a phone sees a line with their number: `owner.js`.
  const all = isOwners() ? [] : dangers();
  const more = all.length - most();
  byId("alarm").hidden = all.length === 0;
  byId("alarm").setAttribute("aria-label", t("alarm"));
  fill(byId("alarm"), h("ul", {}, all.slice(0, most()).map(line)),
    (more > 0 || isSilent()) && all.length > 0 && h("div", { class: "row" },
      more > 0 && button(t("more", { n: more }), "alarm more",
        () => look("feed")),
      isSilent() && button(t("sound.wake"), "alarm sound", wake)));
}

const line = (one) => h("li", { "data-alert": one.id },
  h("strong", {}, sign("danger"), " ", spoken(one.text)),
  h("span", {}, since(one.since)),
  most() > 1 && calls(one, 1),
  h("span", { class: "row" },
    labelled("go.to", `go ${one.id}`, one, goTo),
    mayAnswer(one) && labelled("answer", `alarm answer ${one.id}`, one, answerCall),
    mayWrite() && labelled("acknowledge", `alarm seen ${one.id}`, one, acknowledge)));

/** A button whose label for a screen reader names the alert. */
const labelled = (word, key, one, work) => button(t(word), key, () => work(one),
  { "aria-label": `${t(word)}: ${spoken(one.text)}` });

/** The milliseconds between sounds of danger. */
export const again = 60000;
let heard = null;

export const waiting = () => state.alerts.filter((a) => a.acknowledgedBy === null);

/**
 * The milliseconds within which an alert that is raised again makes no further sound. Before the node
 * has stored a new alert, each answer dates it a little later.
 */
const settling = 3000;

const isRaised = ({ id, since: time, acknowledgedBy }) => {
  if (acknowledgedBy !== null) return false;
  const known = heard.get(id);
  return !known || known.acknowledgedBy !== null
    || Date.parse(time) - Date.parse(known.since) > settling;
};

/**
 * Alerts that exist when the page opens make no sound, nor do acknowledged ones. One that is raised
 * again, as for a further call for help, does.
 */
function raise(alerts) {
  const fresh = heard === null ? [] : alerts.filter(isRaised);
  heard = new Map(alerts.map((a) => [a.id, a]));
  if (isOwners()) return;
  const urgent = fresh.filter((a) => a.level !== "notice");
  // Outside all views, so that a screen reader reads new alerts in every view.
  if (urgent.length > 0) byId("heard").textContent = urgent.map((a) => spoken(a.text)).join(". ");
  notify(urgent.map((one) => ({ ...one, text: spoken(one.text) })));
  if (urgent.length > 0) sound(urgent.some((a) => a.level === "danger"));
  announce(fresh.filter((a) => a.level === "notice").map((a) => spoken(a.text)));
}

/** Whether command may send a text to the caller: not under duress (decision 0047). */
export const mayAnswer = ({ kind }) => kind === "help" && isCommand();

/** @param one an alert, or a person who receives a message. */
export const answerCall = (one) => attempt(async () => (await import("./answers.js")).answer(one));

/** Under the name entered in the feed; without one, the node uses its own user's name. */
export const acknowledge = (one) => attempt(() => {
  const name = localStorage.getItem("name");
  return write("POST", `alerts/${segment(one.id)}/acknowledge`,
    { person: true, ...(name ? { name } : {}) });
}, t("done"));
