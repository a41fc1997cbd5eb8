// Dialogs: forms and questions. Errors of the node are shown inside.

import { button, byId, focusAgain, h, say } from "./dom.js";
import { t } from "./words.js";

/** Opens a dialog with the given content and returns it. */
export function show(title, ...content) {
  const opener = document.activeElement;
  const dialog = h("dialog", {
    "aria-label": title, onclose: () => {
      dialog.remove();
      // The browser returns the focus; the page may have redrawn its place meanwhile.
      if (document.activeElement === document.body) focusAgain(opener);
    },
  }, h("h2", {}, title), ...content);
  byId("dialogs").append(dialog);
  dialog.showModal();
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
