// Hazard reports: file, edit, confirm, comment, resolve; conflicts; delivery status.

import { button, byId, dotted, faint, fill, h, onceAFrame, say, sign } from "./dom.js";
import { change, getVersioned, segment, write } from "./api.js";
import { attempt, field, form, park } from "./dialog.js";
import { act } from "./queue.js";
import { isCommand, mayAdd, mayWrite, on, speaker, state } from "./store.js";
import { ago, byline, clock, secondsSince, since, span, t } from "./words.js";
import { decimal, exchanged, farNote, parsed, position, written } from "./place.js";
import { photoDraft, photoPanel, send } from "./photos.js";
import { drawZone } from "./fences.js";
import { closePanel, drawerHead, openPanel, panelHead } from "./shell.js";
import { bearing } from "./status.js";
import { metresBetween } from "./geometry.js";
import { handle } from "./map/handle.js";
import { deleteSoon, remember } from "./undo.js";
import { goTo, nextClick, onMap, showMap, theMap } from "./map/map.js";

const page = 150;
const categories = ["other", "fire", "flood", "chemical", "structure", "medical", "access"];
export const isOpenReport = (report) => report.status === "open";
/** The chips above the list. */
const filters = {
  open: isOpenReport,
  unrated: (report) => isOpenReport(report) && report.severity === null,
  evacuate: (report) => isOpenReport(report) && report.toEvacuate,
  conflict: (report) => report.conflicts.length > 0,
  resolved: (report) => !isOpenReport(report),
};
let filter = "open";
let shown = page;
let open = null;

export function openReports() {
  on(["reports"], onceAFrame(draw));
  on(["reports"], () => {
    if (!open) return;
    const report = state.reports.get(open.id);
    detail(report);
    if (!report) return;
    open?.photos.update(report);
    open?.handle?.update(report);
  });
}

/** Unrated first, then the most severe, then the newest. */
export const byUrgency = (a, b) => isOpenReport(b) - isOpenReport(a)
  || (b.severity ?? 6) - (a.severity ?? 6) || (a.updatedAt < b.updatedAt ? 1 : -1);

function draw() {
  const reports = [...state.reports.values()];
  const all = reports.filter(filters[filter]).sort(byUrgency);
  const file = mayAdd()
    && button(t("report.file"), "file", () => fileReport(), { class: "first" });
  const more = all.length > shown
    && button(t("more", { n: all.length - shown }), "more", () => { shown += page; draw(); });
  fill(byId("reports"), drawerHead("reports", file),
    h("div", { class: "filters", role: "group", "aria-label": t("filter") },
      Object.keys(filters).map((name) => filterChip(name, reports))),
    all.length === 0 && faint(t("reports.none")),
    h("ul", {}, all.slice(0, shown).map(item)), more);
}

function filterChip(name, reports) {
  const n = reports.filter(filters[name]).length;
  return button(`${t(`filter.${name}`)} ${n}`, `filter ${name}`, () => {
    filter = name;
    shown = page;
    draw();
  }, { "aria-pressed": String(name === filter) });
}

const reportSign = (report) => h("i", {
  class: !isOpenReport(report) ? "faint" : report.toEvacuate ? "danger" : "warning",
}, sign("report"));

const item = (report) => h("li", {}, h("button", {
  class: "item", "data-key": `open ${report.id}`,
  onclick: () => showReport(report, true),
}, reportSign(report),
h("span", {}, h("strong", {}, report.title), h("small", {}, dotted(
  isOpenReport(report) && report.toEvacuate && t("evacuate"),
  report.severity === null ? t("filter.unrated") : t("severity.n", { n: report.severity }),
  report.photos > 0 && t("photos.n", { n: report.photos }),
  report.conflicts.length > 0 && t("conflict"), !isOpenReport(report) && t("resolved"),
  report.through && byline(report.ownerCallsign), !isEverywhere(report) && delivery(report)))),
h("span", { class: "age" }, span(secondsSince(report.updatedAt)))));

function showOnMap(report) {
  if (report.lat === null) return;
  showMap();
  goTo(report);
}

const badges = (report) => h("p", { class: "row" },
  report.toEvacuate && isOpenReport(report) && chip(`▲ ${t("evacuate")}`, " state danger"),
  chip(t(`category.${report.category}`)),
  chip(report.severity === null ? t("filter.unrated") : t("severity.n", { n: report.severity })),
  !isOpenReport(report) && chip(t("resolved")),
  report.photos > 0 && chip(t("photos.n", { n: report.photos })),
  report.conflicts.length > 0 && chip(t("conflict"), " state warning"));

const chip = (text, look = "") => h("span", { class: `chip${look}` }, text);

/** What is on every device is not repeated in a list. */
export const isEverywhere = ({ delivery: { devices, total, commandPost } }) =>
  commandPost && total > 0 && devices >= total;

