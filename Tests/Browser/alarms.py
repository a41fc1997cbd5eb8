"""The strip of alarms with real nodes: the worst first, on every view and above every dialog."""

import argparse
import os
import time
import urllib.parse
import urllib.request

from browser import Page, checked, must, require
from nodes import Operation, wait

CENTRE = (40.3219, -7.6121)
NAMES = ["Bruno", "Carla", "Davi", "Elsa", "Fabio", "Gil", "Hugo", "Ines", "Joao", "Lia", "Maia", "Nuno"]
SIZES = {"laptop": (1440, 900), "small": (1024, 768), "phone": (390, 844)}
SHARES = {"laptop": 0.15, "small": 0.15, "phone": 0.25}


def north(metres, east=0):
    return CENTRE[0] + metres / 111200, CENTRE[1] + east / 84900


def phone(node, name, place):
    words = urllib.parse.urlencode(
        {"id": name, "lat": place[0], "lon": place[1], "timestamp": int(time.time()), "accuracy": 5})
    with urllib.request.urlopen(f"{node.url}/{node.token}/?{words}", timeout=30) as answer:
        answer.read()


def resize(page, size):
    width, height = SIZES[size]
    page.driver.set_window_size(max(width, 500), height)
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})
    time.sleep(0.5)


def people(node):
    return {one["callsign"]: one for one in node.get("users?limit=1000")["items"]}


def call(leader, name, note):
    """Command reports that a person needs help."""
    user = people(leader)[name]["id"]
    leader.send("PUT", f"users/{user}/override", {"safety": "help", "note": note})


def first(page):
    return page.text("#alarm li:first-child strong").strip()


def measure(page, size, what):
    resize(page, size)
    box = page.js("""const box = document.querySelector('#alarm').getBoundingClientRect();
        return { top: box.top, height: box.height,
          beyond: [...document.querySelectorAll('#alarm button')].filter((one) =>
            one.getBoundingClientRect().right > innerWidth).map((one) => one.innerText),
          cut: document.querySelector('#alarm').scrollHeight - Math.ceil(box.height),
          wide: document.documentElement.scrollWidth - innerWidth };""")
    most = SIZES[size][1] * SHARES[size]
    page.shot(f"{what}-{size}")
    faint = page.js("""return [...document.querySelectorAll('#alarm li')].filter((one) =>
        getComputedStyle(one.querySelector('strong')).color !== 'rgb(255, 255, 255)').length""")
    must(f"{what}: every row can be read", not faint)
    must(f"{what}: every button is on the screen {box['beyond']}", not box["beyond"])
    must(f"{what}: {box['height']:.0f} of {most:.0f} px on a {size}, nothing cut ({box['cut']})",
         box["height"] <= most and box["cut"] <= 0 and box["wide"] <= 0)


def crisis(page, operation):
    """A report of a dam with people near, then calls for help among lesser alerts."""
    leader = operation.leader
    leader.send("POST", "fences", {"name": "School", "kind": "muster", "circle": {
        "lat": CENTRE[0], "lon": CENTRE[1], "radiusMetres": 80}})
    for index, name in enumerate(NAMES):
        phone(operation.member, name, north(250 * index + 300, 40 * index))
    wait("everyone is listed", lambda: len(people(leader)) >= len(NAMES) + 2)
    call(leader, "Bruno", "leg broken")
    wait("the call is first", lambda: first(page).startswith("MAYDAY Bruno"))
    wait("it states where and who is near", lambda: all(
        word in page.text("#alarm .where") for word in ("School", "Carla")))
    for size in SIZES:
        measure(page, size, "one-call")
    resize(page, "laptop")


def dialogs(page):
    """The strip is above every dialog, which keeps its draft."""
    page.view("reports")
    page.click("[data-key=file]")
    page.fill(title="Tree on the road")
    shown = page.js("""const strip = document.querySelector('#alarm'), box = strip.getBoundingClientRect();
        return strip.contains(document.elementFromPoint(box.left + 40, box.top + box.height / 2));""")
    must("the strip is above a form", shown)
    page.shot("dialog")
    page.click("#alarm [data-key^='go ']")
    wait("the person is shown", lambda: "Bruno" in page.text("#detail"))
    must("the form is off the screen", not page.count("dialog[open]"))
    page.shot("parked")
    page.click("#drafts button")
    wait("the form is back", lambda: page.count("dialog[open]"))
    must("with its draft", page.js(
        "return document.querySelector('dialog[open] [name=title]').value") == "Tree on the road")
    page.click("#alarm [data-key^='alarm seen ']")
    wait("the call is in hand", lambda: "Bruno (" in page.text("#alarm .hand"))
    must("the form stays open", page.count("dialog[open]"))
    page.click("dialog[open] [data-key=cancel]")
    wait("the strip is back on the page", lambda: page.js(
        "return document.querySelector('#alarm').parentElement.id") == "notices")


