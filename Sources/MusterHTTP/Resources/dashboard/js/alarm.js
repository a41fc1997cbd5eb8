// The strip of alarms, on every view and above every dialog: calls for help first, then dangers that are
// not acknowledged. Calls in hand are one line below. Also the sounds of alarms.
//
//     at most 15 % of a laptop's height, 25 % of a phone's:
//     ✖ MAYDAY Ben: leg · South · 300 m → School, 2 min ago     [Go to] [Answer] [Acknowledge]
//     Cleo · Dan  and 3 more MAYDAY · 4 more   In hand: Eva (Anna, 14:03)    [Silence]

import { announce, button, byId, fill, h, onceAFrame, sign } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt, parkDialogs } from "./dialog.js";
import { icon } from "./icons.js";
import { isCommand, isOwners, mayWrite, on, ownOrder, state } from "./store.js";
import { byline, clock, since, t } from "./words.js";
import {
  actOf, alertText, callName, isAlarm, isLife, isWaiting, personOf, priority, shortText, situation,
} from "./alerts.js";
import { calls } from "./contacts.js";
import { notify } from "./notices.js";
import {
  endSilence, isMuted, isSilent, mute, onSound, repetition, silenceForAWhile, silenceLeft, sound, wake,
} from "./sound.js";
import { isNarrow, look } from "./shell.js";

const mostRows = 3;
const mostNames = 5;
/** A call in hand for so long is brought to mind once, in milliseconds. */
const reminder = 600000;
let goTo = () => {};

/** @param lead shows what an alert is about. */
export function openAlarm(lead) {
  goTo = (one) => {
    parkDialogs();
    lead(one);
  };
  const soon = onceAFrame(draw);
  on(["alerts"], raise);
  on(["alerts", "status", "users", "devices", "checkins", "fences"], soon);
  setInterval(repeat, 1000);
  onSound(soon);
  setInterval(soon, 10000);
  addEventListener("resize", soon);
}

export const waiting = () => state.alerts.filter(isWaiting);

/** The alarms that wait, without the order that the bar of `me.js` shows; each person once. */
function alarms() {
  const shown = new Set();
  return waiting().filter((one) => {
    if (!isAlarm(one) && one.kind !== "calledOff") return false;
    if (one.kind === "directive" && one.row === ownOrder()?.id) return false;
    if (!one.person) return true;
    if (shown.has(one.person)) return false;
    return shown.add(one.person);
  });
}

/** Calls for help that are acknowledged; the one that has waited longest first. */
const inHand = () => state.alerts.filter((one) => isLife(one) && !isWaiting(one));

// MARK: The strip

/** How many rows fit above the line of names and calls in hand. */
function fitting() {
  if (isNarrow()) return 1;
  if (innerWidth <= 1100) return 1;
  return Math.max(1, Math.min(mostRows, Math.floor((innerHeight * 0.15 - 34) / 30)));
}

function draw() {
  // The owner of a phone sees a line with their number: `owner.js`.
  const all = isOwners() ? [] : alarms();
  const hand = isOwners() ? [] : inHand();
  const rows = all.slice(0, fitting());
  const others = all.slice(rows.length);
  byId("alarm").hidden = all.length + hand.length === 0;
  byId("alarm").classList.toggle("calm", !all.some(isAlarm));
  byId("alarm").setAttribute("aria-label", t("alarm"));
  const own = hand.length > 0 && handLine(hand);
  const hadFocus = byId("alarm").contains(document.activeElement);
  const [named, more] = names(rows, others);
  const below = [...named, ...more, ...isNarrow() ? [silenceButton(), own] : [own, silenceButton()]];
  fill(byId("alarm"), all.length > 0 && h("ul", {}, rows.map((one) => line(one, others.length > 0))),
    all.length > 0 ? h("div", { class: "row rest" }, below) : own);
  // The row that had the focus may be gone: the next one has it.
  if (hadFocus && !byId("alarm").contains(document.activeElement)) {
    (byId("alarm").querySelector("[data-key^='alarm seen ']") ?? byId("alarm").querySelector("button")
      ?? byId("map")).focus({ preventScroll: true });
  }
  drawSilence();
}

/** Further calls by name, then how many more there are of them, and of other alarms. */
function names(rows, others) {
  const further = others.filter(isLife);
  const named = further.slice(0, Math.max(0, mostNames - rows.filter(isLife).length));
  const [more, rest] = [further.length - named.length, others.length - further.length];
  return [
    named.map((one) => h("button", {
      class: "name", "data-key": `call ${one.id}`, onclick: () => goTo(one),
      "aria-label": `${t("go.to")}: ${alertText(one)}`,
    }, isNarrow() ? callName(one) : `MAYDAY ${callName(one)}`)),
    [more > 0 && button(t("mayday.more", { n: more }), "alarm maydays", openList),
      rest > 0 && button(t("more", { n: rest }), "alarm more", openList)],
  ];
}

function openList() {
  parkDialogs();
  look("feed");
}

function silenceButton() {
  if (!alarms().some(isAlarm)) return false;
  if (isSilent()) return button(t("sound.wake"), "alarm sound", wake);
  const left = silenceLeft();
  return left > 0
    ? button(t("silence.left", { time: `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` }),
      "alarm silence", endSilence)
    : !isMuted() && button(isNarrow() ? icon("mute") : t("silence"), "alarm silence", silenceForAWhile,
      { "aria-label": t("silence") });
}

