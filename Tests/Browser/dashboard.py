#!/usr/bin/env python3
"""Walks through the dashboard of a real node in a real browser, and prints what it checked.

    python3 Tests/Browser/dashboard.py --muster .build/debug/muster --screenshots /tmp/shots

Needs Chromium with its driver (apt: chromium chromium-driver) and selenium 4 (PyPI); says so and
ends well where they are not there. Exits with 1 if something was not as it should be."""

import argparse
import base64
import json
import os
import shutil
import statistics
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import nodes
from nodes import Operation, wait
from payloads import ALL


class Page:
    def __init__(self, url, shots):
        from selenium import webdriver
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900",
                     "--lang=en"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_script_timeout(60)
        self.shots = shots
        self.url = url

    def open(self):
        self.driver.get(self.url + "/")
        wait("the page shows who is there", lambda: self.text("#counts"))

    def js(self, code, *values):
        return self.driver.execute_script(code, *values)

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def click(self, selector):
        wait(f"{selector} is there", lambda: self.js(
            "return document.querySelector(arguments[0]) !== null", selector))
        self.js("document.querySelector(arguments[0]).click()", selector)

    def view(self, name):
        self.click(f"#tabs [data-view={name}]")

    def tap(self, x, y):
        """Clicks on the map, so far from its middle."""
        from selenium.webdriver.common.action_chains import ActionChains
        target = self.driver.find_element("id", "map")
        ActionChains(self.driver).move_to_element_with_offset(target, x, y).click().perform()

    def fill(self, **values):
        for name, value in values.items():
            self.js("""
                const field = document.querySelector(`dialog [name="${arguments[0]}"]`);
                if (field.type === "checkbox") field.checked = arguments[1];
                else field.value = arguments[1];""", name, value)

    def await_form(self):
        wait("it is asked", lambda: self.js("return document.querySelector('dialog [name=name]') !== null"))

    def drag(self, selector, x, y):
        """Drags the first that is found, so far."""
        from selenium.webdriver.common.action_chains import ActionChains
        target = self.driver.find_element("css selector", selector)
        (ActionChains(self.driver).move_to_element(target).click_and_hold()
         .move_by_offset(x // 2, y // 2).move_by_offset(x - x // 2, y - y // 2).release().perform())

    def submit_next(self):
        """Where another dialog may follow at once."""
        self.js("document.querySelector('dialog').dataset.old = 1")
        self.click("dialog [type=submit]")
        wait("the dialog is done: " + self.text("dialog .wrong"),
             lambda: self.js("return document.querySelector('dialog[data-old]') === null"))

    def submit(self):
        self.click("dialog [type=submit]")
        wait("the dialog is done: " + self.text("dialog .wrong"),
             lambda: self.js("return document.querySelector('dialog') === null"))

    def shot(self, name):
        if self.shots:
            self.driver.save_screenshot(os.path.join(self.shots, name + ".png"))

    def faults(self, *but):
        """What the browser complained of, but for what is meant to happen."""
        return [e["message"] for e in self.driver.get_log("browser")
                if e["level"] == "SEVERE" and not any(word in e["message"] for word in but)]


def checked(words):
    print(f"ok  {words}", flush=True)


def must(words, condition):
    if not condition:
        raise SystemExit(f"FAILED: {words}")
    checked(words)


def members(page, operation):
    """Who turns safe is seen to be safe, soon."""
    operation.member.send("POST", "me/position", {"lat": 40.3217, "lon": -7.6114, "accuracyMetres": 12})
    operation.leader.send("POST", "me/position", {"lat": 40.3251, "lon": -7.6050, "accuracyMetres": 30})
    operation.member.send("PUT", "me/safety", {"safety": "help", "note": "twisted ankle"})
    row = "[...document.querySelectorAll('.person')].find((p) => p.innerText.includes('Ana'))"
    has = lambda state: page.js(f"return {row}?.classList.contains('is-{state}')")
    wait("Ana is unsafe", lambda: has("unsafe"))
    wait("her note is shown", lambda: "twisted ankle" in page.text("#people"))
    checked("a member who asks for help is shown unsafe, with her note")
    page.shot("unsafe")
    times = []
    for turn in range(10):
        safety, state = (("safe", "safe"), ("help", "unsafe"))[turn % 2]
        start = time.monotonic()
        operation.member.send("PUT", "me/safety", {"safety": safety})
        wait(f"Ana is {state}", lambda: has(state))
        times.append(time.monotonic() - start)
    operation.member.send("PUT", "me/safety", {"safety": "safe"})
    wait("Ana is safe", lambda: has("safe"))
    must(f"from a member's write to the leader's page: median {statistics.median(times):.2f} s, "
         f"most {max(times):.2f} s over {len(times)} (at most 1 s in the median)",
         statistics.median(times) <= 1)


def report(page, operation):
    page.view("reports")
    page.click("[data-key=file]")
    page.fill(title="Fire at the sawmill", description="Wind from the west", category="fire",
              severity="5", place="40.3260, -7.6150", toEvacuate=True)
    page.shot("report-form")
    page.submit()
    wait("the report is listed", lambda: "Fire at the sawmill" in page.text("#reports"))
    row = next(r for r in operation.leader.get("reports")["items"] if r["title"].startswith("Fire"))
    must("a report with evacuation is filed, and pulses on the map",
         row["toEvacuate"] and row["severity"] == 5
         and page.js("return document.querySelectorAll('.pulse').length") == 1)
    wait("the member holds it", lambda: operation.member.get("reports")["items"])
    wait("its delivery is shown", lambda: "held by 2 devices" in page.text("#reports"), 60)
    checked("how many hold it is shown")
    page.shot("reports")
    page.click(f"[data-key='open {row['id']}']")
    page.fill(comment="On my way")
    page.js("document.querySelector('dialog form.row').requestSubmit()")
    wait("the comment is there", lambda: "On my way" in page.text("dialog"))
    checked("a comment is written and shown")
    page.click("dialog [data-key=close]")


def conflict(page, operation):
    """Both edit a report of hers while they cannot hear each other."""
    page.view("reports")
    report_id = operation.member.send("POST", "reports", {"title": "Sawmill burns"})["id"]
    wait("her report is shown", lambda: "Sawmill burns" in page.text("#reports"))
    operation.member.stop()
    operation.leader.send("PATCH", f"reports/{report_id}", {"title": "Fire at the old sawmill"})
    operation.member.peer, known = None, operation.member.peer
    operation.leader.stop()
    operation.member.start()
    operation.member.send("PATCH", f"reports/{report_id}", {"title": "Sawmill and barn burn"})
    operation.member.stop()
    operation.leader.start()
    operation.member.peer = known
    operation.member.start()
    wait("both have met", lambda: operation.leader.get(f"reports/{report_id}")["conflicts"], 60)
    wait("the conflict is told", lambda: "conflict" in page.text("#reports"), 30)
    page.click(f"[data-key='open {report_id}']")
    wait("both sides stand there", lambda: all(
        words in page.text("dialog .sides") for words in ("old sawmill", "barn burn")))
    page.shot("conflict")
    page.click("dialog [data-key='keep title Sawmill and barn burn']")
    wait("the conflict is resolved", lambda: not operation.leader.get(f"reports/{report_id}")["conflicts"])
    wait("so it says", lambda: page.js("return !document.querySelector('dialog .sides')"))
    page.click("dialog [data-key=close]")
    checked("a conflict is shown side by side and resolved with a click")


def fence(page, operation):
    page.view("fences")
    page.click("[data-key=polygon]")
    for x, y in ((-150, -150), (150, -150), (150, 150), (-150, 150)):
        page.tap(x, y)
        time.sleep(0.4)  # two clicks at once are a double click, which zooms
    page.shot("fence-drawing")
    page.click("#map-bar .first")
    wait("it is asked for a name", lambda: page.js("return document.querySelector('dialog [name=name]') !== null"))
    must("who would be inside is told before a fence is saved", "inside now" in page.text("dialog"))
    page.fill(name="Sawmill block", kind="hazard")
    page.submit()
    wait("the fence is listed", lambda: "Sawmill block" in page.text("#fences"))
    fences = operation.leader.get("fences")["items"]
    must("a drawn fence is the node's", [f["name"] for f in fences] == ["Sawmill block"])
    wait("the member has it too", lambda: operation.member.get("fences")["items"])
    page.shot("fences")
    page.click(f"[data-key='active {fences[0]['id']}']")
    wait("it is switched off", lambda: not operation.leader.get("fences")["items"][0]["active"])
    checked("a fence is switched off")


def alerts(page, operation):
    """Who has taken notice of an alert is named, here and to programs, also after a restart."""
    operation.member.send("PUT", "me/safety", {"safety": "help", "note": "by the mill"})
    page.view("feed")
    wait("the page has said what it had to", lambda: page.text("#said") == "")
    wait("the alert is there", lambda: "by the mill" in page.text("#alerts"))
    wait("it is counted", lambda: page.text("#waiting").strip() not in ("", "(0)"))
    page.js("""const name = document.querySelector('#feed .as input');
        name.value = 'Maria'; name.dispatchEvent(new Event('change'));""")
    page.shot("alerts")
    waiting = next(a for a in operation.leader.get("alerts")["items"] if "by the mill" in a["text"])
    page.click(f"[data-key='seen {waiting['id']}']")
    wait("she is named", lambda: "seen by Maria" in page.text("#alerts"))
    seen = lambda: next(a for a in operation.leader.get("alerts")["items"] if a["id"] == waiting["id"])
    must("an alert is acknowledged by name", seen()["acknowledgedBy"] == "Maria")
    operation.member.send("PUT", "me/safety", {"safety": "safe"})
    wait("it is over", lambda: "by the mill" not in page.text("#alerts"))


def base_map(page):
    """The map that the node was started with lies under everything, and names its makers as text."""
    wait("tiles are shown", lambda: page.js(
        "return [...document.querySelectorAll('.leaflet-tile')].some((t) => t.naturalWidth === 256)"))
    credit = page.text("#credit")
    must(f"the base map is shown, with its makers as text: {credit}",
         credit == "Serra · © Field survey" and page.js("return typeof window.__ran") == "undefined")


def change_fence(page, operation):
    """A zone is changed where it lies: a corner dragged, one added, another name; the id stays."""
    page.view("fences")
    old = operation.leader.get("fences.geojson")["features"]
    one = next(f for f in old if f["properties"]["name"] == "Sawmill block")
    page.click(f"[data-key='edit {one['id']}']")
    wait("its corners can be taken", lambda: page.js(
        "return document.querySelectorAll('.handle.corner').length") == 4)
    must("who is inside is told while it is changed", "inside now" in page.text("#map-bar"))
    page.drag(".handle.corner", 40, 30)
    page.drag(".handle.middle", 0, -40)
    wait("a corner was added", lambda: page.js("return document.querySelectorAll('.handle.corner').length") == 5)
    page.js("""document.querySelector('.handle.corner').dispatchEvent(
        new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true}));""")
    page.shot("fence-editing")
    page.click("[data-key=edited]")
    page.await_form()
    page.fill(name="Sawmill and barn", dwell="5")
    page.shot("fence-form")
    page.submit()
    wait("the new name is shown", lambda: "Sawmill and barn" in page.text("#fences"))
    new = next(f for f in operation.leader.get("fences.geojson")["features"] if f["id"] == one["id"])
    row = operation.leader.get(f"fences/{one['id']}")
    must("a zone is changed in place",
         new["geometry"] != one["geometry"] and len(new["geometry"]["coordinates"][0]) == 6
         and row["name"] == "Sawmill and barn" and row["dwellSeconds"] == 5)
    wait("the member has it too", lambda: any(
        f["name"] == "Sawmill and barn" for f in operation.member.get("fences")["items"]))
    # Somebody writes while it is being changed: nothing is lost.
    page.click(f"[data-key='edit {one['id']}']")
    page.click("[data-key=edited]")
    page.await_form()
    operation.leader.send("PATCH", f"fences/{one['id']}", {"name": "Sawmill, barn and yard"})
    page.fill(name="Mine")
    page.click("dialog [type=submit]")
    wait("it is refused", lambda: "changed meanwhile" in page.text("dialog .wrong"))
    must("what somebody wrote meanwhile stands",
         operation.leader.get(f"fences/{one['id']}")["name"] == "Sawmill, barn and yard")
    page.js("[...document.querySelectorAll('dialog button')].find((b) => b.innerText === 'Cancel').click()")
    wait("the corners are back", lambda: page.js("return document.querySelectorAll('.handle.corner').length") == 5)
    page.js("[...document.querySelectorAll('#map-bar button')].at(-1).click()")
    wait("it is given up", lambda: page.js("return document.querySelector('.handle') === null"))


def change_circle(page, operation):
    one = next(f for f in operation.leader.get("fences")["items"] if f["name"] == "School yard")
    page.view("fences")
    page.click(f"[data-key='edit {one['id']}']")
    wait("centre and edge can be taken", lambda: page.js(
        "return document.querySelectorAll('.handle.corner').length") == 2)
    page.drag(".handle.corner", 30, 0)
    page.click("[data-key=edited]")
    page.await_form()
    wait("the radius grew", lambda: float(page.js(
        "return document.querySelector('dialog [name=radius]').value")) > 50)
    page.fill(radius="80")
    page.submit()
    wait("the circle is changed", lambda: operation.leader.get(f"fences/{one['id']}")["radiusMetres"] == 80)
    checked("a circle is changed by its edge and by number")


def import_fences(page, operation):
    outline = {"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": "Plume", "kind": "hazard"}, "geometry": {
            "type": "Polygon", "coordinates": [[[-7.62, 40.33], [-7.61, 40.33], [-7.61, 40.34], [-7.62, 40.33]]]}},
        {"type": "Feature", "properties": {"name": "Well", "radius_m": 40}, "geometry": {
            "type": "Point", "coordinates": [-7.605, 40.325]}}]}
    path = os.path.join(operation.folder, "zones.geojson")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(outline, file)
    page.view("fences")
    page.driver.execute_cdp_cmd("DOM.enable", {})
    page.driver.find_element("css selector", "#fences input[type=file]").send_keys(path)
    for name in ("Plume", "Well"):
        wait(f"it is asked about {name}", lambda: page.js(
            "return document.querySelector('dialog [name=name]')?.value") == name)
        page.submit_next()
        wait(f"{name} is listed", lambda: name in page.text("#fences"))
    checked("outlines and circles of a GeoJSON file become zones")


