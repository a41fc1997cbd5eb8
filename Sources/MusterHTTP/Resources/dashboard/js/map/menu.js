// The menu at a point of the map.

import { byId, h } from "../dom.js";
import { t } from "../words.js";
import { written } from "../place.js";

let close = () => {};

/**
 * Opens the menu; a second call only closes it.
 * @param items a list of [label, key, work]. @param about what is there.
 */
export function openMenu(map, place, point, items, about) {
  if (byId("here")) return close();
  const menu = h("div", { id: "here", role: "menu", "aria-label": t("here") },
    h("p", { role: "presentation" }, written(place.lat, place.lon)), about,
    items.map(([label, key, work]) => h("button", {
      role: "menuitem", "data-key": key, tabindex: -1, onclick: () => { close(); work(); },
    }, label)));
  const buttons = [...menu.querySelectorAll("button")];
  const key = (event) => {
    const at = buttons.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) buttons[(at + step + buttons.length) % buttons.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const outside = ({ target }) => { if (!menu.contains(target) && !byId("map").contains(target)) close(); };
  close = () => {
    const hadFocus = menu.contains(document.activeElement);
    menu.remove();
    map.off("movestart", close);
    document.removeEventListener("pointerdown", outside);
    close = () => {};
    if (hadFocus) map.getContainer().focus({ preventScroll: true });
  };
  menu.addEventListener("keydown", key);
  map.on("movestart", close);
  document.addEventListener("pointerdown", outside);
  byId("map-view").append(menu);
  const size = map.getSize();
  menu.style.left = `${Math.max(0, Math.min(point.x, size.x - menu.offsetWidth - 8))}px`;
  menu.style.top = `${Math.max(0, Math.min(point.y, size.y - menu.offsetHeight - 8))}px`;
  buttons[0].focus({ preventScroll: true });
}
