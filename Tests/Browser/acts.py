#!/usr/bin/env python3
"""What a leader does: rows that stay, undo, recipients of orders, permits, the first steps.

    python3 Tests/Browser/acts.py --screenshots /tmp/shots --axe axe.min.js

A small server replaces the node, as in picture.py. Requirements: as dashboard.py."""

import argparse
import sys
import time

import browser
from access import find
from browser import must
from nodes import wait
from measures import Hand
from picture import PictureStage, opened, reports, resize, stamp

ROLLCALL = "d" * 32
ZONE = "f" * 31 + "2"


class Acts(PictureStage):
    """The scene, in which what is written has its effect."""

    moving = (*PictureStage.moving, "reports", "fences")

    def __init__(self):
        super().__init__()
        self.overrides, self.gone, self.permits = {}, set(), []

    def write(self, method, name, body):
        if name.endswith("/override"):
            self.overrides[name.split("/")[1]] = body.get("safety") if method == "PUT" else None
        if method == "DELETE":
            self.gone.add(name.split("/")[-1])
        if name == "permits":
            names = {one["id"]: one["callsign"] for one in self.users()}
            self.permits.append({
                "id": f"{len(self.permits):032x}", "people": [names[one] for one in body.get("users", [])],
                "team": body.get("team", ""), "zone": body["zone"], "zoneName": "Sawmill fire",
                "durationSeconds": body["durationSeconds"], "revoked": False, "callsign": "Lead",
                "issuedAt": stamp(0)})
        if name.startswith("permits/"):
            self.permits[int(name.split("/")[1], 16)]["revoked"] = True
        super().write(method, name, body)
        self.changed()
        return {"permits": {"id": f"{len(self.permits) - 1:032x}"}, "fences": {"id": "9" * 32}, "directives": {"id": ROLLCALL}}.get(name)

    def users(self):
        found = super().users()
        for one in found:
            safety = self.overrides.get(one["id"])
            one["override"] = safety and {"claim": safety, "callsign": "Lead", "saidAt": stamp(0), "note": ""}
            if safety == "safe":
                one.update(status="accountedFor", severity="safe", reason="accounted for by Lead", conditions=[
                    {"status": "accountedFor", "severity": "safe", "reason": "accounted for by Lead"}])
        return found

    def person(self, n, late=False):
        found = super().person(n, late)
        if self.overrides.get(found["user"]) == "safe":
            found["state"] = "present"
        return found

    def answer(self, name):
        if name == "reports":
            return {"items": [one for one in reports() if one["id"] not in self.gone], "next": None}
        if name == "permits":
            return {"items": self.permits}
        if name.startswith("fences/"):
            return next(one for one in super().fences() if one["id"] in name)
        return super().answer(name)

    def fences(self):
        return [one for one in super().fences() if one["id"] not in self.gone]


def accessible(page, axe):
    """The screen has no finding of axe-core, if that is present."""
    if axe:
        with open(axe, encoding="utf-8") as file:
            page.js(file.read() + ";window.axe = axe;")
        found = find(page, "")
        must(f"axe has no finding {found}", not found)


def names(page, selector):
    return page.js("""return [...document.querySelectorAll(arguments[0])].map((one) =>
        one.firstChild.data.trim())""", selector)