def mesh(page, operation):
    page.view("mesh")
    wait("the member is connected", lambda: "connected" in page.text("#mesh") and "Ana" in page.text("#mesh"))
    page.shot("mesh")
    checked("whom this laptop hears is shown")


def places(page, operation):
    """Places by a click, by typing, and somebody's way."""
    page.view("reports")
    page.click("[data-key=file]")
    page.click("dialog [data-key=pick]")
    page.tap(30, 60)
    wait("the form is back with the place", lambda: page.js(
        "return /^40[.][0-9]+, -7[.][0-9]+$/.test(document.querySelector('dialog[open] [name=place]')?.value)"))
    page.fill(title="Tree across the road", category="access")
    page.submit()
    wait("it is filed", lambda: "Tree across the road" in page.text("#reports"))
    checked("a report's place is chosen on the map")
    page.view("fences")
    page.click("[data-key=typed]")
    page.fill(corners="40.3217, -7.6114", radius="50")
    page.click("dialog [type=submit]")
    wait("it is asked for a name", lambda: page.js("return document.querySelector('dialog [name=name]') !== null"))
    must("a typed circle says who would be inside", "1 would be inside now: Ana" in page.text("dialog"))
    page.fill(name="School yard", kind="muster")
    page.submit()
    wait("the circle is listed", lambda: "School yard" in page.text("#fences"))
    page.js("[...document.querySelectorAll('.person')].find((p) => p.innerText.includes('Lead')).click()")
    page.js("[...document.querySelectorAll('dialog button')].find((b) => b.innerText === 'Track').click()")
    told = wait("the way is shown, or that none is known", lambda: next(
        (text for text in (page.text("#map-bar"), page.text("#said")) if "way of Lead" in text), ""))
    page.shot("track")
    page.js("[...document.querySelectorAll('#map-bar button')].at(-1)?.click()")
    checked("asked for somebody's way, the page says: " + told.splitlines()[0])


