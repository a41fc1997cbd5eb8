#!/usr/bin/env python3
"""Walks through the dashboard of a real node in a real browser, and prints its checks.

    python3 Tests/Browser/dashboard.py --muster .build/debug/muster --screenshots /tmp/shots

Needs Chromium with its driver and poppler (apt: chromium chromium-driver poppler-utils) and
selenium 4 and Pillow (PyPI). Exits with 1 if they are missing or a check fails."""

import argparse
import base64
import io
import json
import os
import signal
import statistics
import sys
import time

from PIL import Image

import browser
import lab
from access import VIEWS, accessible
from browser import Page, checked, must
from markup import abuse
from measures import measured
from nodes import Operation, Receiver, Stream, wait
from paper import forms, printed
from remote import as_member, by_invite, by_link, elsewhere
from speech import dictated


def locked(page, operation):
    """Without the token the page shows instructions, and no data of the operation."""
    page.driver.get(operation.leader.url + "/")
    must("a browser without the token gets instructions",
         "run/http-token" in page.text("main") and "muster run" in page.text("main")
         and "Serra" not in page.text("body"))
    page.shot("token")
    page.js("""document.querySelector("[name=token]").value = arguments[0];
        document.querySelector("form button").click();""", operation.leader.token)
    wait("the token opens the page", lambda: page.text("#counts"))
    must("the address does not keep the token", "token" not in page.driver.current_url)
    must("no script can read the cookie", page.js("return document.cookie") == "")
    # The browser logs the answer 401 itself.
    must("the browser has no other error", not page.faults("status of 401"))


def members(page, operation):
    """A change to safe is shown soon."""
    place = {"lat": 40.3217, "lon": -7.6114, "accuracyMetres": 12}
    operation.member.send("POST", "me/position", place)
    place = {"lat": 40.3251, "lon": -7.6050, "accuracyMetres": 30}
    operation.leader.send("POST", "me/position", place)
    operation.member.send("PUT", "me/safety", {"safety": "help", "note": "twisted ankle"})
    row = "[...document.querySelectorAll('.person')].find((p) => p.innerText.includes('Ana'))"
    has = lambda state: page.js(f"return {row}?.classList.contains('is-{state}')")
    wait("Ana is unsafe", lambda: has("danger"))
    wait("her note is shown", lambda: "twisted ankle" in page.text("#alarm"))
    checked("a member who asks for help is shown unsafe, with her note")
    page.shot("unsafe")
    times = []
    for turn in range(10):
        safety, state = (("safe", "safe"), ("help", "danger"))[turn % 2]
        start = time.monotonic()
        operation.member.send("PUT", "me/safety", {"safety": safety})
        wait(f"Ana is {state}", lambda: has(state))
        times.append(time.monotonic() - start)
    operation.member.send("PUT", "me/safety", {"safety": "safe"})
    wait("Ana is safe", lambda: has("safe"))
    must(f"from a member's write to the leader's page: median {statistics.median(times):.2f} s, "
         f"most {max(times):.2f} s over {len(times)} (at most 1 s in the median)",
         statistics.median(times) <= 1)


# Counts the tones of the page.
TONES = """window.__tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...all) { window.__tones++; start.apply(this, all); };"""


def pale(page, operation):
    """People of a laptop that does not answer are pale, until it answers again."""
    person = page.js("return [...document.querySelectorAll('#people .person')]"
                     ".find((one) => one.innerText.includes('Ana')).dataset.key")
    look = lambda: page.js("return getComputedStyle(document.querySelector(arguments[0])).fontStyle",
                           f"#people [data-key='{person}'] .name")
    must("Ana is not pale", look() == "normal")
    operation.member.process.send_signal(signal.SIGSTOP)
    try:
        # A quiet session shows it only after a while.
        wait("Ana is pale", lambda: look() == "italic", 150)
        page.shot("pale")
    finally:
        operation.member.process.send_signal(signal.SIGCONT)
    wait("she is not when her laptop answers", lambda: look() == "normal", 60)
    checked("people of a laptop that does not answer")


def sounded(page, what, words, act):
    """Measures from a write at the member's node to sound and banner on another view of the leader."""
    page.view("reports")
    page.js(TONES)
    began = time.monotonic()
    act()
    wait(f"{what} sounds", lambda: page.js("return window.__tones") >= 3)
    wait(f"{what} is in the banner", lambda: words in page.text("#alarm"))
    took = time.monotonic() - began
    must(f"{what} shows and sounds on the leader's Reports view after {took:.2f} s (at most 1 s)",
         took <= max(1, lab.patience))


def distress(page, operation):
    """22.10: a distress is shown on every view, not only in the title."""
    note = "fell from the ladder"
    sounded(page, "22.10: a distress", note, lambda: operation.member.send(
        "PUT", "me/safety", {"safety": "help", "note": note}))
    page.shot("alarm")
    page.click("#alarm [data-key^='go ']")
    wait("the banner leads to her", lambda: "Ana" in page.text("#detail h2"))
    page.close_panel()
    page.click("#alarm [data-key^='alarm seen ']")
    wait("it is acknowledged", lambda: note not in page.text("#alarm"))
    operation.member.send("PUT", "me/safety", {"safety": "safe"})
    wait("it is over", lambda: not any(
        note in one["text"] for one in operation.leader.get("alerts")["items"]))


