// A vector base map: MapLibre draws it in a pane of the Leaflet map, which stays in control.

import { segment } from "../api.js";
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

/** The layer of a map of the node; throws if this browser or this laptop cannot draw it. */
export async function vectorLayer({ name }) {
  if (!document.createElement("canvas").getContext("webgl2")) throw new Error(t("map.webgl"));
  const gl = await renderer();
  const Layer = L.Layer.extend({
    onAdd(map) {
      this._box = document.createElement("div");
      this._box.className = "leaflet-zoom-hide vector";
      map.getPane("base").append(this._box);
      this._fit();
      this._url = this._style();
      this._gl = new gl.Map({
        container: this._box, style: this._url, ...this._view(), interactive: false,
        attributionControl: false, fadeDuration: 0,
        localIdeographFontFamily: "system-ui, sans-serif",
        // For printing.
        canvasContextAttributes: { preserveDrawingBuffer: true },
      });
      letBrowserDraw(this._gl);
      // The picture moves with the pane, like the markers, until the next one is drawn.
      this._gl.on("render", () => this._place());
    },
    getEvents() {
      return { move: this._follow, zoomend: this._follow, viewreset: this._follow, resize: this._fit };
    },
    onRemove() {
      this._gl.remove();
      this._box.remove();
    },
    repaint() {
      const url = this._style();
      if (url === this._url) return;
      this._url = url;
      this._gl.setStyle(url, { diff: false });
      letBrowserDraw(this._gl);
    },
    _style() {
      const theme = document.documentElement.dataset.theme === "dark" ? "dark" : "light";
      return `${location.origin}/api/v1/maps/${segment(name)}/style?theme=${theme}`;
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
      // MapLibre watches the size of its box.
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
