#!/usr/bin/env python3
"""Lists that keep their promises: filters, choices, the view of the map, labels, paper.

    python3 Tests/Browser/lists.py --screenshots /tmp/shots

A small server replaces the node, as in picture.py. Requirements: as dashboard.py."""

import argparse
import subprocess
import sys
import tempfile
import threading
import time

import browser
import paper
from browser import Page, must
from nodes import wait
from picture import PEOPLE, PictureStage, opened, resize, stamp
from views import SESSION, Scene, Server

# One team has more people than the list shows.
TEAMS = ("Alpha",) * 9 + ("",)


class Crowd(PictureStage):
    """The scene with further people, some of them far away; written teams are kept."""

    def __init__(self, more=0, far=0):
        super().__init__()
        self.more, self.far = more, far
        self.teams, self.statuses = {}, {}

    def users(self):
        found = super().users()
        row = found[7]
        for n in range(len(PEOPLE), len(PEOPLE) + self.more):
            place = (40.3217 + n % 17 * 0.001, -7.6114 + n % 13 * 0.001)
            if n - len(PEOPLE) < self.far:
                place = (41.5 + n * 0.01, -8.4)
            found.append({**row, "id": f"{n:032x}", "callsign": f"Person {n}",
                          "team": TEAMS[n % len(TEAMS)], "lat": place[0], "lon": place[1]})
        for one in found:
            one["team"] = self.teams.get(one["id"], one["team"])
            one.update(self.statuses.get(one["id"], {}))
        return found

    def write(self, method, name, body):
        super().write(method, name, body)
        if name.endswith("/team"):
            self.teams[name.split("/")[1]] = body["team"]
            self.changed()

    def alerts(self):
        found = super().alerts()
        last = found[-1]
        last["phrase"] = {"key": "lastKnown", "values": {
            "text": last.get("phrase", last["text"]), "position": "40.32720,-7.60840", "battery": 12}}
        return found


def filters(page, stage):
    """A filter whose chip is gone is dropped."""
    page.click("[data-count=overdue]")
    must("a chip filters the list", page.count(".person") == 1)
    stage.statuses[f"{6:032x}"] = {"status": "ok", "severity": "neutral", "conditions": []}
    stage.changed()
    wait("without its chip the list shows everyone", lambda: page.count(".person") > 12)
    stage.statuses.clear()
    stage.changed()


def choices(page, stage):
    """Everyone who matches is chosen, also those below "60 more"; ten people get a team in four clicks."""
    page.view("people")
    total = len(PEOPLE) + stage.more
    must("not all rows are shown", page.count("#people .person") == 200 < total)
    must("those in danger are, of every team", page.count("#people .person.is-danger") == 3)
    page.click("[data-key='tick all']")
    must(f"all {total} are chosen: {page.text('#chosen strong')}",
         page.text("#chosen strong") == f"{total} chosen")
    page.click("[data-key='tick all']")
    must("and none again", not page.text("#chosen strong"))
    team = page.js("""return document.querySelector('#people li.group h3').innerText""")
    page.click(f"[data-key='tick team {team}']")
    size = sum(one["team"] == team for one in stage.users())
    must(f"the whole team {team} of {size} is chosen", page.text("#chosen strong") == f"{size} chosen")
    page.click("[data-key='chosen clear']")
    boxes = page.js("""return [...document.querySelectorAll('#people .pick input')].slice(0, 10)
        .map((one) => one.dataset.key)""")
    page.click(f"[data-key='{boxes[0]}']")
    page.js("""document.querySelector(arguments[0]).dispatchEvent(
        new MouseEvent('click', { bubbles: true, shiftKey: true }))""", f"[data-key='{boxes[9]}']")
    must("two clicks choose ten", page.text("#chosen strong") == "10 chosen")
    page.shot("chosen")
    page.click("[data-key='chosen team']")
    page.fill(team="Echo")
    page.submit()
    ids = {key.split()[-1] for key in boxes}
    wait("ten people are in the team", lambda: {
        one for one, team in stage.teams.items() if team == "Echo"} == ids)
    page.click("#said [data-key=undo]")
    wait("and in their own again", lambda: all(stage.teams[one] != "Echo" for one in ids))
    page.view("map")