def hazard(page, operation):
    """22.3: a member who walks into a hazard zone is an alert on the leader's page."""
    operation.leader.send("POST", "fences", {
        "name": "Gas cloud", "kind": "hazard", "active": True,
        "circle": {"lat": 40.36, "lon": -7.6, "radiusMetres": 200}})
    operation.member.send("POST", "me/position", {"lat": 40.37, "lon": -7.6, "accuracyMetres": 5})
    wait("the member has the zone", lambda: operation.member.get("fences")["items"])
    wait("the leader sees her outside", lambda: any(
        one["lat"] and abs(one["lat"] - 40.37) < 0.001
        for one in operation.leader.get("users")["items"]))
    sounded(page, "22.3: a hazard entered", "Gas cloud", lambda: operation.member.send(
        "POST", "me/position", {"lat": 40.36, "lon": -7.6, "accuracyMetres": 5}))


def safe(page, operation):
    """Command is notified when a person is safe, and when everyone in an order is: on every view,
    in the event stream and by webhooks."""
    received = Receiver()
    operation.leader.run("webhook", "add", "board", received.url, "--event", "alert")
    place = {"lat": 40.31, "lon": -7.62, "radiusMetres": 150}
    operation.member.send("POST", "me/position", {"lat": 40.33, "lon": -7.62, "accuracyMetres": 5})
    operation.leader.send("POST", "fences", {
        "name": "Fire station", "kind": "muster", "active": True, "circle": place})
    operation.leader.send("POST", "directives", {
        "kind": "muster", "users": ["Ana"], "deadlineSeconds": 600})
    wait("the member has the order", lambda: operation.member.get("directives")["items"])
    page.view("reports")
    wait("no message is shown", lambda: page.text("#said") == "")
    with Stream(operation.leader) as stream:
        # The first position that is certainly later than the order satisfies it.
        def arrives():
            operation.member.send("POST", "me/position", {
                "lat": place["lat"], "lon": place["lon"], "accuracyMetres": 5})
            return any(one["kind"] == "orderDone" for one in operation.leader.get("alerts")["items"])
        wait("the leader's node has the alert", arrives)
        began = time.monotonic()
        wait("the page shows both", lambda: all(words in page.text("#said") for words in (
            "Ana is safe", "everyone is accounted for")))
        took = time.monotonic() - began
        must(f"a person who becomes safe, and the end of the order, are shown on the Reports view "
             f"after {took:.2f} s (at most 1 s): {page.text('#said')!r}",
             took <= max(1, lab.patience))
        page.shot("safe")
        wait("the stream reports alerts", lambda: "alerts" in stream.sets)
        checked("the event stream reports the alerts")
    kinds = lambda: {one["data"]["kind"]: one for one in received.events
                     if one["type"] == "muster.alert.raised.v1"}
    wait("webhooks have both", lambda: {"safe", "orderDone"} <= kinds().keys())
    both = [kinds()[kind] for kind in ("safe", "orderDone")]
    must("webhooks receive both as CloudEvents", all(
        one["specversion"] == "1.0" and one["data"]["level"] == "notice" for one in both))
    operation.leader.run("webhook", "remove", "board")
    received.close()
    row = next(one for one in operation.leader.get("directives")["items"] if one["status"] == "open")
    operation.leader.send("POST", f"directives/{row['id']}/close", {})
    page.view("people")


def report(page, operation):
    page.view("reports")
    page.click("[data-key=file]")
    page.fill(title="Fire at the sawmill", description="Wind from the west", category="fire",
              severity="5", place="40.3260, -7.6150", toEvacuate=True)
    page.shot("report-form")
    page.submit()
    wait("the report is listed", lambda: "Fire at the sawmill" in page.text("#reports"))
    row = next(r for r in operation.leader.get("reports")["items"] if r["title"].startswith("Fire"))
    must("a report with evacuation is filed and pulses on the map",
         row["toEvacuate"] and row["severity"] == 5
         and page.js("return document.querySelectorAll('.pulse').length") == 1)
    wait("the member has it", lambda: operation.member.get("reports")["items"])
    page.click(f"[data-key='open {row['id']}']")
    wait("its delivery is shown", lambda: "on 2 " in page.text("#detail"), 60)
    checked("the number of holders is shown")
    must("the list does not repeat that all have it", " 2 of 2 " not in page.text("#reports"))
    page.shot("reports")
    page.fill(comment="On my way")
    page.js("document.querySelector('#detail form.row').requestSubmit()")
    wait("the comment is there", lambda: "On my way" in page.text("#detail"))
    checked("a comment is written and shown")
    page.close_panel()


