// Imports the zones of a file, which the node reads: one page to review, edit and save all of them.

import { faint, fill, h } from "./dom.js";
import { attempt, control, form } from "./dialog.js";
import { segment, upload, write } from "./api.js";
import { loadTexts, t } from "./words.js";
import { asFence, kinds, whoWouldBeInside } from "./zone.js";
import { theMap } from "./map/map.js";
import { outline } from "./map/fences.js";

/** The maximum number of zones that a user can review. */
const mostShapes = 200;
/** How many lines this review has had. */
let made = 0;
const keyOf = ({ geometry, properties: { name, radius_m: radius } }) => JSON.stringify([name, geometry, radius]);

/** Opens the review of a file; throws if the node reads no shapes in it. */
export async function importZones(file) {
  await loadTexts("shapes");
  made = 0;
  let [lines, hide] = [[], () => {}];
  const list = h("ol", { class: "review" });
  const left = h("details");
  const read = async (radius) => {
    const { features, import: { leftOut, omissions } } = await upload(
      `fences/drafts?file=${segment(file.name)}${radius ? `&radius=${radius}` : ""}`, file, null, () => {});
    if (features.length > mostShapes) throw new Error(t("import.many", { n: features.length }));
    if (features.length + leftOut === 0) throw new Error(t("import.none"));
    // What the user wrote about a zone stays.
    lines = features.map((feature) =>
      lines.find((one) => keyOf(one.feature) === keyOf(feature)) ?? line(feature));
    hide();
    hide = showOnMap(lines);
    fill(list, lines.map((one) => one.element));
    left.hidden = leftOut === 0;
    fill(left, h("summary", {}, t("import.left", { n: leftOut })),
      h("ul", {}, omissions.map(({ place, reason }) => h("li", {}, `${place}, ${reason}`)),
        leftOut > omissions.length && h("li", {}, "…")));
  };
  await read();
  left.open = lines.length === 0;
  const radius = control("radius", {
    type: "number", min: 1, onchange: () => attempt(() => read(radius.value)),
    onkeydown: (event) => {
      if (event.key !== "Enter") return;
      // The zones are read before they can be saved.
      event.preventDefault();
      radius.blur();
    },
  });
  try {
    await form(t("import.review", { file: file.name }), [
      !left.hidden && h("label", {}, t("import.radius"), radius), left, list,
    ], (values) => save(lines, values), t("import.save"));
  } finally {
    hide();
  }
}

/** Shows all zones on the map until the returned function is called. */
function showOnMap(lines) {
  if (!theMap() || lines.length === 0) return () => {};
  const outlines = lines.map(({ shape, feature }) => outline(asFence(shape, feature.properties.kind)));
  const group = L.featureGroup(outlines).addTo(theMap());
  theMap().fitBounds(group.getBounds().pad(0.3), { maxZoom: 17, animate: false });
  return () => group.remove();
}

/** One zone of the review: name, kind, who would be inside, and whether to import it. */
function line(feature) {
  const number = made++;
  const { geometry, properties: { name, kind, radius_m: radiusMetres } } = feature;
  const shape = radiusMetres === undefined ? geometry
    : { lat: geometry.coordinates[1], lon: geometry.coordinates[0], radiusMetres };
  const result = faint(whoWouldBeInside(shape));
  const input = (key, word, more) =>
    control(`${key} ${number}`, { ...more, "aria-label": `${t(word)}: ${name}` });
  const inputs = [
    input("take", "import.take", { type: "checkbox", value: true }),
    input("name", "name", { value: name, maxlength: 120 }),
    input("kind", "kind", { value: kind, options: kinds() }),
  ];
  const element = h("li", { class: "card" }, h("div", { class: "line" }, inputs), result);
  return { feature, number, shape, element, inputs, result, isSaved: false };
}

/**
 * Saves the zones one after another. An error is shown beside its zone, and the others are still
 * saved. Saved zones are not saved again.
 */
async function save(lines, values) {
  const wanted = lines.filter(({ number, isSaved }) => values[`take ${number}`] && !isSaved)
    .map((one) => ({ one, name: values[`name ${one.number}`], kind: values[`kind ${one.number}`] }));
  if (lines.length === 0) throw new Error(t("import.none"));
  const nameless = wanted.find(({ name }) => name === "");
  if (nameless) {
    nameless.one.inputs[1].focus();
    throw new Error(t("import.name"));
  }
  let refused = 0;
  for (const { one, name, kind } of wanted) {
    try {
      const { active = true } = one.feature.properties;
      await write("POST", "fences", { name, kind, active, geojson: one.feature });
      one.isSaved = true;
      for (const input of one.inputs) input.disabled = true;
      one.result.className = "safe";
      one.result.textContent = t("import.saved");
    } catch (error) {
      refused++;
      one.result.className = "wrong";
      one.result.textContent = error.message;
      if (error.status === 0) throw error;
    }
  }
  if (refused > 0) throw new Error(t("import.refused", { n: refused, of: wanted.length }));
}
