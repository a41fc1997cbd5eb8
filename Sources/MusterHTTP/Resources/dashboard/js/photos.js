// Photos of a report: thumbnails, what is here of each, and adding photos. A photo that is on its
// way, or that the node rejected, stays listed until it is added or discarded.

import { button, dotted, faint, h, image, say } from "./dom.js";
import { change, get, segment, upload } from "./api.js";
import { attempt } from "./dialog.js";
import { act } from "./queue.js";
import { mayAdd, mayWrite, state } from "./store.js";
import { byline, spoken, t } from "./words.js";
import { markLayer } from "./marks.js";

const types = "image/jpeg,image/png,image/webp,image/heic,image/heif,image/avif";

export const photosPath = (id) => `reports/${segment(id)}/photos`;

/** What is here of a picture, or which devices hold it, worded as in the rest of the page. */
export function progress({ complete, percent, stall, devices, total, commandPost }) {
  return complete
    ? dotted(t("delivery.of", { n: devices, of: total }),
      t(commandPost ? "delivery.command" : "delivery.waits"))
    : dotted(t("photo.percent", { n: percent }), stall && t(`stall.${stall}`));
}

// MARK: Uploads

/** By report: photos that are not added yet. Each is { file, percent, error }. */
const uploads = new Map();
let redraw = () => {};

/** Adds photos to a report, one after the other. */
export async function send(id, files) {
  const items = uploads.get(id) ?? [];
  const isRunning = items.some((one) => !one.error);
  uploads.set(id, [...items, ...[...files].map((file) => (
    { file, percent: 0, key: crypto.randomUUID() }))]);
  redraw(id);
  if (!isRunning) await sendNext(id);
}

async function sendNext(id) {
  for (;;) {
    const item = uploads.get(id).find((one) => !one.error);
    if (!item) return redraw(id);
    try {
      await upload(photosPath(id), item.file, item.key, (percent) => {
        item.percent = percent;
        redraw(id);
      });
      discard(id, item);
    } catch (error) {
      if (error.status === 0 && state.session) {
        discard(id, item);
        await attempt(() => act(
          "photo", item.file.name, "POST", photosPath(id), item.file, { key: item.key }));
        continue;
      }
      item.error = error.status === 0 ? t("upload.lost") : spoken(error.message);
      say(t("photo.failed", { name: item.file.name, why: item.error }));
    }
    redraw(id);
  }
}

function discard(id, item) {
  uploads.set(id, uploads.get(id).filter((one) => one !== item));
}

function upcoming(id, item) {
  const { file, percent, error } = item;
  return h("li", { class: error ? "wrong" : "" }, `${file.name} · `,
    error ?? t("photo.sending", { n: percent }),
    error && h("span", { class: "row" },
      button(t("retry"), `retry ${file.name}`, () => { discard(id, item); send(id, [file]); }),
      button(t("discard"), `discard ${file.name}`, () => { discard(id, item); redraw(id); })));
}

// MARK: Choosing files

/** Buttons to choose photos or to take one; files may also be dropped on or pasted into `zone`. */
export function photoPicker(zone, onFiles) {
  const input = (props) => h("input", {
    type: "file", accept: types, hidden: true, onchange: (event) => {
      onFiles([...event.target.files]);
      event.target.value = "";
    }, ...props,
  });
  const [files, camera] = [input({ multiple: true }), input({ capture: "environment" })];
  const take = (data, event) => {
    const images = [...data?.files ?? []];
    if (images.length === 0) return;
    event.preventDefault();
    onFiles(images);
  };
  zone.addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    zone.classList.add("drop");
  });
  zone.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!zone.contains(relatedTarget)) zone.classList.remove("drop");
  });
  zone.addEventListener("drop", (event) => {
    zone.classList.remove("drop");
    take(event.dataTransfer, event);
  });
  zone.addEventListener("paste", (event) => take(event.clipboardData, event));
  return h("div", { class: "row picker" },
    button(t("photo.add"), "photo add", () => files.click(), { type: "button" }),
    matchMedia("(pointer: coarse)").matches
      && button(t("photo.camera"), "photo camera", () => camera.click(), { type: "button" }),
    h("span", { class: "faint" }, t("photo.drop")), files, camera);
}

/** The photos chosen for a report that is not filed yet: `element`, and `files`. */
export function photoDraft(zone) {
  const chosen = [];
  const list = h("ul", { class: "photos", "aria-label": t("photos") });
  const draw = () => list.replaceChildren(...chosen.map(({ file, preview }) => h("li", {},
    image(preview, { alt: file.name, class: "thumbnail" }),
    button(t("remove"), `remove ${file.name}`, () => {
      URL.revokeObjectURL(preview);
      chosen.splice(chosen.findIndex((one) => one.file === file), 1);
      draw();
    }, { type: "button", "aria-label": t("remove.of", { name: file.name }) }))));
  const picker = photoPicker(zone, (files) => {
    chosen.push(...files.map((file) => ({ file, preview: URL.createObjectURL(file) })));
    draw();
  });
  return { element: h("div", {}, list, picker), files: () => chosen.map(({ file }) => file) };
}

// MARK: In an open report

/** The photos of an open report: `element`, `update(report)` and `close()`. */
export function photoPanel(zone, report) {
  const { id } = report;
  const list = h("ul", { class: "photos", "aria-label": t("photos") });
  const waiting = h("ul", { class: "uploads", "aria-live": "polite" });
  const place = h("div", {});
  let [current, photos, shown, drawGallery] = [report, [], "", () => {}];

  function draw() {
    // Equal lists keep their pictures, and the focus.
    const text = JSON.stringify(photos);
    if (text !== shown) {
      shown = text;
      list.replaceChildren(...photos.map((photo, at) => thumbnail(id, photo, at, open)));
      drawGallery();
    }
    const placed = mayWrite() && current.lat === null && photos.find(({ lat }) => lat !== null);
    place.replaceChildren(...placed ? [faint(t("photo.place.why"), " ",
      button(t("photo.place"), "photo place", () => attempt(() => change(
        "PATCH", `reports/${segment(id)}`, { lat: placed.lat, lon: placed.lon }), t("done"))))] : []);
    waiting.replaceChildren(...(uploads.get(id) ?? []).map((item) => upcoming(id, item)));
  }
  const open = (at) => attempt(async () => {
    const { openGallery } = await import("./gallery.js");
    drawGallery = openGallery(current, () => photos, at, load);
  });
  async function load() {
    try {
      photos = (await get(photosPath(id))).items;
    } catch (error) {
      if (error.status !== 404) say(error.message);
    }
    draw();
  }
  redraw = (changed) => {
    if (changed !== id) return;
    draw();
    if (!(uploads.get(id) ?? []).some((one) => !one.error)) load();
  };
  const element = h("section", { class: "photo-panel" }, list, place, waiting,
    mayAdd() && photoPicker(zone, (files) => send(id, files)));
  load();
  return {
    element,
    update(row) { current = row; load(); },
    close() { redraw = () => {}; },
  };
}

function thumbnail(id, photo, at, open) {
  const { thumbnail: small, original, callsign } = photo;
  const name = t("photo.of", { n: at + 1, name: byline(callsign) });
  return h("li", {}, h("button", {
    "data-key": `photo ${photo.id}`, "aria-label": t("photo.open", { name }), onclick: () => open(at),
  }, small.complete
    ? h("span", { class: "thumbnail" },
      image(`/api/v1/${photosPath(id)}/${photo.id}/thumbnail`, { alt: name }), markLayer(photo))
    : h("span", { class: "thumbnail" }, progress(small))),
  h("span", { class: "faint" }, progress(original)));
}