const line = (one, isShort) => h("li", { "data-alert": one.id, "data-priority": priority(one) },
  h("strong", {}, sign(isAlarm(one) ? "danger" : "warning"), " ", isLife(one) && "MAYDAY ", shortText(one)),
  // On a phone there is no room beside others.
  isLife(one) && !(isShort && isNarrow()) && h("span", { class: "where" }, situation(personOf(one))),
  h("span", {}, since(actOf(one))),
  !isNarrow() && innerWidth > 1100 && !isLife(one) && calls(one, 1),
  h("span", { class: "row" },
    labelled("go.to", `go ${one.id}`, one, goTo),
    // On a phone the panel of the person has it.
    mayAnswer(one) && !(isShort && isNarrow()) && labelled("answer", `alarm answer ${one.id}`, one, answerCall),
    mayWrite() && labelled(one.kind === "calledOff" ? "mayday.confirm" : "acknowledge", `alarm seen ${one.id}`, one,
      acknowledge)));

/** A button whose label for a screen reader names the alert. */
const labelled = (word, key, one, work) => button(t(word), key, () => work(one),
  { "aria-label": `${t(word)}: ${alertText(one)}` });

/** "In hand: Eva (Anna, 14:03)". */
function handLine(hand) {
  const isLate = hand.some(({ acknowledgedAt }) => Date.now() - Date.parse(acknowledgedAt) >= reminder);
  const each = hand.map((one) =>
    `${callName(one)} (${byline(one.acknowledgedBy)}, ${clock(one.acknowledgedAt).slice(0, 5)})`);
  return h("button", {
    class: `hand${isLate ? " late" : ""}`, "data-key": "alarm hand",
    onclick: () => (hand.length === 1 ? goTo(hand[0]) : openList()),
  }, `${t("mayday.hand", { n: hand.length })}: ${each.join(", ")}`);
}

/** The next alarm of the strip after the one that has the focus, by a key. */
export function focusNext() {
  const rows = [...byId("alarm").querySelectorAll("li")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  (rows[(at + 1) % rows.length] ?? byId("alarm")).querySelector("button")?.focus();
}

// MARK: Sound

let heard = null;
let sounded = { life: 0, danger: 0 };
const reminded = new Set();

/**
 * The milliseconds within which an alert that is raised again makes no further sound: answers to readers at
 * one time may date a new one differently.
 */
const settling = 3000;

const isRaised = (one) => {
  if (!isWaiting(one)) return false;
  // Of a shared alert that has ended one may be left, which is not new.
  const known = heard.get(one.id) ?? [...heard.values()].find(({ members = [] }) => members.includes(one.id));
  return !known || known.acknowledgedBy !== null
    || Date.parse(one.since) - Date.parse(known.since) > settling;
};

function play(level) {
  if (level in sounded) sounded[level] = Date.now();
  if (level === "life") sounded.danger = Date.now();
  sound(level);
}

/**
 * Alerts that exist when the page opens make no sound, nor do acknowledged ones. One that is raised
 * again, as for a further call for help, does.
 */
function raise(alerts) {
  const fresh = heard === null ? [] : alerts.filter(isRaised);
  heard = new Map(alerts.map((a) => [a.id, a]));
  if (isOwners()) return;
  const urgent = fresh.filter((one) => priority(one) !== "message");
  // Outside all views, so that a screen reader reads new alerts in every view.
  if (urgent.length > 0) byId("heard").textContent = urgent.map(alertText).join(". ");
  notify(urgent.map((one) => ({ ...one, text: alertText(one) })));
  // What is new of life ends a silence that was meant for something else.
  if (urgent.some(isLife)) endSilence();
  const loudest = ["life", "danger", "warning"].find((level) => urgent.some((one) => priority(one) === level));
  if (loudest) play(loudest);
  announce(fresh.filter((one) => priority(one) === "message").map(alertText));
}

/** Life sounds again every 15 s and danger every 60 s until it is acknowledged. */
function repeat() {
  drawSilence();
  if (isOwners() || heard === null) return;
  remind();
  const all = alarms().map(priority);
  const due = ["life", "danger"].find((level) => all.includes(level));
  if (due && Date.now() - sounded[due] >= repetition[due]) play(due);
}

/** Brings a call to mind that is in hand for ten minutes: once, and not again after a reload. */
function remind() {
  for (const one of inHand()) {
    const key = `${one.id} ${one.acknowledgedAt}`;
    const age = Date.now() - Date.parse(one.acknowledgedAt);
    if (age < reminder || reminded.has(key)) continue;
    reminded.add(key);
    if (age > reminder + 30000) continue;
    byId("heard").textContent = t("mayday.remind", { name: callName(one) });
    sound("warning");
    draw();
  }
}

/** At command a sound that is off or blocked is a red banner in the header; a silence counts down. */
function drawSilence() {
  const banner = byId("mute-banner");
  const isOff = isCommand() && !isOwners() && (isMuted() || isSilent());
  if (banner.hidden === isOff) {
    banner.hidden = !isOff;
    const why = t(isMuted() ? "sound.none" : "sound.blocked");
    fill(banner, isOff && button([icon("mute"), h("span", { class: "word" }, t("sound.wake"))], "sound wake",
      () => (isMuted() ? mute(false) : wake()), { title: why, "aria-label": `${why} ${t("sound.wake")}` }));
  }
  const counter = document.querySelector("[data-key='alarm silence']");
  const left = silenceLeft();
  if (counter && left > 0) {
    counter.textContent = t("silence.left", { time: `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` });
  } else if (counter?.textContent.includes(":")) onceAFrame(draw)();
}

// MARK: Acts

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
