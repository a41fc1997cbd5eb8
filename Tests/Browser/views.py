#!/usr/bin/env python3
"""Makes one sheet for each view of the page: three screens, light and dark.

    python3 Tests/Browser/views.py --to docs/images/views
    python3 Tests/Browser/views.py --to /tmp/views --only people,report --single /tmp/pictures

The scene of picture.py has every status at once, so no node is needed, and the pictures differ only
where the page does. `print` and `print-forms` are the pages of paper. Look at every sheet before you
commit it. Requirements: as dashboard.py, and openssl. Takes about eight minutes."""

import argparse
import base64
import hashlib
import http.server
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import browser
import paper
from access import PAST
from browser import Page, checked
from nodes import wait
from picture import (
    CONTACTS, PEOPLE, SIZES, PictureStage, checkins, reports, resize, stamp, writing)
from scale import FILES

THEMES = ("light", "dark")
# The scale of a sheet, and the quality of its WebP.
SCALE, QUALITY = 0.48, 0.55
GAP = 12
# Pages of paper, of which so many are in a row of a sheet.
PAPER, PAGES = "paper", 3
# The ids of devices in the scene.
DEVICE = re.compile(rb"0{29}[3-4][0-9a-f]{2}(?![0-9a-f])|9{32}")

LOGINS = {"address": "https://192.168.1.20:7443", "items": [
    {"name": "Eva", "rights": "member", "user": None, "callsign": None, "phone": True},
    {"name": "Lead", "rights": "command", "user": f"{12:032x}", "callsign": "Lead", "phone": False},
    {"name": "Wall screen", "rights": "observer", "user": None, "callsign": None, "phone": False}]}
LINK = {"url": "https://192.168.1.20:7443/#login=5f1c0b7a9e3d42868c1f0a7be45d9312/Rui",
        "expires": stamp(-1800)}
INVITATION = {"url": "muster://" + "Ab3_dE6-gH9kLm2n" * 13, "role": "member",
              "expires": stamp(-86400)}
INVITES = [{"id": "7c1e" + "0" * 28, "role": "member", "user": None, "usesLeft": 4,
            "createdAt": stamp(3600), "expires": stamp(-86400), "state": "open",
            "devices": [f"{3 + 1000:032x}"]}]
SETTINGS = {"silenceSeconds": 600, "foreground": {
    "mode": "standard", "readingSeconds": 5, "sendingSeconds": 20, "distanceMetres": 20,
    "accuracyMetres": 100, "sharesTrack": True}}
SETTINGS["background"] = SETTINGS["foreground"]

# A picture in place of a photo: a sawmill that burns, seen from the road.
PICTURE = b"""<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1200" viewBox="0 0 1600 1200">
<rect width="1600" height="1200" fill="#8fa3b0"/><path d="M0 620L420 380 760 560 1180 300 1600 560V1200H0Z" fill="#4e6350"/>
<path d="M0 760H1600V1200H0Z" fill="#6b6a52"/><path d="M620 1200L780 760H860L1100 1200Z" fill="#7d7f82"/>
<path d="M300 560L520 440 740 560V800H300Z" fill="#5b4636"/><path d="M270 570L520 420 770 570Z" fill="#33302f"/>
<path d="M400 800V640H520V800Z" fill="#231a14"/><path d="M560 700H680V620H560Z" fill="#e8902a"/>
<path d="M470 440C420 340 520 330 490 220C600 280 640 340 590 440Z" fill="#f06a1c"/>
<path d="M500 440C480 390 530 370 520 320C575 360 585 400 560 440Z" fill="#ffd34a"/>
<path d="M520 230C460 120 640 140 600 20C760 60 900 10 980 90C860 100 760 170 700 260Z" fill="#3b3f42" opacity=".75"/>
<path d="M1180 900H1400V1010H1180Z" fill="#b02a20"/><circle cx="1230" cy="1015" r="32" fill="#222"/><circle cx="1350" cy="1015" r="32" fill="#222"/>
</svg>"""


