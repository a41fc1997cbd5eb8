// What should be known now, and what has happened: alerts above, crossings below.

import { byId, faint, fill, h, onceAFrame } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt } from "./dialog.js";
import { mayWrite, on, state } from "./store.js";
import { ago, clock, secondsSince, spoken, t } from "./words.js";
import { sound } from "./sound.js";

const most = 150;
const cards = { danger: "unsafe-card", warning: "unknown-card", notice: "" };
/** As long as danger that nobody has acknowledged is silent between two sounds. */
const again = 60000;
let heard = null;

export function openFeed() {
  const view = byId("feed");
  // Stays while the lists below are drawn anew, so that nobody loses what they are typing.
  const name = h("input", {
    maxlength: 100, value: localStorage.getItem("name") ?? "",
    onchange: (event) => localStorage.setItem("name", event.target.value.trim()),
  });
  fill(view, h("p", { id: "heard", class: "unseen", role: "alert" }), h("div", { id: "alerts" }),
    // Whoever has logged in speaks for nobody else.
    state.session === null && h("label", { class: "as" }, h("span", {}, t("acknowledge.as")), name),
    h("div", { id: "events" }));
  on(["alerts"], alarm);
  on(["status"], (status) => { name.placeholder = status.callsign; });
  on(["alerts", "events"], onceAFrame(draw));
  setInterval(draw, 15000);
  setInterval(() => { if (waiting().some((a) => a.level === "danger")) sound(true); }, again);
}

const waiting = () => state.alerts.filter((a) => a.acknowledgedBy === null);

/** What is there when the page opens makes no sound, nor what is acknowledged. */
function alarm(alerts) {
  const fresh = heard === null ? []
    : alerts.filter((a) => !heard.has(a.id) && a.acknowledgedBy === null);
  heard = new Set(alerts.map((a) => a.id));
  if (fresh.length > 0) byId("heard").textContent = fresh.map((a) => spoken(a.text)).join(". ");
  if (fresh.some((a) => a.level !== "notice")) sound(fresh.some((a) => a.level === "danger"));
}

function draw() {
  const order = { danger: 0, warning: 1, notice: 2 };
  const alerts = [...state.alerts].sort((a, b) =>
    (a.acknowledgedBy !== null) - (b.acknowledgedBy !== null)
    || order[a.level] - order[b.level] || (a.since < b.since ? 1 : -1));
  const events = [...state.events].reverse().slice(0, most);
  const n = waiting().length;
  byId("waiting")?.replaceChildren(n > 0 ? ` (${n})` : "");
  fill(byId("alerts"), h("h2", {}, t("alerts")),
    alerts.length === 0
      ? faint(t("alerts.none")) : h("ul", {}, alerts.map(alert)));
  fill(byId("events"), h("h2", {}, t("events")),
    events.length === 0
      ? faint(t("events.none")) : h("ul", {}, events.map(event)));
}

const look = (one) => (one.acknowledgedBy === null ? cards[one.level] : "seen");

const alert = (one) => h("li", { class: `card ${look(one)}` },
  h("strong", { class: one.level === "danger" ? "unsafe" : "" }, t(`level.${one.level}`)),
  " ", spoken(one.text),
  h("div", { class: "row" }, h("span", { class: "faint" }, ago(secondsSince(one.since))),
    one.acknowledgedBy === null ? null : h("span", { class: "faint" }, t("acknowledged", {
      name: one.acknowledgedBy, ago: ago(secondsSince(one.acknowledgedAt)),
    })),
    one.acknowledgedBy === null && mayWrite() && h("button", {
      "data-key": `seen ${one.id}`, onclick: () => acknowledge(one),
    }, t("acknowledge")),
    one.kind === "directive" && mayWrite() && h("button", {
      "data-key": `ack ${one.row}`, onclick: () => answer(one),
    }, t("answer"))));

/** By the name that stands below; without one the node puts its own user's. */
const acknowledge = (one) => attempt(() => {
  const name = localStorage.getItem("name");
  return write("POST", `alerts/${segment(one.id)}/acknowledge`, name ? { name } : {});
}, t("done"));

const answer = (one) => attempt(
  () => write("POST", `directives/${segment(one.row)}/acknowledgements`, {}), t("done"));

const event = (one) => h("li", { class: "card" },
  h("strong", {}, one.callsign), ` ${t(`event.${one.type}`)} `, h("strong", {}, one.fenceName),
  h("div", { class: "faint" }, [
    clock(one.sampleTime), ago(secondsSince(one.sampleTime)), one.baseline && t("baseline"),
  ].filter(Boolean).join(" · ")));
