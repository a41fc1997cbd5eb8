// The keyboard: links that skip to a part of the page, arrow keys within the rail, the tools of the
// map and the list of people, and shortcuts. `?` lists them; they can be switched off.

import { byId, h } from "./dom.js";
import { control, show } from "./dialog.js";
import { t } from "./words.js";
import { focusNext } from "./alarm.js";
import { look, views } from "./shell.js";
import { undoLast } from "./undo.js";

/** The keys that press a button, by its `data-key`, with the name of what it does. */
const keys = {
  a: ["alarm", "alarm"], h: ["map", "map"], n: ["file", "report.file"],
  "/": ["tool find", "tool.find"], f: ["tool fit", "tool.fit"], p: ["tool here", "tool.here"],
  m: ["tool measure", "tool.measure"], r: ["tool rings", "tool.rings"],
  z: ["tool fences", "fence.polygon"], c: ["tool circle", "fence.circle"],
  t: ["tool replay", "past"],
};
const digit = (index) => String((index + 1) % 10);
let isOn = localStorage.getItem("shortcuts") !== "off";

export function openKeys() {
  const skip = (word, work) => h("button", { class: "skip", onclick: work }, word);
  byId("top").before(
    skip(t("map"), () => byId("map").focus()), skip(t("people"), () => open("people")));
  rove(byId("rail"), "button");
  rove(byId("map-tools"), "button");
  byId("people").addEventListener("keydown", (event) => step(event, byId("people"), ".person"));
  document.addEventListener("keydown", pressed);
}

async function open(name) {
  look(name);
  // The shell shows it first.
  await null;
  (byId(name).querySelector(".person, .drawer-head ~ * button") ?? byId(name)).focus();
}

// MARK: Arrow keys

/** Moves the focus to the next or previous match. */
function step(event, container, selector) {
  const way = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  const all = [...container.querySelectorAll(selector)].filter((one) => one.offsetWidth > 0);
  const at = all.indexOf(document.activeElement);
  if (at < 0 || (!way && event.key !== "Home" && event.key !== "End")) return;
  event.preventDefault();
  const next = event.key === "Home" ? 0 : event.key === "End" ? -1 : (at + way) % all.length;
  all.at(next).focus();
}

/** One of the buttons is in the order of Tab; arrow keys reach the others. */
function rove(container, selector) {
  let current = null;
  const mark = () => {
    const all = [...container.querySelectorAll(selector)];
    const chosen = all.find((one) => one.dataset.key === current && one.offsetWidth > 0)
      ?? all.find((one) => one.offsetWidth > 0) ?? all[0];
    for (const one of all) one.tabIndex = one === chosen ? 0 : -1;
  };
  container.addEventListener("keydown", (event) => step(event, container, selector));
  container.addEventListener("focusin", ({ target }) => {
    current = target.dataset.key;
    mark();
  });
  new MutationObserver(mark).observe(container, { childList: true });
  // Another size of the screen hides some buttons.
  addEventListener("resize", mark);
  mark();
}

// MARK: Shortcuts

/** Ctrl+Z, except in a field, in a dialog, and while a zone is drawn or edited, which have their own. */
const isUndo = ({ key, ctrlKey, metaKey, shiftKey, target }) => key === "z" && (ctrlKey || metaKey) && !shiftKey
  && !target.matches("input:not([type=checkbox], [type=radio]), textarea, select")
  && !document.querySelector("dialog[open], #map-bar:not([hidden]), .handle.corner");

function pressed(event) {
  const { key, target } = event;
  if (isUndo(event)) {
    event.preventDefault();
    return undoLast();
  }
  if (event.ctrlKey || event.altKey || event.metaKey
    || target.matches("input:not([type=checkbox], [type=radio]), textarea, select")) return;
  // The strip of alarms can be used beside a dialog.
  if (document.querySelector("dialog[open]") && key !== "a") return;
  if (key === "?") return openKeyList();
  const view = views.findIndex((_, index) => digit(index) === key);
  if (!isOn || (view < 0 && !keys[key])) return;
  event.preventDefault();
  if (view >= 0) return open(views[view]);
  const [name] = keys[key];
  if (name === "map") return byId("map").focus();
  if (name === "alarm") return focusNext();
  if (name === "file") look("reports");
  const button = document.querySelector(`[data-key="${name}"]`);
  button?.focus();
  button?.click();
}

export function openKeyList() {
  const row = (key, word) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, word));
  const dialog = show(t("keys"),
    h("p", {}, t("map.keys")),
    h("table", {}, Object.entries(keys).map(([key, [, word]]) => row(key, t(word))),
      row("Ctrl+Z", t("undo")), views.map((name, index) => row(digit(index), t(name)))),
    h("label", { class: "tick" }, control("on", {
      type: "checkbox", value: isOn, onchange: ({ target }) => {
        isOn = target.checked;
        localStorage.setItem("shortcuts", isOn ? "on" : "off");
      },
    }), t("keys.on")),
    h("div", { class: "row end" }, h("button", { onclick: () => dialog.close() }, t("close"))));
}
