// A vector base map: MapLibre draws it in a pane of the Leaflet map, which stays in control.

import { t } from "../words.js";

let loading = null;

/** The renderer, a megabyte that only vector maps need. */
const renderer = () => loading ??= new Promise((resolve, reject) => {
  const script = document.createElement("script");
  script.src = "/dashboard/maplibre/maplibre-gl.js";
  script.addEventListener("load", () => resolve(window.maplibregl));
  script.addEventListener("error", () => {
    loading = null;
    reject(new Error(t("map.renderer")));
  });
  document.head.append(script);
});

const canDraw = () => {
  const context = document.createElement("canvas").getContext("webgl2");
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return Boolean(context);
};

/** The layer of a map of the node; throws if this browser or this laptop cannot draw it. */
export async function vectorLayer(about) {
  if (!canDraw()) throw new Error(t("map.webgl"));
  const gl = await renderer();
  const Layer = L.Layer.extend({
    onAdd(map) {
      this._box = document.createElement("div");
      this._box.className = "leaflet-zoom-hide vector";
      map.getPane("base").append(this._box);
      this._fit();
      this._gl = new gl.Map({
        container: this._box, style: styleOf(about), ...this._view(), interactive: false,
        attributionControl: false, trackResize: false, fadeDuration: 0, maxZoom: 22,
        localIdeographFontFamily: "system-ui, sans-serif",
        // For printing.
        canvasContextAttributes: { preserveDrawingBuffer: true },
      });
      letBrowserDraw(this._gl);
      // The picture moves with the pane, like the markers, until the next one is drawn.
      this._gl.on("render", () => this._place());
      map.on("move zoomend viewreset", this._follow, this);
      map.on("resize", this._fit, this);
    },
    onRemove(map) {
      map.off("move zoomend viewreset", this._follow, this);
      map.off("resize", this._fit, this);
      this._gl.remove();
      this._box.remove();
    },
    repaint() {
      this._gl.setStyle(styleOf(about));
      letBrowserDraw(this._gl);
    },
    // A tile of MapLibre has 512 pixels, one of Leaflet 256.
    _view() {
      const { lat, lng } = this._map.getCenter();
      return { center: [lng, lat], zoom: this._map.getZoom() - 1 };
    },
    _follow() { this._gl.jumpTo(this._view()); },
    _fit() {
      const { x, y } = this._map.getSize();
      this._box.style.width = `${x}px`;
      this._box.style.height = `${y}px`;
      this._gl?.resize();
      if (this._gl) this._follow();
    },
    _place() {
      if (!this._map) return;
      const { lng, lat } = this._gl.getCenter();
      const corner = this._map.latLngToLayerPoint([lat, lng]).subtract(this._map.getSize().divideBy(2));
      L.DomUtil.setPosition(this._box, corner.round());
    },
  });
  return new Layer();
}

/**
 * All letters are drawn with the browser's fonts, as MapLibre 5.3 does for ideographs only: there is
 * no server of glyphs. In another version that has no such function, labels are missing.
 */
function letBrowserDraw({ style }) {
  if (style?.glyphManager) style.glyphManager._doesCharSupportLocalGlyph = () => true;
}

// MARK: The style

const palettes = {
  light: {
    ground: "#f3f1ec", water: "#aacfe4", wood: "#c8dfb5", green: "#dfecd2", built: "#e6ded6",
    house: "#cfc5ba", road: "#ffffff", main: "#f6c667", edge: "#a69c90", border: "#86709d", ink: "#22282e",
  },
  dark: {
    ground: "#15191d", water: "#1b3a4f", wood: "#1c3020", green: "#1a2a1e", built: "#20242a",
    house: "#2d333a", road: "#59636d", main: "#8a6d2f", edge: "#0b0d10", border: "#8f7aa8", ink: "#d9e0e6",
  },
};
/** The layers of OpenMapTiles and of Protomaps that the style knows; others are drawn plainly. */
const known = `earth water ocean landcover landuse park waterway building buildings boundary
  boundaries transportation roads place places transportation_name mountain_peak pois poi
  water_name housenumber aeroway aerodrome_label`.split(/\s+/);
