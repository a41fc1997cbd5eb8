// The frame around the map: the rail opens one drawer; the detail panel shows one person, report or
// zone. Neither blocks the rest of the page.

import { button, byId, fill, focusAgain, h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./words.js";

/** The drawers in the order of the rail; on a phone, the first of `main` have a place in its bar. */
export const views = [
  "people", "reports", "fences", "orders", "timers", "team", "mesh", "layers", "feed", "me",
];
const main = ["people", "reports", "me"];
/** On a wide screen the list of people and the panel stay open. */
const wide = matchMedia("(min-width: 1920px)");
const narrow = matchMedia("(max-width: 900px)");
export const isNarrow = () => narrow.matches;

/** Opens a drawer, or closes it if `name` is "map". */
export function look(name) {
  document.body.dataset.view = name;
}

/** The drawer that is open; "map" without one. */
export const view = () => document.body.dataset.view;

/** What opens a drawer that is loaded when it is needed. */
const first = new Map();
/** Calls `work` when a drawer is opened for the first time. */
export const whenFirst = (name, work) => first.set(name, work);

export function openShell() {
  const tab = (name) => h("button", {
    "data-view": name, "aria-expanded": "false", "data-key": `view ${name}`,
    "aria-controls": name === "map" ? "map-view" : name,
    class: name === "map" ? "narrow" : main.includes(name) ? "" : "rest",
    onclick: ({ currentTarget }) => {
      // On a phone the panel covers the drawers: one press shows what it names.
      const isCovered = isNarrow() && panel !== null;
      if (isCovered) {
        closePanel();
        currentTarget.focus();
      }
      look(view() === name && !isCovered ? "map" : name);
    },
  }, icon(name), h("span", {}, t(name)),
  name === "feed" && h("span", { id: "waiting", class: "count" }));
  byId("rail").setAttribute("aria-label", t("views"));
  fill(byId("rail"), ["map", ...views].map(tab), h("button", {
    class: "narrow more", "aria-expanded": "false", "data-key": "view more", onclick: more,
  }, icon("more"), h("span", {}, t("view.more"))));
  for (const name of views) byId(name).setAttribute("aria-label", t(name));
  byId("map-view").setAttribute("aria-label", t("map"));
  new MutationObserver(changed).observe(document.body, { attributeFilter: ["data-view"] });
  wide.addEventListener("change", changed);
  document.addEventListener("keydown", escape);
  changed();
  emptyPanel();
}

function more() {
  const isOpen = byId("rail").classList.toggle("open");
  document.querySelector("#rail .more").setAttribute("aria-expanded", String(isOpen));
}

/** Other modules change the view too, through the body's attribute. */
function changed() {
  const now = view();
  first.get(now)?.();
  first.delete(now);
  for (const one of document.querySelectorAll("#rail [data-view]")) {
    one.setAttribute("aria-expanded", String(one.dataset.view === now));
  }
  document.querySelector("#rail .more").classList.toggle("current", now !== "map" && !main.includes(now));
  for (const name of views) byId(name).hidden = name !== now && !(wide.matches && name === "people");
  byId("drawer").hidden = now === "map" && !wide.matches;
  byId("detail").hidden = !panel && !wide.matches;
  if (byId("rail").classList.contains("open")) more();
}

/** Escape closes the innermost: the panel if the focus is inside, else the drawer, else the panel, from anywhere. */
function escape({ key, target, defaultPrevented }) {
  if (key !== "Escape" || defaultPrevented || target.closest?.("dialog, #map-bar, #here, #replay")) return;
  const name = view();
  if (!byId("map-bar").hidden) return;
  if (byId("detail").contains(target) || name === "map") return closePanel();
  const isInside = byId("drawer").contains(target);
  look("map");
  if (isInside) document.querySelector(`#rail [data-view="${name}"]`)?.focus();
}

/** The heading of a drawer, with its actions and a button that closes it. */
export const drawerHead = (name, ...actions) => h("div", { class: "drawer-head" },
  h("h2", {}, t(name)), ...actions,
  button(icon("close"), `close ${name}`, () => {
    look("map");
    document.querySelector(`#rail [data-view="${name}"]`)?.focus();
  }, { class: "bare", "aria-label": t("close.of", { name: t(name) }) }));

let panel = null;

function emptyPanel() {
  byId("detail").setAttribute("aria-label", t("detail"));
  fill(byId("detail"), h("p", { class: "faint" }, t("detail.none")));
}

/**
 * Opens the detail panel, and closes what it showed before.
 * @param key names what is shown, such as `user ID`.
 * @param closed is called when the panel shows something else, or nothing.
 * @returns the element to fill.
 */
export function openPanel(key, closed = () => {}) {
  const active = document.activeElement;
  const opener = byId("detail").contains(active) ? panel?.opener : active;
  panel?.closed();
  const body = h("div", { class: "stack" });
  panel = { key, closed, opener, body };
  fill(byId("detail"), body);
  byId("detail").hidden = false;
  byId("detail").scrollTop = 0;
  byId("detail").focus({ preventScroll: true });
  return body;
}

/** The element that shows `key`; undefined if the panel shows something else. */
export const panelOf = (key) => (panel?.key === key ? panel.body : undefined);
export const shownInPanel = () => panel?.key ?? "";

/** Closes the panel; the focus returns to what opened it. */
export function closePanel() {
  if (!panel) return;
  const { closed, opener } = panel;
  panel = null;
  closed();
  emptyPanel();
  changed();
  focusAgain(opener);
}

/** The heading of the panel, with a button that closes it. */
export const panelHead = (title, ...before) => h("div", { class: "drawer-head" }, ...before,
  h("h2", {}, title),
  button(icon("close"), "close panel", closePanel, { class: "bare", "aria-label": t("close") }));