def picture(colour, kind="JPEG"):
    """Returns a picture as a camera makes it, with its position and time, in base64."""
    exif = Image.Exif()
    exif[0x8825] = {1: "N", 2: (40.0, 19.0, 30.0), 3: "W", 4: (7.0, 36.0, 54.0)}
    exif[0x8769] = {0x9003: "2026:11:20 14:05:00"}
    file = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").resize((1600, 1200)).point(
        [v if i // 256 == colour else v // 4 for i, v in enumerate(list(range(256)) * 3)]
    ).save(file, kind, exif=exif)
    return base64.b64encode(file.getvalue()).decode()


def drop(page, selector, files):
    """Drops files on an element, as a user does from a folder."""
    page.js("""
        const data = new DataTransfer();
        for (const [name, type, text] of arguments[1]) {
          const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
          data.items.add(new File([bytes], name, { type }));
        }
        const target = document.querySelector(arguments[0]);
        for (const kind of ["dragover", "drop"]) {
          target.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true,
            cancelable: true }));
        }""", selector, files)


def photos(page, operation):
    """Photos reach a report by drag and drop, and the other laptop; they are viewed and removed."""
    page.view("reports")
    page.click("[data-key=file]")
    page.fill(title="Bridge washed away")
    drop(page, "dialog .picker", [("north.jpg", "image/jpeg", picture(0))])
    wait("the chosen photo is previewed", lambda: page.js(
        "return document.querySelector('dialog .photos img')?.naturalWidth") == 1600)
    page.shot("report-form-photo")
    page.submit()
    wait("the report has a photo", lambda: "photos: 1" in page.text("#reports"), 60)
    row = next(r for r in operation.leader.get("reports")["items"] if r["title"].startswith("Bridge"))
    address = f"reports/{row['id']}/photos"
    page.click(f"[data-key='open {row['id']}']")
    drop(page, "#detail > div", [("south.png", "image/png", picture(1, "PNG")),
                          ("notes.jpg", "image/jpeg", base64.b64encode(b"no picture").decode())])
    wait("both thumbnails are shown", lambda: page.js("""
        return [...document.querySelectorAll('#detail .photos img')]
          .filter((one) => one.naturalWidth > 0).length""") == 2, 60)
    wait("the other file is rejected with the reason", lambda: "notes.jpg" in page.text(".uploads"))
    must("and can be discarded", "Retry" in page.text(".uploads"))
    page.click("[data-key='discard notes.jpg']")
    wait("the member has both photos", lambda: [
        one["original"]["complete"] for one in operation.member.get(address)["items"]
    ] == [True, True], 60)
    wait("the page shows who has them", lambda: "on 2 " in page.text("#detail .photos"), 60)
    page.shot("report-photos")
    page.click("#detail .photos button")
    wait("the gallery shows the photo", lambda: page.js(
        "return document.querySelector('.gallery .stage img')?.naturalWidth") == 1600)
    page.click("[data-key='mark arrow']")
    page.drag(".gallery .stage", 160, 90)
    wait("the member has the arrow", lambda: [
        mark["shape"] for mark in operation.member.get(address)["items"][0]["marks"]
    ] == ["arrow"], 30)
    wait("it is drawn", lambda: page.count(".gallery [data-mark] path"))
    page.shot("gallery")
    page.click("[data-key='mark undo']")
    wait("it is removed", lambda: not operation.member.get(address)["items"][0]["marks"], 30)
    page.click(".gallery [data-key=next]")
    wait("the next photo follows", lambda: "2 of 2" in page.text(".gallery"))
    page.click(".gallery [data-key=remove]")
    page.click("dialog:last-child [type=submit]")
    wait("the removed photo is gone on the other laptop",
         lambda: len(operation.member.get(address)["items"]) == 1, 30)
    wait("and here", lambda: "1 of 1" in page.text(".gallery"), 30)
    page.click(".gallery [data-key=close]")
    page.click("[data-key='photo place']")
    wait("the report takes the photo's place", lambda: round(
        operation.leader.get(f"reports/{row['id']}")["lat"] or 0, 4) == 40.325)
    page.close_panel()
    checked("photos are added, viewed, delivered and removed")


def checkins(page, operation):
    """A check-in is started for a person, postponed, and stopped with a reason."""
    page.view("timers")
    page.click("[data-key='checkin start']")
    wait("the form is open", lambda: page.count("dialog[open] [name=preset]"))
    page.js("""const preset = document.querySelector('dialog[open] [name=preset]');
        preset.value = 'ba'; preset.dispatchEvent(new Event('change'));""")
    must("the usual case fills the form", page.js("""
        const form = document.querySelector('dialog form').elements;
        return [form.minutes.value, form.repeats.checked, form.reminder.value, form.grace.value]
        """) == ["30", False, "10", "1"])
    member = operation.member.get("status")["callsign"]
    page.js("""const [audience, name] = [document.querySelector('dialog[open] [name=audience]'), arguments[0]];
        audience.value = [...audience.options].find((one) => one.text === name).value;""", member)
    page.fill(note="Cellar, 200 bar")
    page.shot("checkin-form")
    page.submit()
    wait("the board shows it", lambda: "Cellar, 200 bar" in page.text("#timers"), 30)
    wait("the member has it", lambda: operation.member.get("checkins")["items"], 30)
    page.shot("checkins")
    left = operation.leader.get("checkins")["items"][0]["latestSeconds"]
    page.click("#timers [data-key^=extend]")
    wait("the minutes are asked", lambda: page.count("dialog[open] [name=minutes]"))
    page.submit()
    wait("it is due later",
         lambda: operation.leader.get("checkins")["items"][0]["latestSeconds"] > left + 300, 30)
    page.click("#timers [data-key^=stop]")
    wait("the reason is asked", lambda: page.count("dialog[open] [name=note]"))
    page.fill(note="Back at the post")
    page.submit()
    wait("the board is empty", lambda: "Cellar" not in page.text("#timers"), 30)
    checked("a check-in is started, postponed and stopped")


