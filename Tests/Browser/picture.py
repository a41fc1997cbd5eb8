#!/usr/bin/env python3
"""Shows the dashboard a scene with every status, and checks the views of a leader and a member.

    python3 Tests/Browser/picture.py --screenshots /tmp/shots

A small server replaces the node, so that every status and every alert exists at once; the page's
files are the real ones. Requirements: as dashboard.py."""

import argparse
import json
import sys
import threading
import time

import browser
from access import LANGUAGES, VIEWS, accessible, as_zoomed, excess
from browser import Page, must
from nodes import wait
from scale import COUNTS, handler, http

WHEN = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 95))
# Seconds since the last contact; 20 for the others.
AGES = {"Ana": 840, "Filipe": 1320, "Kiko": 2400, "Duarte": 40, "Eva": 70}
# The most that the danger and the header may take of the height, in pixels.
HEADERS = {"tablet": 140, "phone": 150}
SIZES = {"laptop": (1440, 900), "tablet": (1024, 768), "phone": (390, 844)}

# Callsign, team, status, severity, reason, further conditions.
PEOPLE = [
    ("Ana", "Alpha", "mayday", "danger", "Ana asked for help: twisted ankle",
     [("noContact", "warning", "nothing received for 14 min"),
      ("ordered", "warning", "evacuate to School yard")]),
    ("Bruno", "Alpha", "mayday", "danger", "asked for help", []),
    ("Caro", "Bravo", "inHazard", "danger", "inside Sawmill fire, 40 m from its edge", []),
    ("Duarte", "Bravo", "ordered", "warning", "evacuate to School yard, 880 m away",
     [("ok", "neutral", "in contact")]),
    ("Eva", "Bravo", "ordered", "warning", "evacuate to School yard, 1.0 km away", []),
    ("Filipe", "Bravo", "noContact", "warning", "nothing received for 22 min", []),
    ("Gil", "Charlie", "overdue", "warning", "roll call of 10:04 not answered", []),
    ("Hugo", "Charlie", "ok", "neutral", "in contact", []),
    ("Ines", "Charlie", "noPosition", "neutral", "no position yet", []),
    ("Joana", "", "expected", "neutral", "nothing received yet", []),
    ("Kiko", "Delta", "accountedFor", "safe", "accounted for by Lead",
     [("noContact", "warning", "nothing received for 40 min")]),
    ("Lena", "Delta", "atAssembly", "safe", "inside School yard", []),
    ("Lead", "", "reportedSafe", "safe", "Lead reports safe", []),
]

CONTACTS = [
    {"id": f"{n:032x}", "name": name, "phone": phone, "otherPhones": [], "note": "", "lat": None,
     "lon": None, "distanceMetres": metres, "bearingDegrees": metres and 47}
    for n, (name, phone, metres) in enumerate([
        ("Fire station Loriga", "+351 238 953 225", 2140),
        ("Hospital Seia", "+351 238 320 700", 11_300), ("Emergency number", "112", None)])]



