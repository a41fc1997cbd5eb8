// Puts the page together: the panels follow the store, the store follows the node.
//
//     node ──▶ stream ──which set──▶ store ──rows──▶ panels, map
//                                      ▲                  │
//                                      └────── api ◀──────┘ writes

import { byId, fill, h, onceAFrame, sign } from "./dom.js";
import { began, changed, load, loadAll, on, onLoadFault, state } from "./store.js";
import { follow } from "./stream.js";
import { fieldLink, nodeLink } from "./banner.js";
import { t } from "./words.js";
import { openLogin } from "./login.js";
import { openTools } from "./tools.js";
import { openMap } from "./map/map.js";
import { choosePerson, openRoster } from "./roster.js";
import { showPerson } from "./person.js";
import { openFeed } from "./feed.js";
import { openReports, showReport } from "./reports.js";
import { openFences } from "./fences.js";
import { openOrders } from "./rollcall.js";
import { openMesh } from "./mesh.js";
import { openPaper } from "./paper.js";

const views = ["people", "map", "feed", "reports", "fences", "orders", "mesh"];
const statusPeriod = 5000;
const agesPeriod = 30000;
/** Of these something grows old without being counted as a change. */
const aging = ["users", "reports", "directives", "devices", "alerts", "mesh"];

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

/** Others change the view too, by the body's attribute. */
function viewChanged() {
  const view = document.body.dataset.view;
  for (const tab of byId("tabs").children) {
    tab.setAttribute("aria-selected", String(tab.dataset.view === view));
    tab.tabIndex = tab.dataset.view === view ? 0 : -1;
  }
}

function showCounts() {
  const count = { unsafe: 0, unknown: 0, safe: 0 };
  for (const user of state.users.values()) count[user.safety]++;
  fill(byId("counts"), Object.entries(count).map(([name, n]) => h("span", {
    class: `state ${name} ${n === 0 ? "none" : ""}`, "data-count": name,
  }, sign(name), ` ${n} ${t(`safety.${name}`)}`)));
  const name = state.status?.operationName ?? "Muster";
  document.title = count.unsafe ? `(${count.unsafe}!) ${name}` : name;
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

async function start() {
  await openLogin();
  openTools();
  new MutationObserver(viewChanged).observe(document.body, { attributeFilter: ["data-view"] });
  openMap(pick);
  openTabs();
  viewChanged();
  openRoster((user) => pick({ user: true, row: user }));
  openFeed();
  openReports();
  openFences();
  openOrders();
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
    nodeLink(isUp);
    if (isUp && wasLost) loadAll();
    wasLost = !isUp;
  });
  setInterval(() => load("status"), statusPeriod);
  setInterval(() => aging.forEach(load), agesPeriod);
}

start();
