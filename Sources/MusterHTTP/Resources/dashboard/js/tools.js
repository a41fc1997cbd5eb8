// The menu: sound, night mode, coordinate format, language, print.

import { byId, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { choose as chooseLanguage, language, names, t } from "./words.js";
import { choose as chooseFormat, chosen, formats } from "./place.js";
import { isMuted, isSilent, mute, onSound } from "./sound.js";
import { openContacts } from "./contacts.js";
import { noticeState, switchNotices } from "./notices.js";
import { state } from "./store.js";
import { refresh } from "./map/map.js";
import { lastAct, undoLast } from "./undo.js";

const preferred = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

const openNearby = async () => (await import("./proximity.js")).openProximity();

export function openTools() {
  document.documentElement.lang = language;
  const soundWord = () => t(isMuted() ? "sound.off" : isSilent() ? "sound.waits" : "sound.on");
  const choice = (label, options, value, change) => {
    const select = h("select", { onchange: (event) => change(event.target.value) },
      options.map(([key, word]) => h("option", { value: key }, word)));
    select.value = value;
    return h("label", {}, h("span", {}, label), select);
  };
  fill(byId("tools"),
    h("button", {
      id: "more", class: "bare", "aria-label": t("settings"), "aria-expanded": "false",
      "aria-controls": "settings", onclick: () => turnSettings(byId("settings").hidden),
    }, icon("more")),
    h("div", { id: "settings", hidden: true },
      h("button", { id: "undo", hidden: true, onclick: () => { turnSettings(false); undoLast(); } }),
      h("button", { id: "mute", onclick: () => mute(!isMuted()) }, soundWord()),
      h("button", { id: "notify", onclick: () => switchNotices(drawNotices) }),
      h("button", { id: "theme", onclick: turnTheme }, t("theme")),
      choice(t("coordinates"), formats.map((f) => [f, t(`format.${f}`)]), chosen(), chooseFormat),
      choice(t("language"), Object.entries(names), language, chooseLanguage),
      h("button", { id: "contacts", onclick: () => { turnSettings(false); openContacts(); } }, t("contacts")),
      // The log is about the person of this laptop.
      state.session === null
        && h("button", { id: "nearby", onclick: () => { turnSettings(false); openNearby(); } }, t("nearby")),
      h("button", { id: "keys", onclick: () => {
        turnSettings(false);
        import("./keys.js").then(({ openKeyList }) => openKeyList());
      } }, t("keys")),
      h("button", { id: "print", onclick: () => {
        turnSettings(false);
        import("./paper.js").then(({ printPage }) => printPage());
      } }, t("print")),
      h("button", { id: "print-forms", onclick: () => {
        turnSettings(false);
        import("./paper.js").then(({ printForms }) => printForms());
      } }, t("print.forms")),
      byId("session")));
  byId("silent").addEventListener("click", () => mute(false));
  const sounds = () => {
    byId("silent").hidden = !isMuted() && !isSilent();
    byId("silent").setAttribute("aria-label", soundWord());
    byId("silent").title = soundWord();
    fill(byId("silent"), icon("mute"));
    byId("mute").textContent = soundWord();
    byId("mute").setAttribute("aria-pressed", String(isMuted()));
  };
  const drawNotices = () => {
    const { word, isOn } = noticeState();
    byId("notify").textContent = t(word);
    byId("notify").setAttribute("aria-pressed", String(isOn));
  };
  drawNotices();
  onSound(sounds);
  sounds();
  setTheme(localStorage.getItem("theme") ?? preferred());
  byId("tools").addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || byId("settings").hidden) return;
    event.preventDefault();
    turnSettings(false);
    byId("more").focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!byId("tools").contains(target)) turnSettings(false);
  });
}

function turnSettings(isOpen) {
  if (!isOpen && byId("settings").contains(document.activeElement)) byId("more").focus();
  byId("settings").hidden = !isOpen;
  byId("undo").hidden = !lastAct();
  byId("undo").textContent = t("undo.of", { what: lastAct() });
  byId("more").setAttribute("aria-expanded", String(isOpen));
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  byId("theme").setAttribute("aria-pressed", String(name === "dark"));
}

function turnTheme() {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  localStorage.setItem("theme", document.documentElement.dataset.theme);
  refresh();
}
