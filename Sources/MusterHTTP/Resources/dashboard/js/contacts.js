// Emergency contacts in alerts. Their list is in `contactlist.js`, which is loaded when it is opened.

import { h, link } from "./dom.js";
import { bearing } from "./status.js";

export const calls = ({ id, contacts = [] }, most) => contacts.length > 0
  && h("div", {}, contacts.slice(0, most).map((one) =>
    h("div", {}, one.name, phones(one, id), " ", bearing(one))));

export const phones = ({ id, phone, otherPhones }, key) => [phone, ...otherPhones].flatMap((number) => [
  " · ",
  link(`tel:${number.replace(/[^\d+]/g, "")}`, { "data-key": key + id + number }, number),
]);

export const openContacts = async () => (await import("./contactlist.js")).openContacts();
