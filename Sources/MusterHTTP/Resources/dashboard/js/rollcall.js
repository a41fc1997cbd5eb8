// Orders: roll calls with timer and people unaccounted for, evacuate and muster, position requests,
// messages.

import { button, byId, dotted, faint, fill, h, onceAFrame } from "./dom.js";
import { change, segment, write } from "./api.js";
import { attempt } from "./dialog.js";
import { act } from "./queue.js";
import {
  heldRow, holdRow, isCommand, isOwnTracker, maySpeak, on, secondsLoaded, speaker, state,
} from "./store.js";
import { ago, byline, said, secondsSince, since, t } from "./words.js";
import { bearing, mark, severities, why } from "./status.js";
import { minutes } from "./strip.js";
import { ownWay, wayWords } from "./way.js";
import { drawButton, going, kinds, order, rollCallNow } from "./order.js";
import { override } from "./person.js";
import { drawerHead } from "./shell.js";
import { forgetAct, remember } from "./undo.js";

const looks = { evacuate: "danger" };
const mostNames = 300;

/** @param pick shows a person. */
export function openOrders(pick) {
  on(["directives", "status", "users", "devices"], onceAFrame(() => draw(pick)));
  setInterval(tick, 1000);
}

function draw(pick) {
  const all = [...state.directives.values()].sort((a, b) =>
    (a.status === b.status ? (a.createdAt < b.createdAt ? 1 : -1) : a.status === "open" ? -1 : 1));
  const mayAsk = isCommand();
  const focused = document.activeElement.closest("#orders [data-order]")?.dataset.order;
  fill(byId("orders"), drawerHead("orders"),
    mayAsk && h("div", { class: "row asks" },
      button(t("rollcall.now"), "rollcall now", rollCallNow, { class: "first" }),
      kinds.map((kind) =>
        button(`${t(`order.${kind}`)}…`, kind, () => order(kind), { class: looks[kind] })),
      drawButton("draw order")),
    all.length === 0 && faint(t("orders.none")),
    all.map((one) => card(one, mayAsk, pick)));
  // The button of a person who is accounted for is gone.
  if (focused && document.activeElement === document.body) {
    byId("orders").querySelector(`[data-order="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
  tick();
}

const isLate = (person) => person.late || person.state === "late";
const isMissing = (person) => person.state === "unaccounted";
/** By order and person: what the rows of those who are missing showed. */
const rows = new Map();

/** The names of the zones to go to; empty if any assembly zone satisfies the order. */
export const zonesOf = (one) =>
  (one.zones ?? []).map(({ name }) => name).join(", ") || one.fenceName || "";

function card(one, mayAsk, pick) {
  const isOpen = one.status === "open";
  const people = one.people.filter((person) => !isLate(person));
  const late = one.people.filter(isLate);
  const missing = people.filter(isMissing);
  const before = rows.get(one.id);
  const shown = people.map((person) => (isMissing(person) || !heldRow(person.user) ? person
    : { ...before?.get(person.user) ?? person, isDone: true })).filter(isMissing).sort(worst);
  rows.set(one.id, new Map(shown.map((person) => [person.user, person])));
  const look = !isOpen ? "" : missing.length > 0 ? "warning-card" : "safe-card";
  const zones = zonesOf(one);
  const mayClose = isOpen && mayAsk;
  const mayAnswer = ({ user }) => isOpen && (mayAsk || isOwnTracker(state.users.get(user)));
  return h("article", { class: `card ${look}`, "data-order": one.id, tabindex: -1 },
    h("div", { class: "head" },
      h("h3", {}, t(`order.${one.kind}`), zones && ` → ${zones}`),
      isOpen ? h("span", { class: "timer", "data-timer": one.id, role: "timer" })
        : h("span", { class: "chip" }, t("closed"))),
    one.text && h("p", {}, one.text),
    faint(dotted(
      byline(one.callsign), since(one.createdAt), t("for", { audience: said(one.audience, one.addressees) }))),
    isOpen && own(one),
    sum(people, missing.length),
    shown.length > 0 && h("ul", { class: "people", "aria-label": t("unaccounted") },
      shown.slice(0, mostNames).map((person) => lacking(one, person, mayAnswer(person), pick)),
      shown.length > mostNames && h("li", { class: "faint" },
        t("more", { n: shown.length - mostNames }))),
    answers(one, people, mayAnswer),
    late.length > 0 && h("div", { class: "late" },
      h("h4", {}, t("late", { n: late.length })), faint(t("late.why")),
      h("ul", { class: "people", "aria-label": t("late", { n: late.length }) },
        late.slice(0, mostNames).map((person) => lacking(one, person, mayAnswer(person), pick)))),
    mayClose && h("div", { class: "row end" },
      button(t("close.order"), `close ${one.id}`, () => attempt(() => close(one.id), t("done")))));
}

/** The answer of the user of this laptop, in one action. */
function own(one) {
  const me = speaker();
  const person = me && one.people.find(({ user }) => user === me.id);
  if (!person || !maySpeak()) return null;
  if (person.answeredAt !== null) {
    return h("p", { class: "row own" }, h("strong", { class: "safe" }, `✓ ${t("answered.me")}`),
      button(t("undo"), `undo own ${one.id}`, () => takeBack(one)));
  }
  return h("p", { class: "row own" }, button(
    ownAnswer(one.kind), `own ${one.id}`, () => answer(one), { class: "first" }));
}

const judgedOf = ({ user }) => heldRow(user) ?? state.users.get(user);
const rank = (person) => severities.indexOf(judgedOf(person)?.severity ?? "neutral");
const worst = (a, b) => rank(a) - rank(b) || (a.callsign < b.callsign ? -1 : 1);

/** The numbers of people accounted for, by kind of answer. */
function sum(people, missing) {
  const counts = new Map();
  for (const { state } of people) counts.set(state, (counts.get(state) ?? 0) + 1);
  const total = t("accounted", { n: people.length - missing, of: people.length });
  const how = [...counts].filter(([state]) => state !== "unaccounted")
    .map(([state, n]) => `${t(`answer.${state}`)} ${n}`).join(", ");
  return h("p", { class: "sum" }, h("strong", { class: missing ? "warning" : "safe" }, total),
    how && ` (${how})`);
}

/** One row per person, with their button. */
function lacking(one, person, mayAccount, pick) {
  const { user, callsign, fixAgeSeconds, isDone } = person;
  const known = judgedOf(person);
  const fix = fixAgeSeconds !== null && t("fix", { ago: ago(fixAgeSeconds) });
  const own = user === speaker()?.id && speaker().order?.id === one.id ? ownWay() : null;
  const way = own?.zone ? `${own.zone.name}: ${wayWords(own)}`
    : person.zone && `${person.zone}: ${bearing(person)}`;
  return h("li", { class: "person-line" },
    button(callsign, `show ${one.id} ${user}`, () => pick(state.users.get(user)),
      { class: "name", disabled: !known }),
    known && known.severity !== "neutral" ? mark(known) : h("span"),
    h("span", { class: "why" }, dotted(why(person), fix, way)),
    isDone && h("span", { class: "done state safe" }, `✓ ${t("account")}`),
    mayAccount && !isLate(person) && !isDone && button(
      `✓ ${t("account")}`, `account ${one.id} ${user}`, () => account(one, person),
      { class: "act", "aria-label": t("account.of", { name: callsign }) }));
}

/** An answer satisfies no order to go to a zone: command states that the person is accounted for. */
function account(one, person) {
  const user = state.users.get(person.user);
  if (going.includes(one.kind) && isCommand() && user) return override(user, "safe");
  return answer(one, person);
}

/** The names of people who answered. */
function answers(one, people, mayTakeBack) {
  const given = people.filter((p) => p.answeredAt !== null);
  if (given.length === 0) return null;
  return h("details", { open: openDetails.has(one.id), ontoggle: ({ target }) => {
    if (target.open) openDetails.add(one.id);
    else openDetails.delete(one.id);
  } }, h("summary", {}, t("answers", { n: given.length })),
  h("ul", { class: "people" }, given.map((p) => h("li", { class: "person-line" },
    h("strong", { class: "name" }, p.callsign),
    h("span", { class: "state safe" }, `✓ ${t(isMissing(p) ? "answer.acknowledged" : `answer.${p.state}`)}`),
    h("span", { class: "why" }, dotted(
      since(p.answeredAt),
      p.answeredBy && p.answeredBy !== p.callsign
        && t("answered.by", { name: byline(p.answeredBy) }),
      why(p))),
    mayTakeBack(p) && button(
      t("undo"), `undo ${one.id} ${p.user}`, () => takeBack(one, p),
      { class: "act", "aria-label": `${t("undo")}: ${p.callsign}` })))));
}
const openDetails = new Set();

const close = (id) => change("POST", `directives/${segment(id)}`, undefined, "/close");

/** Seconds until a deadline; null without one. */
export const secondsLeft = (one) => (one.secondsLeft === null ? null
  : Math.ceil(one.secondsLeft - secondsLoaded("directives")));

function tick() {
  for (const timer of document.querySelectorAll("[data-timer]")) {
    const one = state.directives.get(timer.dataset.timer);
    if (!one) continue;
    const left = secondsLeft(one);
    const time = minutes(Math.abs(left ?? secondsSince(one.createdAt)));
    timer.textContent = left === null ? t("timer.since", { time })
      : t(left < 0 ? "timer.over" : "timer.left", { time });
    timer.classList.toggle("warning", left !== null && left < 0);
  }
}

// MARK: Answers: the user's own, and answers for others. Each can be withdrawn

const answersOf = (order) => `directives/${segment(order.id)}/acknowledgements`;

/** The label of the button with which users answer for themselves. */
export const ownAnswer = (kind) => t(kind === "rollcall" ? "answer.own.rollcall" : "answer.own");

/** @param person the person answered for; by default the user of this laptop. */
export function answer(order, person) {
  const body = person ? { user: person.user } : {};
  return attempt(async () => {
    const id = person?.user ?? speaker()?.id;
    holdRow(id);
    const sent = await act("answer", order.kind ? t(`order.${order.kind}`) : "", "POST",
      answersOf(order), body);
    if (sent?.queued) return sent;
    holdRow(id);
    remember(person ? t("answered.for", { name: person.callsign }) : t("answered.me"),
      () => withdraw(order, person), keyOf(order, person));
    return null;
  });
}

const keyOf = (order, person) => `answer ${order.id} ${person?.user ?? speaker()?.id}`;
const withdraw = (order, person) =>
  write("POST", `${answersOf(order)}/undo`, person ? { user: person.user } : {});

/** Withdraws an answer that was given for the wrong person, or too early. */
const takeBack = (order, person) => attempt(async () => {
  await withdraw(order, person);
  forgetAct(keyOf(order, person));
}, t("answer.undone"));
