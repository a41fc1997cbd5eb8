// The list of people: one line each, worst first, by team; some can be chosen for an order.

import { arrange, button, byId, dotted, fill, h, onceAFrame } from "./dom.js";
import { dueIn, heldRow, isCommand, on, passed, sortedUsers, state } from "./store.js";
import { t } from "./words.js";
import {
  battery, because, heard, isLow, shortAge, statusWord, symbol, timeLeft,
} from "./status.js";
import { orderWay } from "./way.js";
import { drawerHead, isNarrow, look, panelOf } from "./shell.js";
import { chipOf, drawChips } from "./strip.js";
import { kinds, order } from "./order.js";

const page = 200;
let shown = page;
let onPick = () => {};
const filters = { text: "", chip: "" };
let rows;
let chip;
let bar;
let every;
/** The people chosen for an order or a team, by id. */
const ticked = new Set();
/** Those who match the filters, by team; those on the list, in its order; and who was ticked last. */
let [matching, visible, last] = [[], [], null];
/** The rows on the list, by key: content and element. */
let lines = new Map();

export function openRoster(pick) {
  onPick = pick;
  rows = h("ul");
  chip = h("span");
  every = h("span", { class: "every" });
  bar = h("div", { id: "chosen", role: "group", "aria-label": t("chosen"), hidden: true });
  fill(byId("people"), drawerHead("people", chip), h("div", { class: "filters" }, h("input", {
    type: "search", placeholder: t("search"), "aria-label": t("search"), oninput: ({ target }) => {
      filters.text = target.value.toLowerCase();
      shown = page;
      draw();
    },
  }), every), rows, bar);
  on(["users", "fences", "status"], onceAFrame(draw));
  setInterval(draw, 10000);
}

/** Filters by one chip of the strip, or removes the filter if it is already set. */
export function chooseStatus(key) {
  filters.chip = filters.chip === key ? "" : key;
  shown = page;
  draw();
  if (filters.chip && !isNarrow()) look("people");
}

export const chosenStatus = () => filters.chip;

export { draw as drawRoster };

