#!/usr/bin/env python3
"""Shows the dashboard every payload in every text that a node could ever hand out, and looks whether
one of them ran.

    python3 Tests/Browser/hostile.py

A small server stands in for the node, so that what a node would refuse is shown too: callsigns, the
operation's name, the makers of a base map and all the rest. Needs what dashboard.py needs."""

import copy
import shutil
import sys
import threading

from payloads import ALL
from scale import Stage, handler, http

WHEN = "2026-11-22T03:00:00Z"


class HostileStage(Stage):
    """In row n of each set, payload n stands wherever there is text; in the status, the next one at
    each look."""

    def __init__(self):
        self.changes = threading.Condition()
        self.count = 1
        self.looks = 0
        self.has_rows = False

    def answer(self, name):
        if name == "map":
            return {"name": ALL[1], "attribution": " ".join(ALL), "tiles": "/tiles/{z}/{x}/{y}",
                    "format": "png", "minZoom": 0, "maxZoom": 5, "bounds": None}
        if name == "status":
            self.looks += 1
            return self.status(ALL[(self.looks - 1) % len(ALL)])
        if name.split("/")[0] == "tracks":
            return {"items": []}
        make = {"users": self.user, "reports": self.report, "fences": self.fence,
                "directives": self.directive, "devices": self.device, "alerts": self.alert,
                "events": self.event}
        if name in make and not self.has_rows:
            return {"items": [], "next": None}
        if name in make:
            return {"items": [make[name](n, text) for n, text in enumerate(ALL)], "next": None}
        for kind in ("reports", "fences"):
            if name.startswith(kind + "/"):
                number = int(name.split("/")[1], 16)
                return make[kind](number, ALL[number])
        if name == "fences.geojson":
            return {"features": [self.outline(n, text) for n, text in enumerate(ALL)
                                 if n % 2 and self.has_rows]}
        return {"items": [], "next": None}

    def word(self, text):
        return {"claim": "help", "note": text, "callsign": text, "saidAt": WHEN}

    def user(self, n, text):
        return {"id": f"{n:032x}", "callsign": text, "role": ("member", "command", text)[n % 3],
                "safety": ("safe", "unknown", "unsafe")[n % 3], "reason": text,
                "word": self.word(text), "override": self.word(text), "accuracyMetres": 5,
                "fixAgeSeconds": n, "team": text, "lat": 40.3 + n / 2000, "lon": -7.6}

    def report(self, n, text):
        both = [{"value": text, "callsign": text, "writtenAt": WHEN}] * 2
        return {"id": f"{n:032x}", "title": text, "description": text, "category": "other",
                "severity": 3, "toEvacuate": n % 40 == 0, "status": "open", "owner": "0" * 32,
                "ownerCallsign": text, "confirmations": [text],
                "comments": [{"callsign": text, "text": text, "writtenAt": WHEN}], "photos": [],
                "conflicts": [{"field": field, "values": both} for field in ("title", "position", text)],
                "delivery": {"devices": 3, "commandPost": True}, "createdAt": WHEN,
                "updatedAt": WHEN, "lat": 40.3 + n / 2000, "lon": -7.59}

    def fence(self, n, text):
        row = {"id": f"{n:032x}", "name": text, "kind": ("hazard", "muster", "info")[n % 3],
               "active": True, "inside": [text], "properties": text, "dwellSeconds": 0,
               "mode": "careful", "needs": text, "conflicts": [], "createdAt": WHEN,
               "updatedAt": WHEN, "shape": "polygon"}
        if n % 2 == 0:
            row.update(shape="circle", radiusMetres=100, lat=40.3 + n / 2000, lon=-7.58)
        return row

    def outline(self, n, text):
        lat = 40.3 + n / 2000
        ring = [[-7.58, lat], [-7.575, lat], [-7.575, lat + 0.001], [-7.58, lat]]
        return {"type": "Feature", "id": f"{n:032x}", "properties": {"name": text},
                "geometry": {"type": "Polygon", "coordinates": [ring]}}

    def directive(self, n, text):
        person = {"user": f"{n:032x}", "callsign": text, "reason": text, "fixAgeSeconds": 5}
        return {"id": f"{n:032x}", "kind": "rollcall", "text": text, "addressees": text,
                "fence": None, "fenceName": text, "deadline": None, "secondsLeft": None,
                "overdue": False, "status": "open", "callsign": text, "createdAt": WHEN,
                "unaccounted": [text], "people": [
                    {**person, "state": "unaccounted", "answeredAt": None, "answeredBy": None},
                    {**person, "state": "acknowledged", "answeredAt": WHEN, "answeredBy": text + " "}]}

    def device(self, n, text):
        return {"id": f"{n + 1000:032x}", "user": f"{n:032x}", "callsign": text, "role": "member",
                "rank": 1, "isThisDevice": False, "isRevoked": False}

    def alert(self, n, text):
        return {"id": f"help:{n:032x}", "kind": ("help", "directive")[n % 2], "row": f"{n:032x}",
                "level": ("danger", "warning", "notice")[n % 3], "text": text, "since": WHEN,
                "acknowledgedBy": (None, text)[n % 2], "acknowledgedAt": (None, WHEN)[n % 2]}

    def event(self, n, text):
        return {"id": f"{n:032x}", "type": "ENTER", "fence": f"{n:032x}", "fenceName": text,
                "subject": "0" * 32, "callsign": text, "sampleTime": WHEN, "baseline": False,
                "lat": None, "lon": None}

    def status(self, text):
        peer = {"callsign": text, "device": text, "state": "connected", "address": text,
                "interface": text, "lastHeardSeconds": 1, "connectedSeconds": 1,
                "roundTripMilliseconds": 1, "behindFrames": 0, "sentBytes": 1, "receivedBytes": 1}
        return {
            "operationName": text, "callsign": text, "role": "command", "device": text,
            "peers": [peer], "frames": 1, "logs": 1, "quarantined": 0, "stateHash": text,
            "uplink": {"posts": [{"url": text, "lastError": text, "advice": text}], "serves": text},
            "diskFreeBytes": 1, "stale": [], "withholding": []}


