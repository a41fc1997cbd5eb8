// A canvas over the map that is drawn anew when the map has moved, and carried along meanwhile.

/** The layer; `draw(pen, map, origin)` draws at `map.latLngToLayerPoint(…) - origin`. */
export function canvasLayer(draw, zIndex) {
  const Layer = L.Layer.extend({
    onAdd(map) {
      this._canvas = document.createElement("canvas");
      this._canvas.className = "leaflet-zoom-hide";
      this._canvas.style.position = "absolute";
      this._canvas.style.zIndex = zIndex;
      this._canvas.style.pointerEvents = "none";
      this._canvas.setAttribute("aria-hidden", "true");
      map.getPanes().overlayPane.append(this._canvas);
      map.on("moveend zoomend resize viewreset", this.redraw, this);
      this.redraw();
    },
    onRemove(map) {
      this._canvas.remove();
      map.off("moveend zoomend resize viewreset", this.redraw, this);
    },
    redraw() {
      const map = this._map;
      if (!map) return;
      // Half a screen more on each side, so that panning has something to show.
      const screen = map.getSize();
      const more = screen.multiplyBy(0.5).round();
      const size = screen.add(more.multiplyBy(2));
      const scale = window.devicePixelRatio || 1;
      const origin = map.containerPointToLayerPoint(more.multiplyBy(-1)).round();
      this._canvas.width = size.x * scale;
      this._canvas.height = size.y * scale;
      this._canvas.style.width = `${size.x}px`;
      this._canvas.style.height = `${size.y}px`;
      L.DomUtil.setPosition(this._canvas, origin);
      const pen = this._canvas.getContext("2d");
      pen.scale(scale, scale);
      draw(pen, map, origin, size);
    },
  });
  return new Layer();
}