def rollcall(page, operation):
    page.view("orders")
    page.click("[data-key=rollcall]")
    page.fill(text="Answer now", minutes="5")
    page.submit()
    wait("it runs", lambda: "Ana" in page.text("#orders [aria-label='Unaccounted for']"))
    must("the timer counts down", page.text("#orders .timer").startswith(("4:", "5:")))
    page.shot("rollcall")
    one = wait("the member is asked", lambda: operation.member.get("directives")["items"])[0]
    operation.member.send("POST", f"directives/{one['id']}/acknowledgements", {})
    wait("she is accounted for", lambda: "Ana" not in page.text("#orders [aria-label='Unaccounted for']"))
    checked("a roll call shows who is unaccounted for until they answer")
    page.click(f"[data-key='close {one['id']}']")
    wait("it is closed", lambda: "closed" in page.text("#orders"))
    checked("a roll call is closed")


def link(page, operation):
    operation.leader.stop()
    wait("the loss is told", lambda: "LINK TO THE NODE LOST" in page.text("#banner"))
    page.shot("link-lost")
    page.js("window.__same = 1")
    operation.leader.start()
    wait("the banner goes", lambda: "NODE LOST" not in page.text("#banner"), 60)
    operation.leader.send("PUT", "me/safety", {"safety": "help", "note": "after the gap"})
    wait("what comes after is shown", lambda: "after the gap" in page.text("#people"), 60)
    must("the link is lost, told, and regained without a reload", page.js("return window.__same") == 1)
    wait("both hear each other", lambda: page.js("return document.querySelector('#banner').hidden"), 60)