# Every status one by one; then all rows, of which every sixth is opened.
STATUSES = """
const done = arguments[0];
import("/dashboard/js/store.js").then(async ({ load, on }) => {
  let next = () => {};
  on(["status"], () => next());
  for (let n = 0; n < %d; n++) {
    await new Promise((resolve) => {
      next = resolve;
      load("status");
    });
  }
  done(document.querySelector("#operation").textContent);
}).catch((error) => done(String(error)));
"""

ROWS = """
const done = arguments[arguments.length - 1];
const [selector] = arguments;
(async () => {
  let opened = 0;
  for (;;) {
    const more = document.querySelector("[data-key=more]");
    if (!more || more.closest("section")?.checkVisibility() === false) break;
    more.click();
    await new Promise(requestAnimationFrame);
  }
  const keys = [...document.querySelectorAll(selector)].map((one) => one.dataset.key)
    .filter((_, n) => n % 6 === 0);
  for (const key of keys) {
    const one = [...document.querySelectorAll(selector)].find((other) => other.dataset.key === key);
    one?.click();
    await new Promise(requestAnimationFrame);
    for (const dialog of document.querySelectorAll("dialog")) {
      opened++;
      dialog.querySelectorAll("details").forEach((d) => { d.open = true; });
      dialog.close();
    }
  }
  done(opened);
})().catch((error) => done(String(error)));
"""


def main():
    try:
        from dashboard import Page, must, wait
        import selenium  # noqa: F401
    except ImportError:
        print("skipped: selenium is not installed (pip install selenium)")
        return 0
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("skipped: Chromium is not installed (apt install chromium chromium-driver)")
        return 0
    stage = HostileStage()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(stage))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = Page(f"http://127.0.0.1:{server.server_address[1]}", None)
    page.driver.set_script_timeout(900)
    try:
        page.driver.get(page.url + "/")
        wait("the makers of the map are named", lambda: page.text("#credit"), 300)
        last = page.driver.execute_async_script(STATUSES % (len(ALL) + 5))
        must(f"{stage.looks} statuses were shown, the last {last!r}", stage.looks > len(ALL))
        ran = page.js("return [typeof window.__ran, document.title === 'ran']")
        must(f"nothing of them ran {ran}", ran == ["undefined", False])
        stage.has_rows = True
        page.driver.get(page.url + "/")
        wait("the sets are shown", lambda: page.js(
            "return document.querySelectorAll('.person').length > 100"
            " && document.querySelectorAll('#reports .card').length > 100"
            " && document.querySelectorAll('#fences .card').length > 300"), 300)
        for view, selector in (("people", ".person"), ("reports", "#reports [data-key^='open ']")):
            page.view(view)
            opened = page.driver.execute_async_script(ROWS, selector)
            must(f"{opened} dialogs of {view} were opened", isinstance(opened, int) and opened >= len(ALL) / 6)
        for language in ("en", "pt"):
            page.js("localStorage.setItem('language', arguments[0]); location.reload()", language)
            wait("the page is back", lambda: page.js("return document.querySelectorAll('.person').length > 100"), 300)
            for view in ("map", "feed", "fences", "orders", "mesh"):
                page.view(view)
            page.js("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            ran = page.js("return [typeof window.__ran, document.title === 'ran']")
            must(f"nothing ran in {language} {ran}", ran == ["undefined", False])
        ran = page.js("""return [typeof window.__ran, document.title === 'ran',
            document.querySelectorAll('main script, main iframe, main a[href], main form[action], '
              + 'main img:not(.leaflet-tile), main object, main embed, main link, main style, main base').length]""")
        must(f"{len(ALL)} payloads in every text of every set: nothing ran {ran}", ran == ["undefined", False, 0])
        refused = [e["message"] for e in page.driver.get_log("browser")
                   if "Content Security Policy" in e["message"]]
        must(f"nothing even tried to {refused[:3]}", not refused)
    finally:
        page.driver.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
