// Replay: the map shows everybody at an instant of the past, as what happened or as what this post
// knew. Lists, alerts and the strip stay live.

import { button, byId, dotted, faint, fill, focusAgain, h, svg } from "./dom.js";
import { get } from "./api.js";
import { after, because, judged, statusWord, symbol } from "./status.js";
import { past } from "./store.js";
import { icon } from "./icons.js";
import { openPanel, panelHead } from "./shell.js";
import { clock, said, t } from "./words.js";
import { redrawMap } from "./map/map.js";

const longest = 24 * 3600000;
const [mostEvents, shownEvents, mostMarks, width] = [5000, 40, 300, 1000];
const speeds = [1, 10, 60, 600];
const beat = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? 2000 : 500);
const iso = (ms) => new Date(ms).toISOString();

let [from, to, at] = [0, 0, 0];
let [view, speed, timer] = ["event", 60, null];
let [events, gaps] = [[], []];
let [isLoading, isStale] = [false, false];
let slider, time, list, marks, play;

/** Opens the timeline, or closes it. */
export async function toggleReplay() {
  if (!byId("replay").hidden) return close();
  byId("replay").hidden = false;
  byId("replay").setAttribute("aria-label", t("past"));
  to = Date.now();
  from = to - longest;
  build();
  slider.focus();
  await show(to);
  await loadEvents();
}

function close() {
  stop();
  const hadFocus = byId("replay").contains(document.activeElement);
  byId("replay").hidden = true;
  live();
  if (hadFocus) focusAgain(document.querySelector("[data-key='tool replay']"));
}

function live() {
  Object.assign(past, { at: null, users: null, zones: [], reports: [], absent: [] });
  byId("past").hidden = true;
  redrawMap();
}

const select = (key, options, chosen, onchange) => h("select", {
  "aria-label": t(key), "data-key": key, onchange: ({ target }) => onchange(target.value),
}, options.map(([value, word]) => h("option", { value, selected: value === chosen }, word)));

function build() {
  slider = h("input", {
    type: "range", "aria-label": t("past.time"), "data-key": "past time",
    oninput: () => { show(Number(slider.value)); },
  });
  time = h("output", {});
  marks = svg("svg", { viewBox: `0 0 ${width} 8`, preserveAspectRatio: "none", "aria-hidden": "true" });
  list = h("ol", { tabindex: "0", "aria-label": t("past.log") });
  play = button("▶", "past play", () => (timer ? stop() : start()), { "aria-label": t("past.play") });
  fill(byId("replay"), h("div", { class: "row" }, play, time,
    select("past.view", ["event", "known"].map((name) => [name, t(`past.${name}`)]), view, (name) => {
      view = name;
      show(at);
    }),
    select("past.speed", speeds.map((n) => [n, `${n}×`]), speed, (n) => { speed = Number(n); }),
    button(icon("close"), "past close", close, { class: "bare", "aria-label": t("close") })),
  h("div", {}, marks, slider), list);
  scale();
}

function scale() {
  const span = to - from;
  const step = span < 900000 ? 1000 : span < 14400000 ? 10000 : 60000;
  [slider.min, slider.max, slider.step] = [from, to, step];
  slider.value = at;
}

function start() {
  if (at >= to) show(from);
  timer = setInterval(() => {
    if (!isLoading) show(Math.min(to, at + speed * beat()));
    if (at >= to) stop();
  }, beat());
  drawPlay();
}

function stop() {
  clearInterval(timer);
  timer = null;
  if (play) drawPlay();
}

function drawPlay() {
  fill(play, timer ? "⏸" : "▶");
  play.setAttribute("aria-label", t(timer ? "past.pause" : "past.play"));
}

/** Shows an instant: at once its time, and the map as soon as the node has answered. */
async function show(instant) {
  at = instant;
  slider.value = at;
  time.textContent = clock(at);
  slider.setAttribute("aria-valuetext", clock(at));
  drawLog();
  isStale = true;
  if (isLoading) return;
  isLoading = true;
  while (isStale && !byId("replay").hidden) {
    isStale = false;
    await load(at);
  }
  isLoading = false;
}

async function load(instant) {
  let text;
  try {
    const picture = await get(`history?at=${iso(instant)}&view=${view}`);
    if (byId("replay").hidden) return;
    const { zones, reports, absent } = picture;
    past.users = new Map(picture.people.map((user) => [user.id, judged(user)]));
    Object.assign(past, { at: instant, zones, reports, absent });
    setGaps(picture.gaps);
    const begins = Date.parse(picture.begins);
    if (begins > from) {
      from = Math.min(begins, to - 60000);
      scale();
    }
    const gap = gaps.find((one) => one.ms < instant && instant < one.end);
    text = t(picture.people.length ? "past.banner" : "past.none", { time: clock(instant) })
      + (gap ? ` · ${gapWord(gap)}` : "");
  } catch (error) {
    text = error.message;
  }
  fill(byId("past"), h("strong", {}, text), button(t("past.back"), "past back", close));
  byId("past").hidden = false;
  redrawMap();
}