def stays(page, stage):
    """The row of a person who is accounted for stays in place for three seconds."""
    page.view("orders")
    card = f"[data-order='{ROLLCALL}']"
    lines = f"{card} [aria-label='Unaccounted for'] .name"
    before = names(page, lines)

    def tops():
        return page.js("""return [...document.querySelectorAll(arguments[0])].map((one) =>
            one.closest('li').offsetHeight)""", lines)

    places = tops()
    people = names(page, ".person .name")
    user = page.js("return document.querySelector(arguments[0]).closest('li').querySelector('.act').dataset.key",
                   lines).split()[-1]
    began = time.monotonic()
    page.click(f"[data-key='account {ROLLCALL} {user}']")
    wait("one is accounted for", lambda: "1 of 6" in page.text(f"{card} .sum"))
    must(f"the row stays: {before[0]}", names(page, lines) == before)
    must("and all rows are where they were", tops() == places)
    must("it has no button that a second press could meet",
         not page.count(f"{card} [aria-label='Unaccounted for'] li:first-child button.act"))
    wait("then it goes", lambda: names(page, lines) == before[1:])
    took = time.monotonic() - began
    must(f"after {took:.1f} s", 2.9 <= took <= 4.5)
    page.click("#said [data-key=undo]")
    wait("the answer is undone", lambda: "0 of 6" in page.text(f"{card} .sum"))
    must("the list of people is as before", names(page, ".person .name") == people)
    page.view("people")
    page.click(f"[data-key='{2:032x}'].person")
    page.click("#detail [data-key='override.safe']")
    page.submit()
    wait("Caro is accounted for", lambda: "Accounted for" in page.text("#detail .conditions"))
    must("her row stays in the list", names(page, ".person .name") == people)
    wait("then she is below", lambda: names(page, ".person .name") != people)


def steps(page, stage):
    """Several steps are undone, the newest first: by the message, the menu and the keyboard."""
    for n in (3, 4):
        page.view("people")
        page.click(f"[data-key='{n:032x}'].person")
        page.click("#detail [data-key='override.safe']")
        page.submit()
        wait(f"{n} is accounted for", lambda: stage.overrides.get(f"{n:032x}") == "safe")
    page.click("#said [data-key=undo]")
    wait("the newest is undone", lambda: stage.overrides[f"{4:032x}"] is None)
    wait("the one before is offered", lambda: "Undo: Duarte" in page.text("#said"))
    page.js("document.activeElement.blur()")
    page.actions().key_down("\ue009").send_keys("z").key_up("\ue009").perform()
    wait("a key undoes it", lambda: stage.overrides[f"{3:032x}"] is None)
    page.click("#more")
    must("the menu offers the one before", page.text("#undo") == "Undo: Caro is accounted for")
    # Another commander states meanwhile that she needs help.
    stage.overrides[f"{2:032x}"] = "help"
    stage.changed()
    wait("it is shown", lambda: page.js("""return import('/dashboard/js/store.js').then(({ state }) =>
        state.users.get(arguments[0]).override.claim === 'help')""", f"{2:032x}"))
    page.click("#undo")
    wait("what was changed since is not undone", lambda: "not undone" in page.text("#said"))
    must("she still needs help", stage.overrides[f"{2:032x}"] == "help")
    stage.overrides.clear()
    stage.changed()
    page.close_panel()


def deletions(page, stage):
    """A deletion waits for ten seconds, in which it can be undone."""
    page.view("fences")
    page.click(f"#fences [data-key='zone {ZONE}']")
    wait("centre and edge have handles", lambda: page.count(".handle.corner") == 2)
    page.drag(".handle.corner", 30, 0)
    time.sleep(0.3)
    must("the drag of a handle clicks nothing below it", page.count("#detail [name=radius]")
         and not page.count("#here"))
    page.close_panel()
    zone = f"#fences [data-key='zone {ZONE}']"
    page.click(zone)
    page.click(f"#detail [data-key='delete {ZONE}']")
    page.submit()
    wait("the zone is gone from the page", lambda: not page.count(zone))
    stage.changed()
    time.sleep(0.5)
    must("and stays so while the data change", not page.count(zone))
    must("the node has it", ZONE not in stage.gone)
    page.click("#said [data-key=undo]")
    wait("it is there again", lambda: page.count(zone))
    time.sleep(11)
    must("and was never deleted", ZONE not in stage.gone)
    page.click("[data-key=typed]")
    page.fill(corners="40.3300, -7.6100", radius="100")
    page.click("dialog[open] [type=submit]")
    page.fill(name="Ford", kind="info")
    page.submit()
    wait("a new zone is saved", lambda: "Zone saved: Ford" in page.text("#said"))
    page.click("#said [data-key=undo]")
    wait("an undo deletes it", lambda: "9" * 32 in stage.gone)
    page.view("reports")
    row = "a" * 31 + "3"
    page.click("[data-key='filter resolved']")
    page.click(f"[data-key='open {row}']")
    page.click("#detail [data-key=delete]")
    page.submit()
    wait("without an undo it is deleted", lambda: row in stage.gone)


