#!/usr/bin/env python3
"""A story of 40 minutes with real nodes and real clicks: after each act, the worst thing that is true and
unresolved is the first on every surface, and the post is not alarmed more often than people can bear.

    python3 Tests/Browser/story.py --muster .build/debug/muster --screenshots /tmp/shots

A minute of the story lasts four seconds: the silence setting and the check-ins are as much shorter. The oracle
(`oracle.py`) knows the acts alone. Needs root, nft, Chromium with its driver, and selenium 4 (PyPI). Exits
with 1 if a check fails."""

import argparse
import os
import time
from collections import namedtuple

import browser
import lab
from browser import Page, checked, must
from field import SILENCE, Field, at
from nodes import wait
from oracle import Oracle
from surfaces import Surfaces

MINUTE = 4.0
# From the first minute to that of the end, and the most announcements in it.
STRETCHES = {"at work": (0, 10, 1), "the dam": (10, 20, 10), "out of range": (20, 32, 1),
             "the second call": (32, 42, 10)}
QUIET = 40

Act = namedtuple("Act", "minute words work raises seen ends due")


def act(minute, words, work, raises=(), seen=(), ends=(), due=()):
    """What happens in a minute, and what it changes of what is wrong: `oracle.py` knows no more.

    `due` is what time will raise, at the latest by the act that raises it."""
    return Act(minute, words, work, raises, seen, ends, due)


class Story:
    """The people of the story, and what they do."""

    def __init__(self, field, page):
        self.field, self.page = field, page
        self.post = field.post
        self.filed, self.started = 0, 0

    # MARK: What people do

    def zone(self, name, kind, north, east, metres):
        place = at(north, east)
        self.post.send("POST", "fences", {"name": name, "kind": kind, "active": True, "circle": {
            "lat": place[0], "lon": place[1], "radiusMetres": metres}})

    def report(self, title, by, place=None, **more):
        """By a laptop's user, or by a login."""
        self.filed += 1
        where = place and dict(zip(("lat", "lon"), at(*place)))
        sender = self.field.logins.get(by) or self.field.nodes[by]
        sender.send("POST", "reports", {"title": title, **(where or {}), **more})

    def minor(self, *authors):
        for by in authors:
            north, east = self.field.places[by]
            self.report(f"Small thing {self.filed}", by, (north + 150, east), severity=1 + self.filed % 2)

    def check_in(self, name, seconds, grace=600):
        self.begin_check_in(seconds, grace, users=[self.field.id(name)])

    def begin_check_in(self, seconds, grace, **who):
        self.started += 1
        self.post.send("POST", "checkins", {
            "durationSeconds": seconds, "graceSeconds": grace, "repeats": False, "reminderSeconds": 1, **who})

    def cellar(self):
        """By the form."""
        self.started += 1
        self.form("timers", "#timers [data-key='checkin start']", audience=f"user {self.field.id('Otto')}",
                  minutes="30", note="Cellar")

    def report_in(self, *names):
        """They check in, at the laptop that receives their phone."""
        for name in names:
            self.field.laptop(name).send("POST", "checkins/report", {
                "kind": "ok", "user": self.field.id(name)})

    def answer(self, kind, *names):
        """They answer the newest order of a kind, at their laptop or phone."""
        order = [one for one in self.post.get("directives")["items"] if one["kind"] == kind][-1]["id"]
        for name in names:
            if name in self.field.logins:
                self.field.logins[name].send("POST", f"directives/{order}/acknowledgements", {})
                continue
            node = self.field.laptop(name)
            wait(f"{name} has the order", lambda: any(
                one["id"] == order for one in node.get("directives")["items"]))
            own = name in self.field.nodes
            node.send("POST", f"directives/{order}/acknowledgements",
                      {} if own else {"user": self.field.id(name)})

    def safe(self, name):
        self.field.laptop(name).send("PUT", f"users/{self.field.id(name)}/safety", {"safety": "safe"})

    def charge(self, name, percent):
        self.field.charge[name] = percent
        self.field.stand(name)

    def resolve(self, *titles):
        for one in self.post.get("reports?limit=1000")["items"]:
            if one["title"] in titles:
                self.post.send("PATCH", f"reports/{one['id']}", {"status": "resolved"})

    def was_whole(self):
        """The story had as much in it as it promises."""
        orders, zones = len(self.post.get("directives")["items"]), len(self.post.get("fences")["items"])
        must(f"{len(self.field.places)} people, {self.filed} reports, {zones} zones, {orders} orders and "
             f"{self.started} check-ins", len(self.field.places) >= 20 and self.filed >= 37 and zones >= 8
             and orders >= 6 and self.started >= 8)

    # MARK: What the leader clicks

    def shown(self, key, seconds=20):
        wait(f"{key} is there", lambda: self.page.count(key), seconds)
        self.page.on(key, lambda one: one.click())

    def acknowledge(self, who):
        """In the strip if it shows the row, else in the drawer."""
        one = wait(f"there is an alert of {who}", lambda: next((
            one for one in self.post.get("alerts")["items"]
            if who in one["text"] and one["acknowledgedBy"] is None and one["priority"] != "message"), None))
        place = f"#alarm [data-key='alarm seen {one['id']}']"
        if not self.page.count(place):
            self.page.view("feed")
            place = f"[data-key='seen {one['id']}']"
        self.shown(place)

    def form(self, view, button, **values):
        self.page.close_panel()
        self.page.view(view)
        self.shown(button)
        self.page.fill(**values)
        self.page.submit()

    def person(self, name):
        self.page.close_panel()
        self.page.view("people")
        self.page.click(f".person[data-key='{self.field.id(name)}']")
        wait("the panel shows them", lambda: name in self.page.text("#detail h2"))

    def accounted(self, name, note):
        self.person(name)
        self.shown("#detail [data-key='override.safe']")
        self.page.fill(note=note)
        self.page.submit()
        self.page.close_panel()

    def roll_call(self):
        self.page.close_panel()
        self.page.view("orders")
        self.shown("[data-key='rollcall now']")

    def close_order(self, kind):
        order = [one for one in self.post.get("directives")["items"]
                 if one["kind"] == kind and one["status"] == "open"][-1]["id"]
        self.page.view("orders")
        self.shown(f"[data-key='close {order}']")
        wait("it is closed", lambda: self.post.get(f"directives/{order}")["status"] == "closed")

    def draw_reach(self):
        place = at(-3350)
        self.page.close_panel()
        self.page.view("fences")
        self.shown("#fences [data-key=typed]")
        self.page.fill(corners=f"{place[0]:.5f}, {place[1]:.5f}", radius="400")
        self.page.click("dialog[open] [type=submit]")
        self.page.await_form()
        self.page.fill(name="Reach of the dam", kind="hazard")
        self.page.submit()

    def revoke(self, name):
        self.page.close_panel()
        self.page.view("team")
        self.shown(f"#team [aria-label='Revoke: {name}']")
        self.page.submit()
        wait("it is revoked", lambda: any(
            one["callsign"] == name and one["isRevoked"] for one in self.post.get("devices")["items"]))


