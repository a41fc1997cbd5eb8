// What the user of a phone enters, until the node has answered: in the browser's database, so that
// it outlives the page. Each entry has an idempotency key, so that the node performs it once, and
// the time at which the user acted. Entries belong to one login of one operation.
//
//     act ─▶ database ─▶ HELP and OK: every 2 s until answered ─┬▶ answered: removed
//                     ├▶ photos, one after another ─────────────┼▶ refused: stays, with why
//                     └▶ the rest, in order ────────────────────┴▶ no answer: stays
//
// A call for help waits for nothing: not for other entries, for a login, or for an attempt that
// hangs. The rest, and an OK, follow the calls before them.

import { Refusal, giveWay, transmit, unlock } from "./api.js";
import { commit, read } from "./kept.js";
import { isOwnedBy, ownerOf, state } from "./store.js";
import { spoken, t } from "./words.js";

const [again, urgentAgain] = [5000, 2000];
const most = 5000;
/** Attempts of one entry under way: a browser has few connections to a node. */
const mostAttempts = 3;
/** Attempts of one entry begin at least this far apart. */
const soonest = 500;
/** Of one attempt: a slow link answers the first one, and a new connection the next. */
const urgentPatience = 20000;
/** Answers of the node that may differ at the next attempt. */
const temporary = new Set([0, 401, 408, 409, 425, 429, 500, 502, 503, 504]);
const isUrgent = ({ kind }) => kind === "help" || kind === "safe";
/** Whether an entry would cancel a call for help of the same person. */
const isCancelling = ({ kind, path, body, owner }, help) => owner === help.owner && (kind === "safe"
  ? path === help.path
  : kind === "checkin" && help.path === "me/safety" && body.user === who()?.user);

let entries = [];
let stored = [];
/** Those of a browser without a database, or without room in it. */
const unstored = [];
/** The keys of entries that are over, also where the database still has them. */
const over = new Set();
let listener = () => {};
/** When the node answered a call for help; null before the first. */
export let calledAt = null;
/** By key: the form that waits for the answer. */
const forms = new Map();
/** By key: the attempts under way of an urgent entry. */
const attempts = new Map();
/** The keys of those that the node refused, at least for now. */
const refusals = new Set();
const lanes = [true, false].map((isPhotos) => (
  { isPhotos, name: `muster ${isPhotos}`, isRunning: false, isStale: false }));
const isOf = ({ isPhotos }) => (one) => !isUrgent(one) && (one.kind === "photo") === isPhotos;
let [timer, urgentTimer] = [null, null];

/** The login of the page, or the one that has expired. */
const who = () => state.session ?? state.expired;
const own = () => entries.filter((one) => isOwnedBy(one.owner, who()));
/** The user's entries, in the order in which they are sent. */
export const queued = () => own().sort((a, b) =>
  (b.kind === "help") - (a.kind === "help") || a.place - b.place);

/** What is sent at once; without a login that of every login. The node refuses another login's. */
const urgent = () => (state.session ? own() : entries).filter((one) => isUrgent(one));
/** The calls for help that the node has not answered, or has refused. */
export const unsentCalls = () => urgent().filter(({ kind }) => kind === "help");

/** Calls `work` after each change. */
export function onQueue(work) { listener = work; }

/** Reads what an earlier page left, and sends it. */
export async function openQueue() {
  if (location.protocol !== "https:") return;
  addEventListener("online", sendStored);
  addEventListener("pageshow", sendStored);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) sendStored(); });
  await sendStored();
}

/** Another page of this browser may have cancelled what this one knows. */
async function sendStored() {
  await load();
  flush();
}

async function load() {
  try { stored = await read("entries"); } catch (error) { warn(error); }
  entries = [...stored, ...unstored].filter(({ key }) => !over.has(key));
  listener();
  // Entered in another page of this browser.
  if (!urgentTimer) sendUrgent();
}

const warn = (error) => console.warn(String(error));

/**
 * Writes what a user entered. Returns the node's answer, or { queued: key } if it waits; throws what
 * the node refuses. On the node's own machine nothing waits.
 * @param more `files`: photos of the new row, whose id replaces {id} in their paths; `key`: that of an
 *   earlier attempt.
 */
