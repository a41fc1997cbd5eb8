// Who takes part: invitations by QR code, devices with their roles and revocations, logins, and the
// sampling settings of all devices.

import { button, byId, dotted, faint, fill, h, onceAFrame } from "./dom.js";
import { get, segment, write } from "./api.js";
import { attempt, confirm, copy, field, form, show } from "./dialog.js";
import { isCommand, on, state } from "./store.js";
import { clock, t } from "./words.js";
import { drawerHead } from "./shell.js";

const roles = ["member", "command", "observer", "relay", "archive"];
const mostDevices = 300;
const day = 86400;
let role = "member";

/** The logins, once they are loaded; for the user of this laptop alone. */
let logins = null;
/** The open invites and the roster, once they are loaded; for command. */
let invites = null;
let roster = null;

export const openTeam = () => attempt(async () => {
  on(["devices", "status"], onceAFrame(draw));
  on(["devices"], () => invites && loadInvites());
  await attempt(loadInvites);
  if (location.protocol === "https:") return attempt(loadRoster);
  const page = await import("./logins.js");
  logins = await page.openLogins();
  draw();
  await attempt(() => loadRoster(page.add));
});

async function loadInvites() {
  if (isCommand()) invites = await (await import("./invites.js")).openInvites();
  draw();
}

async function loadRoster(login) {
  if (!isCommand()) return;
  const page = await import("./expected.js");
  roster = await page.openRoster(invite, login);
  on(["devices", "users"], onceAFrame(() => attempt(page.drawRoster)));
  draw();
}

function draw() {
  const devices = [...state.devices].sort((a, b) => a.isRevoked - b.isRevoked
    || b.isThisDevice - a.isThisDevice || (a.callsign < b.callsign ? -1 : 1));
  fill(byId("team"), drawerHead("team"),
    isCommand() && invitation(),
    invites,
    logins,
    roster,
    h("h3", {}, t("devices.n", { n: devices.filter((one) => !one.isRevoked).length })),
    h("ul", { class: "people", "aria-label": t("devices") },
      devices.slice(0, mostDevices).map(device)),
    devices.length > mostDevices && faint(t("more", { n: devices.length - mostDevices })),
    isCommand() && h("div", { class: "row" },
      button(t("sampling"), "sampling", sampling),
      button(t("rotate"), "rotate", () => confirm(
        t("rotate.sure"), () => write("POST", "epoch/rotate"), t("rotate")))),
    state.session && h("p", {}, t(`login.${state.session.rights}`, { name: state.session.name })),
    state.session && faint(t("logins.remote")));
}

const invitation = () => h("div", { class: "card row" },
  h("select", {
    "aria-label": t("role"), value: role, onchange: ({ target }) => { role = target.value; },
  }, roles.map((one) => h("option", { value: one, selected: one === role }, t(`role.${one}`)))),
  button(t("invite"), "invite", () => invite(), { class: "first" }));

/** Creates an invitation for one person and a day, and shows its code: for one on the roster, or anyone. */
const invite = (expected) => attempt(async () => {
  const { url, link, expires } = await write("POST", "invitations", {
    role: expected ? roles.slice(0, 3).find((one) => one === expected.role) ?? roles[0] : role,
    ...(expected && { user: expected.id }), uses: 1, validSeconds: day });
  const { code } = await import("./qr.js");
  attempt(loadInvites);
  const dialog = show(expected?.name ?? t("invite.of", { role: t(`role.${role}`) }),
    code(link ?? url, t("invite.code")) ?? code(url, t("invite.code")), h("p", { class: "url" }, url),
    faint(t("invite.why", { time: `${new Date(expires).toLocaleDateString("sv")} ${clock(expires)}` })),
    h("div", { class: "row end" },
      button(t("copy"), "copy", () => copy(url)),
      button(t("close"), "close", () => dialog.close(), { class: "first" })));
});

function device(one) {
  const { id, callsign, isThisDevice, isRevoked } = one;
  return h("li", { class: "person-line" },
    h("strong", { class: "name" }, callsign),
    h("span", { class: isRevoked ? "warning" : "faint" },
      isRevoked ? t("revoked") : isThisDevice ? t("this.node") : ""),
    h("span", { class: "why" }, dotted(t(`role.${one.role}`), id.slice(0, 8),
      one.votes > 0 && !isRevoked && t("revoke.votes", { n: one.votes, of: one.quorum }))),
    isCommand() && !isRevoked && !isThisDevice && button(t("revoke"), `revoke ${id}`, () => confirm(
        `${t("revoke.sure", { name: `${callsign} · ${id.slice(0, 8)}` })} ${behind(one.user)}`.trim(),
        () => write("POST", `devices/${segment(id)}/revoke`), t("revoke")),
      { class: "act", "aria-label": t("revoke.of", { name: callsign }) }));
}

/** Who reports through the device of a user: their phones reach the operation by it alone. */
function behind(user) {
  const names = [...state.users.values()].filter(({ owner }) => owner === user)
    .map(({ callsign }) => callsign).sort();
  return names.length > 0 ? t("revoke.through", { names: names.join(", ") }) : "";
}

/** How often all devices read and send their position, and the silence that is an alarm. */
const sampling = () => attempt(async () => {
  const now = await get("settings");
  const number = (name, value, more) =>
    field(name, t(`sampling.${name}`), { type: "number", required: true, value, min: 1, ...more });
  await form(t("sampling"), [
    faint(t("sampling.why")),
    number("silence", Math.round(now.silenceSeconds / 60), { min: 0 }),
    number("reading", now.foreground.readingSeconds), number("sending", now.foreground.sendingSeconds),
  ], ({ silence, reading, sending }) => write("PATCH", "settings", {
    silenceSeconds: Math.round(Number(silence) * 60),
    foreground: { readingSeconds: Number(reading), sendingSeconds: Number(sending) },
  }));
});
