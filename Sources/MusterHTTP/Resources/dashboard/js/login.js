// Login for users at other machines, over TLS. On its own machine the node requires its token
// instead.

import { byId, fill, h } from "./dom.js";
import { get, onStranger, write } from "./api.js";
import { field, form } from "./dialog.js";
import { state } from "./store.js";
import { t } from "./words.js";

let isAsking = false;

/** Whether the login form is open: then the node answers, and only the user is unknown. */
export const isLoggingIn = () => isAsking;

/** Determines the user, and asks for name and passphrase if needed. */
export async function openLogin() {
  onStranger(logIn);
  if (location.protocol !== "https:") return;
  try {
    state.session = await get("session");
  } catch {
    return; // The form shows the error.
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

async function logOut() {
  await write("DELETE", "session");
  location.reload();
}
