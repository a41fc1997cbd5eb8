#!/usr/bin/env python3
"""Shows maps from files in the dashboard of a real node: vector maps by MapLibre, images, overlays.

    python3 Tests/Browser/maps.py --screenshots /tmp/shots

The vector map is written by the PyPI package `pmtiles`, and its tiles by this program. Requirements: as
dashboard.py, and `Scripts/maplibre.sh`."""

import argparse
import base64
import gzip
import io
import json
import math
import os
import shutil
import sys
import tempfile

import browser
from browser import Page, checked, must
from nodes import ROOT, Node, base_map, free_ports, wait

LAT, LON = 40.32, -7.6
ZOOMS = range(0, 13)
# The colours of water in the style of the page (js/map/vector.js), by theme.
WATER = {"light": (0xAA, 0xCF, 0xE4), "dark": (0x1B, 0x3A, 0x4F)}
# Likewise the colours of the map of the world (css/base.css).
WORLD = {"sea": (0xBF, 0xD8, 0xE6), "land": (0xE6, 0xEA, 0xED)}
# Views of it: latitude, longitude, zoom level, and what is in the middle.
VIEWS = [
    (40.32, -7.6, 2, "land"), (-33.5, 151, 4, "land"), (61.5, 5.5, 6, "land"), (43, 34, 7, "sea"),
    (-1.3, 33, 8, "sea"), (37.2, -9.3, 9, "sea"), (47.5, 8.7, 12, "land"), (45.75, -82.2, 14, "land")]
# The most milliseconds from the request of a view until it is drawn, tiles included.
MOST_DRAWING = 200
KML = """<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>Search &lt;b&gt;area&lt;/b&gt;</name>
<LineString><coordinates>-7.62,40.32 -7.58,40.33</coordinates></LineString></Placemark></kml>"""

# An area with a smaller one in it, and a point without a name.
SHAPES = """<kml xmlns="http://www.opengis.net/kml/2.2"><Document>
<Placemark><name>Sector 4</name><description>Steep &lt;b&gt;north&lt;/b&gt; side</description><Polygon>
<outerBoundaryIs><LinearRing><coordinates>-7.7,40.2 -7.5,40.2 -7.5,40.4 -7.7,40.4 -7.7,40.2</coordinates>
</LinearRing></outerBoundaryIs></Polygon></Placemark>
<Placemark><name>Hill</name><Polygon><outerBoundaryIs><LinearRing><coordinates>-7.66,40.36 -7.62,40.36
-7.62,40.39 -7.66,40.39 -7.66,40.36</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>
<Placemark><description>Frozen &amp;amp; locked</description><Point><coordinates>-7.55,40.25</coordinates>
</Point></Placemark></Document></kml>"""


# MARK: A vector map

