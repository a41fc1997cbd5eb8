#!/usr/bin/env python3
"""Walks through the page of a phone's owner, with real nodes and logins: own danger, order and timer
first; directions from the phone; sounds for its owner alone, silenced on this phone alone; sharing
that survives a reload.

    python3 Tests/Browser/owner.py --muster .build/debug/muster --screenshots /tmp/shots

Needs Chromium with its driver, and selenium 4 (PyPI). `--axe axe.min.js` checks accessibility. Exits
with 1 if a check fails."""

import argparse
import json
import os
import shutil
import ssl
import tempfile
import urllib.request

import browser
import lab
from access import excess, find
from browser import Page, must
from nodes import Node, base_map, free_ports, wait
from remote import PASSPHRASE, log_in, pin

SIZES = {"phone": (390, 844), "tablet": (820, 1180), "laptop": (1440, 900)}
LANGUAGES = ("de", "en")
# The assembly zone: south of it are the phone, a hazard zone, and people at known distances.
SCHOOL = (40.3340, -7.6020)
HOME = (40.3250, -7.6024)
# North of home: 600 m, and 5 km.
NEAR, FAR = (40.3304, -7.6024), (40.3700, -7.6024)
SAWMILL = (40.3210, -7.6024)

# Counts tones, and repeats each minute's sound every half second. Before any module runs.
PROBE = """
    window.__tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...all) { window.__tones++; start.apply(this, all); };
    window.__minutes = 0;
    const every = window.setInterval;
    window.setInterval = (work, time, ...rest) => (time !== 60000 ? every(work, time, ...rest)
      : every(() => { window.__minutes++; work(); }, 500));"""


class Login:
    """The API of a node over TLS, as a login."""

    def __init__(self, port, name):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.root = f"https://127.0.0.1:{port}/api/v1/"
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=context), urllib.request.HTTPCookieProcessor())
        self.send("POST", "session", {"name": name, "passphrase": PASSPHRASE})

    def send(self, method, path, body=None):
        request = urllib.request.Request(
            self.root + path, None if body is None else json.dumps(body).encode(), method=method,
            headers={"Content-Type": "application/json", "Origin": self.root[:-8]})
        with self.opener.open(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def stand(self, place):
        self.send("POST", "me/position", {"lat": place[0], "lon": place[1], "accuracyMetres": 10})


class Phone(Page):
    """The page of a phone with its position, its sounds, and its owner's strip."""

    def __init__(self, port, name, place, shots):
        super().__init__(f"https://127.0.0.1:{port}", shots, [
            f"--ignore-certificate-errors-spki-list={pin(port)}",
            "--autoplay-policy=no-user-gesture-required"])
        cdp = self.driver.execute_cdp_cmd
        cdp("Page.addScriptToEvaluateOnNewDocument", {"source": PROBE})
        cdp("Browser.grantPermissions", {"origin": self.url, "permissions": ["geolocation"]})
        self.stand(place)
        self.resize("phone")
        self.driver.get(self.url + "/")
        log_in(self, name)
        wait(f"{name} sees people", lambda: self.count(".person") >= 4)
        wait("the strip's code is loaded", lambda: self.count("#owner.first"))

    def stand(self, place):
        self.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", {
            "latitude": place[0], "longitude": place[1], "accuracy": 12})

    def reload(self):
        self.js("window.__old = 1; location.reload()")
        wait("the page is new", lambda: self.js("return !window.__old") and self.count("#owner.first"))

    def resize(self, size):
        width, height = SIZES[size]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})

    def tones(self):
        return self.js("return window.__tones")

    def sounds(self, what, act, tones):
        before = self.tones()
        act()
        wait(f"{what} sounds", lambda: self.tones() >= before + tones)

    def is_silent(self, minutes=3):
        """Whether nothing sounds until so many minutes have passed."""
        before, begin = self.tones(), self.js("return window.__minutes")
        wait("minutes pass", lambda: self.js("return window.__minutes") >= begin + minutes)
        return self.tones() == before

    def rows(self):
        """The texts of the strip, from top to bottom."""
        return self.js("""return [...document.querySelectorAll('#owner .mine, #duty')]
            .filter((one) => one.offsetHeight > 0)
            .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
            .map((one) => one.innerText)""")


