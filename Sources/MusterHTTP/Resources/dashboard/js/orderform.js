// The form of an order: recipients, zones, deadline; loaded when one is opened.

import { dotted, faint, fill, h, say } from "./dom.js";
import { change, segment, write } from "./api.js";
import { attempt, field, form } from "./dialog.js";
import { state } from "./store.js";
import { t } from "./words.js";
import { approach, centre } from "./geometry.js";
import { going, recipients } from "./order.js";
import { asBody, asFence, whoWouldBeInside } from "./zone.js";
import { goToShape, onMap, theMap } from "./map/map.js";
import { drawShape } from "./map/draw.js";
import { outline } from "./map/fences.js";

/** Default deadlines in minutes. */
const usual = { rollcall: 10, muster: 15, evacuate: 15 };
/** Assembly zones that an order may name. */
const assembly = () => [...state.fences.values()]
  .filter((fence) => fence.kind === "muster" && fence.active)
  .sort((a, b) => (a.name < b.name ? -1 : 1));

/** The field of the recipients; `none` is the text of no choice, `chosen` are ids of people. */
export function audience(none = t("everyone"), chosen = []) {
  const users = [...state.users.values()];
  const teams = [...new Set(users.map((u) => u.team).filter(Boolean))].sort();
  const roles = ["member", "command", "observer"].map((r) => [`role ${r}`, t(`role.${r}`)]);
  const people = users.sort((a, b) => (a.callsign < b.callsign ? -1 : 1))
    .map(({ id, callsign }) => [`user ${id}`, callsign]);
  const some = chosen.length > 0
    ? [[`users ${chosen.join()}`, t("chosen.n", { n: chosen.length })]] : [];
  return field("audience", t("audience"), {
    options: [...some, ["", none], ...roles,
      ...teams.map((team) => [`team ${team}`, t("team.of.name", { team })]), ...people],
    value: some[0]?.[0],
  });
}

function zones() {
  const all = assembly();
  return h("fieldset", {}, h("legend", {}, t("order.zones")),
    all.length === 0 ? faint(t("order.zones.none"))
      : [faint(t("order.zones.any")),
        ...all.map(({ id, name }) => field(`zone ${id}`, name, { type: "checkbox" }))]);
}

const minutes = (kind) => field("minutes", t("minutes.word"), {
  type: "number", value: usual[kind] ?? "", min: 1, max: 10000, required: kind in usual,
});

// MARK: Before sending

/** The people that a choice of the form addresses now. */
function addressed(chosen) {
  const { users, team, role } = recipients(chosen);
  return [...state.users.values()].filter((one) => (users ? users.includes(one.id)
    : one.status !== "signedOff" && (team === undefined || one.team === team)
      && (role === undefined || one.role === role)));
}

const has = ({ status, conditions }, which) =>
  status === which || conditions.some((one) => one.status === which);
/** Points of the straight line to a zone at which hazard zones are looked for. */
const steps = 40;
const mostNames = 8;

/** The hazard zones that lie on the straight lines from people to the nearest of some zones. */
function hazardsBetween(people, zones) {
  const hazards = [...state.fences.values()].filter(({ kind, active }) => kind === "hazard" && active);
  const goals = zones.filter((zone) => centre(zone));
  const found = new Set();
  for (const one of hazards.length > 0 && goals.length > 0 ? people : []) {
    if (one.lat === null) continue;
    const way = goals.map((zone) => approach(one, zone)).filter(Boolean)
      .sort((a, b) => a.distanceMetres - b.distanceMetres)[0];
    for (let i = 1; way && i < steps; i++) {
      const at = {
        lat: one.lat + (way.at.lat - one.lat) * i / steps, lon: one.lon + (way.at.lon - one.lon) * i / steps,
      };
      for (const zone of hazards) {
        if (approach(at, zone)?.distanceMetres === 0) found.add(zone.name);
      }
    }
  }
  return [...found];
}

