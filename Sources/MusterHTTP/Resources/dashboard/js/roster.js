// People, worst first, with the reason and how old it is.

import { byId, fill, h, onceAFrame, sign } from "./dom.js";
import { fixAge, on, sortedUsers, state } from "./store.js";
import { ago, spoken, t } from "./words.js";
import { written } from "./place.js";

const page = 200;
let shown = page;
let chosen = null;
let onPick = () => {};
const filters = { text: "", team: "", role: "", safety: "" };
let rows;
let choices;

export function openRoster(pick) {
  onPick = pick;
  const changed = (name) => (event) => {
    filters[name] = event.target.value;
    shown = page;
    draw();
  };
  choices = {};
  for (const name of ["safety", "team", "role"]) {
    choices[name] = h("select", { "aria-label": t(name), onchange: changed(name) });
  }
  rows = h("ul");
  fill(byId("people"), h("h2", {}, t("people")),
    h("div", { class: "filters" },
      h("input", { type: "search", placeholder: t("search"), "aria-label": t("search"), oninput: changed("text") }),
      choices.safety, choices.team, choices.role),
    rows);
  on(["users", "fences"], onceAFrame(draw));
  setInterval(draw, 10000);
}

/** On paper nobody can ask for more. */
export function showEverybody() {
  shown = Infinity;
  draw();
}

export function showSome() {
  shown = page;
  draw();
}

export function choosePerson(id) {
  chosen = id;
  draw();
}

function draw() {
  const all = sortedUsers();
  offer("safety", ["unsafe", "unknown", "safe"].map((s) => [s, t(`safety.${s}`)]));
  offer("team", unique(all, "team").map((s) => [s, s]));
  offer("role", unique(all, "role").map((s) => [s, t(`role.${s}`)]));
  const text = filters.text.toLowerCase();
  const matching = all.filter((u) =>
    (!filters.safety || u.safety === filters.safety) && (!filters.team || u.team === filters.team)
    && (!filters.role || u.role === filters.role)
    && (!text || `${u.callsign} ${u.team} ${u.reason}`.toLowerCase().includes(text)));
  const where = insideByName();
  const more = matching.length - shown;
  fill(rows, matching.slice(0, shown).map((user) => h("li", {}, person(user, where))),
    matching.length === 0 && h("li", { class: "faint" }, t("nobody")),
    more > 0 && h("li", {}, h("button", { "data-key": "more", onclick: () => { shown += page; draw(); } }, t("more", { n: more }))));
}

const unique = (users, key) => [...new Set(users.map((u) => u[key]).filter(Boolean))].sort();

function offer(name, options) {
  const select = choices[name];
  const key = JSON.stringify(options);
  if (select.dataset.options === key) return;
  select.dataset.options = key;
  select.replaceChildren(h("option", { value: "" }, t(`all.${name}`)), ...options.map(([value, word]) => h("option", { value }, word)));
  select.value = filters[name];
}

/** Fences name who is inside by callsign. */
function insideByName() {
  const where = new Map();
  for (const fence of state.fences.values()) {
    if (!fence.active) continue;
    for (const name of fence.inside) (where.get(name) ?? where.set(name, []).get(name)).push(fence.name);
  }
  return where;
}

function person(user, where) {
  const inside = where.get(user.callsign) ?? [];
  const note = (user.override ?? user.word)?.note;
  return h("button", {
    class: `person is-${user.safety}${chosen === user.id ? " chosen" : ""}`, "data-key": user.id,
    onclick: () => onPick(user),
  },
  h("span", { class: `state ${user.safety}` }, sign(user.safety)),
  h("span", { class: "name" }, user.callsign, " ", user.team && h("span", { class: "chip" }, user.team)),
  h("span", { class: `state ${user.safety}` }, t(`safety.${user.safety}`)),
  h("span", { class: "why" }, [spoken(user.reason), note && !user.reason.includes(note) && `“${note}”`, user.lat === null ? t("nowhere") : t("fix", { ago: ago(fixAge(user)) }),
    inside.length > 0 && t("in", { fences: inside.join(", ") })].filter(Boolean).join(" · "),
  user.lat !== null && h("span", { class: "paper" }, ` · ${written(user.lat, user.lon)}`)));
}
