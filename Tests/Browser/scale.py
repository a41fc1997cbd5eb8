#!/usr/bin/env python3
"""Shows the dashboard many people, and measures its performance.

    python3 Tests/Browser/scale.py --members 10000 --reports 1000
    python3 Tests/Browser/scale.py --members 1000 --seconds 3600
    python3 Tests/Browser/scale.py --seconds 3600 --pace 1

A small server replaces the node, so that only the page is measured; its files are the real ones.
Requirements: as dashboard.py."""

import argparse
import gzip
import http.server
import json
import os
import random
import sys
import threading
import time

import browser
from browser import Page
from nodes import wait

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "../../Sources/MusterHTTP/Resources/dashboard")
LEAFLET = "/usr/share/javascript/leaflet"
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
         "webmanifest": "application/manifest+json",
         "png": "image/png"}
COUNTS = {name: 1 for name in (
    "users", "reports", "fences", "events", "directives", "alerts", "mesh",
    "proximity")}
# The interval of positions in seconds.
CADENCE = 20


class Stage:
    """A generated operation with its change counts."""

    def __init__(self, options):
        self.dice = random.Random(options.seed)
        self.changes = threading.Condition()
        self.count = 1
        # The encoded sets, created once for each change, as in a node.
        self.texts = {}
        self.user_requests = 0
        when = "2026-11-22T03:00:00Z"
        self.users = [{
            "id": f"{n:032x}", "callsign": f"Member {n}", "role": "member",
            "safety": ("safe", "safe", "safe", "unknown", "unsafe")[n % 5], "reason": "said so",
            "word": None, "override": None, "accuracyMetres": 12, "fixAgeSeconds": n % 900,
            "team": f"Team {n % 40}", "lat": 40.3 + self.dice.gauss(0, 0.1),
            "lon": -7.6 + self.dice.gauss(0, 0.1)} for n in range(options.members)]
        self.reports = [{
            "id": f"{n:032x}", "title": f"Report {n}", "description": "", "category": "fire",
            "severity": n % 5 + 1, "toEvacuate": n % 50 == 0, "status": "open", "owner": "0" * 32,
            "ownerCallsign": "Ana", "confirmations": [], "comments": [], "photos": [],
            "conflicts": [], "delivery": {"devices": 3, "commandPost": True}, "createdAt": when,
            "updatedAt": when, "lat": 40.3 + self.dice.gauss(0, 0.1),
            "lon": -7.6 + self.dice.gauss(0, 0.1)} for n in range(options.reports)]

        self.mesh = self.links(options.laptops)
        for name in ("users", "reports"):
            self.text(name)

    def links(self, count):
        """Laptops in fully connected camps of eight; two of each camp reach the next camp."""
        names = ["Lead"] + [f"Laptop {n}" for n in range(1, count)]
        found = []
        for a in range(count):
            for b in range(a + 1, count):
                is_same, is_next = a // 8 == b // 8, b // 8 == a // 8 + 1 and a % 4 == b % 4 == 3
                if not (is_same or is_next):
                    continue
                is_mutual = self.dice.random() > 0.1
                for one, other in [(a, b), (b, a)][:1 + is_mutual]:
                    found.append({
                        "from": f"{one:032x}", "to": f"{other:032x}", "fromCallsign": names[one],
                        "toCallsign": names[other], "path": "multicast" if is_same else "unicast",
                        "since": "2026-11-22T03:00:00Z", "toldAt": "2026-11-22T03:10:00Z",
                        "isMutual": is_mutual, "isCurrent": one // 8 < 3,
                        "behindFrames": 0 if one == 0 else None})
        return found

    def move(self, part=0, parts=1):
        """Moves everyone, or a part of them."""
        for user in self.users[part::parts]:
            user["lat"] += self.dice.gauss(0, 0.0001)
            user["lon"] += self.dice.gauss(0, 0.0001)
            user["fixAgeSeconds"] = 0
        with self.changes:
            self.count += 1
            self.texts.pop("users", None)
            self.changes.notify_all()

    def text(self, name):
        if name not in ("users", "reports"):
            return json.dumps(self.answer(name)).encode()
        with self.changes:
            self.user_requests += name == "users"
            if name not in self.texts:
                self.texts[name] = json.dumps(self.answer(name)).encode()
            return self.texts[name]

    def answer(self, name):
        return {
            "users": {"items": self.users, "next": None},
            "reports": {"items": self.reports, "next": None},
            "fences.geojson": {"features": []},
            "mesh": {"items": self.mesh, "next": None},
            "changes": COUNTS,
            "status": {"operationName": "Scale", "callsign": "Lead", "role": "command",
                       "device": "0" * 32, "peers": [], "frames": 1, "logs": 1, "quarantined": 0,
                       "uplink": None, "stateHash": "0" * 64, "diskFreeBytes": 1},
        }.get(name, {"items": [], "next": None})