def conflict(page, operation):
    """Both edit a report of the member during a partition."""
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
    wait("both have converged", lambda: operation.leader.get(f"reports/{report_id}")["conflicts"], 60)
    wait("the conflict is shown", lambda: "conflict" in page.text("#reports"), 30)
    page.click(f"[data-key='open {report_id}']")
    wait("both sides are shown", lambda: all(
        words in page.text("#detail .sides") for words in ("old sawmill", "barn burn")))
    page.shot("conflict")
    page.click("#detail [data-key='keep title Sawmill and barn burn']")
    wait("the conflict is resolved",
         lambda: not operation.leader.get(f"reports/{report_id}")["conflicts"])
    wait("the page shows it", lambda: page.js("return !document.querySelector('#detail .sides')"))
    page.close_panel()
    checked("a conflict is shown side by side and resolved with a click")


def fence(page, operation):
    page.view("fences")
    page.click("[data-key=polygon]")
    for x, y in ((-150, -150), (150, -150), (150, 150), (-150, 150)):
        page.tap(x, y)
        time.sleep(0.4)  # two immediate clicks are a double click, which zooms
    page.shot("fence-drawing")
    page.click("#map-bar .first")
    page.await_form()
    must("who would be inside is shown before a fence is saved", "inside now" in page.text("dialog"))
    page.fill(name="Sawmill block", kind="hazard")
    page.submit()
    wait("the fence is listed", lambda: "Sawmill block" in page.text("#fences"))
    fences = operation.leader.get("fences")["items"]
    must("a drawn fence is the node's", [f["name"] for f in fences] == ["Sawmill block"])
    wait("the member has it too", lambda: operation.member.get("fences")["items"])
    page.shot("fences")
    page.click(f"[data-key='zone {fences[0]['id']}']")
    page.click(f"[data-key='active {fences[0]['id']}']")
    wait("it is switched off", lambda: not operation.leader.get("fences")["items"][0]["active"])
    checked("a fence is switched off")
    page.close_panel()


def alerts(page, operation):
    """Acknowledgements of alerts are named on the page and in the API, also after a restart."""
    operation.member.send("PUT", "me/safety", {"safety": "help", "note": "by the mill"})
    page.view("feed")
    wait("the page has shown its message", lambda: page.text("#said") == "")
    wait("the alert is there", lambda: "by the mill" in page.text("#alerts"))
    wait("it is counted", lambda: page.text("#waiting").strip() not in ("", "(0)"))
    page.js("""const name = document.querySelector('#feed .as input');
        name.value = 'Maria'; name.dispatchEvent(new Event('change'));""")
    page.shot("alerts")
    waiting = next(a for a in operation.leader.get("alerts")["items"] if "by the mill" in a["text"])
    other = Page(operation.leader.url, link=operation.leader.link)
    try:
        other.open()
        wait("it is open on another screen too", lambda: "by the mill" in other.text("#alerts"))
        start = time.monotonic()
        page.click(f"[data-key='seen {waiting['id']}']")
        wait("the other screen shows it", lambda: "seen by Maria" in other.text("#alerts"))
        took = time.monotonic() - start
        must(f"another screen shows the acknowledgement after {took:.2f} s (at most 1 s)",
             took <= max(1, lab.patience))
    finally:
        other.close()
    wait("she is named", lambda: "seen by Maria" in page.text("#alerts"))
    seen = next(a for a in operation.leader.get("alerts")["items"] if a["id"] == waiting["id"])
    must("an alert is acknowledged by name", seen["acknowledgedBy"].startswith("Maria, via "))
    operation.member.send("PUT", "me/safety", {"safety": "safe"})
    wait("it is over", lambda: "by the mill" not in page.text("#alerts"))


def contacts(page, operation):
    """An emergency contact is added, and called from the alert of a danger."""
    page.click("#contacts")
    page.click("dialog[open] [data-key='contact.add']")
    page.await_form()
    page.fill(name="Fire station", phone="+351 238 953 225", note="two engines",
              place="40.3300, -7.6000")
    page.click("dialog[open] [type=submit]")
    wait("it is listed", lambda: "two engines" in page.text("dialog[open] .people"))
    page.shot("contacts")
    page.click_word("dialog[open] button", "Close")
    operation.member.send("POST", "me/position", {"lat": 40.3217, "lon": -7.6114})
    operation.member.send("PUT", "me/safety", {"safety": "help", "note": "by the sluice"})
    page.view("feed")
    wait("the alert shows it, with its direction", lambda: page.js("""
        const one = [...document.querySelectorAll("#alerts a[href='tel:+351238953225']")][0];
        return /Fire station.*\\d k?m /.test(one?.parentElement.innerText ?? "");"""))
    wait("the member's node has it too", lambda: [
        one["name"] for one in operation.member.get("contacts")["items"]] == ["Fire station"])
    operation.member.send("PUT", "me/safety", {"safety": "safe"})
    wait("it is over", lambda: "by the sluice" not in page.text("#alerts"))
    checked("an emergency contact is shown with each danger")