def people(node):
    return {one["callsign"]: one for one in node.get("users")["items"]}


def start(program, folder):
    """Returns a command post with phones of Rui and Eva (team Alpha), Nia (near) and Otto (far)."""
    ports = free_ports(0)
    node = Node(program, folder, "lead", ports[0], http=ports[1])
    node.more = ["--serve", f"127.0.0.1:{ports[4]}", "--map",
                 base_map(os.path.join(folder, "valley.mbtiles"))]
    node.run("init", "Serra fire", "--callsign", "Lead")
    for name in ("Rui", "Eva", "Nia", "Otto"):
        node.add_logins({name: "member"}, PASSPHRASE, "--phone")
    node.start()
    node.send("POST", "fences", {"name": "School yard", "kind": "muster", "active": True, "circle": {
        "lat": SCHOOL[0], "lon": SCHOOL[1], "radiusMetres": 120}})
    logins = {name: Login(ports[4], name) for name in ("Eva", "Nia", "Otto")}
    Login(ports[4], "Rui").stand(HOME)
    for name, place in (("Eva", FAR), ("Nia", NEAR), ("Otto", FAR)):
        logins[name].stand(place)
    wait("all are listed", lambda: len(people(node)) >= 5)
    for name in ("Rui", "Eva"):
        node.send("PUT", f"users/{people(node)[name]['id']}/team", {"team": "Alpha"})
    return node, ports[4], logins


def sharing(phone, node):
    """Sharing is visible, survives a reload without a touch, and one press ends it."""
    lat = lambda: people(node)["Rui"]["lat"]
    phone.click("[data-key='position share']")
    wait("the header shows it", lambda: phone.count("#sharing:not([hidden])"))
    phone.stand((HOME[0] + 0.0009, HOME[1]))
    phone.reload()
    wait("it is shared again, without a touch",
         lambda: phone.count("#sharing:not([hidden])") and abs(lat() - HOME[0] - 0.0009) < 1e-6)
    phone.shot("sharing")
    phone.click("#sharing")
    must("one press stops it", not phone.count("#sharing:not([hidden])"))
    phone.reload()
    wait("the page is ready", lambda: phone.text("#me [data-key='position share']"))
    must("and it stays off", not phone.count("#sharing:not([hidden])"))
    phone.click("[data-key='position share']")
    phone.stand(HOME)


def order(phone, node):
    """An order sounds and is first; its direction is one, from the phone, on strip, panel and map."""
    phone.sounds("the order", lambda: node.send("POST", "directives", {
        "kind": "evacuate", "text": "By the river road", "deadlineSeconds": 900,
        "users": [people(node)["Rui"]["id"]]}), 3)
    way = "880 m north (2°)"
    wait("the strip has the way", lambda: way in phone.text("#duty .way"))
    must("the order is first", "School yard" in phone.rows()[0])
    must("with an arrow", phone.count("#duty svg.arrow[data-bearing='2']"))
    phone.view("map")
    wait("the map has the line, with the same words",
         lambda: phone.count("path.way-line") and phone.text(".way-name") == way)
    phone.shot("order-map")
    # Only the phone knows this position yet: it sends one each 15 s.
    phone.stand((HOME[0], SCHOOL[1] - 0.01))
    moved = "1.1 km north-east (40°)"
    for where in ("#duty .way", ".way-name"):
        wait(f"{where} follows the phone", lambda: phone.text(where) == moved)
    phone.view("people")
    phone.click(f"[data-key='{people(node)['Rui']['id']}'].person")
    wait("the panel has the same", lambda: moved in phone.text("#detail"))
    must("the list too", moved in phone.js(
        "return document.querySelector(`[data-key='${arguments[0]}'].person`).title",
        people(node)["Rui"]["id"]))
    phone.close_panel()
    phone.view("orders")
    phone.view("me")
    phone.js("""dispatchEvent(Object.assign(new Event("deviceorientationabsolute"),
        { alpha: 270, absolute: true }))""")
    turn = "return document.querySelector('#duty .arrow path').getAttribute('transform')"
    must(f"the arrow turns with the compass: {phone.js(turn)}", phone.js(turn) == "rotate(-50)")
    phone.stand(HOME)
    wait("the phone is back", lambda: way in phone.text("#duty .way"))