/** States how many people the order is for, who is out of reach, and hazards on the way, as the form is filled in. */
function outlook(kind, place) {
  const element = h("p", { class: "outlook", role: "status" });
  const update = () => {
    const values = new FormData(element.closest("form"));
    const people = addressed(values.get("audience") ?? "");
    const away = people.filter((one) => has(one, "noContact") || has(one, "expected"));
    const named = assembly().filter(({ id }) => values.has(`zone ${id}`));
    const zones = place ? [asFence(place, "muster")] : named.length > 0 ? named : assembly();
    const hazards = going.includes(kind) ? hazardsBetween(people, zones) : [];
    const names = away.slice(0, mostNames).map(({ callsign }) => callsign).join(", ");
    fill(element, h("strong", {}, t("people.n", { n: people.length })),
      away.length > 0 && ` · ${t("order.away", { names })}`,
      away.length > mostNames && ` ${t("more", { n: away.length - mostNames })}`,
      hazards.length > 0 && h("span", { class: "wrong" }, ` ${t("order.hazard", { zone: hazards.join(", ") })}`));
  };
  queueMicrotask(() => {
    element.closest("form")?.addEventListener("change", update);
    if (element.isConnected) update();
  });
  return element;
}

/** The choice of the form in words; nothing for people who are named. */
function audienceName(chosen) {
  const { users, team, role } = recipients(chosen);
  return users ? "" : team ? t("team.of.name", { team }) : role ? t(`role.${role}`) : t("everyone");
}

/** Sends an order, and names its recipients. It ends only by closing it, which everyone sees. */
async function send(kind, chosen, request) {
  const people = addressed(chosen);
  const id = (await request)?.id;
  const names = people.length <= mostNames ? people.map(({ callsign }) => callsign).join(", ") : "";
  const text = [dotted(t(`order.${kind}`), audienceName(chosen), t("order.sent", { n: people.length })), names];
  say(text.filter(Boolean).join(": "), id && { word: t("order.end"), work: () => attempt(
    () => change("POST", `directives/${segment(id)}`, undefined, "/close"), t("closed")) });
}

/** The request body of the form. */
function body(kind, values) {
  const result = { kind };
  if (values.text) result.text = values.text;
  if (values.minutes) result.deadlineSeconds = Math.round(Number(values.minutes) * 60);
  const chosen = Object.keys(values).filter((name) => name.startsWith("zone ") && values[name])
    .map((name) => name.slice(5));
  if (chosen.length > 0) result.zones = chosen;
  return { ...result, ...recipients(values.audience) };
}

/** @param chosen the ids of the recipients; without any, everyone. */
export function order(kind, chosen = []) {
  return form(t(`order.${kind}`), [
    faint(t(`order.${kind}.why`)),
    going.includes(kind) && zones(),
    audience(undefined, chosen),
    outlook(kind),
    kind !== "message" && minutes(kind),
    field("text", t(kind === "message" ? "text" : "text.more"), {
      type: "area", required: kind === "message",
    }),
  ], (values) => send(kind, values.audience, write("POST", "directives", body(kind, values))), t("send"));
}

/** Calls the roll of everyone at once, with the usual deadline. */
export const rollCallNow = () => attempt(() => send("rollcall", "",
  write("POST", "directives", body("rollcall", { minutes: usual.rollcall }))));

/** Draws an assembly zone and orders people to it, in one action. */
export async function drawAndOrder() {
  const shape = await onMap(() => drawShape(theMap(), true));
  if (shape) await orderTo(shape);
}

/** Orders people to a new assembly zone of this shape. */
export async function orderTo(shape) {
  const preview = outline(asFence(shape, "muster"))?.addTo(theMap());
  goToShape(preview ?? null);
  const kinds = going.map((kind) => [kind, t(`order.${kind}`)]);
  await form(t("order.draw"), [
    h("p", { class: "card" }, h("strong", {}, whoWouldBeInside(shape))),
    field("name", t("name"), { required: true }),
    field("kind", t("order.kind"), { options: kinds }),
    audience(), outlook("muster", shape), minutes("muster"), field("text", t("text.more"), { type: "area" }),
    // One request, so that no node has the zone without the order.
  ], (values) => send(values.kind, values.audience, write("POST", "fences", {
    name: values.name, kind: "muster", active: true, ...asBody(shape),
    order: body(values.kind, values),
  }).then(() => null)), t("send")).finally(() => preview?.remove());
}
