// The pages that follow the map on paper: reports with photos and marks, and the forms ICS 201, 204,
// 211 and 214 of the United States' National Incident Management System. What the operation does not
// know stays as lines to write on.

import { dotted, h, image } from "./dom.js";
import { get } from "./api.js";
import { myself, passed, sortedUsers, state } from "./store.js";
import { byline, said, t } from "./words.js";
import { contactAge, statusWord } from "./status.js";
import { written } from "./place.js";
import { photosPath } from "./photos.js";
import { byUrgency } from "./reports.js";
import { markLayer } from "./marks.js";
import { actOf, alertText } from "./alerts.js";

const mostPhotos = 60;
const mostTeams = 40;
const mostActivities = 400;
const newestFirst = (a, b) => (a.createdAt < b.createdAt ? 1 : -1);

/** Local time, year first. */
export const moment = (time) => new Date(time).toLocaleString("sv").slice(0, 16);

/** Returns the pages as one element, with all pictures decoded. */
export async function formPages() {
  const pages = h("div", { id: "forms", class: "paper" },
    await reportPages(), briefing(), assignments(), checkInList(), activityLog());
  await Promise.all([...pages.querySelectorAll("img")].map((one) => one.decode().catch(() => {})));
  return pages;
}

// MARK: Reports

async function reportPages() {
  const all = [...state.reports.values()].sort((a, b) =>
    (a.status !== "open") - (b.status !== "open") || byUrgency(a, b));
  let left = mostPhotos;
  const cards = [];
  for (const report of all) {
    const photos = report.photos > 0 && left > 0 ? await photosOf(report) : [];
    const shown = photos.slice(0, left);
    left -= shown.length;
    cards.push(card(report, shown));
  }
  return h("section", { class: "form" }, h("h2", {}, t("reports")), cards.length ? cards : t("reports.none"));
}

async function photosOf({ id }) {
  try {
    return (await get(photosPath(id))).items.filter(({ original, thumbnail }) =>
      original.complete || thumbnail.complete);
  } catch {
    // The report is printed without its photos.
    return [];
  }
}

function card(report, photos) {
  const { title, category, severity, toEvacuate, status, ownerCallsign, createdAt, lat, lon } = report;
  const missing = report.photos - photos.length;
  return h("article", { class: "report" },
    h("h3", {}, title),
    h("p", {}, dotted(t(`category.${category}`), severity && t("severity.n", { n: severity }),
      toEvacuate && t("evacuate"), status !== "open" && t("resolved"),
      typeof lat === "number" && written(lat, lon), byline(ownerCallsign), moment(createdAt))),
    report.description && h("p", {}, report.description),
    report.comments.map(({ callsign, text }) => h("p", {}, `${byline(callsign)}: ${text}`)),
    h("div", { class: "prints" }, photos.map((photo, at) => picture(report, photo, at))),
    missing > 0 && h("p", {}, t("more", { n: t("photos.n", { n: missing }) })));
}

function picture({ id }, photo, at) {
  const name = t("photo.of", { n: at + 1, name: byline(photo.callsign) });
  const { width, height } = photo.original;
  const part = photo.original.complete ? "" : "/thumbnail";
  const box = h("div", { class: "picture" },
    image(`/api/v1/${photosPath(id)}/${photo.id}${part}`, { alt: name }), markLayer(photo));
  box.style.aspectRatio = `${width} / ${height}`;
  box.style.width = `${Math.min(88, (80 * width) / height)}mm`;
  return h("figure", {}, box, h("figcaption", {}, dotted(name, moment(photo.takenAt ?? photo.addedAt))));
}

// MARK: Parts of a form

const operation = () => state.status?.operationName ?? "";
const author = () => myself()?.callsign ?? state.status?.callsign ?? "";

/** A numbered field; an empty one has lines to write on. */
function box(number, key, content, lines = 1) {
  const isEmpty = !content || content.length === 0;
  return h("div", { class: "box" }, h("b", {}, `${number}. ${t(`ics.${key}`)}`),
    isEmpty ? Array.from({ length: lines }, () => h("div", { class: "blank" }))
      : [content].flat().map((one) => h("div", {}, one)));
}

/** A table; `heads` are keys of texts, and `blank` rows are to write on. */
const table = (heads, rows, blank = 3) => h("table", {},
  h("thead", {}, h("tr", {}, heads.map((key) => h("th", { scope: "col" }, t(key))))),
  h("tbody", {}, [...rows, ...Array(blank).fill(heads.map(() => ""))].map((row) =>
    h("tr", {}, row.map((cell) => h("td", {}, cell || "\u00a0"))))));

const titled = (number, key, ...content) =>
  h("div", { class: "box" }, h("b", {}, `${number}. ${t(`ics.${key}`)}`), content);

/** A form on pages of its own; the last field names who prepared it. */
const form = (number, key, last, ...parts) => h("section", { class: "form", "data-form": number },
  h("h2", {}, `ICS ${number} · ${t(`ics.${key}`)}`), parts,
  h("div", { class: "boxes" }, box(last, "prepared", dotted(author(), moment(Date.now()))),
    h("div", { class: "box" }, h("b", {}, t("ics.signature")), h("div", { class: "blank" }))));

