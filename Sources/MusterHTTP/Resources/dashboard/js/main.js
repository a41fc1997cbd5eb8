// Assembles the page: the panels subscribe to the store, the store subscribes to the node.
//
//     node ──▶ stream ──which set──▶ store ──rows──▶ panels, map
//                                      ▲                  │
//                                      └────── api ◀──────┘ writes

import { byId, fill, h, onceAFrame, sign } from "./dom.js";
import { began, changed, load, loadAll, on, onLoadFault, sortedUsers, state } from "./store.js";
import { follow } from "./stream.js";
import { fieldLink, nodeLink } from "./banner.js";
import { t } from "./words.js";
import { isLoggingIn, openLogin } from "./login.js";
import { learn } from "./features.js";
import { openTools } from "./tools.js";
import { openMap, showMap } from "./map/map.js";
import { choosePerson, chooseSeverity, chosenSeverity, openRoster } from "./roster.js";
import { severities, statusWord } from "./status.js";
import { openAlerts } from "./alerts.js";
import { openAlarm } from "./alarm.js";
import { openDuty } from "./duty.js";
import { showPerson } from "./person.js";
import { openFeed } from "./feed.js";
import { openReports, showReport } from "./reports.js";
import { lookAt, openFences } from "./fences.js";
import { openOrders } from "./rollcall.js";
import { openCheckIns } from "./checkins.js";
import { openMesh } from "./mesh.js";
import { openPaper } from "./paper.js";

const views = ["people", "map", "feed", "reports", "fences", "orders", "mesh"];
const statusPeriod = 5000;
const agesPeriod = 30000;
/** Sets with ages that change without a change count. */
const aging = ["users", "reports", "directives", "devices", "alerts", "checkins", "mesh"];

function openTabs() {
  const tab = (name) => h("button", {
    role: "tab", "data-view": name, class: ["people", "map"].includes(name) ? "narrow" : "",
    "aria-controls": name === "map" ? "map-view" : name, onclick: () => look(name),
  }, t(name), name === "feed" && h("span", { id: "waiting" }));
  fill(byId("tabs"), views.map(tab));
  byId("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...byId("tabs").children].filter((one) => one.offsetParent !== null);
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
  for (const name of views) {
    byId(name === "map" ? "map-view" : name).setAttribute("aria-label", t(name));
  }
  look(innerWidth > 900 ? "feed" : "people");
}

function look(name) {
  document.body.dataset.view = name;
}

/** Other modules change the view too, through the body's attribute. */
function viewChanged() {
  const view = document.body.dataset.view;
  for (const tab of byId("tabs").children) {
    tab.setAttribute("aria-selected", String(tab.dataset.view === view));
    tab.tabIndex = tab.dataset.view === view ? 0 : -1;
  }
}

function showCounts() {
  const count = Object.fromEntries(severities.map((one) => [one, 0]));
  const parts = { danger: new Map(), warning: new Map() };
  for (const user of sortedUsers()) {
    count[user.severity]++;
    const word = statusWord(user);
    parts[user.severity]?.set(word, (parts[user.severity].get(word) ?? 0) + 1);
  }
  fill(byId("counts"), severities.map((name) => h("button", {
    class: `state ${name} ${count[name] === 0 ? "none" : ""}`, "data-count": name,
    "data-key": `count ${name}`, "aria-pressed": String(chosenSeverity() === name),
    onclick: () => { chooseSeverity(name); showCounts(); },
  }, h("span", {}, sign(name), ` ${count[name]} `,
    h("span", { class: "word" }, t(`state.${name}`))),
  parts[name]?.size > 0 && h("small", {},
    [...parts[name]].map(([word, n]) => `${n} ${word}`).join(" · ")))));
  const name = state.status?.operationName ?? "Muster";
  document.title = count.danger ? `(${count.danger}!) ${name}` : name;
}

function showStatus(status) {
  byId("operation").textContent = status.operationName || "Muster";
  byId("who").textContent = `${status.callsign} · ${t(`role.${status.role}`)}`;
  fieldLink(status);
}

function pick(item) {
  if (item.report) return showReport(item.row);
  if (item.group) return pick(item.group.toSorted((a, b) => a.rank - b.rank)[0]);
  choosePerson(item.row.id);
  showPerson(item.row);
}

/** Shows what an alert is about: a person, a report, a zone, an order, a laptop's person. */
function lead({ row, person, user }) {
  const who = [person, user, row].map((id) => state.users.get(id)).find(Boolean)
    ?? state.users.get(state.devices.find(({ id }) => id === row)?.user);
  if (who) {
    if (who.lat !== null) showMap();
    return pick({ user: true, row: who });
  }
  const report = state.reports.get(row);
  if (report) {
    look("reports");
    return showReport(report);
  }
  if (state.fences.has(row)) {
    lookAt(state.fences.get(row));
    return look("fences");
  }
  if (!state.directives.has(row)) return look("feed");
  look("orders");
  const card = document.querySelector(`[data-order="${CSS.escape(row)}"]`);
  card?.scrollIntoView({ block: "start" });
  card?.focus();
}

async function start() {
  await openLogin();
  const learned = learn();
  openTools();
  new MutationObserver(viewChanged).observe(document.body, { attributeFilter: ["data-view"] });
  openMap(pick);
  openTabs();
  viewChanged();
  openRoster((user) => pick({ user: true, row: user }));
  // Dependent panels are then redrawn.
  learned.then(() => ["directives", "fences"].forEach(load));
  openAlerts();
  openAlarm(lead);
  openDuty();
  openFeed(lead);
  openReports();
  openFences();
  openOrders((user) => pick({ user: true, row: user }));
  openCheckIns();
  openMesh();
  openPaper();
  on(["users", "status"], onceAFrame(showCounts));
  on(["status"], showStatus);
  let wasLost = false;
  onLoadFault((name, error) => {
    if (error?.status === 0) nodeLink(false);
    else if (name === "status" && !error) nodeLink(true);
  });
  follow(began, changed, (isUp) => {
    nodeLink(isUp || isLoggingIn());
    if (isUp && wasLost) loadAll();
    wasLost = !isUp;
  });
  setInterval(() => load("status"), statusPeriod);
  setInterval(() => aging.forEach(load), agesPeriod);
}

start();
