// One photo of a report in a dialog: zoom, pan, next and previous; place, author, time, delivery.

import { button, dotted, faint, fill, h, image, link } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt, confirm, show } from "./dialog.js";
import { isCommand, mayWrite, myself } from "./store.js";
import { byline, clock, since, t } from "./words.js";
import { written } from "./place.js";
import { goTo, showMap } from "./map/map.js";
import { photosPath, progress } from "./photos.js";
import { markTools } from "./annotate.js";
import { markLayer } from "./marks.js";

const mostZoom = 8;
const zoomStep = 1.25;
const swipe = 60;
/** Reasons for which a request fetches the original. */
const requestable = ["notRequested", "narrowLink", "deleted"];

/**
 * Opens the photo at a position of the list; `photos()` returns the list as it is then, and `load`
 * reads it again. Returns the function to call when the list changed.
 */
export function openGallery(report, photos, start, load) {
  let at = start;
  const stage = h("div", { class: "stage" });
  const facts = h("div", {});
  const tools = mayWrite() ? markTools(load) : null;
  const dialog = show(t("photos"), stage, ...[tools?.element].filter(Boolean), facts);
  dialog.classList.add("gallery");
  const view = zoomable(stage, step);
  dialog.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowRight") step(1);
    if (key === "ArrowLeft") step(-1);
    if (key === "+") view.zoom(zoomStep);
    if (key === "-") view.zoom(1 / zoomStep);
    if (key === "0") view.reset();
  });

  function step(by) {
    const count = photos().length;
    if (count < 2) return;
    at = (at + by + count) % count;
    view.reset();
    draw();
  }

  let drawn = "";
  function draw() {
    const all = photos();
    if (all.length === 0 || !dialog.open) return dialog.close();
    at = Math.min(at, all.length - 1);
    const photo = all[at];
    if (JSON.stringify([at, all.length, photo]) === drawn) return;
    drawn = JSON.stringify([at, all.length, photo]);
    const path = `${photosPath(report.id)}/${photo.id}`;
    const name = t("photo.of", { n: at + 1, name: byline(photo.callsign) });
    const part = photo.original.complete ? "" : photo.thumbnail.complete ? "/thumbnail" : null;
    const layer = markLayer(photo);
    view.show(part === null ? null : h("div", { class: "picture" },
      image(`/api/v1/${path}${part}`, { alt: name, draggable: "false" }), layer),
    progress(photo.thumbnail));
    tools?.bind(layer, photo, path);
    fill(facts, h("p", { role: "status" }, h("strong", {},
      dotted(t("photo.position", { n: at + 1, of: all.length }), byline(photo.callsign)))),
    faint(dotted(photo.takenAt && `${t("photo.taken")} ${clock(photo.takenAt)}, ${since(photo.takenAt)}`,
      `${t("photo.added")} ${since(photo.addedAt)}`,
      photo.lat !== null && written(photo.lat, photo.lon))),
    h("p", {}, progress(photo.original)),
    h("div", { class: "row end" }, actions(photo, path, all.length)));
  }

  function actions(photo, path, count) {
    const mayRemove = isCommand() || (mayWrite() && photo.author === myself()?.id);
    return [
      count > 1 && button("◀", "previous", () => step(-1), { "aria-label": t("photo.previous") }),
      count > 1 && button("▶", "next", () => step(1), { "aria-label": t("photo.next") }),
      button("+", "zoom in", () => view.zoom(zoomStep), { "aria-label": t("zoom.in") }),
      button("−", "zoom out", () => view.zoom(1 / zoomStep), { "aria-label": t("zoom.out") }),
      requestable.includes(photo.original.stall) && button(t("photo.request"), "request",
        () => attempt(() => write("POST", `${path}/request`), t("photo.requested"))),
      photo.lat !== null && button(t("on.map"), "map", () => {
        document.querySelectorAll("dialog").forEach((one) => one.close());
        showMap();
        goTo(photo);
      }),
      photo.original.complete && link(`/api/v1/${path}`,
        { class: "button", download: `${segment(report.title)}-${at + 1}.jpg` }, t("download")),
      mayRemove && button(t("remove"), "remove", () => confirm(
        t("photo.remove.sure"), () => write("DELETE", path), t("remove"))),
      button(t("close"), "close", () => dialog.close(), { class: "first" }),
    ];
  }
  draw();
  return draw;
}

/** A stage whose picture is zoomed with wheel, double click and pinch, and moved by dragging. */
function zoomable(stage, step) {
  let [scale, x, y] = [1, 0, 0];
  const touches = new Map();
  let [began, spread] = [null, 0];
  const place = () => {
    const picture = stage.firstElementChild;
    if (picture) picture.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    stage.classList.toggle("zoomed", scale > 1);
  };
  function zoom(by) {
    const next = Math.min(mostZoom, Math.max(1, scale * by));
    [x, y] = next === 1 ? [0, 0] : [x * next / scale, y * next / scale];
    scale = next;
    place();
  }
  function reset() {
    [scale, x, y] = [1, 0, 0];
    place();
  }
  const distance = () => {
    const [a, b] = [...touches.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? zoomStep : 1 / zoomStep);
  }, { passive: false });
  stage.addEventListener("dblclick", () => (scale > 1 ? reset() : zoom(2.5)));
  stage.addEventListener("pointerdown", (event) => {
    stage.setPointerCapture(event.pointerId);
    touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
    began = touches.size === 1 ? { x: event.clientX, y: event.clientY } : null;
    if (touches.size === 2) spread = distance();
  });
  stage.addEventListener("pointermove", (event) => {
    const before = touches.get(event.pointerId);
    if (!before) return;
    touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (touches.size === 2) {
      const now = distance();
      if (spread > 0) zoom(now / spread);
      spread = now;
    } else if (scale > 1) {
      [x, y] = [x + event.clientX - before.x, y + event.clientY - before.y];
      place();
    }
  });
  const end = (event) => {
    touches.delete(event.pointerId);
    const moved = began ? event.clientX - began.x : 0;
    began = null;
    if (event.type === "pointerup" && scale === 1 && Math.abs(moved) > swipe) step(moved < 0 ? 1 : -1);
  };
  stage.addEventListener("pointerup", end);
  stage.addEventListener("pointercancel", end);
  return {
    zoom, reset,
    /** Shows a picture, or a text instead of one. */
    show(picture, text) {
      fill(stage, picture ?? faint(text));
      place();
    },
  };
}