def photos():
    """Of the fire: one with marks, one whose original is on its way."""
    part = {"width": 1600, "height": 1200, "bytes": 412_000, "complete": True, "percent": 100,
            "stall": None, "devices": 4, "total": 6, "commandPost": True}
    mark = {"colour": "yellow", "text": "", "callsign": "Ana", "author": f"{0:032x}",
            "drawnAt": stamp(60)}
    shapes = [("arrow", [(0.66, 0.2), (0.42, 0.3)], ""), ("circle", [(0.31, 0.55), (0.46, 0.55)], ""),
              ("text", [(0.5, 0.62)], "gas bottles here")]
    marks = [{**mark, "id": f"{n:032x}", "shape": shape, "text": text,
              "points": [{"x": x, "y": y} for x, y in points]}
             for n, (shape, points, text) in enumerate(shapes)]
    row = {"callsign": "Ana", "author": f"{0:032x}", "addedAt": stamp(80), "takenAt": stamp(95),
           "lat": 40.3191, "lon": -7.6138, "thumbnail": part, "original": part}
    return [{**row, "id": "b" * 31 + "1", "marks": marks},
            {**row, "id": "b" * 31 + "2", "marks": [], "callsign": "Gil", "author": f"{6:032x}",
             "original": {**part, "complete": False, "percent": 40, "stall": "narrowLink"}}]


class Scene(PictureStage):
    """The scene with what only some views need."""

    def __init__(self, me="Lead", session=None):
        super().__init__(me)
        self.session = session

    def text(self, name):
        """The ids of devices look like real ones."""
        return DEVICE.sub(
            lambda one: hashlib.sha256(one[0]).hexdigest()[:32].encode(), super().text(name))

    def answer(self, name):
        peers = [{
            "callsign": PEOPLE[n][0], "device": f"{n + 1000:032x}", "isRevoked": False,
            "state": state, "isConnected": state == "connected", "needsUpdate": None,
            "address": f"192.168.1.{n + 30}:7474", "interface": "wlan0", "lastHeardSeconds": age,
            "connectedSeconds": 3600 if state == "connected" else None,
            "roundTripMilliseconds": 4.2 if state == "connected" else None, "behindFrames": n,
            "sentBytes": 48_211, "receivedBytes": 1_204_332,
        } for n, state, age in ((0, "connected", 3), (3, "connected", 1), (8, "silent", 840))]
        found = {
            "me/reports": {"ids": ["a" * 31 + "2"]},
            "logins": LOGINS, "invitations": {"items": INVITES}, "settings": SETTINGS, "session": self.session,
            "mesh": {"items": self.links(), "next": None},
            "events": {"items": self.crossings(), "next": None},
            "contacts": {"items": [
                {**one, "lat": one["distanceMetres"] and 40.35, "lon": one["distanceMetres"] and -7.58}
                for one in CONTACTS]},
        }.get(name)
        if name.endswith("/photos"):
            return {"items": photos()}
        if name == "reports":
            first, second, *others = reports()
            return {"items": [{**first, "photos": 2}, {**second, "confirmations": []}, *others],
                    "next": None}
        if name == "checkins" and self.session:
            # Whose phone it is has a timer too.
            return {"items": [
                {**one, "id": "c" * 32, "user": self.session["user"], "callsign": "Eva",
                 "state": "reminder", "latestSeconds": 90, "note": ""} for one in checkins()[:1]]
                + checkins()}
        if found is None:
            found = super().answer(name)
        if name.startswith("fences/"):
            found = next(one for one in self.fences() if one["id"] in name)
        if name == "status":
            found = {**found, "peers": peers, "frames": 4211, "logs": 13,
                     "diskFreeBytes": 41_000_000_000, "stateHash": "8f3c" * 16}
        return found

    def links(self):
        found = super().answer("mesh")["items"]
        return found + [{**one, "from": one["to"], "to": one["from"],
                         "fromCallsign": one["toCallsign"], "toCallsign": one["fromCallsign"]}
                        for one in found[:2]]

    def crossings(self):
        return [{"id": f"{n:032x}", "type": kind, "fence": "f" * 31 + zone, "fenceName": name,
                 "subject": f"{n:032x}", "callsign": PEOPLE[n][0], "sampleTime": stamp(ago),
                 "lat": 40.32, "lon": -7.61, "baseline": False}
                for n, kind, zone, name, ago in ((2, "ENTER", "2", "Sawmill fire", 95),
                                                 (11, "ENTER", "1", "School yard", 300),
                                                 (10, "EXIT", "2", "Sawmill fire", 900))]

    def write(self, method, name, body):
        if name == "session" and method == "DELETE":
            self.session = None
        return super().write(method, name, body)


