#!/usr/bin/env python3
"""Shows the dashboard every payload in every text that a node can send, and checks that none runs.

    python3 Tests/Browser/hostile.py

A small server replaces the node, so that texts that a node would reject are shown too: callsigns,
the operation's name, the attribution of a base map and others. Requirements: as dashboard.py."""

import json
import sys
import threading

import browser
from access import VIEWS
from browser import Page, must
from nodes import wait
from payloads import ALL
from scale import COUNTS, Stage, handler, http

WHEN = "2026-11-22T03:00:00Z"


class HostileStage(Stage):
    """Row n of each set has payload n in every text; the status has the next one at each request."""

    def __init__(self):
        self.changes = threading.Condition()
        self.count = 1
        self.looks = 0
        self.has_rows = False

    def text(self, name):
        return json.dumps(self.answer(name)).encode()

    def answer(self, name):
        if name == "changes":
            return COUNTS
        if name == "maps":
            return {"items": [self.map(n, text) for n, text in enumerate(ALL)]}
        if name.startswith("maps/"):
            return {"type": "FeatureCollection", "features": [
                {"type": "Feature", "properties": {"name": text, "description": text},
                 "geometry": {"type": "Point", "coordinates": [-7.6, 40.3]}} for text in ALL]}
        if name == "status":
            self.looks += 1
            return self.status(ALL[(self.looks - 1) % len(ALL)])
        if name.split("?")[0].startswith("proximity"):
            return self.nearby(name)
        if name.split("/")[0] == "tracks":
            return {"items": []}
        make = {"users": self.user, "reports": self.report, "fences": self.fence,
                "directives": self.directive, "devices": self.device, "alerts": self.alert,
                "events": self.event, "mesh": self.link}
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

    def read(self, name, body):
        """The zones of a file, as the node reads them."""
        assert name.startswith("fences/drafts?"), name
        left = [{"place": text, "reason": text} for text in ALL[:20]]
        return json.dumps({**json.loads(body), "import": {"leftOut": 21, "omissions": left}}).encode()

    def map(self, n, text):
        kind = "overlay" if n == 1 else ("raster", None)[n % 2]
        return {"name": f"{n} {text}", "title": text, "attribution": " ".join(ALL), "kind": kind,
                "tiles": "/tiles/{z}/{x}/{y}" if kind == "raster" else None, "format": "png",
                "minZoom": 0, "maxZoom": 5, "bounds": None, "bytes": 1, "isRemovable": True,
                "layers": [text], "fault": None if kind else text}

    def nearby(self, name):
        """The log of devices nearby, exposure notices, and command's review."""
        rows = ALL if self.has_rows else []
        state = {"on": True, "scanning": "on", "advertising": "unknown", "sendsSessions": True,
                 "sharesCount": False, "showsName": False, "problem": ALL[0],
                 "report": {"kind": ALL[0], "text": ALL[0], "days": [WHEN], "isPublished": True},
                 "notices": [{"id": text, "kind": text, "text": text,
                              "days": [{"day": WHEN, "minutes": n, "rssi": -60}]}
                             for n, text in enumerate(rows)]}
        if name == "proximity":
            return state
        if name == "proximity/overview":
            return {"state": state, "sessions": [],
                    "own": {"identifier": ALL[1], "changesAt": WHEN},
                    "devices": [{"identifier": text, "name": text, "rssi": -60, "last": WHEN}
                                for text in rows[:50]],
                    "review": {"items": [
                        {"id": text, "kind": text, "text": text, "callsign": text,
                         "state": "reported", "people": n} for n, text in enumerate(rows)],
                        "senders": []}}
        return {"items": []}

    def phrase(self, n, text):
        """A text of the node whose values, and sometimes key, are hostile."""
        key = ("about", "zoneRule", "report", "toString", "__proto__", text)[n % 6]
        values = (text, [text, {"key": "atAssembly", "values": {"zone": text}}], {"key": text}, None)
        return {"key": key, "values": {name: values[(n + place) % 4] for place, name in enumerate(
            ("name", "reason", "zone", "violations", "by", "title", "category", "place"))}}

    def word(self, text):
        return {"claim": "help", "note": text, "callsign": text, "saidAt": WHEN}

    def user(self, n, text):
        return {"id": f"{n:032x}", "callsign": text, "role": ("member", "command", text)[n % 3],
                "safety": ("safe", "unknown", "unsafe")[n % 3], "reason": text,
                "status": ("mayday", "ordered", text)[n % 3],
                "severity": ("danger", "warning", text)[n % 3],
                "conditions": [{"status": text, "severity": text, "reason": text,
                                "phrase": self.phrase(n, text)},
                               {"status": "noContact", "severity": "warning", "reason": text}],
                "age": {"seconds": n, "atMostSeconds": None, "reason": text},
                "order": {"id": f"{n:032x}", "kind": text, "zone": text, "distanceMetres": n,
                          "bearingDegrees": n, "dueSeconds": n},
                "word": self.word(text), "override": self.word(text), "accuracyMetres": 5,
                "fixAgeSeconds": n, "team": text, "lat": 40.3 + n / 2000, "lon": -7.6}

    def report(self, n, text):
        both = [{"value": text, "callsign": text, "writtenAt": WHEN}] * 2
        return {"id": f"{n:032x}", "title": text, "description": text, "category": "other",
                "severity": 3, "toEvacuate": n % 40 == 0, "status": "open", "owner": "0" * 32,
                "ownerCallsign": text, "confirmations": [text],
                "confirmedBy": [{"name": text, "through": text, "beforeChange": True}],
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
        person = {"user": f"{n:032x}", "callsign": text, "reason": text,
                  "phrase": self.phrase(n, text), "fixAgeSeconds": 5,
                  "zone": text, "distanceMetres": n, "bearingDegrees": n}
        return {"id": f"{n:032x}", "kind": "rollcall", "text": text, "addressees": text,
                "fence": None, "fenceName": text, "deadline": None, "secondsLeft": None,
                "overdue": False, "status": "open", "callsign": text, "createdAt": WHEN,
                "unaccounted": [text], "zones": [{"id": f"{n:032x}", "name": text}], "people": [
                    {**person, "state": "unaccounted", "answeredAt": None, "answeredBy": None},
                    {**person, "state": "acknowledged", "answeredAt": WHEN, "answeredBy": text + " "}]}

    def device(self, n, text):
        return {"id": f"{n + 1000:032x}", "user": f"{n:032x}", "callsign": text, "role": "member",
                "rank": 1, "isThisDevice": n == 1, "isRevoked": False}

    def alert(self, n, text):
        return {"id": f"help:{n:032x}", "kind": ("help", "directive")[n % 2], "row": f"{n:032x}",
                "level": ("danger", "warning", "notice")[n % 3], "text": text, "since": WHEN,
                "phrase": {"key": "about", "values": {"name": text, "reason": {
                    "key": "askedForHelp", "values": {"note": text}}}} if n % 3 else self.phrase(n, text),
                "acknowledgedBy": (None, text)[n % 2], "acknowledgedAt": (None, WHEN)[n % 2],
                "acknowledgements": [{"name": text, "role": "member", "note": text}],
                "contacts": [{"id": f"{n:032x}", "name": text, "phone": text, "otherPhones": [text],
                              "note": text, "lat": None, "lon": None, "distanceMetres": n,
                              "bearingDegrees": n}]}

    def link(self, n, text):
        # Few enough to be drawn, each with its own text.
        return {"from": f"{n % 30:032x}", "fromCallsign": text, "to": f"{(n + 1) % 30:032x}",
                "toCallsign": text, "path": ("multicast", "unicast", text)[n % 3], "since": WHEN,
                "toldAt": WHEN, "ageSeconds": 1, "isMutual": n % 2 == 0, "isCurrent": n % 3 > 0,
                "behindFrames": (None, n)[n % 2]}

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


# Every status, one by one.
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

# Every row of a drawer, in the detail panel.
ROWS = """
const [view, selector, done] = arguments;
(async () => {
  for (;;) {
    const more = document.querySelector(`#${view} [data-key=more]`);
    if (!more) break;
    more.click();
    await new Promise(requestAnimationFrame);
  }
  const keys = [...document.querySelectorAll(selector)].map((one) => one.dataset.key);
  let opened = 0;
  for (const key of keys) {
    document.querySelector(`#${view} [data-key="${key}"]`)?.click();
    await new Promise(requestAnimationFrame);
    const close = document.querySelector("#detail [data-key='close panel']");
    if (close) opened++;
    close?.click();
  }
  done(opened);
})().catch((error) => done(String(error)));
"""

# Zones from a file, with names from its author.
IMPORT = """
const [names, done] = arguments;
const features = names.map((name, n) => ({ type: "Feature", properties: { name, kind: name,
  radius_m: 50 }, geometry: { type: "Point", coordinates: [-7.6, 40.3 + n / 1000] } }));
const file = new File([JSON.stringify({ type: "FeatureCollection", features })], names[0]);
import("/dashboard/js/import.js").then(async ({ importZones }) => {
  importZones(file);
  while (!document.querySelector("dialog .review")) await new Promise(requestAnimationFrame);
  const lines = document.querySelectorAll("dialog .review li").length;
  document.querySelector("dialog").close();
  done(lines);
}).catch((error) => done(String(error)));
"""

# The elements that no text may create.
MADE = ", ".join(f"main {name}, #notices {name}, dialog {name}" for name in (
    "script", "iframe", "a[href]:not([href^='tel:'])", "form[action]",
    "img:not(.leaflet-tile)", "object", "embed", "link", "style", "base", "svg [onload]"))


def nothing_ran(page, where):
    ran = page.js("""return [typeof window.__ran, document.title === 'ran',
        document.querySelectorAll(arguments[0]).length]""", MADE)
    must(f"nothing ran {where} {ran}", ran == ["undefined", False, 0])


def main():
    browser.require()
    stage = HostileStage()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(stage))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = Page(f"http://127.0.0.1:{server.server_address[1]}")
    page.driver.set_script_timeout(900)
    try:
        show(page, stage)
    finally:
        page.close()
    return 0


