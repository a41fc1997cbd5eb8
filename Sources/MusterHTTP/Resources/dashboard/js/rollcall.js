// What command asks of people: roll calls with their timer and who is unaccounted for, evacuations,
// calls for a position, messages.

import { byId, faint, fill, h, onceAFrame } from "./dom.js";
import { getVersioned, segment, write } from "./api.js";
import { attempt, field, form } from "./dialog.js";
import { isCommand, loadedAt, on, state } from "./store.js";
import { ago, secondsSince, spoken, t } from "./words.js";

const kinds = ["rollcall", "evacuate", "locate", "message"];
const looks = { rollcall: "first", evacuate: "danger" };
const mostNames = 300;

export function openOrders() {
  on(["directives", "status"], onceAFrame(draw));
  setInterval(tick, 1000);
}

function draw() {
  const all = [...state.directives.values()].sort((a, b) =>
    (a.status === b.status ? (a.createdAt < b.createdAt ? 1 : -1) : a.status === "open" ? -1 : 1));
  const mayAsk = isCommand();
  fill(byId("orders"),
    h("div", { class: "head" }, h("h2", {}, t("orders")),
      mayAsk && h("div", { class: "row" }, kinds.map((kind) => h("button", {
        class: looks[kind], "data-key": kind, onclick: () => order(kind),
      }, t(`order.${kind}`))))),
    all.length === 0 && faint(t("orders.none")),
    all.map((one) => card(one, mayAsk)));
  tick();
}

function card(one, mayAsk) {
  const isOpen = one.status === "open";
  const missing = one.people.filter((p) => p.state === "unaccounted");
  const look = !isOpen ? "" : missing.length > 0 ? "unsafe-card" : "safe-card";
  return h("article", { class: `card ${look}`, "data-order": one.id },
    h("div", { class: "head" },
      h("h3", {}, t(`order.${one.kind}`), one.fenceName && ` → ${one.fenceName}`),
      isOpen ? h("span", { class: "timer", "data-timer": one.id, role: "timer" })
        : h("span", { class: "chip" }, t("closed"))),
    one.text && h("p", {}, one.text),
    faint([
      one.callsign, ago(secondsSince(one.createdAt)), t("for", { whom: spoken(one.addressees) }),
    ].join(" · ")),
    sum(one, missing.length),
    missing.length > 0 && h("ul", { "aria-label": t("unaccounted") },
      missing.slice(0, mostNames).map((person) => lacking(one, person, isOpen && mayAsk))),
    answers(one),
    isOpen && mayAsk && h("div", { class: "row end" }, h("button", {
      "data-key": `close ${one.id}`, onclick: () => attempt(() => close(one.id), t("done")),
    }, t("close.order"))));
}

/** How many are accounted for, and how. */
function sum({ people }, missing) {
  const counts = new Map();
  for (const { state } of people) counts.set(state, (counts.get(state) ?? 0) + 1);
  const told = t("accounted", { n: people.length - missing, of: people.length });
  const how = [...counts].map(([state, n]) => `${t(`answer.${state}`)} ${n}`).join(", ");
  return h("p", {}, h("strong", { class: missing ? "unsafe" : "safe" }, told),
    how && ` (${how})`);
}

function lacking(one, { user, callsign, reason, fixAgeSeconds }, mayAccount) {
  const fix = fixAgeSeconds !== null && t("fix", { ago: ago(fixAgeSeconds) });
  const path = `directives/${segment(one.id)}/acknowledgements`;
  return h("li", { class: "row" },
    h("strong", { class: "unsafe" }, callsign),
    h("span", { class: "faint" }, [spoken(reason), fix].filter(Boolean).join(" · ")),
    mayAccount && h("button", {
      "data-key": `account ${one.id} ${user}`,
      onclick: () => attempt(() => write("POST", path, { user }), t("done")),
    }, t("account")));
}

/** Who answered, by name. */
function answers(one) {
  const given = one.people.filter((p) => p.answeredAt !== null);
  if (given.length === 0) return null;
  return h("details", {}, h("summary", {}, t("answers", { n: given.length })),
    h("ul", {}, given.map((p) => h("li", {}, [
      `${p.callsign}: ${t(`answer.${p.state}`)}`, ago(secondsSince(p.answeredAt)),
      p.answeredBy !== p.callsign && p.answeredBy, p.reason && spoken(p.reason),
    ].filter(Boolean).join(" · ")))));
}

async function close(id) {
  const { version } = await getVersioned(`directives/${segment(id)}`);
  await write("POST", `directives/${segment(id)}/close`, undefined, version);
}

function tick() {
  const passed = (Date.now() - (loadedAt.directives ?? Date.now())) / 1000;
  for (const timer of document.querySelectorAll("[data-timer]")) {
    const one = state.directives.get(timer.dataset.timer);
    if (!one) continue;
    const left = one.secondsLeft === null ? null : Math.round(one.secondsLeft - passed);
    const seconds = left ?? Math.round(secondsSince(one.createdAt));
    const sign = left !== null && left < 0 ? "−" : left === null ? "+" : "";
    const whole = Math.abs(seconds);
    timer.textContent = `${sign}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
    timer.classList.toggle("unsafe", left !== null && left < 0);
  }
}

function order(kind) {
  const teams = [...new Set([...state.users.values()].map((u) => u.team).filter(Boolean))].sort();
  const roles = ["member", "command", "observer"].map((r) => [`role ${r}`, t(`role.${r}`)]);
  const whom = [["", t("everyone")], ...roles, ...teams.map((team) => [`team ${team}`, team])];
  const gathering = [...state.fences.values()].filter((fence) => fence.kind === "muster");
  const places = [["", "–"], ...gathering.map(({ id, name }) => [id, name])];
  return form(t(`order.${kind}`), [
    field("text", t("text"), { type: "area" }),
    field("whom", t("whom"), { options: whom }),
    kind === "evacuate" && field("fence", t("muster"), { options: places }),
    kind !== "message" && field("minutes", t("minutes.word"), {
      type: "number", value: kind === "rollcall" ? 10 : "", min: 1, max: 10000,
    }),
  ], async (values) => {
    const body = { kind };
    if (values.text) body.text = values.text;
    if (values.minutes) body.deadlineSeconds = Math.round(Number(values.minutes) * 60);
    if (values.fence) body.fence = values.fence;
    const [, what, name] = /^(role|team) (.*)$/.exec(values.whom) ?? [];
    if (what) body[what] = name;
    await write("POST", "directives", body);
  }, t("send"));
}
