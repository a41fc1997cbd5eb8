// The logins of phones and other machines, for the user of this laptop alone. A new login is opened
// by a link that works once: its user sets the passphrase, and no other user ever sees it.

import { button, dotted, faint, fill, h } from "./dom.js";
import { get, segment, write } from "./api.js";
import { attempt, confirm, control, copy, field, form, show } from "./dialog.js";
import { code } from "./qr.js";
import { state } from "./store.js";
import { clock, language, loadTexts, since, t } from "./words.js";

const section = h("section", { "aria-labelledby": "logins-head" });

/** Loads the logins. Returns the element that shows them. */
export async function openLogins() {
  await loadTexts("logins");
  await draw();
  return section;
}

async function draw() {
  const { items, address } = await get("logins");
  fill(section, h("h3", { id: "logins-head" }, t("logins")),
    faint(address ? t("logins.at", { address }) : t("logins.off")),
    h("ul", { class: "people" }, items.map((one) => row(one, address))),
    address && button(t("logins.add"), "add login", () => add(), { class: "first" }));
}

const row = ({ name, rights, user, callsign, phone, devices }, address) =>
  h("li", { class: "person-line", "data-login": name },
    h("strong", { class: "name" }, name),
    h("span", { class: "faint" }, t(`logins.is.${rights}`)),
    h("span", { class: "why" },
      phone ? t("logins.phone") : user ? callsign ?? user.slice(0, 8) : t("logins.alone")),
    h("div", { class: "row act" },
      address && button(t("logins.link"), `link ${name}`, () => attempt(() => link(name)),
        { "aria-label": t("logins.link.of", { name }) }),
      button(t("logins.remove"), `remove ${name}`, () => attempt(() => remove(name)),
        { "aria-label": t("logins.remove.of", { name }) })),
    devices.length === 0 ? h("span", { class: "why faint" }, t("logins.devices.none"))
      : h("ul", { class: "why", "aria-label": t("logins.devices.of", { name }) },
        devices.map((one) => deviceRow(name, one))));

/** A browser in which the login is used: the last used first. */
function deviceRow(name, { id, name: text, usedAt, addedAt, standing, reason }) {
  const [browser, system] = text.split(" on ");
  const device = system ? t("logins.device", { browser, system }) : browser;
  const isFull = standing === "full";
  const path = `logins/${segment(name)}/devices/${segment(id)}`;
  const change = async (method, action) => {
    await write(method, path + action);
    await draw();
  };
  const of = { device, name };
  return h("li", { class: "row", "data-device": id },
    h("span", {}, h("strong", {}, device), " ", faintly(dotted(
      t("logins.device.used", { ago: since(usedAt) }),
      t("logins.device.since", { time: new Date(addedAt).toLocaleDateString(language) })))),
    !isFull && h("span", { class: "warning" },
      t("logins.device.help", { why: t(`logins.expired.${reason}`) })),
    isFull
      ? button(t("logins.revoke"), `revoke ${id}`, () => confirm(t("logins.revoke.sure", of),
        () => change("DELETE", ""), t("logins.revoke")), { "aria-label": t("logins.revoke.of", of) })
      : button(t("logins.restore"), `restore ${id}`, () => attempt(() => change("POST", "/restore")),
        { "aria-label": t("logins.restore.of", of) }));
}

const faintly = (text) => h("span", { class: "faint" }, text);

async function remove(name) {
  await confirm(t("logins.sure", { name }),
    () => write("DELETE", `logins/${segment(name)}`), t("logins.remove"));
  await draw();
}

/**
 * Asks for a login and adds it.
 * @param {string} [known] the name of a person who is expected
 */
export async function add(known) {
  const people = [...state.users.values()].filter(({ owner }) => !owner)
    .sort((a, b) => (a.callsign < b.callsign ? -1 : 1));
  let made;
  const isAdded = await form(t("logins.add"), [
    field("name", t("name"), { required: true, maxlength: 100, autocomplete: "off", value: known }),
    field("whose", t("logins.whose"), {
      value: "phone", options: [["phone", t("logins.phone")],
        ...people.map(({ id, callsign }) => [id, t("logins.of", { name: callsign })]),
        ["", t("logins.alone")]],
    }),
    h("fieldset", {}, h("legend", {}, t("logins.rights")), ["observer", "member", "command"].map((one) =>
      h("label", { class: "tick" }, control("rights", {
        type: "radio", value: one, checked: one === "observer",
      }), t(`logins.may.${one}`)))),
  ], async ({ name, whose, rights }) => {
    made = { name, ...await write("POST", "logins", {
      name, rights, ...(whose === "phone" ? { phone: true } : whose ? { user: whose } : {}),
    }) };
  }, t("logins.add"));
  if (!isAdded) return;
  present(made.name, made);
  attempt(draw);
}

const link = async (name) =>
  present(name, await write("POST", `logins/${segment(name)}/link`));

function present(name, { url, expires }) {
  const dialog = show(t("logins.for", { name }),
    code(url, t("logins.code")), h("p", { class: "url" }, url),
    faint(t("logins.why", { time: clock(expires) })),
    h("div", { class: "row end" },
      button(t("copy"), "copy", () => copy(url)),
      button(t("close"), "close", () => dialog.close(), { class: "first" })));
}
