// The roster: people that command expects, those who have not arrived first. Loaded with the drawer of
// the team, for command.

import { button, dotted, faint, fill, h } from "./dom.js";
import { phones } from "./contacts.js";
import { get, segment, upload, write } from "./api.js";
import { attempt, confirm, show } from "./dialog.js";
import { loadTexts, t } from "./words.js";

const mostRows = 100;
const section = h("section", { "aria-labelledby": "roster-head" });
/** Makes an invite for a person, and a login; the second is null on other machines. */
let makers = {};

/** Loads the roster. Returns the element that shows it. */
export async function openRoster(invite, login) {
  makers = { invite, login };
  await loadTexts("logins");
  await drawRoster();
  return section;
}

/** Reads the roster again: people arrived, or it changed. */
export async function drawRoster() {
  const { items } = await get("roster");
  const expected = items.filter((one) => !one.hasArrived);
  const arrived = items.filter((one) => one.hasArrived);
  fill(section, h("h3", { id: "roster-head" }, items.length === 0 ? t("roster")
    : t("roster.n", { n: expected.length, of: items.length })),
  h("ul", { class: "people", "aria-labelledby": "roster-head" },
    expected.slice(0, mostRows).map(absent)),
  expected.length > mostRows && faint(t("more", { n: expected.length - mostRows })),
  arrived.length > 0 && h("details", {}, h("summary", {}, t("roster.arrived", { n: arrived.length })),
    h("ul", { class: "people" }, arrived.slice(0, mostRows).map(present))),
  button(t("roster.import"), "roster import", () => input.click()), input);
}

const line = (one, why, actions) => h("li", { class: "person-line", "data-expected": one.id },
  h("strong", { class: "name" }, one.name),
  h("span", { class: "faint" }, dotted(one.team, one.role)),
  h("span", { class: "why" }, why, one.phone && phones({ ...one, otherPhones: [] })),
  h("div", { class: "row act" }, actions));

function absent(one) {
  const { id, name, namesakes } = one;
  const path = `roster/${segment(id)}`;
  const act = (key, work, of = { name }) => button(t(key, of), `${key} ${id} ${of.id ?? ""}`,
    () => attempt(work), { "aria-label": `${t(key, of)}: ${name}` });
  const arrive = (body) => confirm(t(body.person ? "roster.same.sure" : "roster.here.sure", { name }),
    () => write("PUT", `${path}/arrival`, body), t("roster.here")).then(drawRoster);
  return line(one, t("roster.absent"), [
    ...namesakes.map(({ id: person, callsign }) => act("roster.same",
      () => arrive({ person }), { name: `${callsign} ${person.slice(0, 8)}`, id: person })),
    act("invite", () => makers.invite(one)),
    makers.login && act("roster.login", () => makers.login(name)),
    act("roster.here", () => arrive({})),
    act("delete", () => confirm(t("delete.sure", { name }), () => write("DELETE", path), t("delete"))
      .then(drawRoster)),
  ]);
}

const present = (one) => line(one, t("roster.here"), [
  button(t("undo"), `undo ${one.id}`, () => attempt(async () => {
    await write("DELETE", `roster/${segment(one.id)}/arrival`);
    await drawRoster();
  }), { "aria-label": `${t("undo")}: ${one.name}` }),
]);

const input = h("input", {
  type: "file", accept: ".csv,.txt,text/csv,text/plain", hidden: true, onchange: ({ target }) => {
    const [file] = target.files;
    if (file) attempt(() => importFile(file));
    target.value = "";
  },
});

/** States where the phone numbers go, adds the people of a file, and shows what was left out. */
async function importFile(file) {
  let outcome;
  await confirm(t("roster.sure", { file: file.name }), async () => {
    outcome = await upload("roster", file, null, () => {});
  }, t("roster.import"));
  if (!outcome) return;
  await drawRoster();
  const { added, changed, import: { leftOut, omissions } } = outcome;
  const dialog = show(t("roster"), h("p", {}, t("roster.added", { n: added, of: changed })),
    leftOut > 0 && h("p", {}, t("roster.left", { n: leftOut })),
    h("ul", {}, omissions.map(({ place, reason }) => h("li", {}, `${place}, ${reason}`)),
      leftOut > omissions.length && h("li", {}, "…")),
    h("div", { class: "row end" },
      button(t("close"), "close", () => dialog.close(), { class: "first" })));
}
