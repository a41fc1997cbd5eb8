// Answers to orders: the user's own, and answers for others. Each can be withdrawn.

import { segment, write } from "./api.js";
import { attempt } from "./dialog.js";
import { say } from "./dom.js";
import { t } from "./words.js";
import { takes } from "./features.js";

const path = (order) => `directives/${segment(order.id)}/acknowledgements`;

/** The label of the button with which users answer for themselves. */
export const ownAnswer = (kind) => t(kind === "rollcall" ? "answer.own.rollcall" : "answer.own");

export const mayUndo = () => takes("POST", "directives/{id}/acknowledgements/undo");

/** @param person the person answered for; by default the user of this laptop. */
export function answer(order, person) {
  const body = person ? { user: person.user } : {};
  return attempt(async () => {
    await write("POST", path(order), body);
    const text = person ? t("answered.for", { name: person.callsign }) : t("answered.me");
    say(text, mayUndo() && { word: t("undo"), work: () => takeBack(order, person) });
  });
}

/** Withdraws an answer that was given for the wrong person, or too early. */
export const takeBack = (order, person) => attempt(
  () => write("POST", `${path(order)}/undo`, person ? { user: person.user } : {}),
  t("answer.undone"));
