"""Programs that read exports return every text of an operation as it was written: GDAL, Python's csv, xmllint and
LibreOffice. The texts are drawn from every class of characters that a report may have."""

import csv
import os
import random
import re
from xml.etree import ElementTree

from maps import ogr
from row import Row, bridged, items, output

ROWS_DRAWN = 10_000
ZONES = 500
# Classes of characters; those of paragraphs have line breaks and tabs too.
CLASSES = [
    "abcxyz", "ABCXYZ", "0123456789", "  ", "\"\"''", ",;:|", "=+-@", "＝＋－＠", "<>&", "()[]{}", "\\/", "%#$!?*^~_`",
    "äöüßéñçøÅ", "\u0301\u0308\u0327", "жщЯ", "αβΩ", "אבג", "مخيم", "हिन्दी", "ไทย", "日本語漢字", "한국어", "𠀋𠮷",
    "🚒🔥🏔", "👩\u200d🚒", "🇵🇹🇨🇭", "\u200b\u200e\u200f\u200d", "\u00a0\u2009\u3000", "\u00ad\ufeff", "\ue000\uf8ff",
    "\ufffd\ufffe\uffff", "\ufdd0\U0010ffff", "…–—“”„«»", "]]>", "&amp;&#65;", "<!--", "\\n", "1,5", "1e5", "0x1F",
    "=SUM(A1:A9)", "TRUE", "2026-01-02", "'quoted'"]
BREAKS = ["\n", "\r\n", "\n\n", "\t"]
# What the export adds so that a spreadsheet takes a text for no formula (docs/api.md), at the beginning of a text,
# and after what begins a cell in it.
ESCAPE = re.compile("(?:(?<=^)|(?<=[;\t\r\n]))( *)'(?=[=+\\-@＝＋－＠])|^'(?=[\t\r])")
# XML has no U+FFFE and U+FFFF.
IN_XML = str.maketrans({"\ufffe": "\ufffd", "\uffff": "\ufffd"})
# Every column as text, and UTF-8.
SHEET = "Text - txt - csv (StarCalc):44,34,76,1,{},0,false,true,false"


def unescaped(text):
    return ESCAPE.sub(lambda found: found.group(1) or "", text)


def text(draw, *more):
    """A text as it is sent and as it is stored, whose escape can be removed."""
    classes = [*CLASSES, *more]
    while True:
        parts = (draw.choice(classes) for _ in range(draw.randint(1, 24)))
        sent = "".join(part if part in more or draw.random() < 0.3 else draw.choice(part) for part in parts)
        stored = sent.replace("\r\n", "\n")
        # An apostrophe of the author's before a formula is not distinguished from the program's.
        if re.search(r"[^\W_]", stored) and unescaped(stored) == stored and len(stored.encode()) <= 200:
            return sent, stored


class Operation:
    """A node with drawn rows, and what each of them is to be read as."""

    def __init__(self, muster):
        self.made = bridged(muster, 1)
        self.node = self.made.nodes[0]
        draw = random.Random(52)
        self.reports, self.zones = {}, {}
        for n in range(ROWS_DRAWN - ZONES):
            (title, name), (description, details) = text(draw), text(draw, *BREAKS)
            place = round(draw.uniform(-179, 179), 7), round(draw.uniform(-85, 85), 7)
            row = self.node.call("POST", "reports", {
                "title": title, "description": description, "lon": place[0], "lat": place[1]})
            self.reports[row["id"]] = (name, details)
        for n in range(ZONES):
            name = text(draw)
            row = self.node.call("POST", "fences", {
                "name": name[0], "circle": {"lon": n / 10, "lat": 1, "radiusMetres": 10}})
            self.zones[row["id"]] = name[1]

    def file(self, name):
        return os.path.join(self.made.folder, name)

    def export(self, kind, *words, name=None):
        path = self.file(name or f"drawn.{kind}")
        self.node.muster("export", "--format", kind, "--out", path, *words)
        return path


def differences(result, what, found, wanted):
    """Compares {id: texts}; reports the first three differences."""
    wrong = [(found.get(key), value) for key, value in wanted.items() if found.get(key) != value]
    result.equal(f"rows {what}", len(found), len(wanted))
    result.check(not wrong, f"{len(wrong)} of {len(wanted)} texts {what}: {ascii(wrong[:3])}")