def show(page, stage):
    page.driver.get(page.url + "/")
    wait("the attribution of the map is shown", lambda: page.text("#credit"), 300)
    last = page.driver.execute_async_script(STATUSES % (len(ALL) + 5))
    must(f"{stage.looks} statuses were shown, the last {last!r}", stage.looks > len(ALL))
    nothing_ran(page, "of them")
    stage.has_rows = True
    page.driver.get(page.url + "/")
    sets = {".person": 100, "#reports .item": 100, "#fences .item": 300}
    wait("the sets are shown", lambda: all(page.count(s) > n for s, n in sets.items()), 300)
    for view, selector in (("people", ".person"), ("reports", "#reports [data-key^='open ']")):
        page.view(view)
        opened = page.driver.execute_async_script(ROWS, view, selector)
        must(f"{opened} of {view} were opened", opened == len(ALL))
        nothing_ran(page, "in them")
    for language in ("en", "pt"):
        page.js("localStorage.setItem('language', arguments[0]); location.reload()", language)
        wait("the page is back", lambda: page.count(".person") > 100, 300)
        for view in VIEWS:
            page.view(view)
        page.js("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        nothing_ran(page, f"in {language}")
    shown = sum(page.driver.execute_async_script(IMPORT, ALL[n:n + 110])
                for n in range(0, len(ALL), 110))
    must(f"{shown} zones of a file were reviewed", shown == len(ALL))
    nothing_ran(page, "in them")
    page.js("document.querySelector('#nearby').click()")
    wait("exposure reports are shown",
         lambda: page.count("#proximity [data-key^='publish ']") == len(ALL))
    notices = page.count("#proximity [data-exposure]")
    must(f"{notices} exposure notices were shown", notices == len(ALL))
    nothing_ran(page, "among devices nearby")
    print(f"{len(ALL)} payloads in every text of every set")
    refused = [e["message"] for e in page.driver.get_log("browser")
               if "Content Security Policy" in e["message"]]
    must(f"nothing attempted to run {refused[:3]}", not refused)


if __name__ == "__main__":
    sys.exit(main())
