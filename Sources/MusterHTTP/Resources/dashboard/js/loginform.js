// The forms of the login, and the calls for help that wait meanwhile: they need no passphrase. Loaded
// with the first form.

import { button, fill, h, sign } from "./dom.js";
import { write } from "./api.js";
import { askCancel } from "./call.js";
import { field, form } from "./dialog.js";
import { claimButton } from "./me.js";
import { calledAt, onQueue, retry, unsentCalls } from "./queue.js";
import { state } from "./store.js";
import { clock, loadTexts, t } from "./words.js";

const passphrase = () => field("passphrase", t("passphrase"), {
  type: "password", required: true, maxlength: 1000, autocomplete: "current-password",
});

/** Asks until a user is logged in. @param prepare is awaited before each attempt. */
export async function logIn(prepare) {
  await Promise.all([loadTexts("answers"), loadTexts("login")]).catch(() => {});
  const asked = () => form(t("log.in"), [
    callsOfPhone(),
    h("p", {}, t(`log.in.${state.expired?.standing ?? "why"}`)),
    field("name", t("name"), { required: true, maxlength: 100, autocomplete: "username" }),
    passphrase(),
  ], async (values) => {
    await prepare();
    await write("POST", "session", values);
  }, t("log.in"));
  while (!await asked());
  // A new page keeps no data of the previous user.
  location.reload();
}

// MARK: Calls for help

/** What waits on this phone, and for an expired login a button that calls. No name is shown. */
function callsOfPhone() {
  const place = h("section", { id: "unsent", tabindex: "-1", autofocus: true, "aria-live": "assertive" });
  // It stays while the rest is redrawn, so that holding it is not interrupted.
  const help = state.expired && claimButton("help");
  const draw = () => {
    const calls = unsentCalls();
    fill(place, calls.map(call), calls.length === 0 && [
      calledAt && h("p", { class: "safe" }, h("strong", {}, t("unsent.sent", { time: clock(calledAt) }))),
      help]);
  };
  onQueue(draw);
  draw();
  return place;
}

const call = (one) => h("div", { class: "unsent", "data-call": one.key },
  h("strong", {}, sign("danger"), " ", t("call.notSent")),
  h("span", {}, t("call.made", { time: clock(one.at) })),
  h("p", {}, one.why ? t("queue.refused", { why: one.why }) : t("unsent.why")),
  h("div", { class: "row" },
    one.why && button(t("retry"), `retry ${one.key}`, () => retry(one), { type: "button", class: "first" }),
    button(t("call.cancel"), `cancel ${one.key}`, () => askCancel(one), { type: "button" })));

// MARK: Other forms

/** Asks for the passphrase again, for what a login of command does. Returns whether it was right. */
export async function unlock() {
  if (!state.session) return false;
  await loadTexts("login");
  return Boolean(await form(t("log.in"), [h("p", {}, t("log.in.again")), passphrase()],
    (values) => write("POST", "session", { name: state.session.name, ...values }), t("log.in")));
}

/** Opens a new login: its user keeps or changes the passphrase that is proposed. */
export async function openLink(code, name) {
  await loadTexts("login");
  // The address works once, and the history should not have it.
  history.replaceState(null, "", "/");
  await form(t("log.in"), [
    h("p", {}, t("log.in.new", { name })),
    h("input", { type: "hidden", name: "name", value: name }),
    field("passphrase", t("passphrase"), {
      required: true, minlength: 12, maxlength: 1000, value: proposed(), autocomplete: "new-password",
    }),
  ], (values) => write("POST", "session", { code, ...values }), t("log.in"));
  location.reload();
}

/** A passphrase of 51 bits that can be spoken. */
function proposed() {
  const [consonants, vowels] = ["bcdfghjklmnprstvz", "aeiou"];
  const letter = (from) => from[crypto.getRandomValues(new Uint32Array(1))[0] % from.length];
  return [1, 2, 3, 4].map(() =>
    [consonants, vowels, consonants, vowels].map(letter).join("")).join("-");
}