function draw() {
  const words = (u) => [u.callsign, u.team, t(`role.${u.role}`), because(u),
    ...u.conditions.map(statusWord)].join(" ").toLowerCase();
  const all = sortedUsers().filter((u) => (!filters.chip || chipOf(heldRow(u.id) ?? u) === filters.chip)
    && (!filters.text || words(u).includes(filters.text)));
  matching = grouped(all);
  fill(chip, filters.chip && button(`${t("filter.clear")} ×`, "filter clear", () => {
    chooseStatus(filters.chip);
    drawChips();
  }));
  const old = lines;
  lines = new Map();
  // The worst of all teams are on the list, however long it is.
  const elements = listed(new Set(all.slice(0, shown)), old);
  const word = t("choose.all", { n: all.length });
  fill(every, isCommand() && all.length > 0 && h("label", { class: "tick" },
    tick("all", word, isAll(all), (isOn) => chooseAll(all, isOn)), word));
  if (all.length === 0) elements.push(h("li", { class: "faint" }, t("matches.none")));
  const more = all.length - shown;
  if (more > 0) elements.push(moreButton(more));
  const focused = rows.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  arrange(rows, elements);
  if (focused && document.activeElement.dataset.key !== focused) {
    rows.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
  drawBar();
}

const moreButton = (n) =>
  h("li", {}, button(t("more", { n }), "more", () => { shown += page; draw(); }));

/** People by team; the team of the worst person is first. */
function grouped(users) {
  const teams = new Map();
  for (const user of users) {
    const { team } = heldRow(user.id) ?? user;
    if (!teams.has(team)) teams.set(team, []);
    teams.get(team).push(user);
  }
  return [...teams];
}

/** The rows of some people; the heading of a team stands for all its members who match. */
function listed(some, old) {
  visible = [];
  return matching.flatMap(([team, members]) => {
    const own = members.filter((user) => some.has(user));
    visible.push(...own);
    return own.length === 0 ? [] : [
      kept(`team ${team}`, [members.length, isAll(members), isCommand()], old, () => heading(team, members)),
      ...own.map((user) => line(user, old))];
  });
}

const isAll = (members) => members.every(({ id }) => ticked.has(id));

/** A row: the existing element if its content is unchanged. */
function kept(id, content, old, make) {
  const key = JSON.stringify(content);
  const known = old.get(id);
  const element = known?.key === key ? known.element : make();
  lines.set(id, { key, element });
  return element;
}

const heading = (team, members) => h("li", { class: "group" },
  isCommand() && tick(`team ${team}`, t("choose.team", { team: team || t("team.none") }),
    isAll(members), (isOn) => chooseAll(matching.find(([name]) => name === team)[1], isOn)),
  h("h3", {}, team || t("team.none")), String(members.length));

const tick = (key, name, checked, work) => h("input", {
  type: "checkbox", "aria-label": name, "data-key": `tick ${key}`, checked,
  onclick: ({ target, shiftKey }) => { work(target.checked, shiftKey); draw(); },
});

const choose = (id, isOn) => (isOn ? ticked.add(id) : ticked.delete(id));
const chooseAll = (users, isOn) => users.forEach(({ id }) => choose(id, isOn));

/** Chooses one person; with Shift, all from the one that was chosen before. */
function chooseOne(id, isOn, isRange) {
  const ends = [last, id].map((one) => visible.findIndex((user) => user.id === one)).sort((a, b) => a - b);
  if (isRange && ends[0] >= 0) chooseAll(visible.slice(ends[0], ends[1] + 1), isOn);
  else choose(id, isOn);
  last = id;
}

function line(user, old) {
  const isChosen = Boolean(panelOf(`user ${user.id}`));
  const age = shortAge(user, passed());
  const isOn = ticked.has(user.id);
  return kept(user.id, [
    user.callsign, user.role, user.severity, user.status, age, isChosen, isOn, isCommand(), user.order,
    because(user),
  ], old, () => h("li", { class: "pick" },
    isCommand() && tick(user.id, t("choose", { name: user.callsign }), isOn,
      (now, isRange) => chooseOne(user.id, now, isRange)),
    person(user, age, isChosen)));
}

/** A relay or an archive is no person: its role is listed instead of a missing position. */
const listedStatus = (user) => (["relay", "archive"].includes(user.role) && user.severity === "neutral"
  ? t(`role.${user.role}`) : statusWord(user));

/** What a row leaves out, for its tooltip. */
const details = (user) => dotted(reasons(user), heard(user, passed()), isLow(user) && battery(user));

/** Why the status of a person is what it is, and their order. */
export function reasons(user) {
  const note = (user.override ?? user.word)?.note;
  const why = because(user);
  const { order: own } = user;
  return dotted(
    why, note && !why.includes(note) && `“${note}”`,
    own && [t(`order.${own.kind}`), orderWay(user), timeLeft(dueIn(own))].filter(Boolean).join(", "));
}

function person(user, age, isChosen) {
  const { id, severity } = user;
  return h("button", {
    class: `person is-${severity}${isChosen ? " chosen" : ""}`, "data-key": id, title: details(user),
    // The data at that time.
    onclick: () => onPick(state.users.get(id) ?? user),
  },
  h("span", { class: severity }, symbol(user)),
  h("span", { class: "name" }, user.callsign),
  h("span", { class: `word state ${severity}` }, listedStatus(user)),
  h("span", { class: "age" }, age));
}

/** The orders for the people that are chosen. */
function drawBar() {
  for (const id of ticked) if (!state.users.has(id)) ticked.delete(id);
  bar.hidden = ticked.size === 0;
  if (bar.hidden) return fill(bar);
  const send = async (kind) => {
    if (!await order(kind, [...ticked])) return;
    ticked.clear();
    draw();
  };
  fill(bar, h("strong", {}, t("chosen.n", { n: ticked.size })),
    kinds.map((kind) => button(t(`order.${kind}`), `chosen ${kind}`, () => send(kind))),
    button(t("team.set"), "chosen team", async () => {
      const { team } = await import("./personforms.js");
      if (!await team(...[...ticked].map((id) => state.users.get(id)))) return;
      ticked.clear();
      draw();
    }),
    button(t("chosen.clear"), "chosen clear", () => { ticked.clear(); draw(); }));
}