def roster(page, operation):
    """People are expected from a file: proposed by their name, and listed once they arrived."""
    path = os.path.join(operation.folder, "people.csv")
    with open(path, "w", encoding="cp1252") as file:
        file.write("Nome;Equipa;Função;Telemóvel\nBen;Sul;paramédico;+351 912 345 678\n"
                   "Zoé Martin;Norte;;chamar\n;;;113\n")
    page.view("team")
    page.driver.execute_cdp_cmd("DOM.enable", {})
    page.on("#team input[type=file]", lambda field: field.send_keys(path))
    wait("it states where the numbers go", lambda: "Every device" in page.text("dialog[open]"))
    page.click("dialog[open] [type=submit]")
    wait("people were added", lambda: "Added: 2" in page.text("dialog[open]"))
    must("what was left out is named", page.count("dialog[open] > ul li") == 2)
    page.click("dialog[open] [data-key=close]")
    wait("they are not arrived", lambda: "not arrived 2/2" in page.text("#roster-head"))
    page.shot("roster")
    everyone = len(operation.leader.get("users")["items"])
    page.click("#team [data-key^='roster.same ']")
    page.click("dialog[open] [type=submit]")
    wait("a person of that name is confirmed", lambda: "not arrived 1/2" in page.text("#roster-head"))
    must("and no one was added", len(operation.leader.get("users")["items"]) == everyone)
    page.click("#team [data-key^='roster.here ']")
    page.click("dialog[open] [type=submit]")
    wait("one without a device is listed", lambda: "Zoé Martin" in [
        one["callsign"] for one in operation.member.get("users")["items"]])
    checked("people are expected from a file, and listed once they arrived")


def base_map(page):
    """The base map is shown, with its attribution as text."""
    wait("tiles are shown", lambda: page.js(
        "return [...document.querySelectorAll('.leaflet-tile')].some((t) => t.naturalWidth === 256)"))
    credit = page.text("#credit")
    must(f"the base map is shown, with its attribution as text: {credit}",
         credit == "Serra · © Field survey" and page.js("return typeof window.__ran") == "undefined")


def change_fence(page, operation):
    """A zone is edited in place: a corner dragged, one added, renamed; the id stays."""
    page.view("fences")
    old = operation.leader.get("fences.geojson")["features"]
    one = next(f for f in old if f["properties"]["name"] == "Sawmill block")
    page.click(f"[data-key='zone {one['id']}']")
    wait("its corners have handles", lambda: page.count(".handle.corner") == 4)
    must("who is inside is shown during the edit", "inside now" in page.text("#detail"))
    page.drag(".handle.corner", 40, 30)
    page.drag(".handle.middle", 0, -40)
    wait("a corner was added", lambda: page.count(".handle.corner") == 5)
    page.js("""document.querySelector('.handle.corner').dispatchEvent(
        new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true}));""")
    page.fill(name="Sawmill and barn", dwell="5")
    page.shot("fence-editing")
    page.click("#detail [type=submit]")
    wait("it is saved", lambda: page.count(".handle") == 0)
    wait("the new name is shown", lambda: "Sawmill and barn" in page.text("#fences"))
    features = operation.leader.get("fences.geojson")["features"]
    new = next(f for f in features if f["id"] == one["id"])
    row = operation.leader.get(f"fences/{one['id']}")
    must("a zone is edited in place",
         new["geometry"] != one["geometry"] and len(new["geometry"]["coordinates"][0]) == 6
         and row["name"] == "Sawmill and barn" and row["dwellSeconds"] == 5)
    wait("the member has it too", lambda: any(
        f["name"] == "Sawmill and barn" for f in operation.member.get("fences")["items"]))
    # A concurrent edit: nothing is lost.
    page.click(f"[data-key='zone {one['id']}']")
    wait("the form is there", lambda: page.count("#detail [name=name]"))
    operation.leader.send("PATCH", f"fences/{one['id']}", {"name": "Sawmill, barn and yard"})
    page.fill(name="Mine")
    page.click("#detail [type=submit]")
    wait("it is refused", lambda: "changed meanwhile" in page.text("#detail .wrong"))
    must("a concurrent edit is kept",
         operation.leader.get(f"fences/{one['id']}")["name"] == "Sawmill, barn and yard")
    must("the corners are still there", page.count(".handle.corner") == 5)
    page.click("#detail [data-key=cancel]")
    wait("the edit is cancelled", lambda: page.js("return document.querySelector('.handle') === null"))


