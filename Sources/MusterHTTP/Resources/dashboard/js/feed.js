// What should be known now, and what has happened: alerts above, crossings below.

import { byId, fill, h, onceAFrame } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt } from "./dialog.js";
import { on, state } from "./store.js";
import { ago, clock, secondsSince, t } from "./words.js";
import { sound } from "./sound.js";

const most = 150;
const cards = { danger: "unsafe-card", warning: "unknown-card", notice: "" };
let heard = null;

export function openFeed() {
  on(["alerts"], alarm);
  on(["alerts", "events"], onceAFrame(draw));
  setInterval(draw, 15000);
}

/** Those that are there when the page opens make no sound. */
function alarm(alerts) {
  const fresh = heard === null ? [] : alerts.filter((a) => !heard.has(a.id));
  heard = new Set(alerts.map((a) => a.id));
  if (fresh.some((a) => a.level !== "notice")) sound(fresh.some((a) => a.level === "danger"));
}

function draw() {
  const order = { danger: 0, warning: 1, notice: 2 };
  const alerts = [...state.alerts].sort((a, b) => order[a.level] - order[b.level] || (a.since < b.since ? 1 : -1));
  const events = [...state.events].reverse().slice(0, most);
  fill(byId("feed"),
    h("h2", {}, t("alerts")),
    alerts.length === 0 ? h("p", { class: "faint" }, t("alerts.none")) : h("ul", { "aria-live": "polite" }, alerts.map(alert)),
    h("h2", {}, t("events")),
    events.length === 0 ? h("p", { class: "faint" }, t("events.none")) : h("ul", {}, events.map(event)));
}

const alert = (one) => h("li", { class: `card ${cards[one.level]}` },
  h("strong", { class: one.level === "danger" ? "unsafe" : "" }, t(`level.${one.level}`)), " ", one.text,
  h("div", { class: "row" }, h("span", { class: "faint" }, ago(secondsSince(one.since))),
    one.kind === "directive" && h("button", {
      "data-key": `ack ${one.row}`,
      onclick: () => attempt(() => write("POST", `directives/${segment(one.row)}/acknowledgements`, {}), t("done")),
    }, t("acknowledge"))));

const event = (one) => h("li", { class: "card" },
  h("strong", {}, one.callsign), ` ${t(`event.${one.type}`)} `, h("strong", {}, one.fenceName),
  h("div", { class: "faint" }, `${clock(one.sampleTime)} · ${ago(secondsSince(one.sampleTime))}${one.baseline ? ` · ${t("baseline")}` : ""}`));
