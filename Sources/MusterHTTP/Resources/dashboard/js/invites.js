// The invites of this laptop that are not used up, such as that of a paper that was lost, and their
// withdrawal. Loaded with the drawer of the team, for command.

import { button, fill, h } from "./dom.js";
import { get, segment, write } from "./api.js";
import { attempt, confirm } from "./dialog.js";
import { state } from "./store.js";
import { clock, loadTexts, t } from "./words.js";

const section = h("section", { "aria-labelledby": "invites-head" });

/** Loads the invites. Returns the element that shows them. */
export async function openInvites() {
  await loadTexts("logins");
  await drawInvites();
  return section;
}

/** Reads the invites again: one was created, withdrawn or used. */
export async function drawInvites() {
  const { items } = await get("invitations");
  const open = items.filter((one) => one.state === "open");
  section.hidden = open.length === 0;
  fill(section, h("h3", { id: "invites-head" }, t("invites.open")),
    h("ul", { class: "people" }, open.toReversed().map(row)));
}

const row = ({ id, role, usesLeft, expires, devices }) =>
  h("li", { class: "person-line", "data-invite": id },
    h("strong", { class: "name" }, t(`role.${role}`)),
    h("span", { class: "faint" }, id.slice(0, 8)),
    h("span", { class: "why" }, t("invites.left", { n: usesLeft, time: moment(expires) })),
    devices.length > 0
      && h("span", { class: "why" }, t("invites.by", { names: devices.map(named).join(", ") })),
    h("div", { class: "row act" },
      button(t("invites.withdraw"), `withdraw ${id}`, () => attempt(() => withdraw(id, devices)),
        { "aria-label": t("invites.withdraw.of", { id: id.slice(0, 8) }) })));

async function withdraw(id, devices) {
  const names = devices.map(named).join(", ");
  await confirm(`${t("invites.sure")} ${names && t("invites.stay", { names })}`.trim(),
    () => write("DELETE", `invitations/${segment(id)}`), t("invites.withdraw"));
  await drawInvites();
}

const moment = (time) => `${new Date(time).toLocaleDateString("sv")} ${clock(time)}`;

/** Before a device was started, its callsign is the beginning of its user's id. */
function named(id) {
  const { callsign, user } = state.devices.find((one) => one.id === id) ?? {};
  return [user?.startsWith(callsign) ? null : callsign, id.slice(0, 8)].filter(Boolean).join(" ");
}
