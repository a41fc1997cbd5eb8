// A phone out of the node's range: the page opens with the last known picture, and lists what waits
// to be sent. Also the phone's position, while the page is open or by a tracker app.

import { button, byId, dotted, faint, fill, h, link, say } from "./dom.js";
import { clear, commit, read } from "./kept.js";
import { act, discard, openQueue, queued, retry } from "./queue.js";
import { onLoad, ownerOf, restore, snapshot, state } from "./store.js";
import { clock, spoken, t } from "./words.js";
import { look } from "./shell.js";
import { copy } from "./team.js";

const [settled, pictureEvery] = [1500, 13500];
const positionEvery = 15000;
const mostListed = 50;
const known = "session";

/** The login of the last visit, which the page assumes while the node is out of range. */
export function knownSession() {
  try { return JSON.parse(localStorage.getItem(known)); } catch { return null; }
}

/** Keeps a login for the next visit, and removes the picture of any other. */
export async function keepSession(session) {
  localStorage.setItem(known, JSON.stringify(session));
  const remove = async () => commit("picture", [], (await read("picture"))
    .map(({ owner }) => owner).filter((owner) => owner !== ownerOf(session)));
  await remove().catch(warn);
}

const warn = (error) => console.warn(String(error));

/** Removes what shows data of this login. Entries that wait are sent at its next login. */
export async function forgetSession() {
  isLeaving = true;
  localStorage.removeItem(known);
  await clear("picture").catch(warn);
  for (const one of await navigator.serviceWorker?.getRegistrations() ?? []) await one.unregister();
  for (const one of await globalThis.caches?.keys() ?? []) await caches.delete(one);
}

let isLeaving = false;
let timer = null;

/** @param onPicture is called with the time of the picture that the page shows instead of data. */
export async function openOffline(onPicture) {
  if (!state.session) return;
  navigator.serviceWorker?.register("/dashboard/sw.js", { scope: "/" })
    .catch(warn);
  await openQueue(draw);
  const show = async () => {
    const picture = (await read("picture")).find(({ owner }) => owner === ownerOf(state.session));
    if (picture && restore(picture)) onPicture(picture.times.users ?? picture.at);
  };
  onLoad(keepPicture, () => show().catch(warn));
}

/** Soon after the first load, when all sets are here, and then from time to time. */
function keepPicture() {
  timer ??= setTimeout(async () => {
    const picture = { owner: ownerOf(state.session), at: Date.now(), ...snapshot() };
    if (!isLeaving) await commit("picture", [picture]).catch(warn);
    setTimeout(() => { timer = null; }, pictureEvery);
  }, settled);
}

// MARK: What waits

function draw() {
  const all = queued();
  const n = all.filter(({ why }) => !why).length;
  const text = dotted(n > 0 && t("queue.n", { n }),
    n < all.length && t("queue.refused.n", { n: all.length - n }));
  byId("queued").hidden = text === "";
  fill(byId("queued"), h("span", {}, text),
    button(t("show"), "queue show", () => look("me")));
  drawWaiting();
}

let place = null;
/** The list of what waits, in a drawer. */
export function waitingList() {
  place ??= h("section", { id: "queue" });
  drawWaiting();
  return place;
}

function drawWaiting() {
  if (!place) return;
  const all = queued();
  fill(place, all.length > 0 && h("h3", {}, t("queue")),
    h("ul", {}, all.slice(0, mostListed).map(row)),
    all.length > mostListed && faint(t("more", { n: all.length - mostListed })));
}

const row = (entry) => h("li", { class: `card ${entry.why ? "warning-card" : ""}` },
  h("strong", {}, dotted(t(`queue.${entry.kind}`), entry.label)),
  faint(dotted(clock(entry.at), entry.why ? t("queue.refused", { why: entry.why }) : t("queue.waits"))),
  h("div", { class: "row" },
    entry.why && button(t("retry"), `retry ${entry.key}`, () => retry(entry)),
    button(t("discard"), `discard ${entry.key}`, () => discard(entry))));

// MARK: The phone's position

let watch = null;
let areAppsOpen = false;
let [fix, fault, sentAt] = [null, "", 0];

/** Sharing the position, and the addresses for tracker apps; nothing for other logins. */
export function phoneTools(redraw) {
  const path = state.session?.phone;
  if (!path) return null;
  const url = location.origin + path;
  const name = state.session.name;
  const config = {
    _type: "configuration", mode: 3, url: `${url}owntracks`, username: name, deviceId: "phone",
    tid: name.slice(0, 2), auth: false,
  };
  const inline = btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(config))));
  const osmand = `${url}?id=${encodeURIComponent(name)}&lat={0}&lon={1}&timestamp={2}&hdop={3}`;
  return h("section", { class: "stack" }, h("h3", {}, t("place")),
    button(t(watch === null ? "position.share" : "position.stop"), "position share",
      () => share(redraw), { "aria-pressed": String(watch !== null) }),
    faint(fault || (fix ? t("position.sent", {
      n: Math.round(fix.coords.accuracy), time: clock(fix.timestamp),
    }) : t("position.why"))),
    h("details", {
      open: areAppsOpen, ontoggle: ({ target }) => { areAppsOpen = target.open; },
    }, h("summary", {}, t("position.background")), faint(t("position.apps")),
      h("div", { class: "row" },
        link(`owntracks:///config?inline=${encodeURIComponent(inline)}`, { class: "button" },
          "OwnTracks"),
        button("OsmAnd", "copy osmand", () => copy(osmand)),
        button("Traccar Client", "copy traccar", () => copy(url)))));
}

function share(redraw) {
  fault = "";
  if (watch !== null) {
    navigator.geolocation.clearWatch(watch);
    watch = null;
  } else if (!isSecureContext || !navigator.geolocation) {
    fault = t("position.insecure");
  } else {
    watch = navigator.geolocation.watchPosition((now) => {
      fault = "";
      fix = now;
      sendPosition(now).catch((error) => { fault = spoken(error.message); }).finally(redraw);
    }, (error) => {
      fault = t(error.code === 1 ? "position.denied" : "position.none");
      redraw();
    }, { enableHighAccuracy: true, maximumAge: 0 });
    say(t("position.shared"));
  }
  redraw();
}

async function sendPosition({ coords, timestamp }) {
  if (timestamp - sentAt < positionEvery) return;
  sentAt = timestamp;
  await act("position", "", "POST", "me/position", {
    lat: coords.latitude, lon: coords.longitude,
    accuracyMetres: Math.round(coords.accuracy * 10) / 10,
    sampleTime: new Date(timestamp).toISOString(),
  });
}
