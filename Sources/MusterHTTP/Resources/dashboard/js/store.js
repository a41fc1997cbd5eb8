// The data of the page, by dataset. A set is reloaded when the node reports a change: at once, and
// then no more often than its loading time allows.

import { get, list } from "./api.js";
import { joined } from "./geometry.js";
import { isNarrow } from "./shell.js";
import { judged, worstFirst } from "./status.js";

const rest = 4;
const shortest = 150;
const mostEvents = 300;

const loaders = {
  users: async () => byKey((await list("users")).map(judged)),
  reports: async () => {
    const [rows, own] = await Promise.all([list("reports"), isMember() ? get("me/reports") : null]);
    return byKey(rows.map((row) => ({ ...row, isOwn: own?.ids.includes(row.id) })));
  },
  directives: async () => byKey(await list("directives")),
  fences: async () => {
    const [rows, outlines] = await Promise.all([list("fences"), get("fences.geojson")]);
    const fences = byKey(rows);
    for (const feature of outlines.features) {
      const fence = fences.get(feature.id);
      if (fence) fence.geometry = joined(feature.geometry);
    }
    return fences;
  },
  alerts: async () => (await get("alerts")).items,
  calls: () => get("unverified-calls"),
  checkins: async () => (await get("checkins")).items,
  permits: async () => (await get("permits")).items,
  devices: () => list("devices"),
  status: () => get("status"),
  mesh: async () => (await get("mesh")).items,
  // For the user of this laptop alone: pages over TLS are for logins.
  proximity: async () => (location.protocol === "http:" ? get("proximity") : null),
  events: () => loadEvents(),
};

const byKey = (rows) => new Map(rows.map((row) => [row.id, row]));

let cursor = 0;
let events = [];
async function loadEvents() {
  for (;;) {
    const page = await get(`events?limit=2000&cursor=${cursor}`);
    events = events.concat(page.items).slice(-mostEvents);
    if (page.next !== null) cursor = page.next;
    if (page.items.length < 2000) return events;
  }
}

export const state = {
  users: new Map(), reports: new Map(), directives: new Map(), fences: new Map(),
  alerts: [], calls: null, checkins: [], permits: [], events: [], devices: [], mesh: [], status: null, proximity: null,
  /** The login; null on the node's own machine, which requires none. */
  session: null,
  /** The login of this browser that has expired or was removed: it only calls for help. */
  expired: null,
};
/**
 * The instant that the map shows in place of the present, its people, the zones and reports that are
 * different now, and the ids of those that were not there; null and empty while it is live.
 */
export const past = { at: null, users: null, zones: [], reports: [], absent: [] };
export const shownUsers = () => past.users ?? state.users;

function shown(rows, then) {
  if (past.at === null) return [...rows.values()];
  const other = new Set([...past.absent, ...then.map(({ id }) => id)]);
  return [...rows.values()]
    .filter(({ id, createdAt }) => !other.has(id) && Date.parse(createdAt) <= past.at).concat(then);
}
/** The zones and reports that the map shows. */
export const shownFences = () => shown(state.fences, past.zones);
export const shownReports = () => shown(state.reports, past.reports);
/** The loading time of each set, by the page's clock. */
export const loadedAt = {};

const listeners = {};
const running = {};
let onFault = () => {};

/** Calls `work` after any of the sets has been loaded; soon, if one already is. */
export function on(names, work) {
  for (const name of names) (listeners[name] ??= []).push(work);
  const known = names.filter((name) => loadedAt[name]);
  if (known.length > 0) queueMicrotask(() => work(state[known[0]]));
}

export function onLoadFault(work) { onFault = work; }

/** Loads a set; a call during loading schedules one more load. */
export function load(name) {
  // The stream has sets that the page does not show, such as records.
  if (!loaders[name]) return;
  const job = (running[name] ??= { busy: false, again: false });
  if (job.busy) {
    job.again = true;
    return;
  }
  job.busy = true;
  run(name, job);
}

let [loaded, missed] = [() => {}, () => {}];
/** Calls `work` after each load, and `lost` when the node is out of range. */
export function onLoad(work, lost) {
  [loaded, missed] = [work, lost];
  if (isOut) lost();
}
let isOut = false;

function put(name, value, time) {
  for (const id of leaving[name] ?? []) value.delete(id);
  state[name] = value;
  loadedAt[name] = time;
  if (name === "users") sorted = null;
  for (const listener of listeners[name] ?? []) listener(value);
}

/** What the page shows, with the loading time of each set. */
export const snapshot = () => ({
  sets: Object.fromEntries(Object.keys(loadedAt).map((name) => [name, state[name]])),
  times: { ...loadedAt },
});

/** Shows an earlier snapshot, of sets that are not loaded. Returns whether there is one. */
export function restore({ sets, times }) {
  const old = Object.keys(sets).filter((name) => !loadedAt[name]);
  for (const name of old) put(name, sets[name], times[name]);
  return old.length > 0;
}

async function run(name, job) {
  const start = performance.now();
  try {
    put(name, await loaders[name](), Date.now());
    onFault(name, null);
    loaded();
  } catch (error) {
    onFault(name, error);
    if (error.status === 0 && !loadedAt[name]) {
      isOut = true;
      missed();
    }
  }
  const took = performance.now() - start;
  setTimeout(() => {
    job.busy = false;
    if (!job.again) return;
    job.again = false;
    load(name);
  }, Math.max(shortest, took * rest));
}

