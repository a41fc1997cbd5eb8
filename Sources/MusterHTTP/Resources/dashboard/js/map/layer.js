// A canvas above the map, which moves with the map and is redrawn afterwards.

import { onceAFrame } from "../dom.js";

/** The margin drawn on each side, as a share of the screen, for panning. */
const margin = 0.25;

/** The layer in a pane; `draw(pen, map, origin)` draws at `map.latLngToLayerPoint(…) - origin`. */
export function canvasLayer(draw, pane, zIndex) {
  const Layer = L.Layer.extend({
    onAdd(map) {
      this._canvas = document.createElement("canvas");
      this._canvas.className = "leaflet-zoom-hide";
      this._canvas.style.position = "absolute";
      this._canvas.style.zIndex = zIndex;
      this._canvas.style.pointerEvents = "none";
      this._canvas.setAttribute("aria-hidden", "true");
      map.getPane(pane).append(this._canvas);
      // Several of these events occur at once.
      this._soon = onceAFrame(() => this.redraw());
      map.on("moveend zoomend resize viewreset", this._soon, this);
      map.on("move", this._ifAtEdge, this);
      this.redraw();
    },
    onRemove(map) {
      this._canvas.remove();
      map.off("moveend zoomend resize viewreset", this._soon, this);
      map.off("move", this._ifAtEdge, this);
    },
    _ifAtEdge() {
      const corner = this._map.containerPointToLayerPoint([0, 0]).subtract(this._origin);
      const other = corner.add(this._map.getSize());
      if (corner.x < 0 || corner.y < 0 || other.x > this._size.x || other.y > this._size.y) {
        this._soon();
      }
    },
    redraw() {
      const map = this._map;
      if (!map) return;
      const screen = map.getSize();
      const more = screen.multiplyBy(margin).round();
      const size = screen.add(more.multiplyBy(2));
      const scale = window.devicePixelRatio || 1;
      const origin = map.containerPointToLayerPoint(more.multiplyBy(-1)).round();
      const [width, height] = [Math.round(size.x * scale), Math.round(size.y * scale)];
      const canvas = this._canvas;
      const pen = canvas.getContext("2d");
      if (canvas.width !== width || canvas.height !== height) {
        [canvas.width, canvas.height] = [width, height];
        canvas.style.width = `${size.x}px`;
        canvas.style.height = `${size.y}px`;
      }
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      pen.clearRect(0, 0, size.x, size.y);
      L.DomUtil.setPosition(canvas, origin);
      [this._origin, this._size] = [origin, size];
      draw(pen, map, origin, size);
    },
  });
  return new Layer();
}