def orders(page, stage):
    """After sending, an order names its recipients; it ends by closing it."""
    page.view("orders")
    page.click("#orders [data-key=rollcall]")
    page.fill(audience="team Bravo")
    page.js("""document.querySelector("dialog [name=audience]").dispatchEvent(
        new Event("change", { bubbles: true }))""")
    wait("it counts them, and names those out of reach", lambda: "4 people" in page.text("dialog .outlook")
         and "Out of reach: Filipe" in page.text("dialog .outlook"))
    page.submit()
    wait("it names the recipients", lambda: all(word in page.text("#said") for word in (
        "Roll call", "Team Bravo", "sent to 4 people", "Caro", "Duarte", "Eva", "Filipe")))
    page.shot("sent")
    page.click("#orders [data-key=evacuate]")
    wait("the form warns of a hazard on the straight line", lambda: "crosses Sawmill fire" in page.text(
        "dialog .outlook"))
    page.click("dialog [data-key=cancel]")
    page.click("#orders [data-key='rollcall now']")
    wait("a roll call of everyone too", lambda: all(word in page.text("#said") for word in (
        "Roll call", "Everyone", "sent to 13 people")))
    must("the message cannot be closed by mistake with the order", page.text("#said button") == "Close the order")
    page.click("#said button")
    wait("the order is closed", lambda: ("POST", f"directives/{ROLLCALL}/close", {}) in stage.written)
    page.view("people")
    page.click(f"[data-key='{3:032x}'].person")
    page.click("#detail [data-key='order.message']")
    page.fill(text="Take the north road")
    page.submit()
    wait("and a message", lambda: "Sent to Duarte" in page.text("#said"))
    page.close_panel()


def permits(page, stage, axe=None):
    """A permit takes three clicks from the map, for a person or for those inside; it is listed and withdrawn."""
    page.view("map")
    page.click("[data-key='tool fit']")
    time.sleep(0.5)
    hand = Hand(page)
    hand.tap_place(40.3239, -7.6054)
    hand.click("#detail [data-key='permit new']")
    hand.click("dialog[open] [type=submit]")
    wait("it is issued", lambda: stage.permits)
    must(f"a permit for Caro by {hand.count} clicks: {stage.written[-1][2]}", hand.count == 3
         and stage.written[-1][2] == {"zone": ZONE, "durationSeconds": 1800, "users": [f"{2:032x}"]})
    wait("it is in the panel of the person", lambda: all(word in page.text("#detail section") for word in (
        "Caro → Sawmill fire", "30 min left", "Lead")))
    page.shot("permit")
    page.click("#said [data-key=undo]")
    wait("an undo withdraws it", lambda: stage.permits[0]["revoked"])
    page.view("fences")
    hand = Hand(page)
    hand.click(f"#fences [data-key='zone {ZONE}']")
    hand.click("#detail [data-key='permit new']")
    page.fill(who="team Bravo", minutes="45")
    page.shot("permit-form")
    accessible(page, axe)
    hand.click("dialog[open] [type=submit]")
    must(f"and one for a team: {hand.count} clicks", hand.count <= 3)
    wait("it is in the panel of the zone", lambda: "Team Bravo" in page.text("#detail section"))
    page.click("#detail [data-key='permit " + f"{1:032x}" + "']")
    wait("it is withdrawn", lambda: stage.permits[1]["revoked"] and not page.count("#detail section"))
    page.close_panel()


