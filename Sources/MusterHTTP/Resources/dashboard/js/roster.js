// The list of people, worst first, with reason and age.

import { arrange, button, byId, dotted, fill, h, onceAFrame, sign } from "./dom.js";
import { dueIn, fixAge, on, passed, sortedUsers, state } from "./store.js";
import { ago, t } from "./words.js";
import {
  battery, bearing, because, heard, isLow, label, others, severities, statuses, statusWord, timeLeft,
} from "./status.js";
import { chosen as format, written } from "./place.js";

const page = 200;
let shown = page;
let chosen = null;
let onPick = () => {};
const filters = { text: "", team: "", role: "", state: "" };
let rows;
let choices;
/** The rows on the list, by id: content and element. */
let lines = new Map();

export function openRoster(pick) {
  onPick = pick;
  const changed = (name) => (event) => {
    filters[name] = event.target.value;
    shown = page;
    draw();
  };
  choices = {};
  for (const name of ["state", "team", "role"]) {
    choices[name] = h("select", { "aria-label": t(name), onchange: changed(name) });
  }
  rows = h("ul");
  fill(byId("people"), h("h2", {}, t("people")),
    h("div", { class: "filters" },
      h("input", {
        type: "search", placeholder: t("search"), "aria-label": t("search"),
        oninput: changed("text"),
      }),
      choices.state, choices.team, choices.role),
    rows);
  on(["users", "fences"], onceAFrame(draw));
  setInterval(draw, 10000);
}

/** Filters by one severity, or removes the filter if it is already set. */
export function chooseSeverity(severity) {
  filters.state = filters.state === severity ? "" : severity;
  shown = page;
  draw();
  if (innerWidth <= 900) document.body.dataset.view = "people";
}

export const chosenSeverity = () => filters.state;

/** A printed page shows everyone. */
export function showAll(isAll) {
  shown = isAll ? Infinity : page;
  draw();
}

export function choosePerson(id) {
  chosen = id;
  draw();
}

function draw() {
  const all = sortedUsers();
  const present = new Set(all.flatMap((u) => u.conditions.map(({ status }) => status)));
  offer("state", [...severities.map((s) => [s, t(`state.${s}`)]),
    ...statuses.filter((s) => present.has(s)).map((s) => [s, `– ${t(`status.${s}`)}`])]);
  offer("team", unique(all, "team").map((s) => [s, s]));
  offer("role", unique(all, "role").map((s) => [s, t(`role.${s}`)]));
  const text = filters.text.toLowerCase();
  const matching = all.filter((u) =>
    (!filters.state || u.severity === filters.state
      || u.conditions.some(({ status }) => status === filters.state))
    && (!filters.team || u.team === filters.team) && (!filters.role || u.role === filters.role)
    && (!text || `${u.callsign} ${u.team} ${because(u)}`.toLowerCase().includes(text)));
  const where = insideByName();
  const old = lines;
  lines = new Map();
  const elements = matching.slice(0, shown).map((user) => line(user, where, old));
  if (matching.length === 0) elements.push(h("li", { class: "faint" }, t("nobody")));
  const more = matching.length - shown;
  if (more > 0) elements.push(moreButton(more));
  const focused = rows.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  arrange(rows, elements);
  if (focused) lines.get(focused)?.element.firstChild.focus({ preventScroll: true });
}

const moreButton = (n) =>
  h("li", {}, button(t("more", { n }), "more", () => { shown += page; draw(); }));

const unique = (users, key) => [...new Set(users.map((u) => u[key]).filter(Boolean))].sort();

function offer(name, options) {
  const select = choices[name];
  const key = JSON.stringify(options);
  if (select.dataset.options === key) return;
  select.dataset.options = key;
  select.replaceChildren(h("option", { value: "" }, t(`all.${name}`)),
    ...options.map(([value, word]) => h("option", { value }, word)));
  select.value = filters[name];
}

/** Zones list who is inside by callsign. */
function insideByName() {
  const where = new Map();
  for (const fence of state.fences.values()) {
    if (!fence.active) continue;
    for (const name of fence.inside) {
      if (where.has(name)) where.get(name).push(fence.name);
      else where.set(name, [fence.name]);
    }
  }
  return where;
}

/** One row: the existing element if its content is unchanged. */
function line(user, where, old) {
  const why = reasons(user, where.get(user.callsign) ?? []);
  const isChosen = chosen === user.id;
  const key = JSON.stringify([
    user.callsign, user.team, user.severity, user.status, user.conditions, why, isChosen,
    user.lat, user.lon, format(),
  ]);
  const known = old.get(user.id);
  const element = known?.key === key ? known.element : h("li", {}, person(user, why, isChosen));
  lines.set(user.id, { key, element });
  return element;
}

function reasons(user, inside) {
  const note = (user.override ?? user.word)?.note;
  const why = because(user);
  const { order } = user;
  return dotted(
    why, note && !why.includes(note) && `“${note}”`,
    order && [
      `${t(`order.${order.kind}`)}${zoneName(order.zone)}`, bearing(order), timeLeft(dueIn(order)),
    ].filter(Boolean).join(", "),
    heard(user, passed()),
    isLow(user) && battery(user),
    user.lat === null ? t("nowhere") : t("fix", { ago: ago(fixAge(user)) }),
    inside.length > 0 && t("in", { fences: inside.join(", ") }));
}

const zoneName = (zone) => {
  const name = zone && (zone.name ?? state.fences.get(zone)?.name ?? zone);
  return name ? ` → ${name}` : "";
};

function person(user, why, isChosen) {
  const { id, callsign, team, severity, lat, lon } = user;
  const more = others(user);
  return h("button", {
    class: `person is-${severity}${isChosen ? " chosen" : ""}`, "data-key": id,
    // The data at that time.
    onclick: () => onPick(state.users.get(id) ?? user),
  },
  h("span", { class: `state ${severity}` }, sign(severity)),
  h("span", { class: "name" }, callsign, " ", team && h("span", { class: "chip" }, team)),
  h("span", { class: `state ${severity}` }, statusWord(user)),
  more.length > 0 && h("span", { class: "conditions" }, more.map(label)),
  h("span", { class: "why" }, why,
    lat !== null && h("span", { class: "paper" }, ` · ${written(lat, lon)}`)));
}
