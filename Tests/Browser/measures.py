"""Measures of the layout: the share of the map, and how many clicks each job takes."""

import time

from browser import Page, must
from nodes import wait

# The least share of the window that the map has with no drawer open, by size.
SHARES = {(1440, 900): 0.80, (1024, 768): 0.85}


def share(page):
    """Returns the share of the window in which nothing covers the map."""
    return page.js("""
        const map = document.querySelector('#map');
        let found = 0;
        for (let y = 0.5; y < 60; y++) {
          for (let x = 0.5; x < 80; x++) {
            const top = document.elementFromPoint(x * innerWidth / 80, y * innerHeight / 60);
            if (map.contains(top)) found++;
          }
        }
        return found / 4800;""")


def shares(page):
    """The map has most of the window. Without unacknowledged danger, or calls in hand."""
    def emptied():
        # What waited behind the first ones is shown after them. Each is acknowledged once.
        page.js("""window.__acknowledged ??= new Set();
            for (const one of document.querySelectorAll("#alarm [data-key^='alarm seen ']")) {
              if (window.__acknowledged.has(one.dataset.key)) continue;
              window.__acknowledged.add(one.dataset.key);
              one.click();
            }""")
        return page.count("#alarm[hidden]")

    wait("the strip is empty", emptied)
    page.view("map")
    page.close_panel()
    for (width, height), least in SHARES.items():
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        time.sleep(0.4)
        found = share(page)
        must(f"the map has {found:.1%} of {width}×{height} (at least {least:.0%})", found >= least)
    page.as_laptop()


class Hand:
    """Clicks with a real pointer on what is visible, counted. Typing is not counted."""

    def __init__(self, page):
        self.page, self.count = page, 0

    def click(self, selector):
        self.page.on(selector, lambda target: target.click())
        self.count += 1

    def tap(self, x, y, is_right=False):
        """Clicks on the map at an offset from its centre."""
        self.page.tap(x, y, is_right)
        self.count += 1
        time.sleep(0.4)  # two immediate clicks are a double click, which zooms

    def tap_place(self, lat, lon):
        self.tap(*self.page.driver.execute_async_script("""
            const [lat, lon, done] = arguments;
            import('/dashboard/js/map/map.js').then(({ theMap }) => {
              const map = theMap();
              const { x, y } = map.latLngToContainerPoint([lat, lon])
                .subtract(map.getSize().divideBy(2));
              done([Math.round(x), Math.round(y)]);
            });""", lat, lon))

    def drag(self, selector, x, y):
        self.page.drag(selector, x, y)
        self.count += 1


def job(page, name, most, work):
    """Does a job from the map alone, and checks its number of clicks."""
    page.view("map")
    page.close_panel()
    wait("no message covers the map", lambda: not page.text("#said"))
    hand = Hand(page)
    work(hand)
    must(f"{name}: {hand.count} clicks (at most {most})", hand.count <= most)


def zone(leader, name):
    return next((one for one in leader.get("fences.geojson")["features"]
                 if one["properties"]["name"] == name), None)


def draw(page, leader):
    """Reports and zones on the map."""
    def report(hand):
        hand.tap(120, 60, is_right=True)
        hand.click("[data-key='here report']")
        page.fill(title="Pole down")
        hand.click("dialog[open] [type=submit]")
        wait("it is filed", lambda: any(
            one["title"] == "Pole down" and one["lat"] for one in leader.get("reports")["items"]))

    def circle(hand):
        hand.click("[data-key='tool circle']")
        hand.tap(200, 150)
        hand.tap(260, 150)
        page.await_form()
        page.fill(name="Smoke", kind="info")
        hand.click("dialog[open] [type=submit]")
        wait("it is saved", lambda: zone(leader, "Smoke"))

    def outline(hand):
        hand.click("[data-key='tool fences']")
        for x, y in ((-260, 120), (-160, 120), (-160, 220), (-260, 220), (-260, 120)):
            hand.tap(x, y)
        page.await_form()
        page.fill(name="Flood", kind="info")
        hand.click("dialog[open] [type=submit]")
        wait("it is saved", lambda: zone(leader, "Flood"))

    def vertex(hand):
        old = zone(leader, "Flood")["geometry"]
        (west, south), (east, north) = old["coordinates"][0][0], old["coordinates"][0][1]
        hand.tap_place((south + north) / 2, west + (east - west) / 3)
        wait("its corners have handles", lambda: page.count(".handle.corner") == 4)
        hand.drag(".handle.corner", 20, 20)
        hand.click("#detail [type=submit]")
        wait("it is moved", lambda: zone(leader, "Flood")["geometry"] != old)

    job(page, "a report at a place", 4, report)
    job(page, "a circle zone", 4, circle)
    job(page, "a zone of four points", 7, outline)
    job(page, "moving a vertex", 3, vertex)