def many(page, operation):
    """Eight calls beside lesser alarms: five by name, on every size."""
    leader = operation.leader
    for number in range(4):
        operation.member.send("POST", "reports", {"title": f"Slide {number}", "severity": 5})
    for name in NAMES[1:9]:
        # The last one is raised after the others.
        time.sleep(3 if name == NAMES[8] else 0)
        call(leader, name, "needs a stretcher, and more words than a line can show on a small screen")
    wait("the newest call is first", lambda: first(page).startswith(f"MAYDAY {NAMES[8]}"))
    wait("the others are counted", lambda: "and 3 more MAYDAY" in page.text("#alarm"))
    for size in SIZES:
        measure(page, size, "many-calls")
        named = [name for name in NAMES[1:9] if name in page.text("#alarm ul") + page.text("#alarm .rest")]
        must(f"five by name on a {size}: {named}", len(named) == 5)
    resize(page, "laptop")
    order = [one["priority"] for one in leader.get("alerts")["items"]]
    ranks = ["life", "danger", "warning", "message"]
    must("the list is in the order of priorities", order == sorted(order, key=ranks.index))


def drawer(page):
    page.view("feed")
    time.sleep(0.5)
    page.shot("drawer")
    cards = page.js("return [...document.querySelectorAll('#alerts .card')].map((one) => one.innerText)")
    must("the drawer begins with the calls", all("MAYDAY" in card for card in cards[:9]))


def shelved(page, operation):
    """Command puts a warning aside: it is listed apart and not counted, until it is taken back."""
    place = north(-600)
    operation.leader.send("POST", "fences", {"name": "Church", "kind": "muster", "needs": "relay", "circle": {
        "lat": place[0], "lon": place[1], "radiusMetres": 50}})
    page.view("feed")
    shelve = "[data-key^='shelve emptyFence:']"
    wait("the warning can be shelved", lambda: page.count(shelve))
    must("no call can", not page.count("[data-key^='shelve help:']"))

    def counted():
        return int(page.js("return document.querySelector('#waiting').textContent") or 0)

    before = counted()
    page.click(shelve)
    page.fill(minutes="30", reason="the relay is on its way")
    page.shot("shelve")
    page.submit()
    wait("it is listed apart, with the reason",
         lambda: "the relay is on its way" in page.text("#alerts h3 + ul"))
    wait("it is not counted", lambda: counted() == before - 1)
    page.shot("shelved")
    page.click("[data-key^='unshelve emptyFence:']")
    wait("it is back, and counted", lambda: page.count(shelve) and counted() == before)


def called_off(page, operation):
    """The caller's own OK stays in view until command confirms it."""
    operation.member.run("sos", "--no-wait", "--note", "fell")
    wait("the call is first", lambda: first(page).startswith("MAYDAY Ana"))
    time.sleep(3)
    operation.member.run("sos", "--cancel")
    wait("its end is to be confirmed", lambda: "Ana called off" in page.text("#alarm"))
    page.shot("called-off")
    page.click("#alarm [data-key^='alarm seen calledOff']")
    wait("it is over", lambda: "Ana called off" not in page.text("#alarm"))


def sounds(page):
    page.js("window.__tones = 0; const start = OscillatorNode.prototype.start;"
            "OscillatorNode.prototype.start = function (...all) { window.__tones++; start.apply(this, all); };")
    wait("life sounds again", lambda: page.js("return window.__tones") >= 10)
    page.click("[data-key='alarm silence']")
    wait("the silence counts down", lambda: "1:5" in page.text("[data-key='alarm silence']"))
    page.click("[data-key='alarm silence']")
    page.click("#mute")
    wait("a sound that is off is a banner", lambda: page.count("#mute-banner:not([hidden])"))
    page.shot("muted")
    page.click("[data-key='sound wake']")
    wait("it is on again", lambda: not page.count("#mute-banner:not([hidden])"))


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--muster", default=".build/debug/muster")
    words.add_argument("--screenshots", help="a folder for screenshots")
    words.add_argument("--port", type=int, default=0)
    given = words.parse_args()
    require(given.screenshots)
    operation = Operation(os.path.abspath(given.muster), given.port)
    try:
        with Page(operation.leader.url, given.screenshots, link=operation.leader.link,
                  more=["--autoplay-policy=no-user-gesture-required"]) as page:
            page.open()
            crisis(page, operation)
            called_off(page, operation)
            dialogs(page)
            many(page, operation)
            drawer(page)
            shelved(page, operation)
            sounds(page)
            must("the page has no faults", not page.faults())
    finally:
        operation.close()
    checked("the strip of alarms")


if __name__ == "__main__":
    main()