def silence(phone, node):
    """An unanswered order sounds each minute until its own user silences it on this phone."""
    before = phone.tones()
    wait("it sounds again", lambda: phone.tones() >= before + 3)
    phone.click("[data-key=silence]")
    must("silenced, it sounds no more", phone.is_silent())
    phone.reload()
    wait("the order is shown", lambda: phone.text("#duty"))
    must("also after a reload", phone.is_silent())
    must("and is still shown", "School yard" in phone.rows()[0])


def others(phone, node, logins, shots):
    """Far calls are one silent line; of the team, or near, they sound and have the way there."""
    line = lambda: phone.text("#owner .others")
    logins["Otto"].send("PUT", "me/safety", {"safety": "help", "note": "flat tyre"})
    wait("it is one line", lambda: line() == "1 alarm of others")
    must("a far call of another team is silent", phone.is_silent())
    must("it covers nothing", not phone.count("#alarm:not([hidden])"))
    phone.shot("others")
    phone.click("#owner .others")
    wait("it opens the list", lambda: "Otto" in phone.text("#alerts"))
    phone.view("me")
    phone.sounds("a near call", lambda: logins["Nia"].send(
        "PUT", "me/safety", {"safety": "help", "note": "ankle"}), 3)
    row = f"[data-mayday='{people(node)['Nia']['id']}']"
    wait("with the way there", lambda: "600 m north (0°)" in phone.text(row))
    must("the others stay one line", line() == "1 alarm of others")
    phone.click(f"{row} button")
    wait("it leads to the person", lambda: "600 m north (0°)" in phone.text("#detail"))
    phone.close_panel()
    phone.click("[data-key=silence]")
    must("silenced here", phone.is_silent())
    near = next(one for one in node.get("alerts")["items"]
                if one["kind"] == "help" and one["row"] == people(node)["Nia"]["id"])
    must("which acknowledges nothing", near["acknowledgedBy"] is None)
    other = Phone(phone.url.rsplit(":", 1)[1], "Eva", FAR, shots)
    try:
        # Otto, 5 km from Nia, is beside Eva.
        otto = people(node)["Otto"]["id"]
        wait("Eva's phone shows and sounds what is near her", lambda: other.tones() >= 3
             and other.count(f"[data-mayday='{otto}']"))
        phone.sounds("a call of the team, however far", lambda: logins["Eva"].send(
            "PUT", "me/safety", {"safety": "help"}), 3)
        wait("it has a row", lambda: phone.count(f"[data-mayday='{people(node)['Eva']['id']}']"))
        phone.click("[data-key=silence]")
        must("Rui's phone is silent", phone.is_silent())
        before = other.tones()
        wait("Eva's is not silenced by it", lambda: other.tones() > before)
    finally:
        other.close()


