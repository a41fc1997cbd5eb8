// What the user of a phone enters, until the node has answered: in the browser's database, so that
// it outlives the page. Each entry has an idempotency key, so that the node performs it once, and
// the time at which the user acted. Entries belong to one login of one operation.
//
//     act ─▶ database ─▶ round: calls for help first, then in order ─▶ answered: removed
//                          ▲                                        ├▶ refused: stays, with why
//                          └── link is back, new entry, 5 s ◀───────┘▶ no answer: stays
//
// Photos have a round of their own, so that nothing waits for a long upload.

import { Refusal, transmit } from "./api.js";
import { commit, read } from "./kept.js";
import { ownerOf, state } from "./store.js";
import { spoken, t } from "./words.js";

const again = 5000;
const most = 5000;
/** Answers of the node that may differ at the next attempt. */
const temporary = new Set([0, 401, 408, 409, 425, 429, 500, 502, 503, 504]);
/** Whether an entry would cancel a later call for help of the same person. */
const isCancelling = ({ kind, path, body, why }, help) => !why && (kind === "safe"
  ? path === help.path
  : kind === "checkin" && help.path === "me/safety" && body.user === state.session.user);

let entries = [];
let listener = () => {};
/** By key: the form that waits for the answer. */
const forms = new Map();
const lanes = [true, false].map((isPhotos) => (
  { isPhotos, name: `muster ${isPhotos}`, isRunning: false, isStale: false }));
const isOf = ({ isPhotos }) => ({ kind }) => (kind === "photo") === isPhotos;
let timer;

const own = () => entries.filter((one) => one.owner === ownerOf(state.session));
/** The user's entries, in the order in which they are sent. */
export const queued = () => own().sort((a, b) =>
  (b.kind === "help") - (a.kind === "help") || a.place - b.place);

/** Reads what an earlier page left, and sends it. @param onChange is called after each change. */
export async function openQueue(onChange) {
  if (!state.session) return;
  listener = onChange;
  addEventListener("online", flush);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) flush(); });
  await load().catch((error) => console.warn(String(error)));
  flush();
}

async function load() {
  entries = await read("entries");
  listener();
}

/**
 * Writes what a user entered. Returns the node's answer, or { queued: key } if it waits; throws what
 * the node refuses. On the node's own machine nothing waits.
 * @param more `files`: photos of the new row, whose id replaces {id} in their paths; `key`: that of an
 *   earlier attempt.
 */
export async function act(kind, label, method, path, body, more = {}) {
  const entry = {
    key: more.key ?? crypto.randomUUID(), owner: ownerOf(state.session), kind, label, method, path,
    body, at: Date.now(), parent: null, why: null, login: state.session?.name,
  };
  if (!state.session) return transmit(entry);
  if (own().length >= most && kind !== "help") throw new Error(t("queue.full", { n: most }));
  const superseded = kind === "help" ? own().filter((one) => isCancelling(one, entry)) : [];
  for (const one of superseded) one.why = t("queue.superseded");
  const photos = (more.files ?? []).map((file) => ({
    ...entry, key: crypto.randomUUID(), kind: "photo", label: file.name, body: file,
    path: `${path}/{id}/photos`, parent: entry.key,
  }));
  try {
    await commit("entries", [...superseded, entry, ...photos]);
  } catch {
    // Without a database, or room in it, the form keeps what was entered.
    return transmit(entry);
  }
  await load();
  const answered = new Promise((resolve, reject) => forms.set(entry.key, { resolve, reject }));
  flush();
  return answered;
}

/** Sends everything that waits; a second call during that reads the entries again. */
export function flush() {
  if (!state.session) return;
  clearTimeout(timer);
  for (const lane of lanes) run(lane);
}

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
    console.warn(String(error));
  }
  lane.isRunning = false;
  // Entered in the last moment of the round.
  if (lane.isStale) return run(lane);
  for (const entry of own().filter(isOf(lane))) {
    forms.get(entry.key)?.resolve({ queued: entry.key });
    forms.delete(entry.key);
  }
  clearTimeout(timer);
  if (own().some((one) => !one.why)) timer = setTimeout(flush, again);
}

async function round(lane) {
  const tried = new Set();
  const busy = new Set();
  for (;;) {
    if (lane.isStale) await load();
    lane.isStale = false;
    const keys = new Set(own().map(({ key }) => key));
    const next = queued().filter(isOf(lane)).find((one) =>
      !one.why && !tried.has(one.key) && !busy.has(one.kind) && !keys.has(one.parent));
    if (!next) return;
    tried.add(next.key);
    try {
      await done(next, await transmit(next));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // Without a link or a login, nothing else is answered either.
      if (error.status === 0 || error.status === 401) return;
      if (error.status === 429) busy.add(next.kind);
      if (!temporary.has(error.status)) await refused(next, error);
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
  await commit("entries", children, [entry.place]);
  drop([entry]);
  settle(entry, (form) => form.resolve(answer));
  if (children.length > 0) flush();
}

/** A form shows why; otherwise the entry stays until the user discards it. */
async function refused(entry, error) {
  entry.why = spoken(error.message);
  if (forms.has(entry.key)) {
    await discard(entry);
  } else {
    await commit("entries", [entry]);
    await load();
  }
  settle(entry, (form) => form.reject(error));
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
  const places = gone.map(({ place }) => place);
  entries = entries.filter(({ place }) => !places.includes(place));
  listener();
}

/** Tries a refused entry again. */
export async function retry(entry) {
  entry.why = null;
  await commit("entries", [entry]);
  flush();
}