def phone(node, name, index, counts):
    """A phone of that name says where it is: it becomes somebody of that callsign."""
    query = urllib.parse.urlencode({"id": name, "lat": 40.3 + index / 1e4, "lon": -7.61,
                                    "timestamp": int(time.time())})
    try:
        urllib.request.urlopen(f"{node.url}/?{query}", timeout=30).close()
        counts["taken"] += 1
    except urllib.error.HTTPError:
        counts["refused"] += 1


def abuse(page, operation):
    """W1: nothing that people write is run."""
    counts = {"taken": 0, "refused": 0}

    def offer(node, method, path, body, texts=1):
        """What the node refuses as no line of text cannot be shown either."""
        try:
            made = node.send(method, path, body)
            counts["taken"] += texts
            return made
        except urllib.error.HTTPError as error:
            if error.code not in (400, 422):
                raise
            counts["refused"] += texts
            return None

    lead, member = operation.leader, operation.member
    lead.send("POST", "me/position", {"lat": 40.3251, "lon": -7.6050})
    for index, payload in enumerate(ALL):
        short = payload[:100]
        made = offer(lead, "POST", "reports", {
            "title": short, "description": payload, "lat": 40.3 + index / 1e4, "lon": -7.6}, 2)
        if made:
            offer(lead, "POST", f"reports/{made['id']}/comments", {"text": payload})
        offer(lead, "PUT", "me/team", {"team": short[:60]})
        offer(lead, "PUT", "users/Ana/override", {"safety": "help", "note": payload})
        made = offer(lead, "POST", "fences", {
            "name": short, "circle": {"lat": 40.3, "lon": -7.6, "radiusMetres": 100 + index}})
        if made and index % 2:
            offer(lead, "PATCH", f"fences/{made['id']}", {"name": short + "'"})
        made = offer(lead, "POST", "directives", {"kind": "message", "text": payload})
        offer(member, "PUT", "me/safety", {"safety": "help", "note": payload})
        if made:
            offer(lead, "POST", f"directives/{made['id']}/acknowledgements", {"note": payload})
            offer(lead, "POST", f"directives/{made['id']}/close", {})
        phone((lead, member)[index % 2], short, index, counts)
    for payload, alert in zip(ALL, lead.get("alerts")["items"]):
        offer(lead, "POST", f"alerts/{urllib.parse.quote(alert['id'])}/acknowledge", {"name": payload[:100]})
    reports = operation.leader.get("reports?limit=10000")["items"]
    page.driver.refresh()
    wait("the page is back", lambda: page.text("#counts"))
    wait("the reports are there", lambda: page.js("return document.querySelectorAll('#reports .card').length >= 100"), 60)
    for view in ("people", "map", "feed", "reports", "fences", "orders", "mesh"):
        page.view(view)
    page.view("reports")
    for row in reports[:20]:
        page.js("document.querySelector(arguments[0])?.click()", f"[data-key='open {row['id']}']")
        page.js("document.querySelector('dialog')?.close()")
    page.js("document.querySelector('.person').click(); document.querySelector('dialog').close()")
    page.shot("abuse")
    ran = page.js("return [typeof window.__ran, document.title, document.querySelectorAll('main script, main img:not(.leaflet-tile), main iframe').length]")
    must(f"{len(ALL)} payloads in {counts['taken']} texts ({counts['refused']} more the node refused): "
         "nothing ran", ran[0] == "undefined" and ran[1] != "ran" and ran[2] == 0)


