// The position of a phone: shared while the page is open, or sent by a tracker app.

import { button, byId, faint, fill, h, link, say } from "./dom.js";
import { icon } from "./icons.js";
import { act } from "./queue.js";
import { ownerOf, state } from "./store.js";
import { clock, spoken, t } from "./words.js";
import { copy } from "./dialog.js";
import { setPhoneFix } from "./way.js";

const positionEvery = 15000;
/** Whose position this browser shares: it resumes when the page is opened again. */
const kept = "sharing";

let watch = null;
let areAppsOpen = false;
let [fix, fault, sentAt] = [null, "", 0];
let changed = () => {};

/** Shares the position again if the user did not stop it. @param redraw is called after changes. */
export function openPosition(redraw) {
  if (!state.session?.phone) return;
  changed = () => {
    drawState();
    redraw();
  };
  byId("sharing").addEventListener("click", () => stop());
  if (localStorage.getItem(kept) === ownerOf(state.session)) start();
}

/** Whether the phone's position is shared, in the header of each view; a press stops it. */
function drawState() {
  const sharing = byId("sharing");
  const words = [t("position.on"), fault].filter(Boolean).join(" ");
  sharing.hidden = watch === null;
  sharing.classList.toggle("warning", fault !== "");
  sharing.title = words;
  sharing.setAttribute("aria-label", words);
  fill(sharing, icon("here"));
}

/** Sharing the position, and the addresses for tracker apps; null for other logins. */
export function phoneTools() {
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
      () => (watch === null ? share() : stop()), { "aria-pressed": String(watch !== null) }),
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

/** The user shares the position, from now on and when the page is opened again. */
export function share() {
  // Safari shows a compass only after a question, which needs the press of a button.
  globalThis.DeviceOrientationEvent?.requestPermission?.().catch(() => {});
  if (start()) {
    localStorage.setItem(kept, ownerOf(state.session));
    say(t("position.shared"));
  }
}

function start() {
  fault = isSecureContext && navigator.geolocation ? "" : t("position.insecure");
  if (!fault) {
    watch = navigator.geolocation.watchPosition((now) => {
      fault = "";
      fix = now;
      const { latitude: lat, longitude: lon, accuracy } = now.coords;
      setPhoneFix({ lat, lon, accuracyMetres: accuracy, time: now.timestamp });
      send(now).catch((error) => { fault = spoken(error.message); }).finally(changed);
    }, (error) => {
      fault = t(error.code === 1 ? "position.denied" : "position.none");
      changed();
    }, { enableHighAccuracy: true, maximumAge: 0 });
  }
  changed();
  return fault === "";
}

function stop() {
  navigator.geolocation.clearWatch(watch);
  [watch, fix, fault] = [null, null, ""];
  localStorage.removeItem(kept);
  setPhoneFix(null);
  changed();
  say(t("position.stopped"), { word: t("undo"), work: share });
}

async function send({ coords, timestamp }) {
  if (timestamp - sentAt < positionEvery) return;
  sentAt = timestamp;
  await act("position", "", "POST", "me/position", {
    lat: coords.latitude, lon: coords.longitude,
    accuracyMetres: Math.round(coords.accuracy * 10) / 10,
    sampleTime: new Date(timestamp).toISOString(),
  });
}