def handler(stage):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            path = self.path.split("?")[0]
            if path == "/api/v1/stream":
                return self.stream()
            if path.startswith("/api/v1/"):
                return self.say(stage.text(path[8:]), "application/json")
            if path.startswith("/dashboard/world/"):
                return self.world(*map(int, path.split("/")[3:]))
            name = "index.html" if path == "/" else path.removeprefix("/dashboard/")
            place = (os.path.join(LEAFLET, name[8:]) if name.startswith("leaflet/")
                     else os.path.join(FILES, name))
            if not os.path.isfile(place):
                return self.send_error(404)
            with open(place, "rb") as file:
                self.say(file.read(), TYPES[place.rsplit(".", 1)[1]])

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.say(stage.read(self.path[8:], body), "application/json")

        def world(self, zoom, column, row):
            """A tile of the map of the world; none in the open sea."""
            from pmtiles.reader import MmapSource, Reader
            with open(os.path.join(FILES, "../world.pmtiles"), "rb") as file:
                tile = Reader(MmapSource(file)).get(zoom, column, row)
            self.say(gzip.decompress(tile) if tile else b"", "application/vnd.mapbox-vector-tile")

        def say(self, body, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", "default-src 'self'")
            self.end_headers()
            self.wfile.write(body)

        def stream(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            known = stage.count
            try:
                self.wfile.write(f"event: counts\ndata: {json.dumps(COUNTS)}\n\n".encode())
                while True:
                    with stage.changes:
                        stage.changes.wait_for(lambda: stage.count > known, timeout=5)
                        known = stage.count
                    for name in getattr(stage, "moving", ("users",)):
                        notice = {"dataset": name, "syncCount": known, "rows": None, "reload": True}
                        self.wfile.write(f"event: change\ndata: {json.dumps(notice)}\n\n".encode())
            except OSError:
                return

    return Handler


FRAMES = """
const done = arguments[arguments.length - 1];
const map = document.querySelector("#map");
const box = map.getBoundingClientRect();
const at = (type, x, y, target) => target.dispatchEvent(new MouseEvent(type, {
  bubbles: true, cancelable: true, view: window, button: 0, buttons: 1,
  clientX: box.x + box.width / 2 + x, clientY: box.y + box.height / 2 + y}));
const times = [];
let last = performance.now(), n = 0;
at("mousedown", 0, 0, map);
function frame(now) {
  times.push(now - last);
  last = now;
  n++;
  const turn = n % 60;
  if (turn === 59) { at("mouseup", 0, 0, document); at("mousedown", 0, 0, map); }
  else at("mousemove", 200 * Math.sin(n / 20), 150 * Math.cos(n / 15), document);
  if (n < 300) requestAnimationFrame(frame);
  else { at("mouseup", 0, 0, document); done(times.slice(5)); }
}
requestAnimationFrame(frame);
"""


# The time at which the first people are on the screen, not only in the document.
FIRST = """
new MutationObserver(() => {
  if (window.__first || !document.querySelector(".person")) return;
  requestAnimationFrame(() => requestAnimationFrame(() => {
    window.__first ??= performance.now();
  }));
}).observe(document, { childList: true, subtree: true });"""


def paint(page):
    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FIRST})
    page.driver.execute_cdp_cmd("Performance.enable", {})
    page.driver.get(page.url)
    wait("people are shown", lambda: page.js("return window.__first ?? 0"))
    print(f"processor time of the page's main thread until then: "
          f"{metrics(page)['ThreadTime'] * 1000:.0f} ms")
    print(f"first useful paint: {page.js('return window.__first'):.0f} ms (at most 1000)")