def acts(story):
    """The table of the story. A call is the caller's until someone answers; "seen" is command's click."""
    field, s = story.field, story
    north, south = field.PHONES["Ana"], field.PHONES["Rui"]
    own = field.PHONES["Lead"]

    def zones():
        for words in (("School", "muster", 0, 0, 150), ("Hall", "muster", 1000, 0, 150),
                      ("Old quarry", "hazard", 3200, 0, 150), ("Landslip", "hazard", 0, 4000, 200),
                      ("Ridge", "info", 2500, 900, 200), ("Car park", "info", 300, 600, 80),
                      ("Mill", "info", -1500, 500, 80)):
            s.zone(*words)

    def everyone_answers():
        s.answer("rollcall", "Ana", "Rui", "Eva", *north, *south, *own, *field.logins)

    def lands():
        for number in range(4):
            s.report(f"Road {number} slides", "Ana", (1700 + 100 * number, 0), severity=4)

    def south_to_school():
        for number, name in enumerate(("Rui", *south)):
            field.move(name, 20 * number - 60, 30)

    return [
        act(0, "command draws seven zones", zones),
        act(0.5, "six minor reports", lambda: s.minor("Rui", "Ana", "Eva", "Vera", "Tiago", "Zita")),
        act(1, "command calls the roll", s.roll_call),
        act(1.5, "everyone answers", everyone_answers),
        act(2.5, "command closes the roll call", lambda: s.close_order("rollcall")),
        act(3, "five check-ins begin", lambda: [
            s.check_in(name, 900) for name in ("Ana", "Gil", "Carla", "Davi", "Nuno")]),
        act(3.5, "command sends a message", lambda: s.form(
            "orders", "#orders [data-key=message]", text="Water at the bridge, use the ridge")),
        act(4, "seven minor reports", lambda: s.minor("Rui", "Rui", "Ana", "Ana", "Eva", "Vera", "Xana")),
        act(4.5, "command starts a check-in by the form", s.cellar),
        act(4.8, "command asks where Vera is", lambda: s.form(
            "orders", "#orders [data-key=locate]", audience=f"user {field.id('Vera')}")),
        act(5, "Fabio must check in soon", lambda: s.check_in("Fabio", 5),
            due=["warning checkIn Fabio"]),
        act(6, "Fabio is late", lambda: None, raises=["warning checkIn Fabio"]),
        act(7, "command reads it", lambda: s.acknowledge("Fabio"), seen=["checkIn Fabio"]),
        act(8, "Fabio checks in", lambda: s.report_in("Fabio"), ends=["checkIn Fabio"]),
        act(8.5, "Xana goes home", lambda: s.post.send("PUT", f"users/{field.id('Xana')}/signoff", {
            "reason": "End of shift"})),
        act(9, "five minor reports", lambda: s.minor("Rui", "Ana", "Eva", "Zita", "Tiago")),

        act(10, "Vera's phone reports that the dam breaks", lambda: s.report(
            "Dam breaks", "Vera", (-3350, 0), severity=5, toEvacuate=True), raises=["danger hazard Dam breaks"]),
        act(11, "command draws its reach", s.draw_reach, raises=[
            "danger inHazard Hugo", "danger inHazard Ines", "danger inHazard Joao"]),
        act(12, "Joao calls for help by phone", lambda: field.stand("Joao", alarm="sos"),
            raises=["life help Joao"]),
        act(12.5, "Rui sees the call on his laptop", lambda: acknowledge_at(field.nodes["Rui"], "help")),
        act(13, "command has it in hand", lambda: s.acknowledge("Joao"), seen=["help Joao"]),
        act(14, "command evacuates the south", lambda: s.form(
            "orders", "#orders [data-key=evacuate]", audience="team South", minutes="30")),
        act(15, "Hugo runs", lambda: field.move("Hugo", -2000, 100), ends=["inHazard Hugo"]),
        act(15.5, "Ines runs", lambda: field.move("Ines", -2000, -100), ends=["inHazard Ines"]),
        act(16, "Joao is out of the reach", lambda: field.move("Joao", -2000), ends=["inHazard Joao"]),
        act(16.5, "and calls it off", lambda: s.safe("Joao"), ends=["help Joao"],
            raises=["warning calledOff Joao"]),
        act(17, "command confirms it", lambda: s.acknowledge("called off"), ends=["calledOff Joao"]),
        act(17.5, "command reads the report", lambda: s.acknowledge("Dam breaks"), seen=["hazard Dam breaks"]),
        act(18, "Eva's laptop is stolen: command revokes it", lambda: s.revoke("Eva"),
            raises=["warning silent Eva"]),
        act(18.5, "Eva is at the post", lambda: s.accounted("Eva", "at the post, laptop stolen"),
            ends=["silent Eva"]),
        act(19, "the south reaches the school", south_to_school),

        act(20, "Rui is out of range, with everyone behind him", lambda: field.cut(["Rui"]),
            due=["warning silentGroup Rui"]),
        act(20.5, "command orders the north to the hall", lambda: s.form(
            "orders", "#orders [data-key=muster]", audience="team North", minutes="30")),
        act(21, "the north goes there", lambda: [
            field.move(name, 1000 + 10 * number) for number, name in enumerate(("Ana", *north))]),
        act(22, "eight minor reports on both sides", lambda: s.minor(
            "Rui", "Rui", "Rui", "Ana", "Ana", "Tiago", "Vera", "Zita")),
        act(30, "the south is silent", lambda: None, raises=["warning silentGroup Rui"]),
        act(30.5, "command reads it", lambda: s.acknowledge("Rui"), seen=["silentGroup Rui"]),
        act(31, "they are back", field.heal, ends=["silentGroup Rui"]),

        act(32, "command asks the south to check in", lambda: s.begin_check_in(15, 10, team="South"),
            due=["warning checkInGroup 6 of 7", "danger checkInGroup 6 of 7"]),
        act(32.5, "Rui alone does", lambda: s.report_in("Rui")),
        act(33, "Bruno calls for help by phone", lambda: field.stand("Bruno", alarm="sos"),
            raises=["life help Bruno"]),
        act(34, "Elsa's battery is low", lambda: s.charge("Elsa", 9), raises=["warning battery Elsa"]),
        act(34.2, "Davi is in the old quarry", lambda: field.move("Davi", 3200), raises=["danger inHazard Davi"]),
        act(34.6, "four grave reports of Ana", lands, raises=["danger reportGroup Ana reports 4 times"]),
        act(35, "six of the south are late", lambda: None, raises=["warning checkInGroup 6 of 7"]),
        act(35.5, "six of the south are missing", lambda: None, raises=["danger checkInGroup 6 of 7"]),
        act(36, "command has the call in hand", lambda: s.acknowledge("Bruno"), seen=["help Bruno"]),
        act(36.5, "command calls the roll", s.roll_call),
        act(37, "Davi leaves the quarry", lambda: field.move("Davi", 2800), ends=["inHazard Davi"]),
        act(37.5, "the south checks in", lambda: s.report_in(*south), ends=["checkInGroup 6 of 7"]),
        act(38, "command reads the reports", lambda: s.acknowledge("Ana reports"),
            seen=["reportGroup Ana reports 4 times"]),
        act(38.5, "Bruno is found", lambda: s.accounted("Bruno", "with the medics"), ends=["help Bruno"]),
        act(39, "Elsa charges her phone", lambda: s.charge("Elsa", 60), ends=["battery Elsa"]),
        act(39.5, "six minor reports", lambda: s.minor("Rui", "Rui", "Ana", "Vera", "Tiago", "Zita")),
        act(40, "the reports are resolved",
            lambda: s.resolve("Dam breaks", *(f"Road {number} slides" for number in range(4))),
            ends=["hazard Dam breaks", "reportGroup Ana reports 4 times"]),
        act(40.5, "everyone answers", lambda: s.answer(
            "rollcall", "Ana", "Rui", *north, *south, *own, *(name for name in field.logins if name != "Xana"))),
        act(41, "command closes the orders", lambda: [
            s.close_order(kind) for kind in ("rollcall", "evacuate", "muster")]),
    ]


