"""Map programs read the exports and the live feeds of a node, and draw zones for it: GDAL, GPSBabel
and QGIS. Every value is compared with what was written at another node."""

import csv
import io
import json
import os
import random
from xml.etree import ElementTree


from row import ROOT, Row, bridged, items, output, wait

# Titles that a converter may damage. GDAL 3.6 writes an unreadable KML file for "]]>".
AWKWARD = [
    "Straße \"A\" & <b>B</b>", "O'Neil; 100 %, 50%25", "مخيم الإخلاء", "消防車 🚒 12",
    "=SUM(A1:A9)", "Vale do Rossim, perto da água", "[brackets] {braces} ^caret~", "&amp; &#65; <!-- -->"]
# Poles, the antimeridian, and the smallest steps from zero.
EDGES = [(-180.0, -17.5), (180.0, -16.25), (179.9999999, 16.5), (0.0, 89.9999999),
         (12.5, -89.9999999), (0.0000001, 51.4769), (-0.0000001, 0.5), (-7.6114001, 40.3217009)]
REPORTS = 200
ZONES = 20
KINDS = ["info", "muster", "hazard"]
WALK = [(round(-7.6 + 0.0004 * n, 7), round(40.3 + 0.0003 * n, 7)) for n in range(12)]


class Scene:
    """Three nodes. Reports and positions come from all of them; the exports from the third."""

    def __init__(self, muster, *words):
        self.made = bridged(muster, 3, *words)
        self.command, self.member, self.reader = self.made.nodes
        draw = random.Random(22)
        self.reports = {}
        for n in range(REPORTS):
            place = EDGES[n] if n < len(EDGES) else (
                round(draw.uniform(-179, 179), 7), round(draw.uniform(-85, 85), 7))
            title = f"{AWKWARD[n % len(AWKWARD)]} no. {n}"
            self.made.nodes[n % 3].call("POST", "reports", {
                "title": title, "lon": place[0], "lat": place[1], "severity": n % 5 + 1,
                "description": f"{AWKWARD[-1 - n % len(AWKWARD)]}, line {n}"})
            self.reports[title] = place
        self.zones = {f"Zone {n}": self.zone(n, draw) for n in range(ZONES)}
        for place in WALK:
            self.reader.call("POST", "me/position", at(place, 8))
        self.people = {"N0": (-7.61, 40.31), "N1": (-7.59, 40.29), "N2": WALK[-1]}
        for node, name in ((self.command, "N0"), (self.member, "N1")):
            node.call("POST", "me/position", at(self.people[name], 15))
        self.made.until_in_step()
        wait("everyone's position is known", lambda: all(
            user["lat"] is not None for user in items(self.reader, "users")))

    def zone(self, n, draw):
        """Adds a circle or an outline; returns its number of parts."""
        lon, lat = draw.uniform(-60, 60), draw.uniform(-50, 50)
        body = {"name": f"Zone {n}", "kind": KINDS[n % 3]}
        parts = 1
        if n % 2 == 0:
            body["circle"] = {"lon": lon, "lat": lat, "radiusMetres": 50 + 37 * n}
        elif n == 1:
            # Across the antimeridian, in two parts.
            parts = 2
            body["geojson"] = {"type": "MultiPolygon", "coordinates": [
                [square(179.5, -17, 0.5)], [square(-180, -17, 0.5)]]}
        else:
            body["geojson"] = {"type": "Polygon", "coordinates": [square(lon, lat, 0.01 * n)]}
        self.command.call("POST", "fences", body)
        return parts

    def export(self, kind):
        path = os.path.join(self.made.folder, f"operation.{kind}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.reader.muster("export", "--format", kind))
        return path


def at(place, metres):
    return {"lon": place[0], "lat": place[1], "accuracyMetres": metres}


def square(west, south, side):
    east, north = west + side, south + side
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def by_name(features, key):
    """Returns the points of features as {name: (longitude, latitude)}."""
    found = {}
    for one in features:
        if (one["geometry"] or {}).get("type") == "Point" and one["properties"].get(key):
            found[one["properties"][key]] = tuple(one["geometry"]["coordinates"][:2])
    return found


OWSLIB = """
import json
import sys
from owslib.ogcapi.features import Features
service = Features(sys.argv[1], headers={"Authorization": sys.argv[2]})
names = service.feature_collections()
found = service.collection_items("reports", bbox=[-20, 10, 40, 60], limit=10000)["features"]
print(",".join(names))
for one in found:
    print(one["properties"]["title"])
# A refusal is an exception.
for layer, box, limit in json.loads(sys.argv[3]):
    service.collection_items(layer, bbox=box, limit=limit)
"""


def drawn_requests():
    """Layers, boxes of all sizes and limits, as users of map programs draw them."""
    drawn = random.Random(52)
    for _ in range(60):
        west, south = (drawn.uniform(-most, most) * 10 ** -drawn.randrange(8) for most in (179, 89))
        side = 10 ** drawn.uniform(-9, 2)
        yield (drawn.choice(["members", "reports", "fences", "events", "tracks"]),
               [west, south, min(west + side, 180), min(south + side, 90)],
               drawn.choice([1, 10, 1000, 10_000, 10**9]))


def ogc_layers(scene, result, ask, header):
    """OGC API – Features, by GDAL's driver (which follows the pages) and by OWSLib."""
    live = "http://127.0.0.1:7480/ogc"
    read = lambda *words: ogr(f"OAPIF:{live}", *words, inside=scene.reader.namespace,
                              GDAL_HTTP_HEADERS=header, OGR_OAPIF_PAGE_SIZE="30")
    result.same_places("reports by OGC API", by_name(read("reports"), "title"), scene.reports)
    result.same_places("members by OGC API", by_name(read("members"), "callsign"), scene.people)
    result.equal("zones by OGC API", {one["properties"]["name"] for one in read("fences")},
                 set(scene.zones))
    text = output("ip", "netns", "exec", scene.reader.namespace, "/usr/bin/python3", "-c", OWSLIB,
                  live, header.removeprefix("Authorization: "),
                  json.dumps(list(drawn_requests()))).splitlines()
    result.equal("layers that OWSLib lists", text[0], "members,reports,fences,events,tracks")
    result.equal("reports that OWSLib finds in a box", sorted(text[1:]), sorted(
        title for title, (lon, lat) in scene.reports.items()
        if -20 <= lon <= 40 and 10 <= lat <= 60))


def ogc_boxes(scene, result, header):
    """The same requests by GDAL, and the reports that it finds in each box."""
    for layer, box, limit in drawn_requests():
        found = ogr("OAPIF:http://127.0.0.1:7480/ogc", layer, "-spat", *map(repr, box),
                    inside=scene.reader.namespace, GDAL_HTTP_HEADERS=header,
                    OGR_OAPIF_PAGE_SIZE=str(min(limit, 10_000)))
        if layer == "reports":
            west, south, east, north = box
            result.equal(f"reports in {box}", sorted(by_name(found, "title")), sorted(
                title for title, (lon, lat) in scene.reports.items()
                if west <= lon <= east and south <= lat <= north))


def geopackage(scene, result):
    """The program's own GeoPackage, layer by layer, and GDAL's validator of the standard."""
    path = os.path.join(scene.made.folder, "own.gpkg")
    scene.reader.muster("export", "--format", "gpkg", "--out", path)
    layer = lambda name: ogr(path, name)
    result.same_places("reports in GeoPackage", by_name(layer("reports"), "title"), scene.reports)
    result.same_places("members in GeoPackage", by_name(layer("members"), "callsign"), scene.people)
    zones = {one["properties"]["name"]: len(one["geometry"]["coordinates"])
             for one in layer("fences") if one["geometry"]}
    result.equal("zones and their parts in GeoPackage", zones, scene.zones)
    lines = [[tuple(place) for place in one["geometry"]["coordinates"]]
             for one in layer("tracks") if one["properties"]["callsign"] == "N2"]
    result.equal("the track of N2 in GeoPackage", lines, [WALK])
    output("/usr/bin/python3", "-m", "osgeo_utils.samples.validate_gpkg", path)


def ogr(source, *words, inside=None, **options):
    """Returns the features that GDAL reads."""
    configured = [word for key, value in options.items() for word in ("--config", key, value)]
    text = output(
        *(["ip", "netns", "exec", inside] if inside else []), "ogr2ogr", *configured,
        "-f", "GeoJSONSeq", "/vsistdout/", source, *words, "-lco", "COORDINATE_PRECISION=9")
    return [json.loads(line.strip("\x1e")) for line in text.splitlines() if line.strip()]


def gdal(muster, result):
    scene = Scene(muster, "--http", "127.0.0.1:7480")
    geojson, gpx = scene.export("geojson"), scene.export("gpx")
    features = ogr(geojson)
    result.same_places("reports in GeoJSON", by_name(features, "title"), scene.reports)
    result.same_places("people in GeoJSON", by_name(features, "callsign"), scene.people)
    zones = {one["properties"]["name"]: len(one["geometry"]["coordinates"])
             if one["geometry"]["type"] == "MultiPolygon" else 1
             for one in features if "Polygon" in one["geometry"]["type"]}
    result.equal("zones and their parts in GeoJSON", zones, scene.zones)
    tracks = [one["geometry"]["coordinates"] for one in features
              if one["geometry"]["type"] == "LineString" and one["properties"]["callsign"] == "N2"]
    result.equal("the track of N2", [[tuple(place) for place in line] for line in tracks], [WALK])
    severities = {one["properties"]["reportSeverity"] for one in features
                  if one["properties"].get("title")}
    result.check(severities == {1, 2, 3, 4, 5},
                 f"severity is no number in a map program, which cannot filter by it: {severities}")
    nameless = [one["properties"]["muster"] for one in features if not one["properties"]["name"]]
    result.equal("features without a name", nameless, [])
    kml_layers(scene, result, len(features))

    waypoints = by_name(ogr(gpx, "waypoints"), "name")
    result.same_places("waypoints in GPX", waypoints, scene.reports | scene.people)
    result.equal("points of tracks in GPX", len(ogr(gpx, "track_points")),
                 sum(len(line["geometry"]["coordinates"]) for line in features
                     if line["geometry"]["type"] == "LineString"))
    # The schema of GPX 1.1 excludes 180.
    beyond = [one.get("lon") for one in ElementTree.parse(gpx).iter()
              if "lon" in one.attrib and not -180 <= float(one.get("lon")) < 180]
    result.check(not beyond, f"longitudes that the schema of GPX forbids: {beyond}")

    # Converted and read again.
    for driver, name in (("LIBKML", "operation.kml"), ("GPKG", "operation.gpkg")):
        path = os.path.join(scene.made.folder, name)
        output("ogr2ogr", "-f", driver, path, geojson, "-nln", "operation")
        again = ogr(path)
        result.equal(f"features in {name}", len(again), len(features))
        result.same_places(f"reports in {name}", by_name(again, "title"), scene.reports)

    geopackage(scene, result)

    # Waypoints by the map program that many GPS receivers are loaded with.
    text = output("gpsbabel", "-i", "gpx", "-f", gpx, "-o", "unicsv", "-F", "-")
    rows = list(csv.DictReader(io.StringIO(text)))
    result.equal("waypoints that GPSBabel reads", len(rows), len(waypoints))

    # Live, as a layer by URL.
    with open(os.path.join(scene.reader.home, "run/http-token"), encoding="utf-8") as file:
        header = f"Authorization: Bearer {file.read().strip()}"
    live = "http://127.0.0.1:7480/api/v1/"
    ask = lambda path: ogr(live + path, inside=scene.reader.namespace, GDAL_HTTP_HEADERS=header)
    result.same_places("reports.geojson, live", by_name(ask("reports.geojson"), "title"),
                       scene.reports)
    result.same_places("members.geojson, live", by_name(ask("members.geojson"), "callsign"),
                       scene.people)
    west, south, east, north = box = (-20, 10, 40, 60)
    result.same_places(
        f"reports.geojson in {box}", by_name(
            ask(f"reports.geojson?bbox={west},{south},{east},{north}"), "title"),
        {title: (lon, lat) for title, (lon, lat) in scene.reports.items()
         if west <= lon <= east and south <= lat <= north})
    ogc_layers(scene, result, ask, header)
    ogc_boxes(scene, result, header)
    people = ogr(live + "operation.kml", "People", inside=scene.reader.namespace,
                 GDAL_HTTP_HEADERS=header)
    result.same_places("operation.kml, live", by_name(people, "Name"), scene.people)
    result.figure(f"{len(features)} features as GeoJSON, GPX, KML, GeoPackage and live")


def kml_layers(scene, result, count):
    """Compares the folders of the KML export, which GDAL reads as layers."""
    path = scene.export("kml")
    layers = {name: ogr(path, name) for name in ("People", "Reports", "Zones", "Tracks")}
    result.same_places("people in KML", by_name(layers["People"], "Name"), scene.people)
    result.same_places("reports in KML", by_name(layers["Reports"], "Name"), scene.reports)
    parts = {one["properties"]["Name"]: len(one["geometry"]["coordinates"])
             if one["geometry"]["type"] == "MultiPolygon" else 1 for one in layers["Zones"]}
    result.equal("zones and their parts in KML", parts, scene.zones)
    walks = [[tuple(place) for place in one["geometry"]["coordinates"]]
             for one in layers["Tracks"] if one["properties"]["callsign"] == "N2"]
    result.equal("the track of N2 in KML", walks, [WALK])
    timed = [one for one in layers["Tracks"] if one["properties"]["begin"]]
    result.equal("tracks with a time in KML", len(timed), len(layers["Tracks"]))
    result.equal("features in KML", sum(map(len, layers.values())), count)


def qgis(muster, result):
    scene = Scene(muster)
    paths = {"points": scene.export("geojson") + "|geometrytype=Point",
             "zones": scene.export("geojson") + "|geometrytype=Polygon",
             "lines": scene.export("geojson") + "|geometrytype=LineString",
             "waypoints": scene.export("gpx") + "|layername=waypoints",
             "tracks": scene.export("gpx") + "|layername=tracks"}
    quiet = dict(os.environ, QT_QPA_PLATFORM="offscreen", XDG_RUNTIME_DIR=scene.made.folder)
    # QGIS comes with Debian's Python only.
    read = json.loads(output(
        "/usr/bin/python3", os.path.join(ROOT, "Tests/Peers/qgis_layers.py"), json.dumps(paths),
        env=quiet).splitlines()[-1])
    points = read["points"]
    result.same_places("reports", places(points, "title"), scene.reports)
    result.same_places("people", places(points, "callsign"), scene.people)
    result.same_places("waypoints", places(read["waypoints"], "name"), scene.reports | scene.people)
    result.equal("zones", sorted(one["name"] for one in read["zones"]), sorted(scene.zones))
    result.check(all(one["valid"] for one in read["zones"]), "QGIS finds invalid outlines of zones")
    result.equal("tracks in both formats", len(read["tracks"]), len(read["lines"]))

    # A zone from QGIS: the surroundings of a track, about 80 m.
    zone = os.path.join(scene.made.folder, "surroundings.geojson")
    within = os.path.join(scene.made.folder, "within.geojson")
    process = lambda name, *words: output(
        # The script around it passes an option that it rejects.
        "/usr/bin/qgis_process.bin", "run", f"native:{name}", *words, env=quiet)
    # The layers with all their fields, as a user keeps them, and with the callsign alone.
    for source in ("points", "zones", "lines", "waypoints", "tracks"):
        try:
            process("savefeatures", f"--INPUT={paths[source]}",
                    f"--OUTPUT={scene.made.folder}/{source}.gpkg")
        except SystemExit as error:
            result.check(False, f"QGIS cannot save the layer {source} as a GeoPackage: "
                         + str(error).strip().splitlines()[-1])
    for source in ("points", "lines"):
        process("retainfields", f"--INPUT={paths[source]}", "--FIELDS=callsign",
                f"--OUTPUT={zone}.{source}.gpkg")
    process("extractbyexpression", f"--INPUT={zone}.lines.gpkg", "--EXPRESSION=callsign = 'N2'",
            f"--OUTPUT={zone}.track.gpkg")
    process("buffer", f"--INPUT={zone}.track.gpkg", "--DISTANCE=0.001", "--SEGMENTS=8",
            f"--OUTPUT={zone}")
    process("extractbylocation", f"--INPUT={zone}.points.gpkg", "--PREDICATE=6",
            f"--INTERSECT={zone}", f"--OUTPUT={within}")
    with open(within, encoding="utf-8") as file:
        expected = sorted(by_name(json.load(file)["features"], "callsign"))
    result.equal("people that QGIS finds in its zone", expected, ["N2"])
    scene.command.muster("fence", "add", "--name", "From QGIS", "--kind", "hazard",
                         "--geojson", zone)
    inside = lambda: next((one["inside"] for one in items(scene.member, "fences")
                           if one["name"] == "From QGIS"), [])
    wait("another node finds the same people in the zone", lambda: inside() == expected)
    result.figure(f"{len(points)} points, {len(read['zones'])} zones, {len(read['lines'])} tracks; "
                  "a zone drawn by QGIS has the same people inside on another node")


def places(features, key):
    return {one[key]: tuple(one["point"]) for one in features if one.get(key)}


ROWS = [
    Row("gdal", "GDAL and GPSBabel read exports and live feeds",
        ("gdal-bin", "python3-gdal", "gpsbabel", "iproute2", "python3-owslib"), gdal),
    Row("qgis", "QGIS reads exports, and draws a zone",
        ("qgis", "python3-qgis", "iproute2"), qgis)]