def change_circle(page, operation):
    one = next(f for f in operation.leader.get("fences")["items"] if f["name"] == "School yard")
    page.view("fences")
    page.click(f"[data-key='zone {one['id']}']")
    wait("centre and edge have handles", lambda: page.count(".handle.corner") == 2)
    page.drag(".handle.corner", 30, 0)
    wait("the radius grew", lambda: float(page.js(
        "return document.querySelector('#detail [name=radius]').value")) > 50)
    page.js("""const field = document.querySelector('#detail [name=radius]');
        field.value = "80"; field.dispatchEvent(new Event('input'));""")
    page.click("#detail [type=submit]")
    wait("the circle is changed",
         lambda: operation.leader.get(f"fences/{one['id']}")["radiusMetres"] == 80)
    checked("a circle is changed by its edge and by number")


def import_fences(page, operation):
    outline = {"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": "Plume", "kind": "hazard"}, "geometry": {
            "type": "Polygon",
            "coordinates": [[[-7.62, 40.33], [-7.61, 40.33], [-7.61, 40.34], [-7.62, 40.33]]]}},
        {"type": "Feature", "properties": {"name": "Well", "radius_m": 40}, "geometry": {
            "type": "Point", "coordinates": [-7.605, 40.325]}},
        {"type": "Feature", "properties": {"name": "Road"}, "geometry": {
            "type": "LineString", "coordinates": [[-7.6, 40.3], [-7.61, 40.31]]}},
        {"type": "Feature", "properties": {"name": "Hut"}, "geometry": {
            "type": "Point", "coordinates": [-7.6, 40.32]}},
        # Invalid: it crosses itself.
        {"type": "Feature", "properties": {"name": "Bow"}, "geometry": {
            "type": "Polygon", "coordinates": [[[-7.62, 40.33], [-7.61, 40.34], [-7.61, 40.33],
                                                [-7.62, 40.34], [-7.62, 40.33]]]}}]}
    path = os.path.join(operation.folder, "zones.geojson")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(outline, file)
    page.view("fences")
    page.driver.execute_cdp_cmd("DOM.enable", {})
    page.on("#fences input[type=file]", lambda field: field.send_keys(path))
    wait("the review shows all zones", lambda: page.count("dialog .review li") == 2)
    reviews = page.js(
        "return [...document.querySelectorAll('dialog .review p')].map((p) => p.innerText)")
    must(f"who would be inside each zone of a file is shown before it is saved {reviews}",
         "would be inside now" in reviews[1])
    left = page.js("return document.querySelector('dialog details').textContent")
    must(f"what is left out is named: {left}", left.startswith("Left out: 3") and "Road" in left and "Bow" in left)
    page.fill(**{"name 0": "Plume of smoke", "radius": "25"})
    page.js("document.querySelector('dialog [name=radius]').dispatchEvent(new Event('change'))")
    wait("a point with a radius is a zone", lambda: page.count("dialog .review li") == 3)
    must("what was written stays", page.js(
        "return document.querySelector('dialog [name=\"name 0\"]').value") == "Plume of smoke")
    page.shot("fence-import")
    # More bytes than a name may have.
    page.fill(**{"name 1": "ü" * 120, "kind 1": "info", "take 2": False})
    page.click("dialog[open] [type=submit]")
    wait("one is refused with the reason", lambda: ": 1 of 2" in page.text("dialog .wrong[role=alert]"))
    kinds = {f["name"]: f["kind"] for f in operation.leader.get("fences")["items"]}
    must(f"the others are saved, and the refused one shows {page.text('.review .wrong')!r}",
         kinds.get("Plume of smoke") == "hazard" and "info" not in kinds.values())
    page.shot("fence-import-refused")
    page.fill(**{"name 1": "Well"})
    page.submit()
    wait("they are listed", lambda: all(n in page.text("#fences") for n in ("Plume", "Well")))
    names = [f["name"] for f in operation.leader.get("fences")["items"]]
    must("each of them once", names.count("Well") == 1 and names.count("Plume of smoke") == 1)


def mesh(page, operation):
    page.view("mesh")
    wait("the member is connected",
         lambda: "connected" in page.text("#mesh") and "Ana" in page.text("#mesh"))
    checked("direct neighbours are shown")
    # One in contact with the member only, and one beyond that also reaches the post, over HTTPS.
    far = operation.join_by_file("Bruno", peer=operation.member.udp)
    uplink = operation.join_by_file("Caro", peer=far.udp)
    uplink.more = ["--uplink", f"https://127.0.0.1:{operation.post}"]
    for node in (far, uplink):
        node.start()
    try:
        wait("all links are shown and drawn in both directions", lambda: (
            page.count(".graph line") == 4 and page.count(".graph polygon") == 0), 240)
        words = page.text("#mesh table")
        must(f"a leader sees the link between Ana and Bruno, which is not her own: {words!r}",
             ("Ana and Bruno" in words or "Bruno and Ana" in words) and "reported" in words)
        must("four laptops, and one of the links, dotted, is the uplink",
             page.count(".graph circle") == 4 and page.count(".graph .uplink line") == 1
             and "uplink" in words)
        page.shot("mesh")
        page.theme("dark")
        page.shot("mesh-dark")
        page.theme("light")
        page.as_phone()
        page.view("mesh")
        time.sleep(0.5)
        page.shot("phone-mesh")
        page.as_laptop()
    finally:
        for node in (far, uplink):
            node.stop()