export async function act(kind, label, method, path, body, more = {}) {
  const entry = {
    key: more.key ?? crypto.randomUUID(), owner: ownerOf(who()), kind, label, method, path,
    body, at: Date.now(), parent: null, why: null, login: ownerOf(who()),
  };
  if (!who()) return transmit(entry);
  if (own().length >= most && !isUrgent(entry)) throw new Error(t("queue.full", { n: most }));
  const superseded = kind === "help"
    ? own().filter((one) => !one.why && isCancelling(one, entry)) : [];
  for (const one of superseded) {
    one.why = t("queue.superseded");
    end(one);
  }
  const photos = (more.files ?? []).map((file) => ({
    ...entry, key: crypto.randomUUID(), kind: "photo", label: file.name, body: file,
    path: `${path}/{id}/photos`, parent: entry.key,
  }));
  try {
    await commit("entries", [...superseded, entry, ...photos]);
  } catch {
    // Without a database, or room in it, the form keeps what was entered, and the page the call.
    if (!isUrgent(entry)) return transmit(entry);
    unstored.push({ ...entry, place: 1e9 + unstored.length });
  }
  await load();
  const answered = new Promise((resolve, reject) => forms.set(entry.key, { resolve, reject }));
  flush();
  return answered;
}

/** Sends everything that waits; a second call during that reads the entries again. */
export function flush() {
  sendUrgent();
  if (!state.session) return;
  clearTimeout(timer);
  for (const lane of lanes) run(lane);
}

// MARK: Calls for help

/** Sends HELP and OK, and again until the node has answered. */
function sendUrgent() {
  clearTimeout(urgentTimer);
  urgentTimer = null;
  const waiting = urgent().filter(({ why }) => !why);
  giveWay(waiting.length > 0);
  for (const one of waiting) {
    const isNext = waiting.every((help) => help.kind !== "help" || help.place >= one.place
      || !isCancelling(one, help));
    if (isNext) attempt(one);
  }
  if (waiting.length === 0) return;
  urgentTimer = setTimeout(async () => {
    for (const one of waiting) settle(one, (form) => form.resolve({ queued: one.key }));
    // Another page of this browser may have sent it.
    await load();
    sendUrgent();
  }, urgentAgain);
}

/** Sends an entry once. The node performs it once, however many attempts reach it. */
async function attempt(entry) {
  const running = attempts.get(entry.key) ?? [];
  if (running.some(({ since }) => performance.now() - since < soonest)) return;
  // The oldest one may be on a slow link.
  if (running.length >= mostAttempts) running.splice(1, 1)[0].controller.abort();
  const current = { since: performance.now(), controller: new AbortController() };
  attempts.set(entry.key, [...running, current]);
  try {
    const answer = await transmit(entry, current.controller, urgentPatience);
    if (!over.has(entry.key)) await done(entry, answer);
    flush();
  } catch (error) {
    if (error.status) refusals.add(entry.key);
    if (!(error instanceof Refusal)) warn(error);
    else if (!temporary.has(error.status) && !over.has(entry.key)) await refused(entry, error);
  }
  const others = (attempts.get(entry.key) ?? []).filter((one) => one !== current);
  if (others.length > 0) attempts.set(entry.key, others);
  else attempts.delete(entry.key);
}

/** Whether the rest would overtake a call: until the node answers it, or takes long on a slow link. */
const isAhead = ({ key }) => !refusals.has(key)
  && !attempts.get(key)?.some(({ since }) => performance.now() - since > urgentAgain);

/** Ends the attempts of an entry. */
function end({ key }) {
  for (const { controller } of attempts.get(key) ?? []) controller.abort();
  attempts.delete(key);
}

/** Cancels what waits of a person's calls for help, also at the node, which an attempt may have reached. */
export async function cancelCall(call) {
  const { place, ...help } = call;
  const calls = unsentCalls().filter((one) => one.owner === help.owner && one.path === help.path);
  const ok = {
    ...help, key: crypto.randomUUID(), kind: "safe", label: "", body: { safety: "safe" },
    at: Date.now(), why: null,
  };
  for (const one of calls) end(one);
  // At once: while the database writes, nothing sends them again.
  drop(calls);
  await commit("entries", [ok], calls.map((one) => one.place))
    .catch(() => unstored.push({ ...ok, place }));
  await sendStored();
}

/** Whether a HELP or an OK waits for the node. */
export const callsWait = () => urgent().some(({ why }) => !why);

/** Returns once none does. */
export async function callsAnswered() {
  await load();
  while (callsWait()) {
    await new Promise((resolve) => { setTimeout(resolve, soonest); });
  }
}