def own(phone, node):
    """The own danger is above all; it sounds whatever others acknowledge; a check-in too."""
    rui = people(node)["Rui"]["id"]
    own_login = Login(phone.url.rsplit(":", 1)[1], "Rui")
    phone.sounds("a check-in that is due soon", lambda: own_login.send(
        "POST", "checkins", {"durationSeconds": 600, "reminderSeconds": 590, "repeats": False}), 2)
    wait("it is in the strip", lambda: phone.count("#owner [data-own-timer]"))
    phone.sounds("the own danger", lambda: node.send("POST", "fences", {
        "name": "Sawmill fire", "kind": "hazard", "active": True, "circle": {
            "lat": SAWMILL[0], "lon": SAWMILL[1], "radiusMetres": 500}}), 3)
    wait("it is the first row", lambda: "Sawmill fire" in phone.rows()[0])
    must(f"then order, timer, calls, and the line: {phone.rows()}",
         [word in row for word, row in zip(("hazard", "School", "check-in", "Nia"), phone.rows())]
         == [True] * 4 and "others" in phone.rows()[-1])
    alert = wait("command has the alert", lambda: next(
        (one for one in node.get("alerts")["items"]
         if one["kind"] == "inHazard" and one["row"] == rui), None))
    node.send("POST", f"alerts/{alert['id']}/acknowledge", {})
    before = phone.tones()
    wait("command's acknowledgement does not silence the phone", lambda: phone.tones() >= before + 3)
    phone.click("[data-key=silence]")
    must("its user does", phone.is_silent())
    must("what concerns the owner is not counted as others'", phone.text("#owner .others")
         == "1 alarm of others")


def looks(phone, axe):
    """At three sizes, light and dark, in two languages: nothing is cut, hidden or too small."""
    small = """return [...document.querySelectorAll('#owner button, #top button')]
        .map((one) => [one, one.getBoundingClientRect()])
        .filter(([one, { width, height }]) => width > 1 && height > 0 && height < 43.5)
        .map(([one, { height }]) => `${one.dataset.key ?? one.id} ${height}`)"""
    hidden = """const bar = document.querySelector('#rail').getBoundingClientRect();
        return [...document.querySelectorAll('#owner button, #say-help')].filter((one) => {
          const box = one.getBoundingClientRect();
          const last = document.querySelector('#owner .last').getBoundingClientRect();
          const isScrolled = one.closest('#owner') && !one.closest('.last') && box.bottom > last.top;
          const at = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
          return box.height > 0 && !isScrolled && !one.contains(at);
        }).map((one) => one.dataset.key)"""
    for language in LANGUAGES:
        phone.language(language)
        wait("the strip is shown", lambda: phone.count("#owner .mine.danger"))
        if axe:
            with open(axe, encoding="utf-8") as file:
                phone.js(file.read() + ";window.axe = axe;")
        for size in SIZES:
            phone.resize(size)
            for theme in ("light", "dark"):
                phone.theme(theme)
                for view in ("me", "map"):
                    phone.view(view)
                    phone.js("return new Promise((done) => requestAnimationFrame(() => done()))")
                    name = f"{view} in {language}, {size}, {theme}"
                    phone.shot(f"{size}-{theme}-{language}-{view}")
                    must(f"{name}: nothing is wider than the screen", excess(phone) <= 0)
                    must(f"{name}: no control is covered {phone.js(hidden)}", not phone.js(hidden))
                    if size == "phone":
                        must(f"{name}: no target is small {phone.js(small)}", not phone.js(small))
                    if axe:
                        found = find(phone, name)
                        must(f"{name}: axe has no finding {found}", not found)
        phone.theme("light")
        phone.resize("phone")


def walk(options, folder):
    node, port, logins = start(options.muster, folder)
    try:
        with Phone(port, "Rui", HOME, options.screenshots) as phone:
            sharing(phone, node)
            order(phone, node)
            silence(phone, node)
            others(phone, node, logins, options.screenshots)
            own(phone, node)
            looks(phone, options.axe)
            faults = phone.faults("/tiles/", "status of 401")
            must(f"the browser has no error {faults[:3]}", not faults)
    finally:
        node.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--muster", default=".build/debug/muster")
    parser.add_argument("--patience", type=int, default=0, help="the minimum timeout in s")
    parser.add_argument("--screenshots", help="a folder for screenshots")
    parser.add_argument("--axe", help="axe.min.js, for accessibility checks")
    options = parser.parse_args()
    options.muster = os.path.abspath(options.muster)
    browser.require(options.screenshots)
    lab.patience = options.patience
    folder = tempfile.mkdtemp(prefix="muster-owner-")
    try:
        walk(options, folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
