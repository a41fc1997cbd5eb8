// Login for users at other machines, over TLS. On its own machine the node requires its token
// instead. The forms are in a module of their own, which is loaded with the first.

import { byId, fill, h } from "./dom.js";
import { get, onLocked, onStranger, write } from "./api.js";
import { attempt, confirm } from "./dialog.js";
import { forgetSession, keepSession, knownSession } from "./offline.js";
import { callsAnswered, callsWait, queued, unsentCalls } from "./queue.js";
import { state } from "./store.js";
import { t } from "./words.js";

/** The login is not needed to open the page; a node out of range does not answer. */
const patience = 4000;
/** Set when the user logged out and the session still exists, for a call for help that waits. */
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
  onLocked(() => ask((forms) => forms.unlock()));
  if (location.protocol !== "https:") return;
  if (link) {
    ask((forms) => forms.openLink(link[1], decodeURIComponent(link[2])));
    return;
  }
  if (localStorage.getItem(leaving)) {
    endLater();
    logIn();
    return;
  }
  let session;
  try {
    session = await get("session", patience);
    await keepSession(session);
  } catch (error) {
    session = error.status === 401 ? null : knownSession();
  }
  // An expired or removed login reads nothing.
  if (session?.standing !== "full") {
    state.expired = session;
    logIn();
    return;
  }
  state.session = session;
  const { name, rights } = session;
  fill(byId("session"), h("span", {}, t(`login.${rights}`, { name })),
    h("button", { id: "log-out", "data-key": "log out", onclick: logOut }, t("log.out")));
}

/** Opens one form at a time. */
async function ask(open) {
  if (isAsking) return false;
  isAsking = true;
  try {
    return await open(await import("./loginform.js"));
  } finally {
    isAsking = false;
  }
}

function logIn() {
  // On its own machine the node requires its token: its page explains where to find it. A session
  // that has ended: its data is removed with it.
  if (location.protocol !== "https:" || state.session) return location.reload();
  // The node may have stopped answering before it sent the form.
  ask((forms) => forms.logIn(finish)).catch(() => setTimeout(logIn, patience));
}

/** Before another login: the calls for help that wait, and the session that the user left. */
async function finish() {
  await Promise.race([callsAnswered(), new Promise((end) => { setTimeout(end, patience); })]);
  if (localStorage.getItem(leaving)) await removeSession();
}

const logOut = () => {
  const n = queued().length;
  if (n === 0) return attempt(leave);
  confirm(unsentCalls().length > 0 ? t("log.out.call") : t("log.out.queue", { n }), leave, t("log.out"));
};

async function leave() {
  localStorage.setItem(leaving, "1");
  await forgetSession();
  if (!callsWait()) await endSession().catch(() => {});
  location.reload();
}

/** Ends the session as soon as the node answers. */
const endLater = () => endSession().catch(() => setTimeout(endLater, patience));

/** Ends the session, after the calls for help that wait: they need it. */
async function endSession() {
  await callsAnswered();
  if (localStorage.getItem(leaving)) await removeSession();
}

async function removeSession() {
  try {
    await write("DELETE", "session");
  } catch (error) {
    // With any answer, the session is over.
    if (error.status === 0) throw error;
  }
  localStorage.removeItem(leaving);
}