/** The delivery status, worded as in the rest of the program. */
export function delivery({ delivery: { devices, total, commandPost, archive, ageSeconds } }) {
  return dotted(
    total ? t("delivery.of", { n: devices, of: total })
      : devices <= 1 ? t("delivery.none") : t("delivery.on", { n: devices }),
    t(commandPost ? "delivery.command" : "delivery.waits"),
    archive && t("delivery.archive"),
    ageSeconds !== undefined && ageSeconds !== null && ago(ageSeconds));
}

/** Opens a report in the panel, and updates it. @param isFramed whether the map moves to it. */
export function showReport(report, isFramed) {
  const panel = openPanel(`report ${report.id}`, () => {
    open?.photos.close();
    open?.handle?.remove();
    open = null;
  });
  const body = h("div", { class: "stack" });
  const text = h("input", { name: "comment", "aria-label": t("comment"), maxlength: 1000 });
  const comments = h("form", {
    class: "row", onsubmit: (event) => {
      event.preventDefault();
      attempt(async () => {
        const sent = await act("comment", report.title, "POST",
          `reports/${segment(report.id)}/comments`, { text: text.value });
        text.value = "";
        return sent;
      });
    },
  }, h("label", {}, h("span", {}, t("comment")), text), h("button", { type: "submit" }, t("send")));
  const photos = photoPanel(panel, report);
  fill(panel, body, photos.element, mayAdd() && comments);
  open = { id: report.id, body, photos };
  detail(report);
  if (isFramed) showOnMap(report);
  if (mayWrite() && theMap() && report.lat !== null) open.handle = movable(report);
}

/** A handle at the report's place; where it is dropped, the report moves to, with an undo. */
function movable(report) {
  const { id, title } = report;
  const path = `reports/${segment(id)}`;
  const group = L.layerGroup().addTo(theMap());
  let at = { lat: report.lat, lon: report.lon };
  const keep = (place) => attempt(async () => {
    await change("PATCH", path, place);
    const before = at;
    at = place;
    const far = bearing({ distanceMetres: Math.round(metresBetween(before, place)) });
    remember(t("report.moved", { title, far }), () => change("PATCH", path, before));
  });
  const marker = handle(theMap(), group, at, t("report.move", { title }), "report", {
    ended: ({ lat, lng }) => keep({ lat: Number(lat.toFixed(5)), lon: Number(lng.toFixed(5)) }),
  });
  return {
    remove: () => group.remove(),
    update: ({ lat, lon }) => {
      if (lat === null || marker.dragging.moving()) return;
      at = { lat, lon };
      marker.setLatLng([lat, lon]);
    },
  };
}

function detail(report) {
  if (!report) return closePanel();
  const path = `reports/${segment(report.id)}`;
  const keep = (body) => attempt(() => change("PATCH", path, body), t("done"));
  const { title, description, ownerCallsign, createdAt, confirmations } = report;
  const earlier = (report.confirmedBy ?? []).filter(({ beforeChange }) => beforeChange);
  fill(open.body, panelHead(title), badges(report),
    description && h("p", {}, description),
    h("p", {}, written(report.lat, report.lon)),
    faint(dotted(byline(ownerCallsign), clock(createdAt), since(createdAt))),
    h("p", {}, h("strong", {}, delivery(report))),
    confirmations.length > 0 && h("p", {}, t("confirmed", {
      names: confirmations.map(byline).join("; "),
    })),
    earlier.length > 0 && h("p", { class: "warning" }, t("confirmed.before", {
      names: earlier.map(confirmer).join("; "),
    })),
    report.conflicts.map((conflict) => sides(conflict, keep)),
    report.comments.map(comment),
    report.moreComments > 0 && faint(t("more", { n: report.moreComments })),
    h("div", { class: "row" },
      report.lat !== null && theMap()
        && button(t("on.map"), `map ${report.id}`, () => showOnMap(report)),
      mayAdd() && actions(report, path)));
}

const confirmer = ({ name, through }) => byline(through ? `${name}, through ${through}'s laptop` : name);

const comment = ({ callsign, text, writtenAt }) => h("p", { class: "card" },
  h("strong", {}, byline(callsign)), ` ${text} `,
  h("span", { class: "faint" }, since(writtenAt)));

function actions(report, path) {
  const [turn, status] = report.status === "open" ? ["resolve", "resolved"] : ["reopen", "open"];
  const { isOwn, title, confirmations, confirmedBy = confirmations, content } = report;
  // Only what the page shows is confirmed.
  const seen = content ? `?content=${content}` : "";
  return [
    !isOwn && button(t("confirm"), "confirm",
      () => attempt(() => write("POST", `${path}/confirm${seen}`), t("done"))),
    isCommand() && theMap() && report.lat !== null && button(t("fence.new"), "zone",
      () => drawZone(true, { lat: report.lat, lon: report.lon }, report.title)),
    (mayWrite() || isOwn) && button(t("edit"), "edit", () => edit(report)),
    mayWrite() && button(t(turn), "resolve", () => attempt(async () => {
      await change("PATCH", path, { status });
      remember(`${title}: ${t(status === "open" ? "reopen" : "resolved")}`,
        () => change("PATCH", path, { status: report.status }));
    })),
    // What others confirmed, a member withdraws no longer.
    (mayWrite() || (isOwn && confirmedBy.length === 0)) && button(t("delete"), "delete",
      () => deleteSoon("reports", report, title)),
  ];
}

