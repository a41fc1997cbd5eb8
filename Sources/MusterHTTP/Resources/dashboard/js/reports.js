// Hazard reports: file, edit, confirm, comment, resolve; conflicts; delivery status.

import { button, byId, dotted, faint, fill, h, onceAFrame, say } from "./dom.js";
import { change, getVersioned, segment, write } from "./api.js";
import { attempt, confirm, field, form, show } from "./dialog.js";
import { mayWrite, on, state } from "./store.js";
import { ago, clock, since, t } from "./words.js";
import { decimal, parsed, position, written } from "./place.js";
import { photoDraft, photoPanel, photosOffered, send } from "./photos.js";
import { dictation } from "./dictation.js";
import { goTo, nextClick, onMap, showMap, theMap } from "./map/map.js";

const page = 150;
const categories = ["other", "fire", "flood", "chemical", "structure", "medical", "access"];
let shown = page;
let open = null;

export function openReports() {
  on(["reports"], onceAFrame(draw));
  on(["reports"], () => {
    if (!open) return;
    const report = state.reports.get(open.id);
    detail(report);
    if (report) open?.photos?.update(report);
  });
}

function draw() {
  const rank = (r) => (r.status !== "open" ? 2 : r.toEvacuate ? 0 : 1);
  const all = [...state.reports.values()].sort((a, b) =>
    rank(a) - rank(b) || (b.severity ?? 0) - (a.severity ?? 0)
    || (a.updatedAt < b.updatedAt ? 1 : -1));
  const file = mayWrite() && button(t("report.file"), "file", () => edit(null), { class: "first" });
  const more = all.length > shown
    && button(t("more", { n: all.length - shown }), "more", () => { shown += page; draw(); });
  fill(byId("reports"), h("div", { class: "head" }, h("h2", {}, t("reports")), file),
    all.length === 0 && faint(t("reports.none")),
    h("ul", {}, all.slice(0, shown).map(card)), more);
}

function card(report) {
  const isOpen = report.status === "open";
  const look = !isOpen ? "" : report.toEvacuate ? "evacuate-card" : "warning-card";
  return h("li", { class: `card ${look}` },
    h("div", { class: "head" }, h("h3", {}, report.title), badges(report)),
    faint(dotted(report.ownerCallsign, since(report.updatedAt), delivery(report))),
    h("div", { class: "row" }, button(t("open"), `open ${report.id}`, () => showReport(report)),
      report.lat !== null && button(t("on.map"), `map ${report.id}`, () => showOnMap(report))));
}

function showOnMap(report) {
  showMap();
  goTo(report);
}

const badges = (report) => h("span", { class: "row" },
  report.toEvacuate && report.status === "open" && chip(`▲ ${t("evacuate")}`, " state evacuate"),
  chip(t(`category.${report.category}`)),
  report.severity !== null && chip(t("severity.n", { n: report.severity })),
  report.status !== "open" && chip(t("resolved")),
  report.photos > 0 && chip(t("photos.n", { n: report.photos })),
  report.conflicts.length > 0 && chip(t("conflict"), " state danger"));

const chip = (text, look = "") => h("span", { class: `chip${look}` }, text);

/** The delivery status, worded as in the rest of the program. */
function delivery({ delivery: { devices, total, commandPost, ageSeconds } }) {
  return dotted(
    total ? t("delivery.of", { n: devices, of: total })
      : devices <= 1 ? t("delivery.none") : t("delivery.on", { n: devices }),
    t(commandPost ? "delivery.command" : "delivery.waits"),
    ageSeconds !== undefined && ageSeconds !== null && ago(ageSeconds));
}

/** Opens a report, and updates it while it is open. */
export function showReport(report) {
  const body = h("div");
  const text = h("input", { name: "comment", "aria-label": t("comment"), maxlength: 1000 });
  const comments = h("form", {
    class: "row", onsubmit: (event) => {
      event.preventDefault();
      attempt(async () => {
        await write("POST", `reports/${segment(report.id)}/comments`, { text: text.value });
        text.value = "";
      });
    },
  }, h("label", {}, h("span", {}, t("comment")), text), h("button", { type: "submit" }, t("send")));
  const dialog = show(t("report"), body);
  const photos = photosOffered() ? photoPanel(dialog, report) : null;
  dialog.append(...[photos?.element, mayWrite() && comments].filter(Boolean));
  open = { id: report.id, body, dialog, photos };
  dialog.addEventListener("close", () => {
    photos?.close();
    open = null;
  });
  detail(report);
}