def labels(page, stage):
    """A group on the map counts people and reports apart; a label does not repeat that a person is in contact."""
    page.js("""window.__texts = []; const draw = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
          window.__texts.push(text); draw.call(this, text, ...rest); };""")
    page.js("dispatchEvent(new Event('resize'))")
    page.theme("dark")
    wait("the map is drawn", lambda: page.js("return window.__texts.includes('Hugo')"))
    must("no label states what is usual", not page.js("""
        return window.__texts.filter((text) => text.includes('contact') && !text.includes('No contact'))"""))
    place = {"lat": 40.319, "lon": -7.614}
    for n in range(7, 13):
        stage.statuses[f"{n:032x}"] = place
    page.js("window.__texts = []")
    stage.changed()
    wait("six people and a report at one place", lambda: page.js("return window.__texts.includes('6 ▲1')"))
    stage.statuses.clear()
    stage.changed()
    page.theme("light")


def wall(page):
    """A display on a wall has larger text and symbols, and keeps people and the details in view."""
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 2560, "height": 1440, "deviceScaleFactor": 1, "mobile": False})
    page.view("map")
    page.js("window.__fonts = new Set(); window.__wall = CanvasRenderingContext2D.prototype.fillText; " + """
        CanvasRenderingContext2D.prototype.fillText = function (...all) {
          window.__fonts.add(this.font); window.__wall.apply(this, all); };""")
    page.theme("dark")
    wait("labels are larger", lambda: page.js(
        "return [...window.__fonts].some((one) => one.startsWith('bold 18px'))"))
    page.theme("light")
    seen = page.js("""return ['people', 'detail'].filter((id) => document.getElementById(id).offsetWidth > 400)""")
    must(f"people and details are in view without a drawer: {seen}", len(seen) == 2)
    must("text is large", page.js("return parseFloat(getComputedStyle(document.body).fontSize)") >= 19)
    cut = page.js("""return [...document.querySelectorAll('#rail button, .drawer-head, .person, #counts button')]
        .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText)""")
    must(f"nothing is cut {cut[:5]}", not cut)
    page.shot("wall")
    resize(page, "laptop")


def silent(shots):
    """A phone shows within five seconds that its laptop answers no longer, and that it is back."""
    gate = threading.Event()
    gate.set()

    class Silent(Scene):
        def text(self, name):
            gate.wait()
            return super().text(name)

    with tempfile.TemporaryDirectory() as folder:
        page = Page(Server(Silent("Lead", SESSION), folder).url, shots, ["--ignore-certificate-errors"])
        try:
            resize(page, "phone")
            page.open()
            time.sleep(3)
            must("the link is up", not page.text("#banner"))
            gate.clear()
            began = time.monotonic()
            wait("the loss is shown", lambda: "NODE LOST" in page.text("#banner"))
            took = time.monotonic() - began
            page.shot("silent")
            must(f"a link that is lost without notice is shown after {took:.1f} s", took <= 5)
            gate.set()
            wait("and that it is back", lambda: not page.text("#banner"))
        finally:
            gate.set()
            page.close()


def far(page):
    """The map leaves out the few who are far away, counts them, and shows them too."""
    page.click("[data-key='tool fit']")
    wait("it counts them", lambda: "2 far away left out" in page.text("#said"))
    zoom = """return import('/dashboard/js/map/map.js').then(({ theMap }) => theMap().getZoom())"""
    near = page.js(zoom)
    page.shot("far")
    page.click("#said [data-key=undo]")
    wait("it shows them", lambda: page.js(zoom) < near - 2)
    must(f"without them the map is closer: {near}", near >= 12)


def small(page, stage):
    """What is complete is not repeated; Escape closes a drawer from anywhere."""
    page.view("reports")
    must("a list does not repeat that a report is everywhere", "device" not in page.text("#reports"))
    page.click("#reports [data-key^='open ']")
    wait("its panel states it", lambda: "on 1 of 1 device" in page.text("#detail"))
    page.close_panel()
    page.view("feed")
    must("a row of an alert has no coordinates", "battery 12 %" in page.text("#alerts")
         and "40.3" not in page.text("#alerts"))
    from selenium.webdriver.common.keys import Keys
    for target in ("#more", "#map", "[data-count=mayday]", "#reports [data-key=file]", "#alarm button",
                   "[data-key='tool fit']"):
        page.view("reports")
        page.js("document.querySelector(arguments[0]).focus()", target)
        page.actions().send_keys(Keys.ESCAPE).perform()
        must(f"Escape closes the drawer from {target}",
             page.js("return document.body.dataset.view") == "map")