class Fresh(PictureStage):
    """A node on its first day; what is added is there."""

    moving = (*PictureStage.moving, "fences")

    def __init__(self):
        super().__init__()
        self.others, self.zones, self.place, self.maps = 0, [], None, []

    def users(self):
        lead = {**super().users()[-1], **(self.place or {"lat": None, "lon": None})}
        return [lead] + super().users()[7:7 + self.others]

    def fences(self):
        return self.zones

    def alerts(self):
        return []

    directives = alerts

    def answer(self, name):
        if name in ("reports", "checkins", "mesh"):
            return {"items": [], "next": None}
        if name == "maps":
            return {"items": self.maps, "next": None}
        return super().answer(name)

    def write(self, method, name, body):
        super().write(method, name, body)
        if name == "me/position":
            self.place = {"lat": body["lat"], "lon": body["lon"]}
        if name == "fences":
            self.zones = [{**super().fences()[0], "kind": body["kind"], "name": body["name"]}]
        self.changed()
        return {"id": "f" * 32} if name == "fences" else None


def guide(shots, axe):
    """The first view of a new node states what to do next, until it is done."""
    stage = Fresh()
    with opened(stage, shots) as page:
        first_steps(page, stage, axe)


def first_steps(page, stage, axe):
    """Each step leads to its form; what is done leaves the list, also after a reload."""
    def steps():
        return page.js("return [...document.querySelectorAll('#guide li button')].map((one) => one.dataset.key)")

    wait("the steps are shown", lambda: len(steps()) == 4)
    # As the page opens: on a phone above the sheet of the own status.
    for size in ("laptop", "tablet", "phone"):
        resize(page, size)
        page.driver.refresh()
        wait("the steps are shown", lambda: len(steps()) == 4)
        must(f"nothing covers the steps on a {size}", page.js("""
            return [...document.querySelectorAll('#guide li button')].every((one) => {
              const { left, top, width, height } = one.getBoundingClientRect();
              return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
            })"""))
        page.shot(f"first-{size}")
    for size in ("laptop", "tablet", "phone"):
        resize(page, size)
        page.view("map")
        page.shot(f"guide-{size}")
        box = page.js("""const box = document.querySelector('#guide').getBoundingClientRect();
            return [box.left, box.top, innerWidth - box.right, innerHeight - box.bottom]""")
        must(f"the steps are on a {size}: {box}", min(box) >= 0)
        accessible(page, axe)
    resize(page, "laptop")
    page.click("[data-key='guide people']")
    wait("one invites", lambda: page.count("#team [data-key=invite]"))
    page.view("map")
    page.click("[data-key='guide map']")
    wait("one adds a map", lambda: page.count("#layers [data-key='map add']"))
    page.view("map")
    page.click("[data-key='guide position']")
    wait("a click is awaited", lambda: "Click on the map" in page.text("#said"))
    page.tap(20, -20)
    wait("the position is set", lambda: "guide position" not in steps())
    page.click("[data-key='guide zone']")
    wait("one draws", lambda: page.count(".drawing"))
    page.tap(-60, -60)
    time.sleep(0.4)
    page.tap(0, -60)
    page.await_form()
    must("an assembly zone", page.js("return document.querySelector('dialog [name=kind]').value") == "muster")
    page.fill(name="School yard")
    page.submit()
    wait("the zone is there", lambda: "guide zone" not in steps())
    stage.others = 2
    stage.changed()
    wait("a map is left", lambda: steps() == ["guide map"])
    page.js("location.reload()")
    wait("after a reload too", lambda: steps() == ["guide map"])
    page.click("[data-key='guide close']")
    wait("they are closed", lambda: not page.count("#guide:not([hidden])"))
    page.js("location.reload()")
    wait("the page is there", lambda: page.count(".person") == 3)
    time.sleep(1)
    must("and stay closed", not page.count("#guide:not([hidden])"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--screenshots", help="a folder for screenshots")
    parser.add_argument("--axe", help="axe.min.js, for accessibility checks")
    options = parser.parse_args()
    browser.require(options.screenshots)
    stage = Acts()
    with opened(stage, options.screenshots) as page:
        resize(page, "laptop")
        for walk in (stays, steps, deletions, orders):
            walk(page, stage)
        permits(page, stage, options.axe)
        faults = page.faults("openapi.json")
        must(f"the browser has no error {faults[:3]}", not faults)
    guide(options.screenshots, options.axe)
    return 0


if __name__ == "__main__":
    sys.exit(main())