def serving(scene, is_secure):
    """The handler of the scene, with answers to some writes, and the pages before a login."""
    def is_locked(path):
        return scene.session is None and (is_secure or path == "/api/v1/session")

    class Handler(writing(scene)):
        def do_GET(self):
            path = self.path.split("?")[0]
            if "/photos/" in path:
                return self.say(PICTURE, "image/svg+xml")
            if path in ("/join", "/token"):
                return self.say(before(path[1:]), "text/html; charset=utf-8")
            if path.startswith("/api/") and is_locked(path):
                return self.refuse(401, "log in first: POST /api/v1/session")
            super().do_GET()

        def do_POST(self):
            answers = {"invitations": INVITATION, "logins": LINK}
            name = self.path.removeprefix("/api/v1/")
            if name not in answers:
                return self.take()
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.say(json.dumps(answers[name]).encode(), "application/json")

        def refuse(self, status, detail):
            body = json.dumps({"status": status, "detail": detail}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def before(name):
    """A page before the login, in English, as the node sends it."""
    with open(os.path.join(FILES, f"{name}.html"), encoding="utf-8") as file:
        page = file.read()
    with open(os.path.join(FILES, f"texts/{name}.json"), encoding="utf-8") as file:
        texts = json.load(file)["en"]
    for key, text in {**texts, "language": "en"}.items():
        page = page.replace("{{%s}}" % key, text)
    return page.encode()


class Server:
    """Serves a scene, with TLS as to phones or without as on the laptop itself."""

    def __init__(self, scene, folder=None):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serving(scene, folder is not None))
        self.server.daemon_threads = True
        # A browser that gave up waiting.
        self.server.handle_error = lambda *_: None
        if folder:
            pem = os.path.join(folder, "scene.pem")
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                 "/CN=127.0.0.1", "-keyout", pem, "-out", pem + ".crt"], check=True,
                capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pem + ".crt", pem)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http{'s' if folder else ''}://127.0.0.1:{self.server.server_address[1]}"


class Views(Page):
    """The page, which opens one view after the other on each screen."""

    folder = ""
    only = None

    def walk(self, views, size, start):
        """Takes each view on this screen in both themes; `start` opens the page."""
        wanted = [one for one in views if not self.only or one[0] in self.only]
        if not wanted:
            return
        start(self)
        for name, act in wanted:
            act(self)
            # Nothing is under the pointer.
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": "mouseMoved", "x": 2, "y": 2})
            time.sleep(0.5)
            for theme in THEMES:
                self.theme(theme)
                wait("no message is shown", lambda: not self.text("#said"))
                time.sleep(0.3)
                self.driver.save_screenshot(
                    os.path.join(self.folder, f"{name}-{size}-{theme}.png"))
            self.theme("light")
            self.rest()
            print(f"{size} {name}", flush=True)

    def rest(self):
        """Closes whatever is open."""
        self.js("""document.querySelectorAll('dialog').forEach((one) => one.close());
            document.querySelector('#map-bar:not([hidden]) button:last-child')?.click();
            document.querySelector("[data-key='chosen clear']")?.click();
            document.querySelector("[data-key='past close']")?.click();
            document.querySelector("[data-key='tool rings'][aria-pressed=true]")?.click();
            document.querySelector('#here')?.remove();
            if (!document.querySelector('#settings')?.hidden) document.querySelector('#more')?.click();
            document.querySelector('#rail.open .more')?.click();""")
        self.close_panel()
        self.view("map")
        self.js("document.querySelector(\"[data-key='tool fit']\")?.click(); document.activeElement?.blur();")
        time.sleep(0.2)


def drawer(name):
    return lambda page: page.view(name)


