#!/usr/bin/env python3
"""Makes the coarse map of the whole world, which the dashboard shows where no map file covers.

    Scripts/test-environment.sh
    .build/python/bin/python3 Scripts/world.py natural-earth-10m.zip

Source: Natural Earth, 1:10 million, public domain (https://www.naturalearthdata.com): a zip file with
`ne_10m_land`, `ne_10m_lakes` and `ne_10m_admin_0_boundary_lines_land` as shapefiles. Result: vector tiles
(Mapbox Vector Tile 2) in one PMTiles file, with the layers `land`, `lakes` and `borders`, one feature each
at most. The dashboard draws a tile 1024 pixels wide, so that few tiles fill a screen. The same source gives
the same bytes, with the same versions of zlib and GEOS."""

import argparse
import functools
import gzip
import math
import os
import struct
import sys
import zipfile

import numpy
import shapely
from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(ROOT, "Sources/MusterHTTP/Resources/world.pmtiles")
LAYERS = {"land": "ne_10m_land", "lakes": "ne_10m_lakes", "borders": "ne_10m_admin_0_boundary_lines_land"}
MOST_BYTES = 4_000_000
ZOOMS = range(0, 6)
# Units of a tile, for each of its sides: eight for a pixel.
EXTENT = 8192
# Shapes overlap the next tile by two pixels, so that no line of the background is between them.
MARGIN = 16
# Tolerance of the simplification in units: less than a pixel, and all details at the largest zoom.
TOLERANCE, FINEST = 6, 1
# The smallest area that is drawn, in square units: two pixels, and all islands at the largest zoom.
AREA, SMALLEST = 128, 2
NORTH = 85.0511287
# Shape types of a shapefile.
POLYLINE, POLYGON = 3, 5


# MARK: Reading

def shapes(data):
    """The polygons or lines of a shapefile (ESRI white paper, July 1998), in degrees."""
    found, at = [], 100
    while at < len(data):
        words, = struct.unpack_from(">i", data, at + 4)
        record, at = at + 8, at + 8 + 2 * words
        kind, = struct.unpack_from("<i", data, record)
        if kind not in (POLYLINE, POLYGON):
            continue
        parts, points = struct.unpack_from("<ii", data, record + 36)
        starts = struct.unpack_from(f"<{parts}i", data, record + 44)
        places = numpy.frombuffer(data, "<f8", 2 * points, record + 44 + 4 * parts).reshape(-1, 2)
        rings = [places[a:b] for a, b in zip(starts, [*starts[1:], points])]
        if kind == POLYLINE:
            found += [shapely.LineString(ring) for ring in rings]
        else:
            # The rings of a polygon with its holes, in any order: each area is inside an odd number.
            areas = [shapely.Polygon(ring) for ring in rings]
            found.append(functools.reduce(shapely.symmetric_difference, sorted(
                map(shapely.make_valid, areas), key=lambda area: -area.area)))
    return shapely.get_parts(found)


def projected(places):
    """Degrees in the Mercator projection of the web, where the world is a square of side 1."""
    east, north = places[:, 0], numpy.clip(places[:, 1], -NORTH, NORTH)
    return numpy.column_stack([
        (east + 180) / 360, 0.5 - numpy.arcsinh(numpy.tan(numpy.radians(north))) / (2 * math.pi)])


# MARK: Tiles

def detailed(found, zoom):
    """The shapes in units of a zoom level, with the detail that can be seen there."""
    is_finest = zoom == ZOOMS[-1]
    found = shapely.transform(found, lambda places: places * EXTENT * 2 ** zoom)
    found = shapely.simplify(found, FINEST if is_finest else TOLERANCE)
    is_line = shapely.get_dimensions(found) == 1
    found[~is_line] = shapely.make_valid(found[~is_line])
    return found[is_line | (shapely.area(found) >= (SMALLEST if is_finest else AREA))]