def places(page, operation):
    """Positions by click and by text, and a track."""
    page.view("reports")
    page.click("[data-key=file]")
    page.click("dialog[open] [data-key=pick]")
    page.tap(30, 60)
    wait("the form shows the position", lambda: page.js("""
        const place = document.querySelector('dialog[open] [name=place]')?.value;
        return /^40[.][0-9]+, -7[.][0-9]+$/.test(place)"""))
    page.fill(title="Tree across the road", category="access")
    page.submit()
    wait("it is filed", lambda: "Tree across the road" in page.text("#reports"))
    checked("a report's position is chosen on the map")
    page.view("fences")
    page.click("[data-key=typed]")
    page.fill(corners="40.3217, -7.6114", radius="50")
    page.click("dialog[open] [type=submit]")
    page.await_form()
    wait("a typed circle shows who would be inside",
         lambda: "1 would be inside now: Ana" in page.text("dialog[open]"))
    page.fill(name="School yard", kind="muster")
    page.submit()
    wait("the circle is listed", lambda: "School yard" in page.text("#fences"))
    page.js("""[...document.querySelectorAll('.person')]
        .find((p) => p.innerText.includes('Lead')).click()""")
    page.click("#detail [data-key=track]")
    both = lambda: (page.text("#map-bar"), page.text("#said"))
    told = wait("the track is shown, or that there is none",
                lambda: next((text for text in both() if "rack of Lead" in text), ""))
    page.shot("track")
    page.js("[...document.querySelectorAll('#map-bar button')].at(-1)?.click()")
    checked("the track of a person: " + told.splitlines()[0])
    page.close_panel()


def rollcall(page, operation):
    page.view("orders")
    page.click("[data-key=rollcall]")
    page.fill(text="Answer now", minutes="5")
    page.submit()
    wait("the roll call is open", lambda: "Ana" in page.text("#orders [aria-label='Unaccounted for']"))
    must("the timer counts down", page.text("#orders .timer").startswith(("4:", "5:")))
    page.shot("rollcall")
    one = wait("the member has the order", lambda: operation.member.get("directives")["items"])[0]
    operation.member.send("POST", f"directives/{one['id']}/acknowledgements", {})
    wait("she is accounted for",
         lambda: "Ana" not in page.text("#orders [aria-label='Unaccounted for']"))
    checked("a roll call shows who is unaccounted for until they answer")
    page.click(f"[data-key='close {one['id']}']")
    wait("it is closed", lambda: "closed" in page.text("#orders"))
    checked("a roll call is closed")


def override(page, operation):
    """22.9: each choice of command's override has its own button."""
    page.view("people")
    page.click(".person")
    page.click("#detail [data-key='override.safe']")
    page.shot("override")
    page.fill(note="seen by the leader")
    page.submit()
    ana = lambda: [u for u in operation.leader.get("users")["items"] if u["override"]]
    wait("the override is written", ana)
    checked("22.9: an override is saved once its kind is chosen")
    operation.leader.send("DELETE", f"users/{ana()[0]['id']}/override", {})
    page.close_panel()


def phone_map(page):
    """22.6: a phone, whose first sheet covers half of the map."""
    page.as_phone()
    page.js("window.__old = 1; location.reload()")
    wait("the page is back", lambda: page.js(
        "return !window.__old && document.querySelectorAll('.person').length"))
    page.view("map")
    scale = lambda: page.text(".leaflet-control-scale-line")
    wait("the map shows the operation, not the world", lambda: scale() and not (
        scale().endswith("km") and int(scale().split()[0]) > 50))
    checked(f"22.6: a phone's map opens on the operation ({scale()})")
    page.shot("phone-map-opened")
    page.as_laptop()


def link(page, operation):
    operation.leader.stop()
    wait("the loss is shown", lambda: "CONNECTION TO THE NODE LOST" in page.text("#banner"))
    page.shot("link-lost")
    page.js("window.__same = 1")
    operation.leader.start()
    wait("the banner goes", lambda: "NODE LOST" not in page.text("#banner"), 60)
    operation.leader.send("PUT", "me/safety", {"safety": "help", "note": "after the gap"})
    wait("new data is shown", lambda: page.js("""
        return [...document.querySelectorAll('.person')]
          .some((one) => one.title.includes('after the gap'))"""), 60)
    must("the connection is lost, reported, and restored without a reload",
         page.js("return window.__same") == 1)
    wait("both are in contact",
         lambda: page.js("return document.querySelector('#banner').hidden"), 60)


def looks(page):
    """The page on a phone and in the dark theme."""
    page.theme("dark")
    page.view("people")
    time.sleep(0.5)
    page.shot("dark")
    page.as_phone()
    for view in ("people", "map", "reports", "me"):
        page.view(view)
        time.sleep(0.5)
        page.shot(f"phone-{view}")
    wide = page.js("return document.documentElement.scrollWidth")
    must(f"a phone's width holds the page ({wide} pixels of 390)", wide <= 390)
    page.as_laptop()
    page.theme("light")


