// The strip: operation, clock, one chip for each status that someone has, the next timer, and the
// state of the network. Also the banner of outdated data: no connection to the node, or no other
// laptop in range of it.

import { byId, dotted, fill, h, onceAFrame } from "./dom.js";
import { icon } from "./icons.js";
import { isHolding, isOwners, on, secondsLoaded, sortedUsers, state } from "./store.js";
import { severities, statuses, statusWord, symbol } from "./status.js";
import { clock, said, t } from "./words.js";
import { look, view } from "./shell.js";
import { chooseStatus, chosenStatus } from "./roster.js";
import { fly } from "./map/map.js";

/** Statuses with a word of their own on a chip. */
const short = ["inHazard", "unaccounted", "overdue", "noContact", "ordered", "oldPosition", "noPosition"];
const calm = { status: "ok", severity: "safe" };

export function openStrip() {
  const soon = onceAFrame(drawChips);
  on(["users", "status"], soon);
  on(["status"], drawStatus);
  byId("network").addEventListener("click", () => look(view() === "mesh" ? "map" : "mesh"));
  byId("next").addEventListener("click", () => look(next()?.view ?? "timers"));
  tick();
  setInterval(tick, 1000);
}

/** What keeps a person out of the green chip, although their status is a safe one. */
const doubts = ["expected", "noContact", "noPosition", "oldPosition"];

/**
 * The chip of a person: each of those who are not signed off has exactly one, by the shown status.
 * Green is who is in contact with a position that is not old, and without danger or open duty, or who is
 * accounted for. Grey is who was never in contact, or is at an unknown or old place.
 */
export function chipOf({ status, severity, conditions = [] }) {
  if (severity === "danger" || severity === "warning") return status ?? severity;
  if (status === "signedOff") return "signedOff";
  if (status === "accountedFor") return "ok";
  if (doubts.includes(status)) return status;
  return doubts.find((one) => conditions.some((condition) => condition.status === one)) ?? "ok";
}

export function drawChips() {
  const chips = new Map();
  let gone = 0;
  for (const user of sortedUsers()) {
    const key = chipOf(user);
    if (key === "signedOff") {
      gone++;
      continue;
    }
    const grey = doubts.includes(key) && user.severity !== "warning";
    const one = key === "ok" ? calm : grey ? { status: key, severity: "neutral" } : user;
    const chip = chips.get(key) ?? { key, one, users: [] };
    if (key !== "ok" && user.severity === "danger") chip.one = user;
    chip.users.push(user);
    chips.set(key, chip);
  }
  const place = ({ key, one }) =>
    severities.indexOf(one.severity) * 100 + statuses.indexOf(key) + (key === "ok" ? 1000 : 0);
  const all = [...chips.values()].sort((a, b) => place(a) - place(b));
  byId("counts").setAttribute("aria-label", t("counts"));
  const sum = dotted(t("people.n", { n: state.users.size - gone }),
    gone > 0 && t("people.off", { n: gone }));
  fill(byId("counts"), all.map(chipButton), h("span", { class: "faint sum" }, sum));
  // A filter whose chip is gone would hide everyone without a reason in view.
  if (chosenStatus() && !chips.has(chosenStatus()) && !isHolding()) chooseStatus(chosenStatus());
  const danger = all.reduce((n, { one, users }) => n + (one.severity === "danger" ? users.length : 0), 0);
  const name = state.status?.operationName ?? "Muster";
  document.title = danger ? `(${danger}!) ${name}` : name;
}

function chipButton({ key, one, users }) {
  const word = key === "ok" ? "OK"
    : short.includes(key) ? t(`chip.${key}`) : statusWord(one).toUpperCase();
  return h("button", {
    class: `state ${one.severity}`, "data-count": key, "data-key": `count ${key}`,
    title: word, "aria-pressed": String(chosenStatus() === key), onclick: () => {
      chooseStatus(key);
      drawChips();
      if (chosenStatus() === key) fly(users);
    },
  }, symbol(one), h("span", { class: "word" }, word), ` ${users.length}`);
}

function drawStatus(status) {
  byId("operation").textContent = status.operationName || "Muster";
  byId("operation").title = `${status.callsign} · ${t(`role.${status.role}`)}`;
  const members = status.peers.filter((one) => !one.isRevoked);
  const up = members.filter((one) => one.state === "connected").length;
  const of = members.length;
  const words = t("network.of", { n: up, of });
  alone = of > 0 && up === 0;
  const link = byId("network");
  link.className = alone ? "warning" : "";
  link.setAttribute("aria-label", words);
  link.title = words;
  fill(link, icon("mesh"), `${up}/${of}`);
  drawBanner();
}

/** The time that ends first: of a check-in or of an order. */
function next() {
  const timers = state.checkins
    .filter((one) => one.state !== "done" && typeof one.latestSeconds === "number")
    .map((one) => ({
      what: one.callsign, view: "timers", left: one.latestSeconds - secondsLoaded("checkins"),
    }));
  const orders = [...state.directives.values()]
    .filter((one) => one.status === "open" && typeof one.secondsLeft === "number")
    .map((one) => ({
      what: t(`order.${one.kind}`), view: "orders",
      left: one.secondsLeft - secondsLoaded("directives"),
    }));
  return [...timers, ...orders].sort((a, b) => a.left - b.left)[0];
}

/** "4:07", with a minus after the time is over. What is left is rounded up. */
export function minutes(seconds) {
  const whole = Math.abs(Math.ceil(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n) => String(n).padStart(2, "0");
  return (whole > 0 && seconds < 0 ? "−" : "") + (h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`);
}

function tick() {
  const now = new Date();
  const time = (zone) => now.toLocaleTimeString("sv", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  const [local, utc] = [time(), `${time("UTC")} UTC`];
  if (byId("clock").textContent !== local + utc) {
    fill(byId("clock"), h("strong", { class: "local" }, local), " ", h("span", {}, utc));
  }
  // The owner of a phone has their own timer in the strip below.
  const one = isOwners() ? undefined : next();
  byId("next").hidden = !one;
  if (!one) return;
  byId("next").className = one.left < 0 ? "warning" : "";
  byId("next").setAttribute("aria-label", `${t("next.timer")}: ${one.what} ${minutes(one.left)}`);
  fill(byId("next"), icon("timers"), h("span", { class: "what" }, one.what), minutes(one.left));
}

// MARK: Outdated data

const patience = 1500;
let lostAt = null;
let alone = false;
let timer;

/** @param time of the data that is shown, if the link was lost earlier than now. */
export function nodeLink(isUp, time = Date.now()) {
  lostAt = isUp ? null : Math.min(lostAt ?? time, time);
  clearTimeout(timer);
  // A connection that returns immediately is not reported.
  timer = setTimeout(drawBanner, isUp ? 0 : Math.max(0, lostAt + patience - Date.now()));
}

function drawBanner() {
  const banner = byId("banner");
  const isLost = lostAt !== null && Date.now() - lostAt >= patience;
  banner.classList.toggle("field", !isLost);
  const location = !state.session && state.status?.location;
  const text = isLost ? t("lost.node", { time: clock(lostAt) })
    : [alone && t("lost.field"), location && said(location.phrase, location.problem ?? "")].filter(Boolean).join(" ");
  if (banner.textContent !== text) banner.textContent = text;
  banner.hidden = text === "";
}