function detail(report) {
  if (!report) return open.dialog.close();
  const path = `reports/${segment(report.id)}`;
  const keep = (body) => attempt(() => change("PATCH", path, body), t("done"));
  const { title, description, ownerCallsign, createdAt, confirmations } = report;
  fill(open.body, h("div", { class: "head" }, h("h3", {}, title), badges(report)),
    description && h("p", {}, description),
    h("p", {}, written(report.lat, report.lon)),
    faint(dotted(ownerCallsign, clock(createdAt), since(createdAt))),
    h("p", {}, h("strong", {}, delivery(report))),
    confirmations.length > 0 && h("p", {}, t("confirmed", { names: confirmations.join(", ") })),
    report.conflicts.map((conflict) => sides(conflict, keep)),
    report.comments.map(comment),
    h("div", { class: "row end" }, mayWrite() && actions(report, path, keep),
      button(t("close"), "close", () => open.dialog.close(), { class: "first" })));
}

const comment = ({ callsign, text, writtenAt }) => h("p", { class: "card" },
  h("strong", {}, callsign), ` ${text} `,
  h("span", { class: "faint" }, since(writtenAt)));

function actions(report, path, keep) {
  const [turn, status] = report.status === "open" ? ["resolve", "resolved"] : ["reopen", "open"];
  const sure = t("delete.sure", { name: report.title });
  return [
    button(t("confirm"), "confirm",
      () => attempt(() => write("POST", `${path}/confirm`), t("done"))),
    button(t("edit"), "edit", () => { open.dialog.close(); edit(report); }),
    button(t(turn), "resolve", () => keep({ status })),
    button(t("delete"), "delete",
      () => confirm(sure, () => write("DELETE", path), t("delete")), { class: "danger" }),
  ];
}

/** The conflicting values side by side; a click keeps one. */
function sides(conflict, keep) {
  const field = t(`field.${conflict.field}`);
  return h("div", { class: "card danger-card" }, h("strong", {}, t("conflict.of", { field })),
    h("div", { class: "sides" }, conflict.values.map((side) => {
      const body = mayWrite() && meant(conflict.field, side.value);
      return h("div", { class: "card" }, h("p", {}, side.value),
        faint(`${side.callsign} · ${since(side.writtenAt)}`),
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

function edit(report) {
  const place = report && report.lat !== null ? `${report.lat}, ${report.lon}` : "";
  const seen = report ? getVersioned(`reports/${segment(report.id)}`) : null;
  seen?.catch(() => {});
  const photos = h("div");
  const draft = report || !photosOffered() ? null : photoDraft(photos);
  if (draft) photos.append(draft.element);
  return form(t(report ? "edit" : "report.file"), [
    field("title", t("title"), { value: report?.title, required: true }),
    field("description", t("description"), { type: "area", value: report?.description }),
    dictation("description"),
    h("div", { class: "row" },
      field("category", t("category"), {
        value: report?.category ?? "other", options: categories.map((c) => [c, t(`category.${c}`)]),
      }),
      field("severity", t("severity"), {
        value: report?.severity ?? "", options: ["", 1, 2, 3, 4, 5].map((n) => [n, n || "–"]),
      })),
    field("place", t("place.typed"), { value: place }),
    theMap() && button(t("place.pick"), "pick", pickPlace, { type: "button" }),
    field("toEvacuate", t("evacuate.needed"), { type: "checkbox", value: report?.toEvacuate }),
    draft && photos,
  ].filter(Boolean), async (values) => {
    const { title, description, category, toEvacuate } = values;
    const body = { title, description, category, toEvacuate };
    if (values.severity) body.severity = Number(values.severity);
    if (values.place) Object.assign(body, position(values.place));
    if (!report) {
      const filed = await write("POST", "reports", body);
      // The report is filed, whatever becomes of its photos.
      if (draft?.files().length > 0) send(filed.id, draft.files());
      return filed;
    }
    const { version } = await seen;
    return write("PATCH", `reports/${segment(report.id)}`, body, version);
  });
}

/** Hides the form for one click on the map. */
async function pickPlace(event) {
  const dialog = event.target.closest("dialog");
  const mark = document.createComment("");
  dialog.replaceWith(mark);
  say(t("place.click"));
  const place = await onMap(nextClick);
  mark.replaceWith(dialog);
  dialog.removeAttribute("open");
  dialog.showModal();
  dialog.querySelector("[name=place]").value = decimal(place.lat, place.lon);
}