def tiles(found, zoom, level=0, x=0, y=0):
    """Yields each tile of a zoom level with its part of the shapes: the square is divided into four."""
    side = EXTENT * 2 ** (zoom - level)
    # `clip_by_rect` is faster, and fills some tiles whose shape only touches their edge.
    found = shapely.intersection(found, shapely.box(
        x * side - MARGIN, y * side - MARGIN, (x + 1) * side + MARGIN, (y + 1) * side + MARGIN))
    found = found[~shapely.is_empty(found)]
    if len(found) == 0:
        return
    if level == zoom:
        # A collection may contain areas of several parts, besides the lines that are left of an edge.
        yield (x, y), shapely.get_parts(shapely.get_parts(found))
        return
    for dx in (0, 1):
        for dy in (0, 1):
            yield from tiles(found, zoom, level + 1, 2 * x + dx, 2 * y + dy)


# MARK: Encoding (Mapbox Vector Tile 2)

def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """A field of Protocol Buffers: a number, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


class Commands:
    """The geometry of a feature: moves from point to point in whole units."""

    def __init__(self):
        self.numbers, self.at = [], (0, 0)

    def path(self, places, is_closed):
        """Adds a ring or a line, unless nothing of it remains in whole units."""
        points = [one for n, one in enumerate(places) if n == 0 or one != places[n - 1]]
        if is_closed and points[0] == points[-1]:
            points.pop()
        if len(points) < (3 if is_closed else 2):
            return
        for n, (x, y) in enumerate(points):
            if n < 2:
                self.numbers.append(1 | 1 << 3 if n == 0 else 2 | (len(points) - 1) << 3)
            for move in (x - self.at[0], y - self.at[1]):
                self.numbers.append(2 * move if move >= 0 else -2 * move - 1)
            self.at = (x, y)
        if is_closed:
            self.numbers.append(7 | 1 << 3)


def layer(name, found, corner):
    """A layer with all shapes of a tile as one feature; nothing if there are none."""
    commands = Commands()

    def path(line, is_closed):
        places = numpy.rint(shapely.get_coordinates(line) - corner).astype(int)
        commands.path([tuple(map(int, place)) for place in places], is_closed)

    for one in found:
        if one.geom_type == "LineString" and name == "borders":
            path(one, False)
        elif one.geom_type == "Polygon":
            # Clockwise where y grows downwards.
            one = shapely.geometry.polygon.orient(one, 1.0)
            for ring in (one.exterior, *one.interiors):
                path(ring, True)
    if not commands.numbers:
        return b""
    feature = field(3, 2 if name == "borders" else 3) + field(4, b"".join(map(varint, commands.numbers)))
    return field(3, field(1, name.encode()) + field(2, feature) + field(5, EXTENT) + field(15, 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("source", help="natural-earth-10m.zip")
    parser.add_argument("--out", default=FILE)
    options = parser.parse_args()
    with zipfile.ZipFile(options.source) as archive:
        world = {name: shapely.transform(shapes(archive.read(f"{file}.shp")), projected)
                 for name, file in LAYERS.items()}
    # Without the time, which the writer of PMTiles would store in its directories too.
    gzip.compress = functools.partial(gzip.compress, mtime=0)
    content = {}
    for zoom in ZOOMS:
        for name, found in world.items():
            for (x, y), part in tiles(detailed(found, zoom), zoom):
                number = zxy_to_tileid(zoom, x, y)
                corner = (x * EXTENT, y * EXTENT)
                content[number] = content.get(number, b"") + layer(name, part, corner)
    with open(options.out, "wb") as file:
        writer = Writer(file)
        for number in sorted(content):
            if content[number]:
                writer.write_tile(number, gzip.compress(content[number]))
        writer.finalize(
            {"tile_type": TileType.MVT, "tile_compression": Compression.GZIP,
             "min_zoom": ZOOMS[0], "max_zoom": ZOOMS[-1], "min_lon_e7": -1_800_000_000,
             "min_lat_e7": -850_511_287, "max_lon_e7": 1_800_000_000, "max_lat_e7": 850_511_287,
             "center_zoom": 2, "center_lon_e7": 0, "center_lat_e7": 0},
            {"name": "World", "attribution": "Natural Earth",
             "vector_layers": [{"id": name, "fields": {}} for name in LAYERS]})
    size = os.path.getsize(options.out)
    print(f"{options.out}: {len(content)} tiles, {size} bytes")
    return int(size > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