def acknowledge_at(node, kind):
    """A member acknowledges, which silences no one else."""
    one = wait("the laptop has the alert", lambda: next((
        one for one in node.get("alerts")["items"] if one["kind"] == kind), None))
    node.send("POST", f"alerts/{one['id']}/acknowledge", {"person": True})


# MARK: The performance

class Performance:
    """Performs acts, and looks at every surface after each."""

    def __init__(self, field, page):
        self.surfaces, self.oracle, self.page = Surfaces(field, page), Oracle(), page
        self.began = None
        # The time and minute of each act: on a slow machine it comes later than its minute.
        self.begun = []
        self.now = ""

    def begin(self):
        self.surfaces.begin()
        self.began = time.time()

    def minute(self):
        return (time.time() - self.began) / MINUTE

    def perform(self, one):
        time.sleep(max(0, (one.minute - self.minute()) * MINUTE))
        self.begun.append((time.time(), one.minute))
        self.now = f"minute {one.minute} ({self.minute():.1f}), {one.words}"
        one.work()
        self.oracle.act(one.raises, one.seen, one.ends, one.due)
        self.look()
        for words in one.raises:
            if words.startswith("life"):
                self.faultless(lambda: self.surfaces.on_screen(
                    f"MAYDAY {words.split(' ', 2)[2]}", f"{one.minute:g}-call"))
        worst = next(iter(self.oracle.sorted()), "nothing")
        self.page.shot(f"{one.minute:04.1f}")
        checked(f"{self.now}: the worst is {worst}")

    def look(self):
        """Every surface agrees with the oracle soon, and with each other."""
        self.page.close_panel()
        self.page.view("feed")
        for check in (lambda: self.surfaces.differs(self.oracle), lambda: self.surfaces.order(self.oracle),
                      lambda: self.surfaces.strip(self.oracle), self.surfaces.drawer,
                      lambda: self.surfaces.chips(self.oracle), self.surfaces.terminal):
            self.faultless(check)

    def faultless(self, check, seconds=25):
        end = time.monotonic() + max(seconds, lab.patience)
        while wrong := check():
            if time.monotonic() > end:
                raise SystemExit(f"FAILED at {self.now}: expected {[str(one) for one in self.oracle.sorted()]}; "
                                 + "; ".join(wrong))
            time.sleep(0.1)

    def count(self):
        """The announcements of each stretch, of the page and of the terminal."""
        wrong = []
        for source, notes in (("the page", self.surfaces.announced()), ("alert follow", self.surfaces.raised)):
            for name, (first, last, most) in STRETCHES.items():
                found = [f"{self.act_of(when)} {text}" for when, text in notes
                         if first <= self.act_of(when) < last]
                print(f"    {source}, {name}: {len(found)} (at most {most}) {found}", flush=True)
                if len(found) > most:
                    wrong.append(f"{source}, {name}: {len(found)} announcements, at most {most}: {found}")
        return wrong

    def act_of(self, when):
        """The minute of the act during which something was announced."""
        return max(minute for began, minute in self.begun if began <= when)

    def quiet(self, seconds):
        """Only positions and heartbeats come."""
        before = len(self.surfaces.announced()), len(self.surfaces.raised)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(1)
        notes = self.surfaces.announced()[before[0]:] + self.surfaces.raised[before[1]:]
        must(f"nothing is announced in a quiet stretch of {seconds} s {notes}", not notes)
        self.look()