// MARK: The rest

async function run(lane) {
  lane.isStale = true;
  if (lane.isRunning) return;
  lane.isRunning = true;
  try {
    // Another page of this browser may be sending.
    await navigator.locks.request(lane.name, { ifAvailable: true }, async (lock) => {
      if (lock) await round(lane);
      else lane.isStale = false;
    });
  } catch (error) {
    lane.isStale = false;
    warn(error);
  }
  lane.isRunning = false;
  // Entered in the last moment of the round.
  if (lane.isStale) return run(lane);
  for (const entry of own().filter(isOf(lane))) {
    settle(entry, (form) => form.resolve({ queued: entry.key }));
  }
  clearTimeout(timer);
  if (own().some((one) => !one.why && !isUrgent(one))) timer = setTimeout(flush, again);
}

async function round(lane) {
  const tried = new Set();
  const busy = new Set();
  for (;;) {
    if (lane.isStale) await load();
    lane.isStale = false;
    const keys = new Set(own().map(({ key }) => key));
    const calls = unsentCalls().filter(({ why }) => !why);
    if (calls.some(isAhead)) return;
    const next = queued().filter(isOf(lane)).find((one) =>
      !one.why && !tried.has(one.key) && !busy.has(one.kind) && !keys.has(one.parent)
      && !calls.some((help) => isCancelling(one, help)));
    if (!next) return;
    tried.add(next.key);
    try {
      await done(next, await transmit(next));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // Without a link or a login, nothing else is answered either.
      if (error.status === 0 || error.status === 401) return;
      if (error.status === 429) busy.add(next.kind);
      if (error.isLocked) await lock(next, error);
      else if (!temporary.has(error.status)) await refused(next, error);
    }
  }
}

/** Removes an answered entry, and gives those that wait for it the id of its row, in one step. */
async function done(entry, answer) {
  const children = entries.filter(({ parent }) => parent === entry.key);
  for (const one of children) {
    one.path = one.path.replace("{id}", encodeURIComponent(answer?.id ?? ""));
    one.parent = null;
  }
  const changed = commit("entries", children, [entry.place]);
  // A call that the database keeps is sent again by the next page, which the node performs once.
  await (isUrgent(entry) ? changed.catch(warn) : changed);
  end(entry);
  if (entry.kind === "help") calledAt = Date.now();
  drop([entry]);
  settle(entry, (form) => form.resolve(answer));
  if (children.length > 0) flush();
}

/** A form shows why; otherwise, and with a call for help, the entry stays until it is discarded. */
async function refused(entry, error) {
  entry.why = spoken(error.message);
  end(entry);
  if (forms.has(entry.key) && entry.kind !== "help") await discard(entry).catch(warn);
  else await commit("entries", [entry]).catch(warn).then(load);
  settle(entry, (form) => form.reject(error));
}

/** The entry stays until the passphrase was entered: at once if its user waits. */
async function lock(entry, error) {
  const isAwaited = forms.has(entry.key);
  settle(entry, (form) => form.resolve({ queued: entry.key }));
  await refused(Object.assign(entry, { isLocked: true }), error);
  if (isAwaited) retry(entry);
}

function settle(entry, work) {
  const form = forms.get(entry.key);
  forms.delete(entry.key);
  if (form) work(form);
}

/** Discards an entry, with the photos that wait for it. */
export async function discard(entry) {
  const gone = entries.filter(({ key, parent }) => [key, parent].includes(entry.key));
  await commit("entries", [], gone.map(({ place }) => place));
  drop(gone);
}

function drop(gone) {
  for (const { key } of gone) over.add(key);
  entries = entries.filter(({ key }) => !over.has(key));
  listener();
}

/** Tries a refused entry again, with the others that wait for the passphrase if it does. */
export async function retry(entry) {
  if (entry.isLocked && !await unlock()) return;
  const some = entry.isLocked ? own().filter(({ isLocked }) => isLocked) : [entry];
  for (const one of some) Object.assign(one, { why: null, isLocked: false });
  await commit("entries", some).catch(warn);
  flush();
}

/** Removes the names of people from what waits, when its user logs out. */
export const removeNames = () => commit("entries", own().map((one) => ({
  ...one, owner: ownerOf(who()), login: ownerOf(who()), label: one.kind === "checkin" ? "" : one.label,
})));