let countsBefore = {};
export async function loadAll() {
  try {
    countsBefore = await get("changes");
  } catch {
    // The load below reports the error.
  }
  for (const name of Object.keys(loaders)) load(name);
}

/** Reloads the sets that changed between their request and the start of the stream. */
export function began(counts) {
  for (const [dataset, count] of Object.entries(counts)) {
    if (countsBefore[dataset] !== count) changed({ dataset });
  }
  countsBefore = counts;
}

/** Handles a notice of the stream: the set and the sets derived from it. */
export function changed(notice) {
  if (notice.dataset === "records") return;
  load(notice.dataset);
  // Who is inside, and who follows an order.
  if (["fences", "directives"].includes(notice.dataset)) load("users");
  if (notice.dataset === "events") load("fences");
  if (notice.dataset === "users") loadPermits();
  load(notice.dataset === "alerts" ? "calls" : "alerts");
}

/** Permits belong to the set of people, which changes with each position: they are loaded less often. */
const permitPeriod = 3000;
let permitTimer = null;
const loadPermits = () => {
  permitTimer ??= setTimeout(() => {
    permitTimer = null;
    load("permits");
  }, permitPeriod);
};

const isMember = () => state.session?.rights === "member";

/** Returns whether the user may add reports, photos and comments. */
export const mayAdd = () => mayWrite() || isMember();

/** Returns whether the user may write; the node rejects what its device may not do. */
export const mayWrite = () => state.session === null || state.session.rights === "command";

/** Returns whether the user may report and answer for the login's person, as an observer may too. */
export const maySpeak = () => mayWrite() || Boolean(state.session.user ?? state.session.phone);

/**
 * Returns whether the page belongs to the person who holds the phone, whose danger, order and timer
 * come first: a login of a person below command, or any on the screen of a phone.
 */
export const isOwners = () => Boolean(state.session?.user)
  && (state.session.rights !== "command" || isNarrow());

export const isCommand = () => state.status?.role === "command" && mayWrite();

/** Returns whether a person carries a tracker of the user, who then reports and answers for them. */
export const isOwnTracker = (user) =>
  Boolean(user?.owner) && user.owner === myself()?.id && mayWrite() && state.session === null;

/** The current age of a user's fix in seconds. */
export function fixAge(user) {
  if (user.fixAgeSeconds === null) return null;
  return user.fixAgeSeconds + (past.users ? 0 : passed());
}

let sorted = null;
/** Worst first. */
export function sortedUsers() {
  sorted ??= [...state.users.values()].sort(held.size === 0 ? worstFirst
    : (a, b) => worstFirst(held.get(a.id)?.row ?? a, held.get(b.id)?.row ?? b));
  return sorted;
}

/** For how long a row stays where it is after the user acted on it, in milliseconds. */
const holding = 3000;
/** By the id of a person whose row stays: the row as it was. */
const held = new Map();

/** Lets a person's row stay in place for three seconds, so that the next press meets what the eye saw. */
export function holdRow(id) {
  const { row = state.users.get(id), timer } = held.get(id) ?? {};
  if (!row) return;
  clearTimeout(timer);
  held.set(id, { row, timer: setTimeout(() => {
    held.delete(id);
    for (const name of ["users", "directives"]) put(name, state[name], loadedAt[name]);
  }, holding) });
}

/** A person as their row shows them: where it stays in place, as they were. */
export const heldRow = (id) => held.get(id)?.row;
export const isHolding = () => held.size > 0;

/** By set: the ids of rows that are about to be deleted, which the page shows no longer. */
const leaving = {};

/** Stops to show a row, or shows it again. */
export function hide(name, id, isHidden = true) {
  const ids = (leaving[name] ??= new Set());
  if (isHidden) {
    ids.add(id);
    return put(name, state[name], loadedAt[name]);
  }
  ids.delete(id);
  load(name);
}

/** Seconds since a set was loaded, by this page's clock. */
export const secondsLoaded = (name) => (Date.now() - (loadedAt[name] ?? Date.now())) / 1000;

/** Whole seconds since the people were loaded. */
export const passed = () => Math.round(secondsLoaded("users"));

/** Seconds until a person's order is due; null without a deadline. */
export const dueIn = ({ dueSeconds }) => (dueSeconds === null ? null : dueSeconds - passed());

/** The order that the user of the page follows. */
export const ownOrder = () => speaker()?.order ?? null;

/** The user of this laptop; undefined until the sets are loaded. */
export const myself = () =>
  state.users.get(state.devices.find(({ isThisDevice }) => isThisDevice)?.user);

/** The person that the page reports for: the login's, or the user of this laptop. */
export const speaker = () => (state.session ? state.users.get(state.session.user) : myself());

/** A login of an operation, which owns what waits on this phone: a value that contains no name. */
export const ownerOf = (session) => session?.id ?? formerOwner(session);
/** As earlier versions of the page named it. */
const formerOwner = (session) => (session ? `${session.operation} ${session.name}` : "");
export const isOwnedBy = (owner, session) =>
  Boolean(session) && [session.id, formerOwner(session)].includes(owner);
