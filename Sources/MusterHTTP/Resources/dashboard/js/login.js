// Login for users at other machines, over TLS. On its own machine the node requires its token
// instead.

import { byId, fill, h } from "./dom.js";
import { get, onLocked, onStranger, write } from "./api.js";
import { attempt, confirm, field, form } from "./dialog.js";
import { forgetSession, keepSession, knownSession } from "./offline.js";
import { queued } from "./queue.js";
import { state } from "./store.js";
import { t } from "./words.js";

/** The login is not needed to open the page; a node out of range does not answer. */
const patience = 4000;
/** Set when the user logged out while the node was out of range: its session still exists. */
const leaving = "leaving";
let isAsking = false;

/** Whether the login form is open: then the node answers, and only the user is unknown. */
export const isLoggingIn = () => isAsking;

/** The code and the name in the link of a new login. */
const link = location.hash.match(/^#login=(\w+)\/(.+)$/);

// A link that is opened in this page loads it again: its code leaves the address.
addEventListener("hashchange", () => location.hash.startsWith("#login=") && location.reload());

/** Determines the user, and asks for name and passphrase if needed. */
export async function openLogin() {
  onStranger(logIn);
  onLocked(unlock);
  if (location.protocol !== "https:") return;
  if (link) {
    openLink(link[1], decodeURIComponent(link[2]));
    return;
  }
  try {
    if (localStorage.getItem(leaving)) await endSession();
    const session = await get("session", patience);
    // An expired or removed login reads nothing: the form asks for the passphrase.
    if (session.standing !== "full") {
      logIn();
      return;
    }
    state.session = session;
    await keepSession(state.session);
  } catch (error) {
    state.session = error.status === 0 ? knownSession() : null;
    // The form shows any other error.
    if (!state.session) return;
  }
  const { name, rights } = state.session;
  fill(byId("session"), h("span", {}, t(`login.${rights}`, { name })),
    h("button", { id: "log-out", "data-key": "log out", onclick: logOut }, t("log.out")));
}

async function logIn() {
  // On its own machine the node requires its token: its page explains where to find it.
  if (location.protocol !== "https:") return location.reload();
  if (isAsking) return;
  isAsking = true;
  // The session has ended: its data is removed with it.
  if (state.session) return location.reload();
  const isIn = await form(t("log.in"), [
    h("p", {}, t("log.in.why")),
    field("name", t("name"), { required: true, maxlength: 100, autocomplete: "username" }),
    field("passphrase", t("passphrase"), {
      type: "password", required: true, maxlength: 1000, autocomplete: "current-password",
    }),
  ], (values) => write("POST", "session", values), t("log.in"));
  isAsking = false;
  // A new page keeps no data of the previous user.
  if (isIn) location.reload();
}

/** Asks for the passphrase again, for what a login of command does. Returns whether it was right. */
async function unlock() {
  if (isAsking || !state.session) return false;
  isAsking = true;
  const isIn = await form(t("log.in"), [
    h("p", {}, t("log.in.again")),
    field("passphrase", t("passphrase"), {
      type: "password", required: true, maxlength: 1000, autocomplete: "current-password",
    }),
  ], (values) => write("POST", "session", { name: state.session.name, ...values }), t("log.in"));
  isAsking = false;
  return Boolean(isIn);
}

/** Opens a new login: its user keeps or changes the passphrase that is proposed. */
async function openLink(code, name) {
  // The address works once, and the history should not have it.
  history.replaceState(null, "", "/");
  isAsking = true;
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

const logOut = () => (queued().length === 0 ? attempt(leave)
  : confirm(t("log.out.queue", { n: queued().length }), leave, t("log.out")));

async function leave() {
  localStorage.setItem(leaving, "1");
  await forgetSession();
  await endSession().catch(() => {});
  location.reload();
}

async function endSession() {
  try {
    await write("DELETE", "session");
  } catch (error) {
    // With any answer, the session is over.
    if (error.status === 0) throw error;
  }
  localStorage.removeItem(leaving);
}