def accessible(page, axe):
    """No serious finding in any panel, by day and by night."""
    with open(axe, encoding="utf-8") as file:
        page.js(file.read() + ";window.axe = axe;")
    worst = []
    for _ in range(2):
        for view in ("feed", "reports", "fences", "orders", "mesh"):
            page.view(view)
            found = page.driver.execute_async_script("""
                const done = arguments[0];
                axe.run(document).then((r) => done(r.violations.map((v) =>
                  [v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 120)])));""")
            worst += [(view, *one) for one in found if one[0] in ("serious", "critical")]
        page.click("#theme")
    must(f"axe-core finds nothing serious {worst[:6]}", not worst)


def looks(page):
    """As it is on a phone and at night."""
    page.js("document.documentElement.dataset.theme === 'dark' || document.querySelector('#theme').click()")
    page.view("feed")
    time.sleep(0.5)
    page.shot("dark")
    page.driver.set_window_size(500, 900)
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    for view in ("people", "map", "reports"):
        page.view(view)
        time.sleep(0.5)
        page.shot(f"phone-{view}")
    wide = page.js("return document.documentElement.scrollWidth")
    must(f"a phone's width holds the page ({wide} pixels of 390)", wide <= 390)
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    page.driver.set_window_size(1400, 900)
    page.js("document.querySelector('#theme').click()")


