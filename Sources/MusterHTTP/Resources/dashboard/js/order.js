// The kinds of orders. Their forms are in `orderform.js`, which is loaded when one is opened.

import { button } from "./dom.js";
import { t } from "./words.js";
import { theMap } from "./map/map.js";

export const going = ["muster", "evacuate"];
export const kinds = ["rollcall", "muster", "evacuate", "locate", "message"];

const forms = () => import("./orderform.js");

/** @param chosen the ids of the recipients; without any, everyone. */
export const order = async (kind, chosen) => (await forms()).order(kind, chosen);

/** Orders people to a new assembly zone of this shape. */
export const orderTo = async (shape) => (await forms()).orderTo(shape);

export const rollCallNow = async () => (await forms()).rollCallNow();

/** The button for a zone with an order; false without a map. */
export const drawButton = (key) => Boolean(theMap())
  && button(t("order.draw"), key, async () => (await forms()).drawAndOrder());

/** The members of a request body that name the chosen recipients. */
export function recipients(chosen) {
  const [, what, who] = /^(role|team|users?) (.*)$/.exec(chosen) ?? [];
  return what?.startsWith("user") ? { users: who.split(",") } : what ? { [what]: who } : {};
}