def acknowledged(page):
    """The focus stays at an alert that is acknowledged, in the drawer; in the strip at the next one."""
    from selenium.webdriver.common.keys import Keys
    page.view("feed")
    page.on("#alerts [data-key^='seen silent']", lambda one: one.send_keys(Keys.ENTER))
    wait("it is acknowledged", lambda: not page.count("#alerts [data-key^='seen silent']"))
    at = page.js("return document.activeElement.dataset.key ?? document.activeElement.id")
    must(f"the focus stays at the alert: {at}", at.startswith("lead silent"))
    page.on("#alarm [data-key^='alarm seen']", lambda one: one.send_keys(Keys.ENTER))
    time.sleep(0.5)
    at = page.js("return document.activeElement.dataset.key ?? document.activeElement.id")
    must(f"the focus is at the next alarm: {at}", at.startswith("alarm seen"))
    page.view("map")


class Briefing(Crowd):
    """What a day leaves behind: 25 people, 37 reports, 8 zones, 6 orders, 8 check-ins."""

    def __init__(self):
        super().__init__(more=12)

    def answer(self, name):
        found = super().answer(name)
        if name == "reports":
            row = found["items"][0]
            return {"items": [{**row, "id": f"{n:032x}", "title": f"Report {n}: a road is blocked by a tree",
                               "conflicts": [], "severity": n % 5 + 1, "toEvacuate": n == 0,
                               "status": "open" if n < 30 else "resolved"} for n in range(37)], "next": None}
        if name == "checkins":
            row = found["items"][0]
            return {"items": [{**row, "id": f"{n:032x}"} for n in range(8)], "next": None}
        if name == "events":
            return {"items": [{"id": f"{n:032x}", "type": "ENTER", "fence": "f" * 31 + "1",
                               "fenceName": "School yard", "subject": f"{n:032x}", "callsign": f"Person {n}",
                               "sampleTime": stamp(60 * n), "lat": 40.3, "lon": -7.6, "baseline": False}
                              for n in range(60)], "next": None}
        return found

    def fences(self):
        found = super().fences()
        return found + [{**found[0], "id": f"{n:032x}", "name": f"Zone {n}", "kind": "info"} for n in range(6)]

    def directives(self):
        rollcall, evacuate = super().directives()
        people = [self.person(n % len(PEOPLE)) for n in range(25)]
        return [{**one, "id": f"{n:032x}", "people": people, "status": "open" if n < 3 else "closed"}
                for n, one in enumerate([rollcall, evacuate] * 3)]


def sheets(data):
    """The number of pages of a PDF."""
    return subprocess.run(["pdfinfo", "-"], input=data, check=True, capture_output=True).stdout.decode() \
        .split("Pages:")[1].split()[0]


def printed(shots):
    """Paper ignores filters; an operation of 25 people has at most four pages, the forms have their own."""
    stage = Briefing()
    page = opened(stage, shots)
    try:
        resize(page, "laptop")
        page.view("people")
        page.click("[data-count=ordered]")
        must("the list is filtered", page.count(".person") == 2)
        data = paper.pdf(page)
        if shots:
            with open(f"{shots}/print.pdf", "wb") as file:
                file.write(data)
        text = paper.words(data)
        missing = [one["callsign"] for one in stage.users() if one["callsign"] not in text]
        must(f"everyone is on paper, whatever is filtered {missing}", not missing)
        missing = [one["title"] for one in stage.answer("reports")["items"]
                   if one["status"] == "open" and one["title"].split(":")[0] + ":" not in text]
        must(f"each open report is on paper {missing}", not missing)
        must(f"25 people, 37 reports, 8 zones, 6 orders and 8 check-ins: {sheets(data)} pages, at most 4",
             int(sheets(data)) <= 4)
        must("the filter is there again", page.count(".person") == 2)
        data = paper.pdf(page, "#print-forms")
        must(f"the forms are printed on request: {sheets(data)} pages", all(
            word in paper.words(data) for word in ("ICS 201", "ICS 204", "ICS 211", "ICS 214")))
    finally:
        page.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--screenshots", help="a folder for screenshots")
    options = parser.parse_args()
    browser.require(options.screenshots)
    stage = Crowd()
    with opened(stage, options.screenshots) as page:
        resize(page, "laptop")
        filters(page, stage)
        small(page, stage)
        acknowledged(page)
        labels(page, stage)
        wall(page)
        stage.more, stage.far = 250, 2
        stage.changed()
        wait("they are shown", lambda: page.count(".person") == 200)
        choices(page, stage)
        far(page)
        faults = page.faults("openapi.json")
        must(f"the browser has no error {faults[:3]}", not faults)
    printed(options.screenshots)
    silent(options.screenshots)
    return 0


if __name__ == "__main__":
    sys.exit(main())
