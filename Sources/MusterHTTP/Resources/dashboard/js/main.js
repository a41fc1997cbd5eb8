// Assembles the page: the panels subscribe to the store, the store subscribes to the node.
//
//     node ──▶ stream ──which set──▶ store ──rows──▶ strip, drawers, detail panel, map
//                                      ▲                  │
//                                      └────── api ◀──────┘ writes

import { began, changed, isCommand, load, loadAll, mayAdd, onLoadFault, past, state } from "./store.js";
import { answers } from "./api.js";
import { t } from "./words.js";
import { isLoggingIn, openLogin } from "./login.js";
import { openOffline } from "./offline.js";
import { attempt, copy } from "./dialog.js";
import { act, flush, openQueue } from "./queue.js";
import { isNarrow, look, openShell, whenFirst } from "./shell.js";
import { nodeLink, openStrip } from "./strip.js";
import { openTools } from "./tools.js";
import { openMap, showMap, theMap } from "./map/map.js";
import { drawLayers, openMapTools } from "./map/tools.js";
import { openMenu } from "./map/menu.js";
import { shapeMenu } from "./map/base.js";
import { openRoster } from "./roster.js";
import { openAlarm } from "./alarm.js";
import { openPersons, showPerson } from "./person.js";
import { fileReport, openReports, showReport } from "./reports.js";
import { drawZone, openFences, showZone } from "./fences.js";
import { orderTo } from "./order.js";
import { openOrders } from "./rollcall.js";
import { openCheckIns } from "./checkins.js";
import { openMe } from "./me.js";
import { written } from "./place.js";

const [statusPeriod, restart] = [5000, 2000];
const agesPeriod = 30000;
/** A phone loses its laptop without notice: it asks so often, and waits so long, in milliseconds. */
const [pulse, patience] = [2400, 2000];
/** Sets with ages that change without a change count. */
const aging = ["users", "reports", "directives", "devices", "alerts", "checkins", "mesh"];
/** The radius of an assembly zone that is ordered at a point. */
const assemblyMetres = 50;
/** The accuracy of a position that the user sets by a click. */
const clickMetres = 20;

function pick(item) {
  if (item.group) return pick(item.group.toSorted((a, b) => a.rank - b.rank)[0]);
  if (past.at !== null) return import("./replay.js").then(({ showPast }) => showPast(item));
  if (item.zone) return showZone(item.zone, Boolean(item.isFramed));
  if (item.report) return showReport(item.row, item.isFramed);
  showPerson(item.row);
}

/** Shows what an alert is about: a person, a report, a zone, an order, a laptop's person. */
function lead({ kind, row, person, user }) {
  const list = { checkInGroup: "timers", reportGroup: "reports", silentGroup: "people" }[kind];
  if (list) return look(list);
  const who = [person, user, row].map((id) => state.users.get(id)).find(Boolean)
    ?? state.users.get(state.devices.find(({ id }) => id === row)?.user);
  if (who) {
    if (who.lat !== null) showMap();
    return showPerson(who);
  }
  const report = state.reports.get(row);
  if (report) return showReport(report, true);
  if (state.fences.has(row)) return showZone(state.fences.get(row));
  if (!state.directives.has(row)) return look("feed");
  look("orders");
  const card = document.querySelector(`[data-order="${CSS.escape(row)}"]`);
  card?.scrollIntoView({ block: "start" });
  card?.focus();
}

/** The menu at a point of the map. */
async function here(place, point) {
  const copyPlace = () => copy(written(place.lat, place.lon));
  const { about, items = [] } = await shapeMenu(place, point);
  openMenu(theMap(), place, point, [
    ...items,
    ...mayAdd() ? [[t("report.here"), "here report", () => fileReport(place)]] : [],
    ...isCommand() ? [
      [t("zone.here"), "here zone", () => drawZone(true, place)],
      [t("order.here"), "here order", () => orderTo({ ...place, radiusMetres: assemblyMetres })],
    ] : [],
    ...state.session && !state.session.phone ? [] : [[t("me.here"), "here me", () => attempt(
      () => act("position", "", "POST", "me/position", { ...place, accuracyMetres: clickMetres }),
      t("done"))]],
    [t("copy.here"), "here copy", copyPlace],
  ], about);
}

/**
 * Subscribes to the node. The browser resumes at the last position (Last-Event-ID). If it has given
 * up, the subscription restarts and everything is reloaded.
 * @param onStart receives the change count of each set at the start of the stream.
 * @param onChange receives each notice: dataset, syncCount, rows.
 * @param onLink receives true with the first event after silence, false when the connection is lost.
 */
function follow(onStart, onChange, onLink) {
  let source;
  function open() {
    source = new EventSource("/api/v1/stream");
    source.addEventListener("open", () => onLink(true));
    source.addEventListener("counts", (event) => onStart(JSON.parse(event.data)));
    source.addEventListener("change", (event) => onChange(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      onLink(false);
      if (source.readyState === EventSource.CLOSED) setTimeout(open, restart);
    });
  }
  open();
}

/** Shows a link that was lost without notice, and one that is back. */
async function feel() {
  if (document.hidden) return;
  const sent = Date.now();
  nodeLink(await answers(patience) || isLoggingIn(), sent);
}

async function start() {
  // Calls for help wait neither for a login nor for data.
  openQueue();
  await openLogin();
  // Which of them the login filed.
  if (state.session?.rights === "member") load("reports");
  openTools();
  openShell();
  openMap(pick, here, drawLayers);
  const showUser = showPerson;
  openMapTools(pick);
  openRoster(showUser);
  openPersons();
  openStrip();
  openAlarm(lead);
  openReports();
  openFences();
  openOrders(showUser);
  openCheckIns(showUser);
  whenFirst("team", async () => (await import("./team.js")).openTeam());
  openMe(showUser);
  if (state.session?.user) (await import("./owner.js")).openOwner(showUser);
  whenFirst("mesh", async () => (await import("./mesh.js")).openMesh());
  import("./paper.js").then(({ openPaper }) => openPaper());
  import("./feed.js").then(({ openFeed }) => openFeed(lead));
  import("./reach.js");
  import("./keys.js").then(({ openKeys }) => openKeys());
  if (state.session === null) import("./guide.js").then(({ openGuide }) => openGuide());
  if (isNarrow()) look("me");
  let wasLost = false;
  onLoadFault((name, error) => {
    if (error?.status === 0) nodeLink(false);
    else if (name === "status" && !error) nodeLink(true);
  });
  await openOffline((time) => nodeLink(false, time));
  follow(began, changed, (isUp) => {
    nodeLink(isUp || isLoggingIn());
    if (isUp && wasLost) loadAll();
    if (isUp) flush();
    wasLost = !isUp;
  });
  setInterval(() => load("status"), statusPeriod);
  if (state.session) setInterval(feel, pulse);
  setInterval(() => aging.forEach(load), agesPeriod);
}

start();
