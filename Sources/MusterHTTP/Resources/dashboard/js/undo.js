// What the user did and can undo, several steps back: answers, accountings, teams, drawings, deletions.
// Orders are not among it: they end by closing them, which everyone sees.

import { say } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt, confirm } from "./dialog.js";
import { hide } from "./store.js";
import { t } from "./words.js";

const most = 20;
const acts = [];

/** The newest act, which `undoLast` undoes; undefined without any. */
export const lastAct = () => acts.at(-1)?.text;

/**
 * Shows the result of an act, and keeps how to undo it.
 * @param key names the act for `forgetAct`.
 */
export function remember(text, work, key) {
  acts.push({ text, work, key });
  if (acts.length > most) acts.shift();
  say(text, { word: t("undo"), work: undoLast });
}

/** Removes an act that was undone elsewhere, or can be undone no longer. */
export function forgetAct(key) {
  const at = acts.findLastIndex((one) => one.key === key);
  if (at >= 0) acts.splice(at, 1);
}

/** For how long a deletion waits, so that it can be undone, in milliseconds. */
const delay = 10000;

/**
 * Asks whether to delete a report or zone, and does so after some seconds, since no node can undo it. Until then
 * the page does not show it; closing the page deletes it at once.
 * @param set the dataset, which is also its path.
 */
export const deleteSoon = (set, { id }, name) => confirm(t("delete.sure", { name }), () => {
  const key = `delete ${id}`;
  const end = () => {
    clearTimeout(timer);
    removeEventListener("pagehide", send);
    forgetAct(key);
  };
  const send = async () => {
    end();
    try {
      await write("DELETE", `${set}/${segment(id)}`);
    } catch (error) {
      hide(set, id, false);
      say(t("delete.failed", { name, why: error.message }));
    }
  };
  const timer = setTimeout(send, delay);
  addEventListener("pagehide", send);
  hide(set, id);
  remember(t("delete.done", { name }), () => {
    end();
    hide(set, id, false);
  }, key);
}, t("delete"));

/** Undoes the newest act, and offers the one before. */
export const undoLast = () => attempt(async () => {
  const act = acts.pop();
  if (!act) return say(t("undo.none"));
  try {
    await act.work();
  } catch (error) {
    // Without an answer it can be tried again.
    if (error.status === 0) acts.push(act);
    throw error;
  }
  const before = lastAct();
  say(t("undo.done", { what: act.text }),
    before && { word: t("undo.of", { what: before }), work: undoLast });
});