def other_looks(page, operation):
    """In Portuguese, and on paper."""
    if page.shots:
        page.js("window.print = () => { window.__printed = 1; }; document.querySelector('#print').click()")
        wait("it is to be printed", lambda: page.js("return window.__printed"))
        pdf = page.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
        with open(os.path.join(page.shots, "print.pdf"), "wb") as file:
            file.write(base64.b64decode(pdf["data"]))
    page.js("localStorage.setItem('language', 'pt'); location.reload()")
    wait("the page is Portuguese", lambda: "A salvo" in page.text("#counts"))
    for view in ("feed", "reports", "fences", "orders", "mesh"):
        page.view(view)
        time.sleep(0.3)
        page.shot(f"pt-{view}")
        wide = page.js("return document.documentElement.scrollWidth - innerWidth")
        must(f"{view} in Portuguese is no wider than the screen ({wide})", wide <= 0)
    page.js("localStorage.setItem('language', 'en'); location.reload()")
    wait("the page is English again", lambda: "Safe" in page.text("#counts"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--muster", default=".build/debug/muster")
    parser.add_argument("--port", type=int, default=17474, help="the first of four; 0 for free ones")
    parser.add_argument("--patience", type=int, default=0, help="the least to wait for anything, in s")
    parser.add_argument("--screenshots", help="a folder to put them into")
    parser.add_argument("--axe", help="axe.min.js, to look for what keeps people out")
    options = parser.parse_args()
    try:
        import selenium  # noqa: F401
    except ImportError:
        print("skipped: selenium is not installed (pip install selenium)")
        return 0
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("skipped: Chromium is not installed (apt install chromium chromium-driver)")
        return 0
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
    nodes.patience = options.patience
    operation = Operation(os.path.abspath(options.muster), options.port)
    page = None
    try:
        page = Page(operation.leader.url, options.screenshots)
        page.open()
        checked("the page opens")
        members(page, operation)
        report(page, operation)
        base_map(page)
        fence(page, operation)
        change_fence(page, operation)
        places(page, operation)
        change_circle(page, operation)
        import_fences(page, operation)
        alerts(page, operation)
        mesh(page, operation)
        rollcall(page, operation)
        conflict(page, operation)
        link(page, operation)
        if options.axe:
            accessible(page, options.axe)
        looks(page)
        other_looks(page, operation)
        # Tiles that the small map lacks, and an edit that came too late, are meant to be refused.
        faults = page.faults("/tiles/", "status of 412", "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "NetworkError")
        must(f"the browser has no complaint {faults[:5]}", not faults)
        abuse(page, operation)
        faults = page.faults("/tiles/", "status of 412")
        must(f"and none after it {faults[:5]}", not faults)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", flush=True)
        if page:
            page.shot("failed")
            print("\n".join(page.faults()[:10]))
        raise
    finally:
        if page:
            page.driver.quit()
        operation.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