const head = (...boxes) => h("div", { class: "boxes" }, box(1, "name", operation()), boxes);

// MARK: Forms

const people = () => sortedUsers().filter(({ role }) => role !== "relay" && role !== "archive");

/** People by team, sorted; people without one are last. */
function teams() {
  const groups = new Map();
  for (const one of people()) groups.set(one.team, [...groups.get(one.team) ?? [], one]);
  return [...groups].sort(([a], [b]) => (a === "") - (b === "") || (a < b ? -1 : 1));
}

const teamName = (name) => name || t("team.none");
const orderWords = (one) => dotted(t(`order.${one.kind}`),
  (one.zones ?? []).map(({ name }) => name).join(", "), one.text,
  t("for", { audience: said(one.audience, one.addressees) }));
const openOrders = () =>
  [...state.directives.values()].filter(({ status }) => status === "open").sort(newestFirst);

function briefing() {
  const counts = new Map();
  for (const one of people()) counts.set(statusWord(one), (counts.get(statusWord(one)) ?? 0) + 1);
  const hazards = [...state.fences.values()].filter(({ active, kind }) => active && kind === "hazard");
  const urgent = [...state.reports.values()].filter(({ status }) => status === "open")
    .sort((a, b) => (b.severity ?? 6) - (a.severity ?? 6)).slice(0, 12);
  const summary = [
    [...counts].map(([word, n]) => `${word}: ${n}`).join(", "),
    hazards.length && `${t("status.inHazard")}: ${hazards
      .map(({ name, inside }) => `${name} (${t("inside.n", { n: inside.length })})`).join(", ")}`,
    ...urgent.map((one) => dotted(one.title, one.severity && t("severity.n", { n: one.severity }),
      one.toEvacuate && t("evacuate"))),
  ].filter(Boolean);
  return form("201", "201", 6,
    head(box(2, "number"), box(3, "started")), box(4, "map", t("ics.see.map")),
    box(5, "situation", summary, 4), box(7, "objectives", "", 4),
    titled(8, "actions", table(["track.time", "ics.action"],
      openOrders().map((one) => [moment(one.createdAt), orderWords(one)]))),
    box(9, "organization", teams().map(([name, all]) =>
      `${teamName(name)}: ${all.map(({ callsign }) => callsign).join(", ")}`)),
    titled(10, "resources", table(
      ["team", "people", "ics.ordered", "ics.eta", "ics.arrived", "note"],
      teams().map(([name, all]) => [teamName(name), String(all.length), "", "", "", ""]))));
}

const assignments = () => teams().slice(0, mostTeams).map(([name, all]) => {
  const own = new Set(all.map(({ id }) => id));
  const orders = openOrders().filter((one) => one.people.some(({ user }) => own.has(user)));
  return form("204", "204", 9, head(box(2, "period"), box(3, "division", teamName(name))),
    box(4, "personnel", people().filter(({ role }) => role === "command")
      .map(({ callsign }) => `${callsign} (${t("role.command")})`)),
    titled(5, "assigned", table(["callsign", "role", "state", "ics.channel", "place"],
      all.map((one) => [one.callsign, t(`role.${one.role}`), statusWord(one), "",
        typeof one.lat === "number" ? written(one.lat, one.lon) : ""]), 2)),
    box(6, "work", orders.map(orderWords), 4), box(7, "special", "", 3), box(8, "radio", "", 3));
});

const checkInList = () => form("211", "211", 17,
  head(box(2, "number"), box(3, "location"), box(4, "started")),
  titled(5, "checkin", table(
    ["callsign", "role", "team", "contact", "ics.arrived", "ics.home", "ics.left", "ics.assignment"],
    people().map((one) => [one.callsign, t(`role.${one.role}`), one.team,
      one.age ? contactAge(one, passed()) : "", "", "", "",
      one.order ? t(`order.${one.order.kind}`) : ""]))));

function activityLog() {
  const all = [
    ...state.events.map((one) => [one.sampleTime,
      `${one.callsign} ${t(`event.${one.type}`)} ${one.fenceName}`]),
    ...[...state.reports.values()].map((one) => [one.createdAt,
      `${byline(one.ownerCallsign)}: ${t("reports")}: ${one.title}`]),
    ...[...state.directives.values()].map((one) =>
      [one.createdAt, `${byline(one.callsign)}: ${orderWords(one)}`]),
    ...state.alerts.map((one) => [actOf(one), alertText(one)]),
  ].sort(([a], [b]) => (a < b ? -1 : 1)).slice(-mostActivities);
  return form("214", "214", 8,
    head(box(2, "period"), box(3, "person", author()),
      box(4, "position", state.status && t(`role.${state.status.role}`)), box(5, "home")),
    titled(6, "assigned", table(["callsign", "role", "team"],
      people().filter(({ role }) => role !== "tracker")
        .map((one) => [one.callsign, t(`role.${one.role}`), one.team]), 1)),
    titled(7, "activities", table(["track.time", "ics.activity"],
      all.map(([time, text]) => [moment(time), text]), 6)));
}
