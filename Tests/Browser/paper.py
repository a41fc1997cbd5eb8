"""The printed page, rendered by poppler."""

import base64
import os
import shutil
import subprocess
import tempfile

from browser import must
from nodes import wait

# The colour of info zones, which nothing else on paper has.
INFO = (0x0A, 0x5A, 0xA8)


def pdf(page):
    """Returns the PDF that the Print button would print."""
    page.js("window.print = () => { window.__printed = 1; };")
    page.click("#print")
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
