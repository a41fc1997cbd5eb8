"""The printed page, rendered by poppler."""

import base64
import os
import re
import shutil
import subprocess
import tempfile

from browser import must
from nodes import wait

# The colour of info zones, which nothing else on paper has.
INFO = (0x0A, 0x5A, 0xA8)


def pdf(page, button="#print"):
    """Returns the PDF that a button of the menu would print: the situation, or "#print-forms"."""
    page.js("window.__printed = 0; window.print = () => { window.__printed = 1; };")
    page.click(button)
    wait("the page is printed", lambda: page.js("return window.__printed"))
    made = page.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    return base64.b64decode(made["data"])


def pixels(data, colour):
    """Returns the number of pixels with about this colour, on all pages at 60 dpi."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["pdftoppm", "-r", "60", "-", os.path.join(folder, "sheet")],
                       input=data, check=True)
        found = 0
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                points = file.read().split(b"\n", 3)[3]
            found += sum(
                all(abs(a - b) < 60 for a, b in zip(points[i:i + 3], colour))
                for i in range(0, len(points), 3))
        return found


def printed(page, zone):
    """A zone on the screen is also on paper."""
    page.view("fences")
    page.click(f"[data-key='zone {zone}']")
    wait("the zone is shown", lambda: page.count(f"#detail [data-key='map {zone}']"))
    data = pdf(page)
    if page.shots:
        with open(os.path.join(page.shots, "print.pdf"), "wb") as file:
            file.write(data)
    must("pdftoppm is installed (apt install poppler-utils)", shutil.which("pdftoppm"))
    count = pixels(data, INFO)
    must(f"the outline of a zone is on paper ({count} pixels)", count >= 40)


def words(data):
    """Returns the text of a PDF, as laid out."""
    return subprocess.run(["pdftotext", "-layout", "-", "-"], input=data, check=True,
                          capture_output=True).stdout.decode()


def forms(page, operation):
    """A map at a round scale is on paper; the ICS forms, and reports with photos and marks, are apart."""
    report = next(r for r in operation.leader.get("reports")["items"] if r["photos"] > 0)
    photos = f"reports/{report['id']}/photos"
    photo = operation.leader.get(photos)["items"][0]["id"]
    for mark in ({"shape": "text", "colour": "red", "text": "undermined", "points": [(0.1, 0.2)]},
                 {"shape": "arrow", "colour": "red", "points": [(0.2, 0.3), (0.7, 0.8)]}):
        mark["points"] = [{"x": x, "y": y} for x, y in mark["points"]]
        operation.leader.send("POST", f"{photos}/{photo}/marks", mark)
    situation = words(pdf(page))
    must("paper has a round scale", re.search(r"Scale 1:[1-9]\d?\d?0*[\s0]*", situation))
    must("and no forms", "ICS 201" not in situation)
    data = pdf(page, "#print-forms")
    if page.shots:
        with open(os.path.join(page.shots, "forms.pdf"), "wb") as file:
            file.write(data)
    text = words(data)
    for word in ("ICS 201", "ICS 204", "ICS 211", "ICS 214", report["title"], "undermined",
                 "Prepared by", page.text("#operation")):
        must(f"paper has {word}", word in text)
    wait("the forms are removed afterwards", lambda: not page.count("#forms"))