def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    """A field of Protocol Buffers: a number, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def zigzag(number):
    return number * 2 if number >= 0 else -number * 2 - 1


def layer(source, shape, places, **texts):
    """A layer with one feature: shape 1 is a point, 2 a line, 3 an area."""
    moves, at = [], (0, 0)
    for x, y in places:
        moves.append((zigzag(x - at[0]), zigzag(y - at[1])))
        at = (x, y)
    commands = [9, *moves[0]]
    if shape > 1:
        commands += [2 | (len(moves) - 1) << 3, *(n for move in moves[1:] for n in move)]
    if shape == 3:
        commands.append(15)
    tags = b"".join(varint(n) + varint(n) for n in range(len(texts)))
    feature = field(2, tags) + field(3, shape) + field(4, b"".join(map(varint, commands)))
    return field(3, field(1, source.encode()) + field(2, feature)
                 + b"".join(field(3, key.encode()) for key in texts)
                 + b"".join(field(4, field(1, text.encode())) for text in texts.values())
                 + field(5, 4096) + field(15, 2))


def vector_map(path):
    """Writes a map around the leader: water in the south of each tile, a road, and a village."""
    from pmtiles.tile import Compression, TileType, zxy_to_tileid
    from pmtiles.writer import Writer
    village = layer("places", 1, [(2048, 1024)], kind="locality", name="Vale de Água")
    content = gzip.compress(
        layer("water", 3, [(0, 2048), (4096, 2048), (4096, 4096), (0, 4096)], kind="lake")
        + layer("roads", 2, [(0, 1500), (4096, 1500)], kind="highway", name="Estrada Nacional"))
    tiles = {}
    for zoom in ZOOMS:
        side = 2 ** zoom
        x = int((LON + 180) / 360 * side)
        y = int((1 - math.asinh(math.tan(math.radians(LAT))) / math.pi) / 2 * side)
        for dx in range(-2, 3):
            for dy in range(-2, 3):
                if 0 <= x + dx < side and 0 <= y + dy < side:
                    tiles[zxy_to_tileid(zoom, x + dx, y + dy)] = content
        tiles[zxy_to_tileid(zoom, x, y)] = gzip.compress(gzip.decompress(content) + village)
    with open(path, "wb") as file:
        writer = Writer(file)
        for number in sorted(tiles):
            writer.write_tile(number, tiles[number])
        writer.finalize(
            {"tile_type": TileType.MVT, "tile_compression": Compression.GZIP,
             "min_zoom": ZOOMS[0], "max_zoom": ZOOMS[-1], "min_lon_e7": -80_000_000,
             "min_lat_e7": 400_000_000, "max_lon_e7": -70_000_000, "max_lat_e7": 410_000_000,
             "center_zoom": 8, "center_lon_e7": int(LON * 1e7), "center_lat_e7": int(LAT * 1e7)},
            {"name": "Serra in vectors", "attribution": "© <a href=x>Surveyors</a>",
             "vector_layers": [{"id": "water", "fields": {}}, {"id": "roads", "fields": {}}]})
    return path


# MARK: The walk

def pixels(page):
    """How many pixels of the screen have each colour."""
    from PIL import Image
    image = Image.open(io.BytesIO(page.driver.get_screenshot_as_png())).convert("RGB")
    counts = {}
    for count, colour in image.getcolors(image.width * image.height):
        counts[colour] = count
    return counts


def shows(page, colour, least=20_000):
    return sum(n for other, n in pixels(page).items()
               if near(colour, other)) > least


def walk(page, node, vector, folder):
    page.open()
    page.js("document.querySelector('[data-key=\"tool fit\"]').click()")
    wait("the images are shown", lambda: page.js(
        "return [...document.querySelectorAll('.leaflet-tile')].some((t) => t.naturalWidth === 256)"))
    must("images are the first map", page.text("#credit").startswith("Serra ·"))
    page.shot("raster")

    print(node.run("map", "add", vector), end="")
    page.view("layers")
    page.click("[data-key='base valley.pmtiles']")
    wait("MapLibre draws the water of the vector map", lambda: shows(page, WATER["light"]))
    checked("a map that was added by the command line is drawn")
    must("its attribution is text", page.text("#credit") == "Serra in vectors · © Surveyors")
    move(page, LAT, LON, 12)
    wait("letters are drawn without a server of glyphs", lambda: page.js("""
        return import('/dashboard/js/map/map.js').then(({ theMap }) => {
          let found = 0;
          theMap().eachLayer((one) => {
            if (one._gl) found = one._gl.queryRenderedFeatures({ filter: ["has", "name"] })
              .filter(({ layer }) => layer.type === "symbol").length;
          });
          return found > 0;
        })"""))
    page.shot("vector")
    page.theme("dark")
    wait("it has colours for the night", lambda: shows(page, WATER["dark"]))
    page.shot("vector-dark")
    page.theme("light")
    wait("and for the day", lambda: shows(page, WATER["light"]))
    page.drag("#map", 160, 90)
    page.js("document.querySelector('[data-key=\"tool in\"]').click()")
    wait("it follows the map", lambda: page.js("""
        return import('/dashboard/js/map/map.js').then(({ theMap }) => {
          const map = theMap();
          let isNear = false;
          map.eachLayer((one) => {
            if (!one._gl) return;
            const { lng, lat } = one._gl.getCenter();
            isNear = map.latLngToContainerPoint([lat, lng])
              .distanceTo(map.getSize().divideBy(2)) < 2 && one._gl.getZoom() === map.getZoom() - 1;
          });
          return isNear;
        })"""))

    drop(page, "search.kml", KML)
    wait("the overlay is listed", lambda: page.count("[data-key='overlay search.kml']"))
    must("a file that is dropped on the map is drawn, and its name is text",
         "Search <b>area</b>" in page.text("#map") and not page.count("#map b"))
    wait("the map stands still", lambda: not page.count("#map .leaflet-zoom-anim"))
    page.shot("overlay")
    makes_rows(page, node)
    page.click("[data-key='overlay search.kml']")
    wait("it can be hidden", lambda: "Search <b>area</b>" not in page.text("#map"))
    drop(page, "notes.gpx", "nothing")
    wait("a file that is no map is rejected with the reason", lambda: "no map" in page.text("#said"))
    page.driver.get_log("browser")

    must("the map covers the view", not page.text("#no-map"))
    move(page, 10, 10, 9)
    wait("where there is no map, the page shows it", lambda: "No map of this area" in page.text("#no-map"))
    page.shot("no-map")
    # Beside a map, and not below it: its southern edge is in the middle.
    move(page, 40, LON, 9)
    wait("both are drawn", lambda: shows(page, WATER["light"], 5000) and shows(page, WORLD["land"], 5000))
    page.shot("world-beside")
    move(page, 10, 10, 9)
    page.view("map")
    page.click("#no-map button")
    must("and leads to the layers", page.count("#layers:not([hidden]) [data-key='map add']") == 1)
    page.click("[data-key='base ']")
    wait("the choice is kept", lambda: page.js("return localStorage.getItem('base')") == "")
    page.driver.refresh()
    wait("no map is chosen after a reload", lambda: page.text("#no-map"))
    draws_world(page)
    page.view("layers")
    page.click("[data-key='base valley.pmtiles']")
    page.driver.find_element("css selector", "#layers input[type=file]").send_keys(
        base_map(os.path.join(folder, "other.mbtiles")))
    wait("a chosen file is uploaded and shown", lambda: page.count("[data-key='base other.mbtiles']:checked"))
    names = {one["name"] for one in node.get("maps")["items"]}
    must(f"the node has all of them: {names}",
         names == {"first.mbtiles", "valley.pmtiles", "search.kml", "sectors.kml", "other.mbtiles"})
    page.click("[data-key='map remove other.mbtiles']")
    wait("the page asks first", lambda: page.count("dialog[open]"))
    page.click("dialog[open] [type=submit]")
    wait("a removed map is gone", lambda: not page.count("[data-key='base other.mbtiles']"))
    must("also on the laptop", "other.mbtiles" not in {
        one["name"] for one in node.get("maps")["items"]})
    # MapLibre tests once whether the browser knows WebP, by an image that the policy rejects.
    faults = page.faults("/tiles/", "data:image/webp")
    must(f"the browser has no error {faults[:5]}", not faults)


def makes_rows(page, node):
    """A shape of an overlay becomes a zone or a report with two clicks, and an undo takes it back."""
    drop(page, "sectors.kml", SHAPES)
    wait("the shapes are listed", lambda: page.count("[data-key='overlay sectors.kml']"))

    def rows(name):
        return {row.get("name", row.get("title")): row for row in node.get(name)["items"]}

    def choose(lat, lon, key, is_right=False):
        # One click for the menu of the shape, and one for what it becomes.
        move(page, lat, lon, 12)
        page.tap(0, 0, is_right)
        wait("the menu has the shape", lambda: page.count(f"[data-key='{key}']"))
        text = page.text("#here")
        page.shot(key.replace(" ", "-"))
        page.click(f"[data-key='{key}']")
        return text

    must("a description is shown as text", "Steep north side" in choose(40.3, -7.6, "shape hazard"))
    wait("an area is a zone", lambda: "Sector 4" in rows("fences"))
    zone = rows("fences")["Sector 4"]
    must(f"as the file describes it {zone}",
         zone["kind"] == "hazard" and json.loads(zone["properties"])["description"] == "Steep north side")
    wait("it can be undone", lambda: "Sector 4" in page.text("#said") and page.count("#said button"))
    page.click("#said button")
    wait("the zone is gone", lambda: "Sector 4" not in rows("fences"))
    must("of two areas the smaller one is meant", "Hill" in choose(40.375, -7.64, "shape muster"))
    wait("it is an assembly zone", lambda: rows("fences").get("Hill", {}).get("kind") == "muster")
    text = choose(40.25, -7.55, "shape info")
    must(f"a point without a name has its description {text}", "Frozen & locked" in text)
    wait("a point is a circle", lambda: any("radiusMetres" in one for one in rows("fences").values()))
    # A click is for the zone that is there now.
    choose(40.25, -7.55, "shape report", is_right=True)
    wait("it is a report", lambda: rows("reports"))
    report = next(iter(rows("reports").values()))
    must(f"at the point {report}", (report["lat"], report["lon"]) == (40.25, -7.55))
    checked("shapes of an overlay become zones and reports with two clicks each")
    page.view("fences")
    page.driver.find_element("css selector", "#fences input[type=file]").send_keys(
        file_of(SHAPES, "more.kml"))
    wait("a KML file is reviewed", lambda: page.count("dialog .review li") == 2)
    must(f"what is left out is named {page.text('dialog details')}", page.count("dialog details li") == 1)
    page.shot("import")
    page.click("dialog [type=submit]")
    wait("its zones are saved", lambda: "Sector 4" in rows("fences"))
    page.view("layers")
    is_one_across_180(page, node)


def is_one_across_180(page, node):
    ring = [[179, -17], [-179, -17], [-179, -16], [179, -16], [179, -17]]
    path = file_of(json.dumps({"type": "Polygon", "coordinates": [ring]}), "fiji.geojson")
    node.run("zone", "add", "--name", "Fiji", "--geojson", path)
    for lon in (179.9, -179.9):
        move(page, -16.5, lon, 7)
        wait(f"a zone across 180 degrees is one shape at {lon}", lambda east=lon: page.js("""
            return import('/dashboard/js/map/map.js').then(({ theMap }) => {
              let found = false;
              theMap().eachLayer((one) => {
                if (one.options.stroke !== false || !one.getBounds) return;
                const box = one.getBounds();
                found ||= [-0.5, 0.5].every((more) => box.contains([-16.5, arguments[0] + more]));
              });
              return found;
            });""", east))
        page.shot(f"across-180-{lon}")
    move(page, LAT, LON, 12)


def file_of(text, name):
    path = os.path.join(tempfile.mkdtemp(prefix="muster-maps-"), name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def draws_world(page):
    """The map of the world is drawn where no map file covers, in time, and is marked where it is too coarse."""
    times = []
    for lat, lon, zoom, what in VIEWS:
        taken, found = page.driver.execute_async_script("""
            const [lat, lon, zoom, done] = arguments;
            import('/dashboard/js/map/map.js').then(({ theMap }) => {
              const map = theMap();
              const canvas = document.querySelector('.leaflet-base-pane canvas');
              canvas.width = canvas.width;
              const start = performance.now();
              map.setView([lat, lon], zoom, { animate: false });
              const look = () => {
                const box = canvas.getBoundingClientRect(), whole = map.getContainer().getBoundingClientRect();
                const { x, y } = map.latLngToContainerPoint([lat, lon]);
                const scale = canvas.width / box.width;
                const [r, g, b, a] = canvas.getContext('2d').getImageData(
                  (whole.left + x - box.left) * scale, (whole.top + y - box.top) * scale, 1, 1).data;
                if (a === 255) return done([performance.now() - start, [r, g, b]]);
                if (performance.now() - start > 10000) return done([10000, [r, g, b]]);
                requestAnimationFrame(look);
              };
              look();
            });""", lat, lon, zoom)
        must(f"{what} is drawn at {lat}, {lon}, zoom {zoom}: {found}", near(found, WORLD[what]))
        times.append(taken)
        is_marked = "Coarse outline" in page.text("#credit")
        must(f"zoom {zoom} is {'' if is_marked else 'not '}marked as coarse", is_marked == (zoom > 10))
        page.shot(f"world-{zoom}")
    # The other views may have waited for another program of the machine.
    median = sorted(times)[len(times) // 2]
    must(f"the map of the world is drawn in {median:.0f} ms (at most {MOST_DRAWING}), the slowest view in "
         f"{max(times):.0f} ms", median <= MOST_DRAWING)


def near(one, other):
    return all(abs(a - b) <= 3 for a, b in zip(one, other))


def move(page, lat, lon, zoom):
    page.js("""return import('/dashboard/js/map/map.js').then(
        ({ theMap }) => { theMap().setView([arguments[0], arguments[1]], arguments[2]); })""", lat, lon, zoom)


def drop(page, name, text):
    page.js("""
        const data = new DataTransfer();
        const bytes = Uint8Array.from(atob(arguments[1]), (one) => one.charCodeAt(0));
        data.items.add(new File([bytes], arguments[0]));
        document.getElementById("map").dispatchEvent(
          new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        """, name, base64.b64encode(text.encode()).decode())


def without_webgl(node, screenshots):
    page = Page(node.url, screenshots, more=("--disable-3d-apis",), link=node.link)
    try:
        page.open()
        page.view("layers")
        page.click("[data-key='base valley.pmtiles']")
        wait("without WebGL the page explains why", lambda: "no WebGL" in page.text("#said"))
        checked("without WebGL the page explains why a vector map is missing")
    finally:
        page.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--muster", default=os.path.join(ROOT, ".build/debug/muster"))
    parser.add_argument("--screenshots", help="folder for screenshots")
    options = parser.parse_args()
    browser.require(options.screenshots)
    folder = tempfile.mkdtemp(prefix="muster-maps-")
    ports = free_ports(0)
    node = Node(options.muster, folder, "lead", ports[0], http=ports[1])
    node.more = ["--map", base_map(os.path.join(folder, "first.mbtiles"))]
    try:
        node.run("init", "Serra fire", "--callsign", "Lead")
        node.run("position", "set", f"{LAT},{LON}")
        node.start()
        with Page(node.url, options.screenshots, more=("--enable-unsafe-swiftshader",), link=node.link) as page:
            walk(page, node, vector_map(os.path.join(folder, "valley.pmtiles")), folder)
            without_webgl(node, options.screenshots)
    finally:
        node.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