def stamp(seconds):
    """The time so many seconds ago."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))


# The devices nearby, with a notice, an own report and one to review.
NEARBY = {
    "on": True, "scanning": "on", "advertising": "on", "source": "bluez", "counted": 2,
    "refused": {}, "intervals": 3, "sendsSessions": True, "sharesCount": False,
    "notices": [{"id": "c" * 32, "kind": "contamination", "text": "Wash and change clothes",
                 "publishedAt": WHEN, "days": [{"day": WHEN, "minutes": 18, "rssi": -60}]}],
    "report": {"kind": "infection", "text": "Fever", "days": [WHEN], "isPublished": False}}
PROXIMITY = {
    "proximity": NEARBY,
    "proximity/overview": {
        "state": NEARBY,
        "devices": [
            {"identifier": "a1" * 16, "name": "Ana", "rssi": -58, "first": WHEN, "last": WHEN},
            {"identifier": "b2" * 16, "name": "", "rssi": -77, "first": WHEN, "last": WHEN}],
        "sessions": [{"start": WHEN, "end": WHEN, "identifiers": 2, "isSynced": False}],
        "own": {"identifier": "c3" * 16, "serviceData": "", "changesAt": WHEN, "days": [WHEN]},
        "review": {"items": [
            {"id": "d" * 32, "kind": "infection", "text": "Fever", "callsign": "Gil",
             "days": [WHEN], "state": "reported", "people": 3}], "senders": []}},
}


def reports():
    """One with a conflict, one that no one rated, and one that is resolved."""
    row = {"description": "", "category": "fire", "toEvacuate": False, "status": "open",
           "owner": "0" * 32, "ownerCallsign": "Ana", "confirmations": ["Bruno"], "photos": 0,
           "comments": [{"callsign": "Gil", "text": "On my way", "writtenAt": WHEN}],
           "conflicts": [], "delivery": {"devices": 1, "total": 1, "commandPost": True},
           "createdAt": WHEN, "updatedAt": WHEN, "lat": 40.319, "lon": -7.614}
    sides = [{"value": value, "callsign": name, "writtenAt": WHEN}
             for value, name in (("Sawmill burns", "Ana"), ("Fire at the old sawmill", "Lead"))]
    return [
        {**row, "id": "a" * 31 + "1", "title": "Fire at the old sawmill", "severity": 5,
         "toEvacuate": True, "conflicts": [{"field": "title", "values": sides}]},
        {**row, "id": "a" * 31 + "2", "title": "Bridge washed away", "severity": None,
         "category": "access", "lat": None, "lon": None},
        {**row, "id": "a" * 31 + "3", "title": "Smoke", "severity": 2, "status": "resolved"}]


def checkins():
    row = {"earliestSeconds": 200, "durationSeconds": 1800, "repeats": False, "graceSeconds": 60,
           "stillSeconds": 0, "still": False, "note": "Cellar", "startedBy": "Lead",
           "startedAt": WHEN, "report": None, "reportNote": "", "reportedBy": "", "reportedAt": None}
    return [{**row, "id": f"{n:032x}", "user": f"{n:032x}", "callsign": PEOPLE[n][0],
             "state": state, "latestSeconds": left}
            for n, state, left in ((6, "overdue", -90), (7, "running", 700), (12, "reminder", 90))]


def links():
    row = {"path": "multicast", "since": WHEN, "toldAt": WHEN, "ageSeconds": 60, "isMutual": True}
    names = [(12, 0), (0, 3), (3, 8)]
    return [{**row, "from": f"{a + 1000:032x}", "to": f"{b + 1000:032x}",
             "fromCallsign": PEOPLE[a][0], "toCallsign": PEOPLE[b][0], "isCurrent": n < 2,
             "behindFrames": 1 if n == 0 else None} for n, (a, b) in enumerate(names)]


def maps():
    row = {"attribution": "", "bytes": 1000, "isRemovable": True, "fault": None, "tiles": None,
           "format": None, "minZoom": None, "maxZoom": None, "bounds": None, "layers": []}
    return [{**row, "name": "broken.pmtiles", "title": "", "kind": None, "fault": "broken.pmtiles: "
             "the header is damaged"}]


class PictureStage:
    """The answers of a node during an evacuation, and the requests of the page."""

    # The sets affected by a change.
    moving = ("users", "directives", "alerts")

    def __init__(self, me="Lead"):
        self.changes = threading.Condition()
        self.count = 1
        self.me = [one[0] for one in PEOPLE].index(me)
        self.role = "command" if me == "Lead" else "member"
        self.written = []
        self.answered = set()
        self.acknowledged = set()
        self.has_distress = True

    def text(self, name):
        return json.dumps(self.answer(name)).encode()

    def write(self, method, name, body):
        """Handles writes of the page; the sets change at once. May return what is answered."""
        self.written.append((method, name, body))
        if "/acknowledgements" in name:
            user = body.get("user", f"{self.me:032x}")
            (self.answered.discard if name.endswith("/undo") else self.answered.add)(user)
            self.changed()
        if name.endswith("/acknowledge"):
            self.acknowledged.add(name.split("/")[1].replace("%3A", ":"))
            self.changed()

    def changed(self):
        with self.changes:
            self.count += 1
            self.changes.notify_all()

    def answer(self, name):
        if name in PROXIMITY:
            return PROXIMITY[name]
        if name == "history":
            return {"at": WHEN, "view": "event", "begins": stamp(7200), "now": stamp(0),
                    "gaps": [{"from": stamp(5400), "to": stamp(3600)}], "people": [
                        {**one, "since": WHEN, "fixTime": WHEN, "fixReceived": WHEN}
                        for one in self.users()], "zones": [], "reports": [], "absent": []}
        if name == "history/events":
            return {"items": [
                {"time": WHEN, "kind": "status", "severity": severity, "callsign": callsign,
                 "what": status, "text": reason, "row": f"{n:032x}", "since": WHEN}
                for n, (callsign, _, status, severity, reason, _) in enumerate(PEOPLE)], "next": None}
        lists = {"users": self.users, "fences": self.fences, "directives": self.directives,
                 "devices": self.devices, "alerts": self.alerts, "reports": reports,
                 "checkins": checkins, "mesh": links, "maps": maps,
                 "contacts": lambda: CONTACTS}
        if name in lists:
            return {"items": lists[name](), "next": None}
        if name.endswith("/photos"):
            return {"items": []}
        if name.startswith("reports/"):
            return next(one for one in reports() if one["id"] in name)
        return {
            "changes": COUNTS, "fences.geojson": {"features": []},
            "map": {"name": "", "attribution": "", "tiles": None},
            "status": {"operationName": "Serra fire", "callsign": PEOPLE[self.me][0],
                       "role": self.role, "device": f"{self.me + 1000:032x}", "peers": [],
                       "frames": 1, "logs": 1, "quarantined": 0, "uplink": None,
                       "stateHash": "0" * 64, "diskFreeBytes": 1},
        }.get(name, {"items": [], "next": None})

    def users(self):
        found = []
        for n, (callsign, team, status, severity, reason, more) in enumerate(PEOPLE):
            # Bruno's mayday begins and ends during the test.
            if callsign == "Bruno" and not self.has_distress:
                status, severity, reason = "ok", "neutral", "in contact"
            # The distance to the edge of the zone, and the bearing.
            far, course = {"Ana": (1464, 30), "Duarte": (882, 2), "Eva": (1066, 42)}.get(
                callsign, (None, None))
            conditions = [(status, severity, reason), *more]
            found.append({
                "id": f"{n:032x}", "callsign": callsign, "team": team,
                # Eva carries a phone whose positions Duarte's node receives.
                "role": "tracker" if callsign == "Eva" else "member",
                "owner": f"{3:032x}" if callsign == "Eva" else None,
                "safety": {"danger": "unsafe", "safe": "safe"}.get(severity, "unknown"),
                "reason": reason, "status": status, "severity": severity,
                "conditions": [dict(zip(("status", "severity", "reason"), c)) for c in conditions],
                "age": {"seconds": AGES.get(callsign, 20), "atMostSeconds": AGES.get(callsign, 20) + 5},
                "order": far and {"id": "e" * 32, "kind": "evacuate", "zone": "f" * 31 + "1",
                                  "distanceMetres": far, "bearingDegrees": course, "dueSeconds": 480},
                "word": None, "override": None, "accuracyMetres": 12,
                "fixAgeSeconds": (None if status in ("noPosition", "expected")
                                  else AGES.get(callsign, 15)),
                "lat": None if status in ("noPosition", "expected") else 40.3217 + n * 0.0011,
                "lon": None if status in ("noPosition", "expected") else -7.6114 + (n % 4) * 0.003})
        return found

    def fences(self):
        row = {"active": True, "properties": "", "dwellSeconds": 0, "mode": "careful", "needs": "",
               "conflicts": [], "createdAt": WHEN, "updatedAt": WHEN, "shape": "circle"}
        return [
            {**row, "id": "f" * 31 + "1", "name": "School yard", "kind": "muster", "inside": ["Lena"],
             "radiusMetres": 120, "lat": 40.334, "lon": -7.602},
            {**row, "id": "f" * 31 + "2", "name": "Sawmill fire", "kind": "hazard",
             "inside": ["Caro"], "radiusMetres": 200, "lat": 40.324, "lon": -7.606}]

    def devices(self):
        found = [{"id": f"{n + 1000:032x}", "user": f"{n:032x}", "callsign": one[0],
                  "role": "member", "rank": 1, "isThisDevice": n == self.me, "isRevoked": False}
                 for n, one in enumerate(PEOPLE)]
        return found + [{**found[0], "id": "9" * 32, "user": "9" * 32, "callsign": "Archive",
                         "role": "archive", "isThisDevice": False}]

    def alerts(self):
        rows = [("help", 0, "danger", "Ana asked for help: twisted ankle"),
                ("help", 1, "danger", "Bruno asked for help"),
                ("hazard", 2, "danger", "Caro entered hazard zone Sawmill fire"),
                ("silent", 5, "warning", "nothing received from Filipe for 22 min")]
        found = []
        for kind, n, level, text in rows:
            if n == 1 and not self.has_distress:
                continue
            one = f"{kind}:{n:032x}"
            seen = one in self.acknowledged
            alert = {"id": one, "kind": kind, "row": f"{n:032x}", "level": level,
                     "text": text, "since": WHEN, "acknowledgedBy": "Lead" if seen else None,
                     "acknowledgedAt": WHEN if seen else None}
            if level == "danger":
                alert["contacts"] = CONTACTS
            found.append(alert)
        return found

    def person(self, n, late=False):
        user = f"{n:032x}"
        is_answered = user in self.answered
        state = "late" if late else "acknowledged" if is_answered else "unaccounted"
        return {"user": user, "callsign": PEOPLE[n][0], "state": state,
                "reason": "" if is_answered else PEOPLE[n][4], "late": late,
                "fixAgeSeconds": AGES.get(PEOPLE[n][0], 15),
                "answeredAt": WHEN if is_answered else None,
                "answeredBy": "Lead" if is_answered else None}

    def directives(self):
        row = {"addressees": "everyone", "status": "open", "callsign": "Lead", "createdAt": WHEN,
               "fence": None, "fenceName": "", "deadline": None, "overdue": False,
               "unaccounted": []}
        return [
            {**row, "id": "d" * 32, "kind": "rollcall", "text": "", "secondsLeft": 300,
             "people": [self.person(n) for n in (0, 1, 3, 4, 6, 12)]
             + [self.person(9, late=True), self.person(10, late=True)]},
            {**row, "id": "e" * 32, "kind": "evacuate", "text": "Leave by the river road",
             "secondsLeft": 480, "zones": [{"id": "f" * 31 + "1", "name": "School yard"}],
             "people": [self.person(n) for n in (0, 3, 4)]}]


def writing(stage):
    """The handler of the scale test, which accepts writes too."""
    class Handler(handler(stage)):
        def take(self):
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            made = stage.write(self.command, self.path.removeprefix("/api/v1/"), body)
            if made:
                return self.say(json.dumps(made).encode(), "application/json")
            self.send_response(204)
            self.end_headers()

        do_POST = do_PUT = do_DELETE = take

    return Handler


def opened(stage, shots, more=()):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), writing(stage))
    server.daemon_threads = True
    # A browser that is closed.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = Page(f"http://127.0.0.1:{server.server_address[1]}", shots, more)
    page.open()
    wait("people are shown", lambda: page.count(".person") == len(stage.users()))
    return page


def counts(page):
    """22.4: people at work are never counted with people in mortal danger."""
    chips = page.js("""return [...document.querySelectorAll('[data-count]')].map((one) =>
        [one.querySelector('.word').innerText, one.lastChild.data.trim(), one.className])""")
    must(f"22.4: everyone is in one chip, danger first: {chips}", chips == [
        ["MAYDAY", "2", "state danger"], ["HAZARD", "1", "state danger"],
        ["OVERDUE", "1", "state warning"], ["NO CONTACT", "1", "state warning"],
        ["ORDERED", "2", "state warning"], ["EXPECTED", "1", "state neutral"],
        ["NO POSITION", "1", "state neutral"], ["OK", "4", "state safe"]])
    must("the sum is beside them", page.text("#counts .sum") == "13 people")
    names = page.js("return [...document.querySelectorAll('.person .name')].map((n) => n.firstChild.data.trim())")
    must(f"teams are sorted by their worst person, people by severity, status, then age: {names}",
         names[:7] == ["Ana", "Bruno", "Caro", "Filipe", "Eva", "Duarte", "Gil"])
    page.click(f"[data-key='{0:032x}'].person")
    ana = page.text("#detail")
    must(f"every condition is shown, with the way to the zone and the time left: {ana!r}",
         all(word in ana for word in ("MAYDAY", "No contact", "Under order", "1.4 km north-east",
                                      "min left", "Last contact")))
    page.click("[data-count=ordered]")
    must("a chip filters the list and opens it", page.count(".person") == 2
         and page.js("return document.body.dataset.view") == "people")
    page.click("[data-count=ordered]")
    must("and again shows everyone", page.count(".person") == len(PEOPLE))
    page.close_panel()


def alarm(page, stage):
    """22.10: a distress shows on every view, with Go to and Acknowledge, and sounds."""
    for size in ("laptop", "phone"):
        resize(page, size)
        for view in VIEWS:
            page.view(view)
            shown = page.js("""
                const text = document.querySelector('#alarm li strong'), box = text.getBoundingClientRect();
                const onTop = [box.left + 2, (box.left + box.right) / 2].every((x) =>
                    text.contains(document.elementFromPoint(x, (box.top + box.bottom) / 2)));
                return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && onTop""")
            must(f"22.10: a distress shows above {view} on a {size}", shown)
    resize(page, "laptop")
    page.view("reports")
    before = page.count("#alarm li")
    page.click("#alarm [data-key^='go ']")
    wait("the person is shown", lambda: page.count("#detail .conditions li"))
    page.close_panel()
    page.click("#alarm [data-key^='alarm seen ']")
    wait("it is acknowledged", lambda: page.count("#alarm li") == before - 1)
    must("22.10: the banner leads to the person and takes the acknowledgement",
         stage.written[-1][1].endswith("/acknowledge"))
    stage.has_distress = False
    stage.changed()
    wait("it is over", lambda: "Bruno" not in page.text("#alarm"))
    stage.acknowledged.discard("help:" + "0" * 31 + "1")
    page.js("""window.__tones = 0; const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (...all) { window.__tones++; start.apply(this, all); };""")
    stage.has_distress = True
    began = time.monotonic()
    stage.changed()
    wait("it sounds", lambda: page.js("return window.__tones") >= 3)
    wait("it is in the banner", lambda: "Bruno asked for help" in page.text("#alarm"))
    must(f"22.10: it sounds and shows on the Reports view after {time.monotonic() - began:.2f} s",
         page.js("return document.body.dataset.view") == "reports")


def resize(page, size):
    width, height = SIZES[size]
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})
    time.sleep(0.3)


def rollcall(page, stage):
    """22.8: each button is in its row; one action, with undo; late arrivals separate."""
    page.view("orders")
    card = f"[data-order='{'d' * 32}']"
    boxes = page.js("""return [...document.querySelectorAll(arguments[0] + ' .people')][0]
        && [...document.querySelectorAll(arguments[0] + " [aria-label='Unaccounted for'] > li")].map((row) => {
          const [r, b, n] = [row, row.querySelector('.act'), row.querySelector('.name')]
            .map((one) => one.getBoundingClientRect());
          return { name: row.querySelector('.name').innerText,
            label: row.querySelector('.act').getAttribute('aria-label'), top: r.top,
            bottom: r.bottom, inside: b.top >= r.top && b.bottom <= r.bottom && b.left >= n.right,
            line: getComputedStyle(row).borderBottomWidth };
        })""", card)
    must("22.8: each button lies inside its own row, whose line ends it",
         len(boxes) == 6 and all(b["inside"] and b["line"] != "0px" for b in boxes)
         and all(a["bottom"] <= b["top"] + 1 for a, b in zip(boxes, boxes[1:])))
    must("22.8: a screen reader reads whose button it is",
         all(b["label"] == f"Accounted for: {b['name']}" for b in boxes))
    must("22.8: late arrivals are separate and not counted", page.count(f"{card} .late li") == 2
         and "0 of 6" in page.text(f"{card} .sum"))
    name, label = boxes[0]["name"], boxes[0]["label"]
    page.js("document.querySelector(arguments[0]).click()", f"{card} [aria-label='{label}']")
    wait("one is accounted for", lambda: "1 of 6" in page.text(f"{card} .sum"))
    wait("the page shows it", lambda: name in page.text("#said"))
    must(f"22.8: one click accounts for {name}, with a message and undo",
         page.count("#said [data-key=undo]") == 1)
    page.click("#said [data-key=undo]")
    wait("it is undone", lambda: "0 of 6" in page.text(f"{card} .sum"))
    page.click(f"[data-key='own {'d' * 32}']")
    wait("the leader has answered", lambda: "1 of 6" in page.text(f"{card} .sum"))
    page.click(f"[data-key='undo own {'d' * 32}']")
    wait("the answer is withdrawn", lambda: "0 of 6" in page.text(f"{card} .sum"))


def override(page, stage):
    """22.9: there is no default choice; devices that were left behind are listed."""
    page.view("people")
    page.click(f"[data-key='{0:032x}'].person")
    must("22.9: each choice has its own button, and neither is the default",
         page.count("#detail [data-key='override.help']") == 1)
    page.click("#detail [data-key='override.safe']")
    page.shot("override")
    page.click("dialog fieldset input")
    page.submit()
    method, path, body = stage.written[-1]
    must(f"22.9: an override lists the device that was left behind: {body}",
         method == "PUT" and path.endswith("/override") and body["away"] == [f"{1000:032x}"])
    page.close_panel()


def orders(page, stage):
    """Muster and evacuate name zones, audience and deadline."""
    page.view("orders")
    page.click("#orders [data-key=muster]")
    # The form is loaded when it opens: the fields are waited for before a tick is set.
    page.fill(audience="team Bravo", text="By the river road")
    page.js("document.querySelector(\"dialog[open] [name^='zone ']\").checked = true")
    page.shot("order-form")
    page.submit()
    must(f"an order names zones, audience and time: {stage.written[-1][2]}",
         stage.written[-1][2] == {"kind": "muster", "text": "By the river road", "team": "Bravo",
                                  "deadlineSeconds": 900, "zones": ["f" * 31 + "1"]})


def claims(page, stage):
    """A phone has OK and HELP, held for three seconds, and the way to the assembly zone."""
    page.view("me")
    way = page.text("#me .way")
    must(f"the assembly zone has distance and bearing: {way!r}", "m " in way and "°" in way)
    box = page.js("""const b = document.querySelector('#say-help').getBoundingClientRect();
        return [b.width, b.height]""")
    must(f"HELP is large: {box}", min(box) >= 80)

    def hold(seconds):
        page.on("#say-help", lambda button: page.actions()
                .click_and_hold(button).pause(seconds).release().perform())

    hold(1)
    must("a press of one second sends nothing, and opens the form", page.count("dialog form") == 1
         and not any(path == "me/safety" for _, path, _ in stage.written))
    page.click("dialog[open] [data-key=cancel]")
    wait("the form has closed", lambda: page.count("dialog") == 0)
    hold(3.5)
    wait("it is sent", lambda: stage.written[-1:] == [("PUT", "me/safety", {"safety": "help"})])
    must("three seconds send it at once", page.count("dialog") == 0)


def member(shots, axe=None):
    """A member sees destination, distance and bearing, and answers among the orders."""
    stage = PictureStage("Duarte")
    page = opened(stage, shots)
    try:
        wait("the order is shown", lambda: page.text("#duty"))
        duty = page.text("#duty")
        must(f"a member's order has distance, bearing and time on every view: {duty!r}",
             all(word in duty for word in ("Evacuate", "School yard", "880 m north (2°)",
                                           "8 min left")))
        for size in SIZES:
            resize(page, size)
            page.view("orders")
            page.shot(f"member-{size}")
        claims(page, stage)
        if axe:
            accessible(page, axe)
        must("a member is offered no order to give", page.count("#orders [data-key=muster]") == 0)
        page.click(f"[data-key='own {'d' * 32}']")
        wait("they have answered", lambda: f"{3:032x}" in stage.answered)
        must("22.8: a member answers among the orders", True)
        may = page.js("""return [...document.querySelectorAll(arguments[0] + ' .act')]
            .map((one) => one.getAttribute('aria-label'))""", f"[data-order='{'d' * 32}']")
        must(f"the owner of a tracker answers for its carrier, and for no one else: {may}",
             may == ["Accounted for: Eva"])
        page.click(f"[data-key='account {'d' * 32} {4:032x}']")
        wait("she is accounted for", lambda: f"{4:032x}" in stage.answered)
        resize(page, "laptop")
        page.view("people")
        page.click(f"[data-key='{4:032x}'].person")
        page.click("#detail [data-key='report.help']")
        page.fill(note="flat tyre")
        page.submit()
        must(f"and reports for her: {stage.written[-1]}", stage.written[-1] == (
            "PUT", f"users/{4:032x}/safety", {"safety": "help", "note": "flat tyre"}))
    finally:
        page.close()


# Records each text of the map with its place on the screen.
LABELS = """
    window.__labels = [];
    const prototype = CanvasRenderingContext2D.prototype, draw = prototype.fillText;
    prototype.fillText = function (text, x, y, ...rest) {
      if (text.length > 2 && this.font.startsWith('bold 12px')) {
        const place = this.canvas.getBoundingClientRect(), at = this.getTransform();
        const scale = place.width / this.canvas.width, left = place.left + (at.a * x + at.e) * scale;
        window.__labels.push({ text, left, y: place.top + (at.d * y + at.f) * scale,
          right: left + this.measureText(text).width * at.a * scale });
      }
      draw.call(this, text, x, y, ...rest);
    };"""


def labels(page):
    """No tool, drawer or edge of the screen hides a part of a label of the map."""
    page.js(LABELS)
    for size in SIZES:
        resize(page, size)
        for view in ("map", "orders") if size != "phone" else ("map",):
            page.view(view)
            page.click("[data-key='tool fit']")
            time.sleep(0.5)
            page.js("window.__labels = []; dispatchEvent(new Event('resize'))")
            page.theme("dark")
            wait("the map is drawn", lambda: page.js("return window.__labels.length"))
            page.theme("light")
            cut = page.js("""
                const boxes = ['map-tools', 'drawer', 'detail', 'foot'].map((id) =>
                  document.getElementById(id).getBoundingClientRect());
                return window.__labels.filter(({ left, right, y }) => left < 0 || right > innerWidth + 1
                  || boxes.some((box) => left < box.right && right > box.left + 1
                    && y > box.top && y < box.bottom)).map(({ text }) => text);""")
            shown = {one["text"].split(" ")[0] for one in page.js("return window.__labels")}
            must(f"no label of {view} on a {size} is hidden in part: {sorted(set(cut))}", not cut)
            missing = {"Ana", "Bruno", "Caro"} - shown
            must(f"people in danger have a label in {view} on a {size} {missing}", not missing)
    resize(page, "laptop")


def under_panel(page):
    """On a phone, one press of Status shows HELP, also while a panel covers the drawers."""
    resize(page, "phone")
    for view, opener in (("people", ".person"), ("reports", "#reports [data-key^='open ']"),
                         ("me", None)):
        page.view("people" if view == "me" else view)
        page.click(opener or ".person")
        if view == "me":
            page.js("document.body.dataset.view = 'me'")
        page.click("#rail [data-view=me]")
        must(f"Status is shown above a panel of {view}", page.js("""
            const help = document.querySelector('#say-help'), box = help.getBoundingClientRect();
            return help.contains(document.elementFromPoint(box.left + 9, box.top + 9))
              && document.activeElement.dataset.view === 'me'"""))
    page.view("map")
    resize(page, "laptop")


def targets(page):
    """On a phone, whatever one presses is 44 pixels high, and as wide except in the strip."""
    resize(page, "phone")
    small = """return [...document.querySelectorAll('button, select, summary, input, label.tick')]
        .filter((one) => !one.closest('label.tick, .pick, .group') || one.matches('label.tick'))
        .map((one) => [one, one.getBoundingClientRect()])
        .filter(([one, { width, height }]) => width > 1 && height > 0 && (height < 43.5
          || (width < 43.5 && !one.closest('#top'))) && one.checkVisibility({ visibilityProperty: true }))
        .map(([one, { width, height }]) => `${one.dataset.key ?? one.id ?? one.name} ${width}x${height}`)"""
    for view, opener in [(view, None) for view in VIEWS] + [
            ("reports", "[data-key=file]"), ("people", ".person"), ("map", "[data-key='tool replay']"),
            ("map", "#more")]:
        page.view(view)
        if opener:
            page.click(opener)
            time.sleep(0.3)
        found = page.js(small)
        must(f"no target of {view} {opener or ''} on a phone is small: {found[:6]}", not found)
        page.js("""document.querySelector('dialog')?.close();
            if (!document.querySelector('#settings').hidden) document.querySelector('#more').click();
            document.querySelector("[data-key='past close']")?.click();""")
        page.close_panel()
    resize(page, "laptop")


def looks(page):
    for theme in ("light", "dark"):
        page.theme(theme)
        for size in SIZES:
            resize(page, size)
            top = page.js("return document.getElementById('alarm').getBoundingClientRect().bottom")
            must(f"the danger and the header take {top:.0f} px of a {size}", top <= HEADERS.get(size, 300))
            for view in ("people", "map", "orders", "me", "fences") if size == "phone" else (
                    "map", "people", "orders"):
                page.view(view)
                time.sleep(0.4)
                page.shot(f"{size}-{theme}-{view}")
                wide = page.js("return document.documentElement.scrollWidth - innerWidth")
                must(f"{view} is no wider than a {size} ({wide})", wide <= 0)
    page.theme("light")


def languages(page):
    """No view is wider than a laptop at 200 % zoom or a phone, and no button is cut, in any language."""
    for language in LANGUAGES:
        page.language(language)
        for size in (as_zoomed, Page.as_phone):
            size(page)
            for view in VIEWS:
                page.view(view)
                time.sleep(0.3)
                name = f"{view} in {language} {size.__name__}"
                page.shot(name.replace(" ", "-"))
                wide = excess(page)
                must(f"{name} is no wider than the screen ({wide})", wide <= 0)
                cut = page.js("""
                    return [...document.querySelectorAll('button, .chip, h2, h3')].filter((one) =>
                        one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1
                        && getComputedStyle(one).overflowX === 'visible'
                        && getComputedStyle(one).display !== 'inline')
                      .map((one) => one.innerText)""")
                must(f"{name}: no text is cut {cut[:5]}", not cut)
        page.as_laptop()
    resize(page, "laptop")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--screenshots", help="a folder for screenshots")
    parser.add_argument("--axe", help="axe.min.js, for accessibility checks")
    options = parser.parse_args()
    browser.require(options.screenshots)
    stage = PictureStage()
    with opened(stage, options.screenshots, ["--autoplay-policy=no-user-gesture-required"]) as page:
        counts(page)
        resize(page, "laptop")
        rollcall(page, stage)
        override(page, stage)
        orders(page, stage)
        alarm(page, stage)
        labels(page)
        targets(page)
        under_panel(page)
        looks(page)
        languages(page)
        if options.axe:
            stage.changed()
            accessible(page, options.axe)
        faults = page.faults("openapi.json")
        must(f"the browser has no error {faults[:3]}", not faults)
    member(options.screenshots, options.axe)
    return 0


if __name__ == "__main__":
    sys.exit(main())