def flood(story, performance):
    """Fifty alarms wait; each further call for help is on the screen."""
    field = story.field
    away = {"Lead", "Xana", "Eva"}
    names = [name for name in field.places if name not in away]
    for name in names:
        story.check_in(name, 1, grace=1)
    for author in ("Ana", "Rui", "Vera"):
        for number in range(3):
            story.report(f"House {number} collapsed", author, (100 * number, 0), severity=5)
    story.zone("Flood water", "hazard", 0, 0, 4500)
    alarms = lambda: [one for one in performance.surfaces.alerts() if one["priority"] in ("life", "danger")]
    wait("fifty alarms wait", lambda: len(alarms()) >= 50, 60)
    checked(f"{len(alarms())} alarms wait")
    calls = ["Carla", "Nuno", "Tiago", "Ana", "Elsa", "Otto"]
    for number, name in enumerate(calls):
        if name in field.nodes:
            field.nodes[name].run("sos", "--no-wait", "--note", "trapped")
        elif name in field.logins:
            field.logins[name].send("PUT", "me/safety", {"safety": "help", "note": "trapped"})
        else:
            field.stand(name, alarm="sos")
        performance.now = f"the call of {name} among {len(alarms())} alarms"
        performance.faultless(lambda: performance.surfaces.on_screen(f"MAYDAY {name}", f"flood-{number}"))
        first = [one["text"] for one in alarms()[:number + 1]]
        must(f"{performance.now} is on the screen at three sizes, and first: {first}", first[0].startswith(name)
             and all(any(text.startswith(one) for text in first) for one in calls[:number + 1]))
        for check in (performance.surfaces.drawer, performance.surfaces.terminal):
            performance.faultless(check)


