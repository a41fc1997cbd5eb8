// A phone out of the node's range: the page opens with the last known picture, and lists what waits
// to be sent.

import { button, byId, dotted, faint, fill, h } from "./dom.js";
import { clear, commit, read } from "./kept.js";
import { discard, flush, onQueue, queued, removeNames, retry } from "./queue.js";
import { onLoad, ownerOf, restore, snapshot, state } from "./store.js";
import { clock, t } from "./words.js";
import { look } from "./shell.js";

const [settled, pictureEvery] = [1500, 13500];
const mostListed = 50;
const known = "session";

/** The login of the last visit, which the page assumes while the node is out of range. */
export function knownSession() {
  try { return JSON.parse(localStorage.getItem(known)); } catch { return null; }
}

/**
 * Keeps a login for the next visit, and removes the picture of any other. Of an expired one only
 * what a call for help needs.
 */
export async function keepSession(session) {
  const { id, standing } = session;
  localStorage.setItem(known, JSON.stringify(standing === "full" ? session : { id, standing }));
  const remove = async () => commit("picture", [], (await read("picture"))
    .map(({ owner }) => owner).filter((owner) => standing !== "full" || owner !== ownerOf(session)));
  await remove().catch(warn);
}

const warn = (error) => console.warn(String(error));

/**
 * Removes what shows data of this login. Entries that wait stay: calls for help are sent at once, the
 * rest at its next login. The page's files stay too, so that it opens and sends them.
 */
export async function forgetSession() {
  isLeaving = true;
  for (const key of [known, "sharing", "silenced"]) localStorage.removeItem(key);
  await clear("picture").catch(warn);
  await removeNames().catch(warn);
}

let isLeaving = false;
let timer = null;

/** @param onPicture is called with the time of the picture that the page shows instead of data. */
export async function openOffline(onPicture) {
  if (location.protocol === "https:") {
    navigator.serviceWorker?.register("/dashboard/sw.js", { scope: "/" }).catch(warn);
  }
  if (!state.session) return;
  onQueue(draw);
  draw();
  flush();
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
    // A call may have reached the laptop: the line of the call cancels it.
    entry.kind !== "help" && button(t("discard"), `discard ${entry.key}`, () => discard(entry))));
