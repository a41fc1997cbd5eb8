// The list of emergency contacts, and its form.

import { button, dotted, h } from "./dom.js";
import { get, segment, write } from "./api.js";
import { attempt, confirm, field, form, show } from "./dialog.js";
import { isCommand } from "./store.js";
import { phones } from "./contacts.js";
import { decimal, position, written } from "./place.js";
import { t } from "./words.js";

export const openContacts = () => attempt(async () => {
  const { items } = await get("contacts");
  const act = (word, work, one = {}) => isCommand() && button(t(word), word, async () => {
    dialog.close();
    await work(`contacts/${segment(one.id)}`, one);
    openContacts();
  });
  const dialog = show(t("contacts"), h("ul", { class: "people" }, items.map((one) =>
    h("li", { class: "person-line" },
      h("span", {}, one.name, phones(one)),
      h("span", { class: "row" }, act("edit", edit, one), act("delete", remove, one)),
      h("span", { class: "why" }, dotted(one.note, one.lat !== null && written(one.lat, one.lon)))))),
  h("div", { class: "row end" },
    button(t("close"), "", () => dialog.close()), act("contact.add", () => edit("contacts"))));
});

const remove = (path, one) =>
  confirm(t("delete.sure", one), () => write("DELETE", path), t("delete"));

function edit(path, one) {
  const before = one && one.lat !== null ? decimal(one.lat, one.lon) : "";
  return form(t(one ? "edit" : "contact.add"), [
    field("name", t("name"), { value: one?.name, required: true }),
    field("phone", t("contact.phone"), { type: "tel", value: one?.phone, required: true }),
    field("note", t("note"), { value: one?.note }),
    field("place", t("place.typed"), { value: before }),
  ], ({ place, ...body }) => {
    for (const key in one) {
      if (body[key] === one[key] && !one.otherPhones[0]) delete body[key];
    }
    if (place !== before) Object.assign(body, place ? position(place) : { lat: null, lon: null });
    return Object.keys(body)[0] && write(one ? "PATCH" : "POST", path, body);
  });
}