def press(page, selector):
    """Clicks as a pointer does, so that no focus of the keyboard is shown."""
    wait(f"{selector} is there", lambda: page.count(selector))
    page.js("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)
    # A tool that a phone does not show.
    if not page.js("return document.querySelector(arguments[0]).offsetWidth", selector):
        return page.click(selector)
    return page.on(
        selector, lambda one: page.actions().move_to_element(one).click().perform())


def clicking(view, *selectors):
    """Opens a drawer and clicks on one thing after the other."""
    def act(page):
        page.view(view)
        if view == "map" and selectors[0].startswith("#"):
            press(page, "#more")
        for one in selectors:
            press(page, one)
            time.sleep(0.3)
    return act


def filling(view, opener, **values):
    def act(page):
        clicking(view, opener)(page)
        page.fill(**values)
    return act


def menu(page):
    page.view("map")
    page.tap(-60, 60, is_right=True)


def drawing(page):
    page.view("map")
    press(page, "[data-key='tool fences']")
    time.sleep(0.3)
    for x, y in ((-90, -60), (60, -80), (90, 60), (-60, 80)):
        page.tap(x, y)
        time.sleep(0.2)


def measuring(page):
    page.view("map")
    press(page, "[data-key='tool measure']")
    for x, y in ((-80, -40), (40, -80), (80, 60)):
        page.tap(x, y)
        time.sleep(0.2)


def past_person(page):
    clicking("map", "[data-key='tool replay']")(page)
    wait("the past is shown", lambda: page.js(PAST))


def chosen(page):
    page.view("people")
    for n in (3, 4):
        page.click(f"#people [data-key='tick {n:032x}']")


REPORT = "#reports [data-key='open " + "a" * 31 + "1']"
PHOTO = "#detail [data-key='photo " + "b" * 31 + "1']"


def annotating(page):
    """A line is drawn on the photo."""
    clicking("reports", REPORT, PHOTO, "dialog [data-key='mark line']")(page)
    page.on(".marks.drawing", lambda one: page.actions().move_to_element_with_offset(one, -40, 30)
            .click_and_hold().move_by_offset(40, 60).move_by_offset(40, -20).perform())


def person(n):
    return clicking("people", f".person[data-key='{n:032x}']")


LEADER = [
    ("map", drawer("map")), ("people", drawer("people")), ("people-chosen", chosen),
    ("person-danger", person(0)), ("person-ok", person(7)),
    ("override", clicking("people", f".person[data-key='{0:032x}']", "#detail [data-key='override.safe']")),
    ("reports", drawer("reports")),
    ("report", clicking("reports", REPORT)), ("photo", clicking("reports", REPORT, PHOTO)),
    ("photo-mark", annotating),
    ("report-new", filling("reports", "[data-key=file]", title="Bridge under water",
                           place="40.3220, -7.6080", severity="4")),
    ("zones", drawer("fences")),
    ("zone", clicking("fences", "#fences [data-key='zone " + "f" * 31 + "2']")),
    ("zone-new", clicking("fences", "[data-key=typed]")), ("zone-draw", drawing),
    ("orders", drawer("orders")), ("order-evacuate", clicking("orders", "[data-key=evacuate]")),
    ("order-rollcall", clicking("orders", "[data-key=rollcall]")),
    ("timers", drawer("timers")), ("timer-new", clicking("timers", "[data-key='checkin start']")),
    ("timer-pins", clicking("timers", "[data-key='checkin pins']")),
    ("team", drawer("team")), ("invite", clicking("team", "[data-key=invite]")),
    ("revoke", clicking("team", "#team [data-key^='revoke ']")),
    ("sampling", clicking("team", "[data-key=sampling]")),
    ("login-add", clicking("team", "[data-key='add login']")),
    ("login-link", lambda page: (
        clicking("team", "[data-key='add login']")(page), page.fill(name="Rui"),
        page.click("dialog[open] [type=submit]"),
        wait("the code is shown", lambda: page.count("dialog[open] .code")))),
    ("network", drawer("mesh")), ("layers", drawer("layers")), ("alerts", drawer("feed")),
    ("status", drawer("me")), ("status-help", clicking("me", "#say-help")),
    ("menu", lambda page: press(page, "#more")), ("menu-map", menu),
    ("find", clicking("map", "[data-key='tool find']")), ("measure", measuring),
    ("rings", clicking("map", "[data-key='tool rings']")),
    ("replay", clicking("map", "[data-key='tool replay']")), ("replay-person", past_person),
    ("contacts", clicking("map", "#contacts")), ("nearby", clicking("map", "#nearby")),
    ("keys", clicking("map", "#keys"))]

MEMBER = [
    ("member-map", drawer("map")), ("member-status", drawer("me")),
    ("member-orders", drawer("orders")), ("member-reports", drawer("reports")),
    ("member-team", drawer("team"))]

PHONE = [
    ("phone-map", drawer("map")), ("phone-report", clicking("reports", "[data-key=file]")),
    ("phone-status", drawer("me")), ("phone-people", drawer("people")),
    ("phone-team", drawer("team"))]

# What the phone of a login with the rights of a member shows besides.
OWN_REPORT = "#reports [data-key='open " + "a" * 31 + "2']"
MEMBER_PHONE = [
    ("member-phone-map", drawer("map")), ("member-phone-status", drawer("me")),
    ("member-phone-reports", drawer("reports")),
    ("member-phone-own", clicking("reports", OWN_REPORT)),
    ("member-phone-other", clicking("reports", REPORT)),
    ("member-phone-timers", drawer("timers")), ("member-phone-team", drawer("team"))]

SESSION = {"id": "5" * 32, "standing": "full", "name": "Eva", "rights": "command",
           "user": f"{4:032x}", "operation": "0" * 32,
           "phone": "/phone/0123456789abcdef0123456789abcdef/"}


def before_login(page, size, url):
    """The instructions, the page without the token, the login form, and that of a link."""
    views = (("join", "/join#" + "8F3C" * 16), ("token", "/token"), ("login", "/"),
             ("login-open", "/#login=5f1c0b7a9e3d42868c1f0a7be45d9312/Rui"))
    for name, path in views:
        if page.only and name not in page.only:
            continue
        for theme in THEMES:
            page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": theme}]})
            page.driver.get("about:blank")
            page.driver.get(url + path)
            time.sleep(1.2)
            page.js("localStorage.clear()")
            page.driver.save_screenshot(os.path.join(page.folder, f"{name}-{size}-{theme}.png"))
        print(f"{size} {name}", flush=True)
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def lost(page, size):
    """A phone whose laptop is out of range."""
    if page.only and "phone-lost" not in page.only:
        return
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
    page.view("map")
    wait("the loss is shown", lambda: page.text("#banner"), 60)
    for theme in THEMES:
        page.theme(theme)
        time.sleep(0.4)
        page.driver.save_screenshot(os.path.join(page.folder, f"phone-lost-{size}-{theme}.png"))


def printed(page):
    """The pages of paper: the map, people and reports, and then the forms."""
    if page.only and not page.only & {"print", "print-forms"}:
        return
    for name in os.listdir(page.folder):
        if name.endswith(f"-{PAPER}.png"):
            os.remove(os.path.join(page.folder, name))
    for kind, button in (("print", "#print"), ("print-forms", "#print-forms")):
        subprocess.run(["pdftoppm", "-png", "-r", "72", "-", os.path.join(page.folder, "paper")],
                       input=paper.pdf(page, button), check=True)
        for n, name in enumerate(sorted(
                one for one in os.listdir(page.folder) if one.startswith("paper-"))):
            os.rename(os.path.join(page.folder, name),
                      os.path.join(page.folder, f"{kind}-{n:02}-{PAPER}.png"))
    print("paper", flush=True)


def take(folder, only, sizes):
    """Takes all pictures into a folder."""
    def page_of(server):
        page = Views(server.url, more=["--ignore-certificate-errors"])
        page.folder, page.only = folder, only
        return page

    def start(page):
        page.open()
        wait("people are shown", lambda: page.count(".person") >= len(PEOPLE) - 1)
        page.view("map")
        time.sleep(1)

    for scene, views, is_phone in (
            (Scene(), LEADER, False), (Scene("Duarte"), MEMBER, False),
            (Scene("Lead", SESSION), PHONE, True),
            (Scene("Duarte", {**SESSION, "rights": "member"}), MEMBER_PHONE, True)):
        server = Server(scene, folder if is_phone else None)
        page = page_of(server)
        try:
            for size in sizes:
                resize(page, size)
                page.walk(views, size, start)
            if views is LEADER:
                resize(page, "laptop")
                start(page)
                printed(page)
            if views is PHONE and "phone" in sizes:
                resize(page, "phone")
                start(page)
                lost(page, "phone")
        finally:
            page.close()
    server = Server(Scene(), folder)
    page = page_of(server)
    try:
        for size in sizes:
            resize(page, size)
            before_login(page, size, server.url)
    finally:
        page.close()


# Draws pictures into one, each scaled, in rows by theme.
SHEET = """
const [pictures, scale, gap, quality] = arguments, done = arguments[arguments.length - 1];
Promise.all(pictures.map((row) => Promise.all(row.map(async (text) => {
  const image = new Image();
  image.src = `data:image/png;base64,${text}`;
  await image.decode();
  return image;
})))).then((rows) => {
  const wide = (row) => row.reduce((sum, one) => sum + Math.round(one.width * scale) + gap, -gap);
  const high = (row) => Math.max(...row.map((one) => Math.round(one.height * scale)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(...rows.map(wide));
  canvas.height = rows.reduce((sum, row) => sum + high(row) + gap, -gap);
  const pen = canvas.getContext("2d");
  pen.imageSmoothingQuality = "high";
  pen.fillStyle = "#808890";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  let y = 0;
  for (const row of rows) {
    let x = 0;
    for (const one of row) {
      pen.drawImage(one, x, y, Math.round(one.width * scale), Math.round(one.height * scale));
      x += Math.round(one.width * scale) + gap;
    }
    y += high(row) + gap;
  }
  done(canvas.toDataURL("image/webp", quality).split(",")[1]);
});"""


def encoded(path):
    with open(path, "rb") as file:
        return base64.b64encode(file.read()).decode()


def sheets(folder, to):
    """Makes one sheet for each view from the pictures in a folder."""
    names = sorted({one.rsplit("-", 2)[0] for one in os.listdir(folder) if one.endswith(".png")})
    page = Page("about:blank")
    try:
        for name in names:
            pages = sorted(one for one in os.listdir(folder)
                           if re.fullmatch(f"{name}-\\d\\d-{PAPER}.png", one))
            rows = [[encoded(os.path.join(folder, one)) for one in pages[n:n + PAGES]]
                    for n in range(0, len(pages), PAGES)]
            for theme in () if pages else THEMES:
                paths = [os.path.join(folder, f"{name}-{size}-{theme}.png") for size in SIZES]
                rows.append([encoded(one) for one in paths if os.path.exists(one)])
            sheet = page.driver.execute_async_script(
                SHEET, rows, 1 if pages else SCALE, GAP, QUALITY)
            with open(os.path.join(to, f"{name}.webp"), "wb") as file:
                file.write(base64.b64decode(sheet))
    finally:
        page.close()
    checked(f"{len(names)} sheets")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--to", default="docs/images/views", help="the folder of the sheets")
    parser.add_argument("--only", help="the names of some views, with commas")
    parser.add_argument("--sizes", default=",".join(SIZES), help="some screens, with commas")
    parser.add_argument("--single", help="a folder for each picture on its own")
    options = parser.parse_args()
    browser.require(options.to)
    if not shutil.which("openssl"):
        raise SystemExit("openssl is not installed (apt install openssl)")
    if not shutil.which("pdftoppm"):
        raise SystemExit("pdftoppm is not installed (apt install poppler-utils)")
    with tempfile.TemporaryDirectory() as folder:
        if options.single:
            folder = options.single
            os.makedirs(folder, exist_ok=True)
        take(folder, options.only and set(options.only.split(",")), options.sizes.split(","))
        sheets(folder, options.to)
    return 0


if __name__ == "__main__":
    sys.exit(main())