def metrics(page):
    """Returns the measures of the browser by name, in seconds."""
    return {one["name"]: one["value"]
            for one in page.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}


def spent(page):
    """Returns the seconds that the page's process has spent on scripts, and on all of its tasks."""
    found = metrics(page)
    return found["ScriptDuration"], found["TaskDuration"]


def pan(page):
    before = spent(page)
    frames = sorted(page.driver.execute_async_script(FRAMES))
    script, tasks = ((new - old) * 1000 / len(frames) for old, new in zip(before, spent(page)))
    print(f"frames while panning: median {frames[len(frames) // 2]:.0f} ms, "
          f"p95 {frames[int(len(frames) * 0.95)]:.0f} ms, most {frames[-1]:.0f} ms; in each "
          f"{script:.1f} ms of script (at most 8), {tasks:.1f} ms of all work")


def memory(page):
    """Returns the memory of the page in bytes: JavaScript heap, and complete process."""
    for _ in range(3):
        page.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    heap = page.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]
    return heap, max(private_bytes(pid) for pid in renderers(page.driver.service.process.pid))


def renderers(driver):
    """Returns the page processes of a driver."""
    parents, found = {}, []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                parents[int(name)] = int(file.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{name}/cmdline", encoding="utf-8") as file:
                if "--type=renderer" in file.read():
                    found.append(int(name))
        except OSError:
            continue
    below = lambda pid: pid == driver or pid in parents and below(parents[pid])
    return [pid for pid in found if below(pid)]


def private_bytes(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        lines = [line.split() for line in file]
    return 1024 * sum(int(words[1]) for words in lines if words[0].startswith("Private_"))


def walk(page, stage, seconds, pace):
    """Moves everyone every twenty seconds, each second in `pace` seconds; without a pace as fast as the
    page can follow: the next second is announced once the page has requested the previous one."""
    def passes(count):
        for _ in range(count):
            asked = stage.user_requests
            stage.move(stage.count % CADENCE, CADENCE)
            if pace:
                time.sleep(pace)
            else:
                wait("the page requests again", lambda: stage.user_requests > asked)

    passes(60)
    before, start = memory(page), time.monotonic()
    passes(seconds)
    took, after = time.monotonic() - start, memory(page)
    for name, old, new in zip(("heap", "whole process"), before, after):
        print(f"{name} after {seconds} s of {len(stage.users)} moving people, in {took:.0f} s and "
              f"{stage.user_requests} requests: {(new - old) / 1e6:+.1f} MB to {new / 1e6:.1f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--members", type=int, default=10_000)
    parser.add_argument("--reports", type=int, default=1_000)
    parser.add_argument("--laptops", type=int, default=16, help="number of laptops with links")
    parser.add_argument("--seconds", type=int, default=0, help="seconds of movement for the memory test")
    parser.add_argument("--pace", type=float, help="how long a second of movement takes; 1 is real time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--screenshot", help="file for a screenshot of the map; the mesh is stored as .mesh.png")
    options = parser.parse_args()
    browser.require()
    stage = Stage(options)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(stage))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = Page(f"http://127.0.0.1:{server.server_address[1]}")
    page.driver.set_script_timeout(120)
    try:
        paint(page)
        time.sleep(3)
        pan(page)
        heap, whole = memory(page)
        print(f"memory: heap {heap / 1e6:.1f} MB, whole process {whole / 1e6:.1f} MB (at most 150)")
        if options.screenshot:
            page.driver.save_screenshot(options.screenshot)
            page.view("mesh")
            wait("the mesh is drawn", lambda: "Laptop 1" in page.text("#mesh"))
            page.driver.save_screenshot(options.screenshot.removesuffix(".png") + ".mesh.png")
        if options.seconds:
            walk(page, stage, options.seconds, options.pace)
    finally:
        page.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
