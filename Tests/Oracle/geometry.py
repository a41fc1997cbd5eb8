#!/usr/bin/env python3
"""Results of other libraries for random geometry: shapely for points in polygons, pyproj for
distances on the ellipsoid.

Writes into a folder, all coordinates being whole 1e-7 degrees:

  fences.geojson   polygons with the property "name", which is their number
  points.csv       fence,longitude,latitude,1 if inside,degrees to the nearest edge
  circles.csv      longitude,latitude,radius in centimetres,longitude,latitude,metres to the centre
  distances.csv    fence,longitude,latitude,metres to the nearest edge

A fence's edges are straight in longitude and latitude. Half of the points lie anywhere in and near
a fence's box, and the other half close to an edge or a vertex.

Usage: geometry.py FOLDER SEED FENCES POINTS [COUNTRIES]
COUNTRIES is a GeoJSON file whose valid polygons are added, with as many points again.
"""
import json
import sys

import numpy as np
import shapely
from pyproj import Geod
from shapely.geometry import Polygon, mapping, shape

E7 = 10_000_000
EARTH = Geod(ellps="WGS84")


def rounded(geometry):
    """Returns coordinates rounded to the double nearest to a whole 1e-7 degree."""
    return shapely.transform(geometry, lambda c: np.round(c * E7) / E7)


def star(random, x, y, reach, count):
    """Returns a ring that goes once around a centre, so that it does not cross itself."""
    angles = (np.arange(count) + random.uniform(-0.4, 0.4, count)) * (2 * np.pi / count)
    radii = reach * random.uniform(0.5, 1.0, count)
    return np.column_stack([x + radii * np.cos(angles), y + radii * np.sin(angles)])


def drawn(random):
    """Returns one to three stars, each with up to three stars as holes."""
    while True:
        reach = 10 ** random.uniform(-4, 1)
        x, y = random.uniform(-150, 150), random.uniform(-65, 65)
        parts = []
        for part in range(random.integers(1, 4)):
            cx, cy = x + 2.5 * reach * part, y
            holes = []
            for hole in range(random.integers(0, 4)):
                hx = cx + 0.25 * reach * np.cos(hole * 2.1)
                hy = cy + 0.25 * reach * np.sin(hole * 2.1)
                holes.append(star(random, hx, hy, 0.15 * reach, random.integers(3, 12)))
            outline = star(random, cx, cy, reach, int(np.exp(random.uniform(1.1, 5.3))))
            parts.append(Polygon(outline, holes))
        fence = rounded(shapely.MultiPolygon(parts) if len(parts) > 1 else parts[0])
        if shapely.is_valid(fence) and not shapely.is_empty(fence):
            return fence


def points(random, fence, count):
    west, south, east, north = shapely.bounds(fence)
    reach = max(east - west, north - south)
    anywhere = np.column_stack(
        [
            random.uniform(west - reach / 10, east + reach / 10, count),
            random.uniform(south - reach / 10, north + reach / 10, count),
        ]
    )
    edge = shapely.boundary(fence)
    along = shapely.line_interpolate_point(edge, random.uniform(0, 1, count), normalized=True)
    vertices = shapely.get_coordinates(fence)
    close = np.where(
        random.uniform(0, 1, count)[:, None] < 0.7,
        shapely.get_coordinates(along),
        vertices[random.integers(0, len(vertices), count)],
    )
    close = close + random.normal(0, 1, (count, 2)) * 10 ** random.uniform(-7, -3, count)[:, None]
    chosen = np.where(random.uniform(0, 1, count)[:, None] < 0.5, anywhere, close)
    chosen = np.round(np.clip(chosen, [-179.9999999, -90], [179.9999999, 90]) * E7).astype(np.int64)
    return chosen


def metres_to_edge(fence, x, y):
    """Returns the least geodesic distance to sample points of each edge, refined near the best."""
    best = np.inf
    for part in shapely.get_parts(fence):
        for ring in [part.exterior, *part.interiors]:
            ends = np.asarray(ring.coords)
            start, end = ends[:-1], ends[1:]
            low, high = np.zeros(len(start)), np.ones(len(start))
            for _ in range(6):
                steps = np.linspace(0, 1, 41)
                at = low[:, None] + (high - low)[:, None] * steps
                px = start[:, :1] + (end - start)[:, :1] * at
                py = start[:, 1:] + (end - start)[:, 1:] * at
                size = px.size
                metres = EARTH.inv(np.full(size, x), np.full(size, y), px.ravel(), py.ravel())[2]
                metres = np.reshape(metres, px.shape)
                nearest = metres.argmin(axis=1)
                rows = np.arange(len(start))
                low = at[rows, np.maximum(nearest - 1, 0)]
                high = at[rows, np.minimum(nearest + 1, 40)]
            best = min(best, metres.min())
    return best


def main():
    folder, seed, fence_count, point_count = sys.argv[1], *map(int, sys.argv[2:5])
    random = np.random.Generator(np.random.PCG64(seed))
    fences = [drawn(random) for _ in range(fence_count)]
    groups = [list(range(fence_count))]
    if len(sys.argv) > 5:
        features = json.load(open(sys.argv[5]))["features"]
        countries = [rounded(shape(feature["geometry"])) for feature in features]
        countries = [country for country in countries if shapely.is_valid(country)]
        groups.append(list(range(len(fences), len(fences) + len(countries))))
        fences += countries
    with open(folder + "/fences.geojson", "w") as file:
        json.dump(
            {
                "type": "FeatureCollection",
                "features": [
                    {"type": "Feature", "geometry": mapping(fence), "properties": {"name": str(i)}}
                    for i, fence in enumerate(fences)
                ],
            },
            file,
        )
    with open(folder + "/points.csv", "w") as file:
        for group in groups:
            for number in group:
                fence = fences[number]
                chosen = points(random, fence, -(-point_count // len(group)))
                places = shapely.points(chosen / E7)
                shapely.prepare(fence)
                inside = shapely.intersects(fence, places)
                far = shapely.distance(shapely.boundary(fence), places)
                for (x, y), holds, degrees in zip(chosen.tolist(), inside.tolist(), far.tolist()):
                    file.write(f"{number},{x},{y},{int(holds)},{degrees:.3e}\n")
    with open(folder + "/circles.csv", "w") as file:
        count = point_count // 10
        x, y = random.uniform(-180, 180, count), random.uniform(-90, 90, count)
        turn, away = random.uniform(0, 360, count), 10 ** random.uniform(0, 7, count)
        there = EARTH.fwd(x, y, turn, away)
        middle = np.round(np.column_stack([x, y]) * E7).astype(np.int64)
        place = np.round(np.column_stack(there[:2]) * E7).astype(np.int64)
        metres = EARTH.inv(*(middle / E7).T, *(place / E7).T)[2]
        radii = np.round(metres * 100 * random.choice([0.5, 0.999999, 1.000001, 2], count))
        radii = np.clip(radii, 1, 2e9).astype(np.int64)
        for (a, b), radius, (c, d), length in zip(middle, radii, place, metres):
            file.write(f"{a},{b},{radius},{c},{d},{length:.9f}\n")
    with open(folder + "/distances.csv", "w") as file:
        for _ in range(point_count // 100):
            number = int(random.integers(0, fence_count))
            (x, y), = points(random, fences[number], 1).tolist()
            file.write(f"{number},{x},{y},{metres_to_edge(fences[number], x / E7, y / E7):.9f}\n")


if __name__ == "__main__":
    main()
