// Dialogs: a form with an answer, or a question. What the node refuses is said inside.

import { byId, h, say } from "./dom.js";
import { t } from "./words.js";

/** Opens a dialog with some content; gives the dialog. */
export function show(title, ...content) {
  const dialog = h("dialog", { "aria-label": title, onclose: () => dialog.remove() },
    h("h2", {}, title), ...content);
  byId("dialogs").append(dialog);
  dialog.showModal();
  return dialog;
}

/** A field of a form; `options` for a choice of [value, word]. */
export function field(name, label, options) {
  const input = control(name, options);
  if (input.type === "checkbox") return h("label", { class: "tick" }, input, label);
  return h("label", {}, h("span", {}, label), input);
}

/** What a field is filled in with, for where its label stands elsewhere. */
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
 * Opens a form; `submit(values)` does it and throws what the node refuses.
 * @returns a promise of whether it was done.
 */
export function form(title, fields, submit, word = t("save")) {
  return new Promise((resolve) => {
    let done = false;
    const wrong = h("p", { class: "wrong", role: "alert" });
    const button = h("button", { class: "first", type: "submit", "data-key": "submit" }, word);
    const element = h("form", {
      method: "dialog",
      onsubmit: async (event) => {
        event.preventDefault();
        button.disabled = true;
        wrong.textContent = "";
        try {
          await submit(values(element));
          done = true;
          dialog.close();
        } catch (error) {
          wrong.textContent = error.message;
        } finally {
          button.disabled = false;
        }
      },
    }, ...fields, wrong, h("div", { class: "row end" },
      h("button", { type: "button", onclick: () => dialog.close() }, t("cancel")), button));
    const dialog = show(title, element);
    dialog.addEventListener("close", () => resolve(done));
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

/** Does something that has no form, and says what came of it. */
export async function attempt(work, success) {
  try {
    await work();
    if (success) say(success);
  } catch (error) {
    say(error.message);
  }
}
