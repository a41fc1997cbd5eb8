// The settings of the user: sound, theme, language, coordinate format.

import { byId, fill, h } from "./dom.js";
import { choose as chooseLanguage, language, names, t } from "./words.js";
import { choose as chooseFormat, chosen, formats } from "./place.js";
import { isMuted, isSilent, mute, onSound } from "./sound.js";
import { claim } from "./person.js";
import { mayWrite } from "./store.js";
import { printPage } from "./paper.js";
import { openContacts } from "./contacts.js";
import { refresh } from "./map/map.js";

const preferred = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

export function openTools() {
  document.documentElement.lang = language;
  setTheme(localStorage.getItem("theme") ?? preferred());
  const soundWord = () => t(isMuted() ? "sound.off" : isSilent() ? "sound.waits" : "sound.on");
  onSound(() => {
    const button = byId("mute");
    if (!button) return;
    button.textContent = soundWord();
    button.setAttribute("aria-pressed", String(isMuted()));
  });
  const choice = (label, options, value, change) => {
    const select = h("select", {
      "aria-label": label, onchange: (event) => change(event.target.value),
    }, options.map(([key, word]) => h("option", { value: key }, word)));
    select.value = value;
    return select;
  };
  fill(byId("tools"),
    mayWrite() && h("button", { id: "say-safe", onclick: () => claim("safe") }, t("claim.safe")),
    mayWrite() && h("button", {
      id: "say-help", class: "danger", onclick: () => claim("help"),
    }, t("claim.help")),
    h("button", {
      id: "more", "aria-label": t("settings"), "aria-expanded": "false",
      "aria-controls": "settings", onclick: turnSettings,
    }, "⋯"),
    h("div", { id: "settings" },
      h("button", {
        id: "mute", "aria-pressed": String(isMuted()), onclick: () => mute(!isMuted()),
      }, soundWord()),
      h("button", { id: "theme", onclick: turnTheme }, t("theme")),
      choice(t("coordinates"), formats.map((f) => [f, t(`format.${f}`)]), chosen(), chooseFormat),
      choice(t("language"), Object.entries(names), language, chooseLanguage),
      h("button", { id: "contacts", onclick: openContacts }, t("contacts")),
      h("button", { id: "print", onclick: printPage }, t("print"))));
}

/** Opens or closes the settings, which a narrow screen hides. */
function turnSettings({ currentTarget }) {
  const isOpen = byId("settings").classList.toggle("open");
  currentTarget.setAttribute("aria-expanded", String(isOpen));
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
}

function turnTheme() {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  localStorage.setItem("theme", document.documentElement.dataset.theme);
  refresh();
}