def redraw(page, leader):
    """Undo, redo, crossing sides, a double click; a report that is dragged."""
    hand = Hand(page)

    def key(letter):
        page.actions().key_down("\ue009").send_keys(letter).key_up("\ue009").perform()

    page.view("map")
    page.close_panel()
    hand.click("[data-key='tool fences']")
    for x, y in ((-300, -40), (-200, -140), (-200, -40), (-300, -140)):
        hand.tap(x, y)
    must("crossing sides are named", "cross" in page.text("#map-bar").lower())
    must("they cannot be finished", page.count("#map-bar .first:disabled") == 1)
    key("z")
    key("z")
    key("y")
    must("three corners are left", "cross" not in page.text("#map-bar").lower()
         and page.count("#map-bar .first:disabled") == 0)
    must("their area is shown", "m²" in page.text("#map-bar"))
    key("z")
    hand.tap(-200, -40)
    page.on("#map", lambda target: page.actions()
            .move_to_element_with_offset(target, -300, -40 + 60).double_click().perform())
    page.await_form()
    page.fill(name="Marsh", kind="info")
    hand.click("dialog[open] [type=submit]")
    wait("it is saved", lambda: zone(leader, "Marsh"))
    must("it has four corners", len(zone(leader, "Marsh")["geometry"]["coordinates"][0]) == 5)

    old = zone(leader, "Marsh")["geometry"]
    page.view("fences")
    hand.click(f"[data-key='zone {zone(leader, 'Marsh')['id']}']")
    wait("its corners have handles", lambda: page.count(".handle.corner") == 4)
    hand.drag(".handle.corner", 30, 10)
    hand.click("[data-key='undo zone']")
    hand.click("#detail [type=submit]")
    wait("the panel closes", lambda: page.count(".handle.corner") == 0)
    must("an undone change is not written", zone(leader, "Marsh")["geometry"] == old)

    def pole():
        return next(one for one in leader.get("reports")["items"] if one["title"] == "Pole down")

    page.close_panel()
    before = pole()
    page.view("reports")
    hand.click(f"[data-key='open {before['id']}']")
    wait("the report has a handle", lambda: page.count(".handle.report") == 1)
    hand.drag(".handle.report", 40, 30)
    wait("the report moves", lambda: pole()["lat"] != before["lat"])
    hand.click("#said [data-key='undo']")
    wait("it moves back", lambda: pole()["lat"] == before["lat"])
    page.close_panel()
    must("its handle is gone", page.count(".handle") == 0)

    hand.click("[data-key='file']")
    for place, isFar in (("-33.9, 18.4", True), (f"{before['lat']}, {before['lon']}", False)):
        page.fill(place=place)
        page.js("document.querySelector('dialog[open] [name=place]').dispatchEvent(new Event('input'))")
        must(f"{place} is {'far' if isFar else 'near'}", ("km" in page.text("dialog")) == isFar)
    page.js("document.querySelector('dialog').close()")


def lead(page, operation):
    """People, orders and devices."""
    leader = operation.leader
    ana = next(one for one in leader.get("users")["items"] if one["callsign"] == "Ana")

    def override(hand):
        hand.tap_place(ana["lat"], ana["lon"])
        hand.click("#detail [data-key='override.safe']")
        hand.click("dialog[open] [type=submit]")
        wait("it is written", lambda: leader.get(f"users/{ana['id']}")["override"])

    def invite(hand):
        hand.click("#rail [data-view=team]")
        hand.click("[data-key=invite]")
        wait("the code is shown", lambda: page.count("dialog .code path"))
        page.shot("invite")
        page.js("document.querySelector('dialog').close()")

    def revoke(hand):
        hand.click("#rail [data-view=team]")
        hand.click("#team [aria-label='Revoke: Dora']")
        hand.click("dialog[open] [type=submit]")
        wait("it is revoked", lambda: any(
            one["callsign"] == "Dora" and one["isRevoked"] for one in leader.get("devices")["items"]))

    def acknowledge(hand):
        operation.member.send("PUT", "me/safety", {"safety": "help", "note": "lost"})
        wait("it is in the strip", lambda: "lost" in page.text("#alarm"))
        hand.click("#alarm [data-key^='alarm seen ']")
        wait("it is acknowledged", lambda: "lost" not in page.text("#alarm"))

    def roll_call(hand):
        hand.click("#rail [data-view=orders]")
        hand.click("[data-key='rollcall now']")
        wait("it is open", lambda: any(
            one["kind"] == "rollcall" and one["status"] == "open"
            for one in leader.get("directives")["items"]))

    def check_in(hand):
        hand.click("#rail [data-view=timers]")
        hand.click("#timers [data-key^='checkin '][aria-label]")
        wait("it is written", lambda: "Checked in" in page.text("#said"))

    page.click("[data-key='tool fit']")
    job(page, "an override", 3, override)
    leader.send("DELETE", f"users/{ana['id']}/override", {})
    job(page, "an invitation", 2, invite)
    operation.join_by_file("Dora")
    wait("her device is listed", lambda: "Dora" in page.text("#team"))
    job(page, "a revocation", 3, revoke)
    job(page, "an acknowledgement", 1, acknowledge)
    operation.member.send("PUT", "me/safety", {"safety": "safe"})
    job(page, "a roll call", 2, roll_call)
    for one in leader.get("directives")["items"]:
        if one["status"] == "open":
            leader.send("POST", f"directives/{one['id']}/close", {})
    leader.send("POST", "checkins", {"durationSeconds": 600, "repeats": True})
    wait("the timer runs", lambda: page.count("#timers .person-line"))
    job(page, "a check-in", 2, check_in)
    leader.send("POST", "checkins/report", {"kind": "stop"})


def measured(page, operation):
    Page.as_laptop(page)
    draw(page, operation.leader)
    redraw(page, operation.leader)
    lead(page, operation)
    shares(page)