// MARK: Gaps

/** The times in which the node did not record are marked, and are in the log. */
function setGaps(found) {
  if (found.length === gaps.length && found.at(-1)?.to === gaps.at(-1)?.to) return;
  gaps = found.map((one) => ({
    ...one, kind: "gap", ms: Date.parse(one.from), end: Date.parse(one.to),
  }));
  drawMarks();
  drawLog();
}

const gapWord = (gap) => t("past.gap", { from: clock(gap.ms), to: clock(gap.end) });

// MARK: The log

/** What this node recorded since an instant, by time. */
async function eventsSince(start) {
  const found = [];
  let next = null;
  do {
    const page = await get(`history/events?from=${iso(start)}${next ? `&after=${next}` : ""}`);
    found.push(...page.items.map((one) => ({ ...one, ms: Date.parse(one.time) })));
    next = page.next;
  } while (next && found.length < mostEvents);
  return found;
}

/** What this node recorded of a person in the last 24 hours, the newest first. */
export async function logOf(user) {
  const own = (await eventsSince(Date.now() - longest))
    .filter(({ row, callsign }) => row === user.id || callsign === user.callsign);
  return h("section", { class: "stack" }, h("h3", {}, t("past.log")),
    own.length === 0 ? faint("–")
      : h("ol", { "data-key": "person log" }, own.slice(-shownEvents).reverse().map((one) =>
        h("li", {}, h("span", { class: "faint" }, clock(one.ms)),
          ...words(one).slice(one.callsign === user.callsign ? 1 : 0)))));
}

async function loadEvents() {
  events = await eventsSince(from).catch(() => []);
  drawMarks();
  drawLog();
}

function drawMarks() {
  const place = (ms) => Math.max(0, (ms - from) / (to - from) * width);
  const worst = events.filter((one) => one.severity === "danger").slice(-mostMarks);
  const mark = (x, wide, look) => svg("rect", { x, y: 0, width: wide, height: 8, class: look });
  marks.replaceChildren(
    ...gaps.map(({ ms, end }) => mark(place(ms), Math.max(2, place(end) - place(ms)), "gap")),
    ...worst.map(({ ms }) => mark(place(ms), 3, "danger")));
}

function drawLog() {
  const known = [...events, ...gaps].sort((a, b) => a.ms - b.ms);
  let first = known.findIndex(({ ms }) => ms > at);
  if (first < 0) first = known.length;
  fill(list, known.slice(Math.max(0, first - shownEvents), first).reverse().map((one) => h("li", {},
    button([h("span", { class: "faint" }, clock(one.ms)), " ", ...words(one)],
      `past ${one.ms} ${one.row}`, () => show(one.ms), { class: `bare ${one.severity ?? ""}` }))));
}

function words(one) {
  const { kind, callsign, what, text, severity } = one;
  if (kind === "gap") return [gapWord(one)];
  const known = {
    status: () => statusWord({ status: what, severity }), crossing: () => t(`event.${what}`),
    report: () => t(`category.${what}`), zone: () => t(`kind.${what}`),
    order: () => t(`order.${what}`), checkIn: () => t("checkins"),
  }[kind]();
  return [h("strong", {}, callsign || text), ` ${known}`,
    !callsign || !text ? "" : kind === "status" ? after(known, said(one.phrase, text)) : ` ${text}`];
}

/** What was known of a person, a zone or a report at the instant, in the panel. */
export function showPast({ zone, row, report }) {
  const one = zone ?? row;
  const head = (...name) => [panelHead(...name), faint(t("past.banner", { time: clock(past.at) }))];
  const panel = openPanel(`past ${one.id}`);
  if (zone) {
    return fill(panel, head(zone.name), h("p", {}, dotted(
      t(`kind.${zone.kind}`), !zone.active && t("inactive"))));
  }
  if (report) {
    return fill(panel, head(row.title), h("p", {}, dotted(t(`category.${row.category}`),
      row.severity && t("severity.n", { n: row.severity }), row.toEvacuate && t("evacuate"))));
  }
  const user = row;
  fill(panel, head(user.callsign, h("span", { class: user.severity }, symbol(user))),
    h("p", {}, h("strong", { class: user.severity }, statusWord(user)),
      because(user) && after(statusWord(user), because(user))),
    user.since && h("p", {}, t("past.since", { time: clock(user.since) })),
    user.fixTime && h("p", {}, t("past.fix", {
      time: clock(user.fixTime), received: clock(user.fixReceived),
    })));
}

/** The keys of the timeline, wherever in it the focus is. */
byId("replay").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === "Escape") close();
  else if (!step || event.target.matches("input, select")) return;
  else show(Math.max(from, Math.min(to, at + step * Number(slider.step))));
  event.preventDefault();
});
