"""W1: markup in every text that a node accepts, shown in the page."""

import time
import urllib.error
import urllib.parse
import urllib.request

from access import VIEWS
from browser import must
from nodes import wait
from payloads import ALL


def phone(node, name, index, counts):
    """Sends a position as a phone of that name, which becomes a person with that callsign."""
    query = urllib.parse.urlencode({"id": name, "lat": 40.3 + index / 1e4, "lon": -7.61,
                                    "timestamp": int(time.time())})
    try:
        urllib.request.urlopen(f"{node.url}/?{query}", timeout=30).close()
        counts["taken"] += 1
    except urllib.error.HTTPError:
        counts["refused"] += 1


def abuse(page, operation):
    """W1: no text of a user is executed."""
    counts = {"taken": 0, "refused": 0}

    def offer(node, method, path, body, texts=1):
        """Returns whether the node rejects the text as not a line of text."""
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
        path = f"alerts/{urllib.parse.quote(alert['id'])}/acknowledge"
        offer(lead, "POST", path, {"name": payload[:100]})
    reports = operation.leader.get("reports?limit=10000")["items"]
    page.driver.refresh()
    wait("the page is back", lambda: page.text("#counts"))
    wait("the reports are there", lambda: page.count("#reports .item") >= 100, 60)
    for view in VIEWS:
        page.view(view)
    page.view("reports")
    for row in reports[:20]:
        page.js("document.querySelector(arguments[0])?.click()", f"[data-key='open {row['id']}']")
    page.js("document.querySelector('#fences .item').click()")
    page.js("document.querySelector('.person').click()")
    page.shot("abuse")
    ran = page.js("return [typeof window.__ran, document.title]")
    ran.append(page.count("main script, main img:not(.leaflet-tile), main iframe"))
    must(f"{len(ALL)} payloads in {counts['taken']} texts ({counts['refused']} more the node "
         "refused): nothing ran", ran[0] == "undefined" and ran[1] != "ran" and ran[2] == 0)