/** The conflicting values side by side; a click keeps one. */
function sides(conflict, keep) {
  const field = t(`field.${conflict.field}`);
  return h("div", { class: "card warning-card" }, h("strong", {}, t("conflict.of", { field })),
    h("div", { class: "sides" }, conflict.values.map((side) => {
      const body = mayWrite() && meant(conflict.field, side.value);
      return h("div", { class: "card" }, h("p", {}, side.value),
        faint(`${byline(side.callsign)} · ${since(side.writtenAt)}`),
        body && button(t("keep"), `keep ${conflict.field} ${side.value}`, () => keep(body)));
    })));
}

/** Parses the text of a value into its written form; null if it cannot be parsed. */
function meant(name, words) {
  switch (name) {
    case "title": case "category": case "status": case "description":
      return { [name]: words };
    case "severity": return /^[1-5]$/.test(words) ? { severity: Number(words) } : null;
    case "position": return parsed(words);
    default: return null;
  }
}

/** @param at the position of the new report, if one was chosen on the map. */
export const fileReport = (at) => edit(null, at);

function edit(report, at = report) {
  const place = at && at.lat !== null ? `${at.lat}, ${at.lon}` : "";
  const seen = report ? getVersioned(`reports/${segment(report.id)}`) : null;
  seen?.catch(() => {});
  const photos = h("div");
  const far = h("p", { class: "card warning-card", role: "status" });
  const warn = (text) => {
    const other = exchanged(text);
    far.replaceChildren(farNote(text), other && button(
      t("place.exchanged", { place: other }), "exchange",
      ({ target }) => enter(target.closest("dialog"), parsed(other)), { type: "button" }));
    far.hidden = far.textContent === "";
  };
  warn(place);
  const draft = report ? null : photoDraft(photos);
  if (draft) photos.append(draft.element);
  return form(t(report ? "edit" : "report.file"), [
    field("title", t("title"), { value: report?.title, required: true }),
    field("description", t("description"), { type: "area", value: report?.description }),
    dictate("description"),
    h("div", { class: "row" },
      field("category", t("category"), {
        value: report?.category ?? "other", options: categories.map((c) => [c, t(`category.${c}`)]),
      }),
      field("severity", t("severity"), {
        value: report?.severity ?? "", options: ["", 1, 2, 3, 4, 5].map((n) => [n, n || "–"]),
      })),
    field("place", t("place.typed"), {
      value: place, oninput: ({ target }) => warn(target.value),
    }),
    far,
    h("div", { class: "row" },
      typeof speaker()?.lat === "number"
        && button(t("tool.here"), "pick own", pickOwn, { type: "button" }),
      theMap() && button(t("place.pick"), "pick", pickPlace, { type: "button" })),
    field("toEvacuate", t("evacuate.needed"), { type: "checkbox", value: report?.toEvacuate }),
    draft && photos,
  ].filter(Boolean), async (values) => {
    const { title, description, category, toEvacuate } = values;
    const body = { title, description, category, toEvacuate };
    if (values.severity) body.severity = Number(values.severity);
    if (values.place) Object.assign(body, position(values.place));
    if (!report) {
      const files = draft?.files() ?? [];
      const filed = await act("report", title, "POST", "reports", body, { files });
      // The report is filed, whatever becomes of its photos. On a phone they wait with it.
      if (files.length > 0 && !state.session) send(filed.id, files);
      return filed;
    }
    const { version } = await seen;
    return write("PATCH", `reports/${segment(report.id)}`, body, version);
  });
}

/** Hides the form for one click on the map. */
async function pickPlace(event) {
  const dialog = event.target.closest("dialog");
  const resume = park(dialog);
  say(t("place.click"));
  const place = await onMap(nextClick);
  resume();
  enter(dialog, place);
}

/** Enters the position of the user. */
const pickOwn = ({ target }) => enter(target.closest("dialog"), speaker());

function enter(dialog, { lat, lon }) {
  const input = dialog.querySelector("[name=place]");
  input.value = decimal(lat, lon);
  input.dispatchEvent(new Event("input"));
}

/** The button for speech, once its code is loaded. */
function dictate(name) {
  const place = h("div");
  import("./dictation.js").then(({ dictation }) => place.replaceWith(dictation(name)));
  return place;
}