const kind = ["coalesce", ["get", "class"], ["get", "kind"], ""];
const isOf = (...kinds) => ["in", kind, ["literal", kinds]];
const isArea = ["==", ["geometry-type"], "Polygon"];
const isLine = ["==", ["geometry-type"], "LineString"];
const wide = (least, most) => ["interpolate", ["exponential", 1.5], ["zoom"], 6, least, 18, most];

function styleOf({ name, minZoom, maxZoom, bounds, layers }) {
  const colours = palettes[document.documentElement.dataset.theme === "dark" ? "dark" : "light"];
  const all = [{ id: "ground", type: "background", paint: { "background-color": colours.ground } }];
  const put = (type, sources, paint, filter, more) => {
    for (const source of sources.split(" ")) {
      all.push({
        id: `${all.length}`, type, source: "map", "source-layer": source, paint,
        ...filter && { filter }, ...more,
      });
    }
  };
  const area = (sources, colour, filter = isArea) => put("fill", sources, { "fill-color": colour }, filter);
  const line = (sources, colour, width, filter = isLine, more = {}) => put("line", sources,
    { "line-color": colour, "line-width": width, ...more }, filter,
    { layout: { "line-join": "round", "line-cap": more["line-dasharray"] ? "butt" : "round" } });
  const label = (sources, size, filter, layout, minzoom = 0) => put("symbol", sources,
    { "text-color": colours.ink, "text-halo-color": colours.ground, "text-halo-width": 1.5 }, filter,
    { minzoom, layout: { "text-field": ["coalesce", ["get", "name"], ["get", "name:latin"], ""],
      "text-font": ["sans"], "text-size": size, "text-max-width": 8, ...layout } });

  area("landuse", colours.built, isOf("residential", "industrial", "commercial", "suburb"));
  area("landcover landuse park", colours.green,
    isOf("grass", "farmland", "park", "meadow", "grassland", "wetland", "nature_reserve", "farm"));
  area("landcover landuse", colours.wood, isOf("wood", "forest"));
  area("water ocean", colours.water);
  line("waterway water", colours.water, wide(0.5, 6));
  area("building buildings", colours.house);
  const [main, rail, path] = [
    isOf("motorway", "trunk", "primary", "secondary", "highway", "major_road"),
    isOf("rail", "transit"), isOf("path", "track", "pedestrian", "other"),
  ];
  const street = ["all", isLine, ["!", main], ["!", rail], ["!", path]];
  const roads = "transportation roads";
  line(roads, colours.edge, wide(0.2, 13), street);
  line(roads, colours.edge, wide(1.2, 20), main);
  line(roads, colours.road, wide(0.1, 10), street);
  line(roads, colours.main, wide(0.8, 16), main);
  line(roads, colours.edge, wide(0.3, 3), path, { "line-dasharray": [2, 1.5] });
  line(roads, colours.edge, wide(0.5, 4), rail, { "line-dasharray": [4, 1] });
  line("boundary boundaries", colours.border, 1.2, isLine, { "line-dasharray": [4, 2] });
  for (const other of layers.filter((one) => !known.includes(one) && !one.includes(" "))) {
    area(other, colours.green);
    line(other, colours.edge, 1, ["!=", ["geometry-type"], "Point"]);
    put("circle", other, { "circle-color": colours.ink, "circle-radius": 3 }, ["==", ["geometry-type"], "Point"]);
    label(other, 12, ["has", "name"], {});
  }
  label("transportation_name roads", 11, ["has", "name"], { "symbol-placement": "line" }, 13);
  label("mountain_peak", 11, ["has", "name"], { "text-field": ["concat", "▲ ", ["get", "name"]] }, 10);
  label("place places", ["interpolate", ["linear"], ["zoom"], 5, 11, 14, 16], ["has", "name"], {});
  return {
    version: 8,
    // Required by the format; never requested, see `letBrowserDraw`.
    glyphs: `${location.origin}/dashboard/none/{fontstack}/{range}`,
    sources: {
      map: {
        type: "vector", minzoom: minZoom, maxzoom: maxZoom, ...bounds && { bounds },
        tiles: [`${location.origin}/tiles/${encodeURIComponent(name)}/{z}/{x}/{y}`],
      },
    },
    layers: all,
  };
}