def other_looks(page, operation):
    """The page in Portuguese, and printed."""
    zones = {f["name"]: f["id"] for f in operation.leader.get("fences")["items"]}
    printed(page, zones["Well"])
    forms(page, operation)
    page.js("localStorage.setItem('language', 'pt'); location.reload()")
    wait("the page is Portuguese", lambda: "Pessoas" in page.text("#rail"))
    for view in VIEWS:
        page.view(view)
        time.sleep(0.3)
        page.shot(f"pt-{view}")
        wide = page.js("return document.documentElement.scrollWidth - innerWidth")
        must(f"{view} in Portuguese is no wider than the screen ({wide})", wide <= 0)
    page.js("localStorage.setItem('language', 'en'); location.reload()")
    wait("the page is English again", lambda: "People" in page.text("#rail"))


def walk(page, operation, options):
    locked(page, operation)
    page.open()
    checked("the page opens")
    if options.opening:
        operation.leader.send("POST", "me/position", {"lat": 40.3251, "lon": -7.6050})
        base_map(page)
        must("the browser has no error", not page.faults("/tiles/"))
        return
    if options.hazard:
        hazard(page, operation)
        return
    if options.photos or options.checkins:
        if options.photos:
            photos(page, operation)
            dictated(page)
            contacts(page, operation)
        else:
            checkins(page, operation)
        must("the browser has no error", not page.faults("status of 4"))
        return
    if options.paper:
        members(page, operation)
        photos(page, operation)
        forms(page, operation)
        return
    if options.safe:
        safe(page, operation)
        return
    if options.logins:
        members(page, operation)
        roster(page, operation)
        by_link(operation, page, options.screenshots)
        by_invite(operation, options.screenshots)
        elsewhere(operation, options.screenshots)
        as_member(operation, options.screenshots)
        return
    if options.measures:
        members(page, operation)
        measured(page, operation)
        return
    members(page, operation)
    if options.uplink:
        return
    pale(page, operation)
    distress(page, operation)
    report(page, operation)
    photos(page, operation)
    dictated(page)
    checkins(page, operation)
    base_map(page)
    fence(page, operation)
    change_fence(page, operation)
    places(page, operation)
    change_circle(page, operation)
    import_fences(page, operation)
    contacts(page, operation)
    alerts(page, operation)
    mesh(page, operation)
    rollcall(page, operation)
    conflict(page, operation)
    override(page, operation)
    safe(page, operation)
    measured(page, operation)
    link(page, operation)
    if options.axe:
        accessible(page, options.axe)
    looks(page)
    phone_map(page)
    by_link(operation, page, options.screenshots)
    by_invite(operation, options.screenshots)
    elsewhere(operation, options.screenshots)
    as_member(operation, options.screenshots)
    other_looks(page, operation)
    # Missing tiles of the small map, and an outdated edit, are expected errors.
    faults = page.faults(
        "/tiles/", "status of 412", "status of 415", "status of 422", "ERR_CONNECTION_REFUSED",
        "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "NetworkError")
    must(f"the browser has no error {faults[:5]}", not faults)
    abuse(page, operation)
    faults = page.faults("/tiles/", "status of 412")
    must(f"and none after it {faults[:5]}", not faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--muster", default=".build/debug/muster")
    parser.add_argument("--port", type=int, default=17474,
                        help="the first of five ports; 0 for free ones")
    parser.add_argument("--patience", type=int, default=0,
                        help="the minimum timeout in s")
    parser.add_argument("--screenshots", help="a folder for screenshots")
    parser.add_argument("--opening", action="store_true",
                        help="check only that the page opens and the map is drawn")
    parser.add_argument("--uplink", action="store_true",
                        help="measure only a member's write, over HTTPS alone")
    parser.add_argument("--hazard", action="store_true",
                        help="measure only the alert of an entered hazard")
    parser.add_argument("--safe", action="store_true",
                        help="check only the notices that a person and an order are safe")
    parser.add_argument("--photos", action="store_true",
                        help="check only photos of reports, dictation and emergency contacts")
    parser.add_argument("--paper", action="store_true", help="check only reports and forms on paper")
    parser.add_argument("--checkins", action="store_true", help="check only check-ins")
    parser.add_argument("--logins", action="store_true",
                        help="check only logins from other machines")
    parser.add_argument("--measures", action="store_true",
                        help="check only the share of the map and the clicks of each job")
    parser.add_argument("--axe", help="axe.min.js, for accessibility checks")
    options = parser.parse_args()
    browser.require(options.screenshots)
    lab.patience = options.patience
    operation = Operation(os.path.abspath(options.muster), options.port)
    try:
        if options.uplink:
            operation.use_uplink()
        with Page(operation.leader.url, options.screenshots,
                  ["--autoplay-policy=no-user-gesture-required"], operation.leader.link) as page:
            walk(page, operation, options)
    finally:
        operation.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
