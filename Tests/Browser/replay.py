#!/usr/bin/env python3
"""Walks through the replay of the dashboard of a real node in a real browser.

    python3 Tests/Browser/replay.py --muster .build/debug/muster --screenshots /tmp/shots

Needs Chromium with its driver (apt: chromium chromium-driver) and selenium 4 (PyPI)."""

import argparse
import os
import sys
import time
import urllib.parse
import urllib.request

import browser
import lab
from browser import Page, must
from nodes import Operation, wait

# While the node is off.
LINK_FAULTS = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE",
               "ERR_CONNECTION_RESET")
FIRST, LATE, LAST = (40.3251, -7.6050), (40.3275, -7.6015), (40.3302, -7.5978)
PLUME = (40.3330, -7.5940)


def report(node, place, moment):
    """A phone in the truck reports where it was at a moment."""
    query = urllib.parse.urlencode({
        "id": "truck", "lat": place[0], "lon": place[1], "timestamp": int(moment), "accuracy": 5})
    with urllib.request.urlopen(f"{node.url}/{node.token}/?{query}", timeout=30) as answer:
        answer.read()


def later(seconds):
    """Returns the time once so many seconds have passed."""
    end = time.time() + seconds
    wait(f"{seconds} s pass", lambda: time.time() > end, poll=0.1)
    return time.time()


def status(people, name):
    return next((one["status"] for one in people if one["callsign"] == name), None)


def story(operation):
    """A truck whose phone was out of reach, and a call for help. Returns a moment in between."""
    leader, member = operation.leader, operation.member
    leader.send("POST", "fences", {
        "name": "Plume", "kind": "hazard",
        "circle": {"lat": PLUME[0], "lon": PLUME[1], "radiusMetres": 150}})
    member.send("POST", "me/position", {"lat": 40.3235, "lon": -7.6080, "accuracyMetres": 5})
    report(leader, FIRST, time.time())
    wait("everybody has a position", lambda: all(
        one["lat"] for one in leader.get("users")["items"] if one["callsign"] != "Lead"))
    lost = later(4)
    # The slider has steps of a second.
    between = later(4) - 2
    member.send("PUT", "me/safety", {"safety": "help", "note": "leg"})
    wait("the leader knows of the call", lambda: status(
        leader.get("users")["items"], "Ana") == "mayday")
    report(leader, LAST, later(3))
    report(leader, LATE, lost)
    plume = next(one for one in leader.get("fences")["items"] if one["name"] == "Plume")
    leader.send("PATCH", f"fences/{plume['id']}", {
        "circle": {"lat": PLUME[0], "lon": PLUME[1], "radiusMetres": 170}})
    smoke = leader.send("POST", "reports", {"title": "Smoke", "lat": 40.33, "lon": -7.6})["id"]
    leader.send("PATCH", f"reports/{smoke}", {"title": "Fire"})
    wait("the call is recorded", lambda: any(
        one["what"] == "mayday" for one in events(leader, between)))
    later(3)
    return between


def events(node, since):
    return node.get("history/events?from=" + stamp(since))["items"]


def stamp(moment):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def people(page):
    """The people that the map shows at its instant, by callsign; None while it is live."""
    return page.js("""return import("/dashboard/js/store.js").then(({ past }) => past.users
        && Object.fromEntries([...past.users.values()].map((one) => [one.callsign, one])))""")


def to(page, moment):
    page.js("""const slider = document.querySelector("#replay input");
        slider.value = arguments[0];
        slider.dispatchEvent(new Event("input", { bubbles: true }));""", int(moment * 1000))


def choose(page, view):
    page.js("""const choice = document.querySelector("[data-key='past.view']");
        choice.value = arguments[0];
        choice.dispatchEvent(new Event("change", { bubbles: true }));""", view)


def at(page, place):
    """Whether the map shows the truck there."""
    truck = (people(page) or {}).get("truck")
    return truck and (truck["lat"], truck["lon"]) == place


def replayed(page, operation, between):
    page.click("#map-tools [data-key='tool replay']")
    wait("the banner is shown", lambda: "not live" in page.text("#past"))
    wait("the log lists the call", lambda: "MAYDAY" in page.text("#replay ol"))
    must("dangers are marked on the timeline", page.count("#replay rect") >= 1)
    to(page, between)
    wait("what happened: the truck was where its phone said later", lambda: at(page, LATE))
    must("and Ana had not called yet", people(page)["Ana"]["status"] != "mayday")
    must("the log ends there", "MAYDAY" not in page.text("#replay ol"))
    page.shot("replay-event")
    choose(page, "known")
    wait("what this post knew: the truck was where it was heard last", lambda: at(page, FIRST))
    page.shot("replay-known")


