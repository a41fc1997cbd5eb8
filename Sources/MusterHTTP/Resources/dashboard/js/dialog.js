// Dialogs: forms and questions. Errors of the node are shown inside. The strip of alarms floats in the
// topmost dialog: what is outside of it cannot be used while it is open.

import { button, byId, fill, focusAgain, h, say } from "./dom.js";
import { t } from "./words.js";

/** Moves the strip of alarms into the topmost dialog, or back to its place on the page. */
function carryAlarm(without) {
  const open = [...document.querySelectorAll("dialog[open]")].filter((one) => one !== without).at(-1);
  const strip = byId("alarm");
  if (strip.parentElement === (open ?? byId("notices"))) return;
  const key = strip.contains(document.activeElement) && document.activeElement.dataset.key;
  if (open) open.prepend(strip);
  else byId("past").before(strip);
  if (key) strip.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

/** Takes a dialog off the screen with what is entered. Returns the function that shows it again. */
export function park(dialog) {
  carryAlarm(dialog);
  const mark = document.createComment("");
  dialog.replaceWith(mark);
  return () => {
    mark.replaceWith(dialog);
    dialog.removeAttribute("open");
    dialog.showModal();
    carryAlarm();
  };
}

/** What is parked, and the button that shows it again. */
let parked = [];

/** Takes all dialogs off the screen, to show something else; a button leads back to the draft. */
export function parkDialogs() {
  const open = [...document.querySelectorAll("dialog[open]")];
  if (open.length === 0) return;
  const title = open.at(-1).getAttribute("aria-label");
  parked.unshift(...open.toReversed().map(park).toReversed());
  byId("drafts").hidden = false;
  fill(byId("drafts"), button(t("draft.back", { title }), "draft", () => {
    byId("drafts").hidden = true;
    for (const show of parked.splice(0)) show();
  }));
}

/** Opens a dialog with the given content and returns it. */
export function show(title, ...content) {
  const opener = document.activeElement;
  const dialog = h("dialog", {
    "aria-label": title, onclose: () => {
      carryAlarm(dialog);
      dialog.remove();
      // The browser returns the focus; the page may have redrawn its place meanwhile.
      if (document.activeElement === document.body) focusAgain(opener);
    },
  }, h("h2", {}, title), ...content);
  byId("dialogs").append(dialog);
  dialog.showModal();
  carryAlarm();
  return dialog;
}

/** A field of a form; `options` is a list of [value, label]. */
export function field(name, label, options) {
  const input = control(name, options);
  if (input.type === "checkbox") return h("label", { class: "tick" }, input, label);
  return h("label", {}, h("span", {}, label), input);
}

/** The input of a field, for use with a separate label. */
export function control(
  name, { type = "text", value = "", options, required = false, ...more } = {},
) {
  if (type === "checkbox") {
    return h("input", { type, name, checked: Boolean(value), required, ...more });
  }
  let input;
  if (options) {
    input = h("select", { name, required, ...more },
      options.map(([key, word]) => h("option", { value: key }, word)));
  } else if (type === "area") {
    input = h("textarea", { name, required, ...more });
  } else {
    input = h("input", { name, type, required, ...more });
  }
  input.value = value ?? "";
  return input;
}

/**
 * A form; `submit(values)` sends it and throws the node's error.
 * @param close is called with whether it was sent.
 */
export function formElement(fields, submit, close, word = t("save"), no = t("cancel")) {
  const wrong = h("p", { class: "wrong", role: "alert" });
  const send = button(word, "submit", () => {}, { class: "first", type: "submit" });
  const element = h("form", {
    method: "dialog",
    onsubmit: async (event) => {
      event.preventDefault();
      send.disabled = true;
      wrong.textContent = "";
      try {
        const result = await submit(values(element));
        close(true);
        if (result?.queued) say(t("queue.kept"));
      } catch (error) {
        wrong.textContent = error.message;
      } finally {
        send.disabled = false;
      }
    },
  }, ...fields, wrong, h("div", { class: "row end" },
    button(no, "cancel", () => close(false), { type: "button" }), send));
  return element;
}

/** Opens a form in a dialog. @returns a promise of whether it was sent. */
export function form(title, fields, submit, word, no) {
  return new Promise((resolve) => {
    const dialog = show(title, formElement(fields, submit, (isSent) => {
      resolve(isSent);
      dialog.close();
    }, word, no));
    dialog.addEventListener("close", () => resolve(false));
  });
}

function values(element) {
  const result = {};
  for (const input of element.querySelectorAll("[name]")) {
    if (input.type === "radio" && !input.checked) continue;
    result[input.name] = input.type === "checkbox" ? input.checked
      : input.type === "password" ? input.value : input.value.trim();
  }
  return result;
}

export const confirm = (question, submit, word) => form(question, [], submit, word);

/** Runs an action without a form, and shows its result. */
export async function attempt(work, success) {
  try {
    const result = await work();
    if (result?.queued) say(t("queue.kept"));
    else if (success) say(success);
  } catch (error) {
    say(error.message);
  }
}

/** Copies a text, if the browser allows it. */
export const copy = (text) => attempt(async () => {
  await navigator.clipboard.writeText(text);
  say(t("copied", { text: text.slice(0, 60) }));
});
