// Imports the zones of a file, which the node reads: one page to review, edit and save all of them.

import { faint, h } from "./dom.js";
import { control, form } from "./dialog.js";
import { segment, upload, write } from "./api.js";
import { loadTexts, t } from "./words.js";
import { asFence, kinds, whoWouldBeInside } from "./zone.js";
import { theMap } from "./map/map.js";
import { outline } from "./map/fences.js";

/** The maximum number of zones that a user can review. */
const mostShapes = 200;
const mostOmissions = 20;

/** Opens the review of a file; throws if the file has no zones. */
export async function importZones(file) {
  const [{ features, import: { leftOut, omissions } }] = await Promise.all([
    upload(`fences/drafts?file=${segment(file.name)}`, file, null, () => {}), loadTexts("shapes")]);
  const reasons = omissions.map(({ place, reason }) => `${place}, ${reason}`);
  if (features.length === 0) throw new Error([t("import.none"), ...reasons.slice(0, 3)].join(" "));
  if (features.length > mostShapes) throw new Error(t("import.many", { n: features.length }));
  const lines = features.map(line);
  const hide = showOnMap(lines);
  try {
    await form(t("import.review", { n: features.length }), [
      leftOut > 0 && h("details", {}, h("summary", {}, t("import.left", { n: leftOut })),
        h("ul", {}, reasons.map((one) => h("li", {}, one)), leftOut > mostOmissions && h("li", {}, "…"))),
      h("ol", { class: "review" }, lines.map((one) => one.element)),
    ], (values) => save(lines, values), t("import.save"));
  } finally {
    hide();
  }
}

/** Shows all zones on the map until the returned function is called. */
function showOnMap(lines) {
  if (!theMap()) return () => {};
  const outlines = lines.map(({ shape, feature }) => outline(asFence(shape, feature.properties.kind)));
  const group = L.featureGroup(outlines).addTo(theMap());
  theMap().fitBounds(group.getBounds().pad(0.3), { maxZoom: 17, animate: false });
  return () => group.remove();
}

/** One zone of the review: name, kind, who would be inside, and whether to import it. */
function line(feature, number) {
  const { geometry, properties: { name, kind, radius_m: radiusMetres } } = feature;
  const shape = radiusMetres === undefined ? geometry
    : { lat: geometry.coordinates[1], lon: geometry.coordinates[0], radiusMetres };
  const result = faint(whoWouldBeInside(shape));
  const input = (key, word, more) =>
    control(`${key} ${number}`, { ...more, "aria-label": `${t(word)} ${number + 1}` });
  const inputs = [
    input("take", "import.take", { type: "checkbox", value: true }),
    input("name", "name", { value: name, maxlength: 120 }),
    input("kind", "kind", { value: kind, options: kinds() }),
  ];
  const element = h("li", { class: "card" }, h("div", { class: "line" }, inputs), result);
  return { feature, shape, element, inputs, result, isSaved: false };
}

/**
 * Saves the zones one after another. An error is shown beside its zone, and the others are still
 * saved. Saved zones are not saved again.
 */
async function save(lines, values) {
  const wanted = lines.map((one, number) => ({
    one, name: values[`name ${number}`], kind: values[`kind ${number}`],
  })).filter(({ one }, number) => values[`take ${number}`] && !one.isSaved);
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