def rows(page):
    """The radius of each zone, and the titles of the reports, that the map shows."""
    return page.js("""return import("/dashboard/js/store.js").then(
        ({ shownFences, shownReports }) => [shownFences().map((one) => one.radiusMetres),
          shownReports().map((one) => one.title)])""")


def earlier_rows(page, between):
    to(page, between)
    for view in ("event", "known"):
        choose(page, view)
        wait(f"zones and reports are as they were ({view})", lambda: rows(page) == [[150], []])
    to(page, time.time())
    wait("and later as they are now", lambda: rows(page) == [[170], ["Fire"]])
    to(page, between)


def gap(page, operation):
    """The time in which the leader's node was off is marked."""
    operation.leader.stop()
    off = time.time()
    later(12)
    operation.leader.start()
    later(2)
    page.driver.get(operation.leader.link)
    wait("the page is back", lambda: page.count(".person"))
    page.click("#map-tools [data-key='tool replay']")
    wait("the gap is marked on the timeline", lambda: page.count("#replay rect.gap") == 1)
    must("and in the log", "nothing recorded" in page.text("#replay ol"))
    to(page, off + 6)
    wait("the banner names it", lambda: "nothing recorded" in page.text("#past"))
    page.shot("replay-gap")
    page.click("[data-key='past back']")


def keys(page):
    from selenium.webdriver.common.keys import Keys
    value = lambda: int(page.js("return document.querySelector('#replay input').value"))
    before = value()
    page.on("#replay input", lambda one: one.send_keys(Keys.ARROW_RIGHT))
    wait("an arrow key moves the time", lambda: value() > before)
    page.on("[data-key='past play']", lambda one: one.send_keys(Keys.ARROW_LEFT))
    wait("also from a button", lambda: value() == before)


def played(page):
    page.click("[data-key='past play']")
    wait("play reaches the call", lambda: (people(page) or {}).get("Ana", {}).get("status") == "mayday")
    wait("and stops at the end", lambda: "▶" in page.text("[data-key='past play']"))
    page.click("#replay ol button")
    wait("an event of the log is shown at its time", lambda: people(page))


def stays_live(page, operation):
    """A danger during the replay is shown at once."""
    report(operation.leader, PLUME, time.time())
    wait("the alert strip is live", lambda: "truck" in page.text("#alarm"))
    must("the map still shows the past", "not live" in page.text("#past"))


def sized(page, between):
    to(page, between)
    wait("the map shows it", lambda: people(page))
    for width, height in ((1440, 900), (1024, 768)):
        page.driver.set_window_size(width, height)
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        for theme in ("light", "dark"):
            page.theme(theme)
            page.shot(f"replay-{width}-{theme}")
    page.as_phone()
    page.view("map")
    page.theme("light")
    page.shot("replay-390")
    wide = page.js("return document.documentElement.scrollWidth")
    must(f"a phone's width holds it ({wide} pixels of 390)", wide <= 390)
    covered = page.js("""const box = document.querySelector("#replay").getBoundingClientRect();
        return box.height / innerHeight""")
    must(f"the map keeps most of a phone ({covered:.2f} is covered)", covered < 0.4)
    page.as_laptop()


def personal(page, operation):
    """The panel of a person lists what the node recorded of them."""
    page.view("people")
    ana = next(one for one in operation.leader.get("users")["items"] if one["callsign"] == "Ana")
    page.click(f".person[data-key='{ana['id']}']")
    page.click("#detail [data-key='past.log']")
    wait("the log of Ana has her call", lambda: "MAYDAY" in page.text("#detail ol"))
    must("and nothing of the truck", "truck" not in page.text("#detail ol"))
    page.shot("replay-person")
    page.close_panel()
    page.view("map")


def back(page):
    page.click("[data-key='past back']")
    wait("the map is live", lambda: people(page) is None)
    must("without a banner or a timeline", page.js(
        "return [...document.querySelectorAll('#past, #replay')].every((one) => one.hidden)"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--muster", default=".build/debug/muster")
    parser.add_argument("--port", type=int, default=0, help="the first of five ports; 0 for free ones")
    parser.add_argument("--patience", type=int, default=0, help="the minimum timeout in s")
    parser.add_argument("--screenshots", help="a folder for screenshots")
    options = parser.parse_args()
    browser.require(options.screenshots)
    lab.patience = options.patience
    operation = Operation(os.path.abspath(options.muster), options.port)
    try:
        between = story(operation)
        with Page(operation.leader.url, options.screenshots, link=operation.leader.link) as page:
            page.open()
            replayed(page, operation, between)
            earlier_rows(page, between)
            keys(page)
            played(page)
            stays_live(page, operation)
            sized(page, between)
            back(page)
            personal(page, operation)
            gap(page, operation)
            faults = page.faults("/tiles/", *LINK_FAULTS)
            must(f"the browser has no error {faults[:5]}", not faults)
    finally:
        operation.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