def rows_of(lines, what, result, made):
    """Compares the rows of a table by their ids."""
    reports = {one["id"]: (unescaped(one["name"]), unescaped(one["details"]).removeprefix("other: "))
               for one in lines if one["kind"] == "report"}
    differences(result, what, reports, made.reports)
    zones = {one["id"]: unescaped(one["name"]) for one in lines if one["kind"] == "fence"}
    differences(result, f"{what}, zones", zones, made.zones)


def tables(made, result):
    """The CSV export by Python, GDAL and LibreOffice; with a byte order mark and without."""
    for words, encoding in ((["--bom"], "utf-8-sig"), (["--no-bom"], "utf-8")):
        path = made.export("csv", *words, name=f"drawn-{encoding}.csv")
        with open(path, "rb") as file:
            result.equal(f"a mark with {words}", file.read(3) == b"\xef\xbb\xbf", words == ["--bom"])
        with open(path, encoding=encoding, newline="") as file:
            lines = list(csv.DictReader(file, strict=True))
        rows_of(lines, f"by Python's csv, {encoding}", result, made)
        rows_of([one["properties"] for one in ogr(path, "-oo", "EMPTY_STRING_AS_NULL=NO")],
                f"in CSV by GDAL, {encoding}", result, made)
        folder = made.file(f"sheet-{encoding}")
        columns = "/".join(f"{n}/2" for n in range(1, len(lines[0]) + 1))
        output("soffice", "--headless", f"-env:UserInstallation=file://{folder}",
               f"--infilter={SHEET.format(columns)}", "--convert-to", f"csv:{SHEET.format('')}",
               "--outdir", folder, path)
        with open(os.path.join(folder, os.path.basename(path)), encoding="utf-8-sig", newline="") as file:
            rows_of(list(csv.DictReader(file)), f"by LibreOffice, {encoding}", result, made)


def layers(made, result):
    """GeoJSON and GeoPackage by GDAL."""
    for path, words in ((made.export("geojson"), ()), (made.export("gpkg"), ("reports",))):
        # GDAL writes a text of the name `id` as the id of the feature.
        features = [{"id": one.get("id"), **one["properties"]} for one in ogr(path, *words)]
        reports = {one["id"]: (one["title"], one["description"] or "") for one in features
                   if one.get("muster", "report") == "report"}
        differences(result, f"in {os.path.basename(path)} by GDAL", reports, made.reports)
        if not words:
            zones = {one["id"]: one["name"] for one in features if one["muster"] == "fence"}
            differences(result, "of zones in GeoJSON by GDAL", zones, made.zones)


def documents(made, result):
    """KML and GPX by xmllint, as it writes them again."""
    wanted = sorted(name.translate(IN_XML) for name, _ in made.reports.values())
    details = sorted(text.translate(IN_XML) for _, text in made.reports.values())
    for kind, point, ended in (("kml", "Placemark", ""), ("gpx", "wpt", "; open")):
        path = made.export(kind)
        again = made.file(f"again.{kind}")
        output("xmllint", "--noout", path)
        output("xmllint", "--encode", "utf-8", "--output", again, path)
        found = [one for one in ElementTree.parse(again).iter() if one.tag.endswith("}" + point)]
        texts = [{child.tag.rpartition("}")[2]: child.text or "" for child in one} for one in found]
        if kind == "kml":
            names = {one["name"] for one in texts}
            result.check(names.issuperset(wanted), f"names in KML: {ascii([n for n in wanted if n not in names][:3])}")
        else:
            result.equal("names in GPX", sorted(one["name"] for one in texts), wanted)
            result.equal("descriptions in GPX", sorted(one["desc"].removesuffix(ended) for one in texts), details)


def exports(muster, result):
    made = Operation(muster)
    # The node itself returns what was written.
    stored = {one["id"]: (one["title"], one["description"]) for one in items(made.node, "reports")}
    differences(result, "by the API", stored, made.reports)
    tables(made, result)
    layers(made, result)
    documents(made, result)
    result.figure(f"{ROWS_DRAWN} rows with {len(CLASSES) + len(BREAKS)} classes of characters: CSV, GeoJSON, "
                  "GeoPackage, KML, GPX")


ROWS = [Row("exports", "Every text of an operation returns from what other programs read",
            ("gdal-bin", "libxml2-utils", "libreoffice-calc-nogui", "iproute2"), exports)]
