// A handle on the map, for a corner of a shape or the position of a report.

const step = 8;
const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The browser clicks what is below where a drag ends: another zone, or nothing. */
function swallowClick() {
  const stop = (event) => event.stopPropagation();
  document.addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => document.removeEventListener("click", stop, { capture: true }), 50);
}

/**
 * A handle on the map that is dragged, or moved with the arrow keys.
 * @param move receives each position; `ended` is called at the end of a drag, and by Enter;
 *   `remove` by Delete and a right click.
 */
export function handle(map, group, place, name, look, { move, remove, ended }) {
  const marker = L.marker([place.lat, place.lon], {
    draggable: true, title: name, alt: name, zIndexOffset: look === "middle" ? 0 : 1000,
    icon: L.divIcon({ className: `handle ${look}`, iconSize: look === "report" ? [30, 30] : [18, 18] }),
  }).addTo(group);
  const to = ({ lat, lng }) => move?.({ lat, lon: lng });
  marker.on("drag", () => to(marker.getLatLng()));
  marker.on("dragend", () => {
    swallowClick();
    ended?.(marker.getLatLng(), false);
  });
  if (remove) marker.on("contextmenu", remove);
  const element = marker.getElement();
  element?.setAttribute("aria-label", name);
  element?.addEventListener("keydown", (event) => {
    const way = ways[event.key];
    if (way) {
      const moved = L.point(way).multiplyBy(event.shiftKey ? 1 : step);
      const point = map.latLngToContainerPoint(marker.getLatLng()).add(moved);
      marker.setLatLng(map.containerPointToLatLng(point));
      to(marker.getLatLng());
    } else if (event.key === "Enter") {
      ended?.(marker.getLatLng(), true);
    } else if (remove && ["Delete", "Backspace"].includes(event.key)) {
      remove();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return marker;
}