def play(options, field, page):
    field.post.run("settings", "set", "--silence", f"{SILENCE}s")
    story = Story(field, page)
    page.open()
    performance = Performance(field, page)
    try:
        wait("the page shows everyone", lambda: page.count(".person") == len(field.places))
        performance.begin()
        for one in acts(story):
            performance.perform(one)
        story.was_whole()
        wrong = performance.count()
        performance.quiet(options.quiet)
        flood(story, performance)
        must(f"the post is alarmed seldom enough {wrong}", not wrong)
        faults = page.faults("/tiles/")
        must(f"the page has no faults {faults[:3]}", not faults)
    finally:
        performance.surfaces.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--muster", default=".build/debug/muster")
    parser.add_argument("--patience", type=int, default=0, help="the minimum timeout in s")
    parser.add_argument("--quiet", type=int, default=QUIET, help="the length of the quiet stretch in s")
    parser.add_argument("--screenshots", help="a folder for screenshots")
    options = parser.parse_args()
    browser.require(options.screenshots)
    lab.patience = options.patience
    field = Field(os.path.abspath(options.muster))
    try:
        with Page(field.post.url, options.screenshots, link=field.post.link,
                  more=["--autoplay-policy=no-user-gesture-required"]) as page:
            play(options, field, page)
    finally:
        field.close()
    checked("the story of 40 minutes")


if __name__ == "__main__":
    main()
