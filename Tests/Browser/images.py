#!/usr/bin/env python3
"""Makes the pictures of the dashboard in docs/images, from real nodes and in real time.

    python3 Tests/Browser/images.py --muster .build/debug/muster --to docs/images

Takes about two minutes, since a person must be silent for a while. Look at every picture before
you commit it. Requirements: as dashboard.py, and pngquant (apt: pngquant)."""

import argparse
import glob
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

import browser
from browser import Page, checked
from nodes import Node, Operation, free_ports, wait
from picture import resize

# Rows of 120 m from south to north, so that no label covers another.
SOUTH, ROW = 40.3150, 0.0011
# Callsign: team, row, longitude.
PLACES = {
    "Ana": ("Alpha", 0, -7.6150), "Bruno": ("Alpha", 0.9, -7.6120),
    "Caro": ("Bravo", 2.9, -7.6065), "Eva": ("Bravo", 4.1, -7.6170),
    "Duarte": ("Bravo", 5.6, -7.6030), "Filipe": ("Bravo", 6.4, -7.6150),
    "Gil": ("Charlie", 7.2, -7.6090), "Hugo": ("Charlie", 8.0, -7.6030),
    "Kiko": ("Delta", 8.8, -7.6150), "Lena": ("Delta", 9.9, -7.6055),
    "Lead": ("", 11.4, -7.6170)}
# The others have phones, which report to the leader's node.
LAPTOPS = ("Lead", "Ana", "Duarte")
FIRE, YARD = (2.5, -7.6070), (9.9, -7.6060)


def place(name):
    _, row, lon = PLACES[name]
    return {"lat": round(SOUTH + ROW * row, 6), "lon": lon, "accuracyMetres": 8}


def circle(row, lon, metres):
    return {"lat": round(SOUTH + ROW * row, 6), "lon": lon, "radiusMetres": metres}


class Scene(Operation):
    """A fire with twelve people. Laptops of Lead, Ana, Duarte and Ines are in a ring: the link
    between Ines and Lead is an uplink."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="muster-images-")
        ports = free_ports(0)
        self.leader = Node(program, self.folder, "lead", ports[0], http=ports[1])
        self.member = Node(program, self.folder, "ana", ports[2], http=ports[3], peer=ports[0])
        self.leader.more = ["--serve", f"127.0.0.1:{ports[4]}"]
        self.leader.run("init", "Serra fire", "--callsign", "Lead")
        self.leader.start()
        invite = json.loads(self.leader.run("invite", "--json"))["url"]
        self.member.run("join", invite, "--callsign", "Ana")
        self.member.start()
        self.duarte = self.join_by_file("Duarte", http=free_ports(0)[1], peer=self.member.udp)
        self.ines = self.join_by_file("Ines", peer=self.duarte.udp)
        self.ines.more = ["--uplink", f"https://127.0.0.1:{ports[4]}"]
        for node in (self.duarte, self.ines):
            node.start()
        self.leader.send("PATCH", "settings", {"silenceSeconds": 60})
        self.report(PLACES)
        wait("all are known", lambda: len(self.users()) == len(PLACES) + 1, 60)
        for name, (team, _, _) in PLACES.items():
            if team:
                self.leader.send("PUT", f"users/{self.users()[name]['id']}/team", {"team": team})
        wait("everyone's node knows the operation", lambda: all(
            len(node.get("users")["items"]) == len(PLACES) + 1
            for node in (self.member, self.duarte)), 60)

    def users(self):
        return {one["callsign"]: one for one in self.leader.get("users")["items"]}

    def report(self, names):
        """Everyone named reports a position: laptops by the API, phones as OsmAnd does."""
        nodes = dict(zip(LAPTOPS, (self.leader, self.member, self.duarte)))
        for name in names:
            at = place(name)
            if name in nodes:
                nodes[name].send("POST", "me/position", at)
                continue
            query = urllib.parse.urlencode(
                {"id": name, "lat": at["lat"], "lon": at["lon"], "accuracy": 8})
            with urllib.request.urlopen(
                    f"{self.leader.url}/{self.leader.token}/?{query}", timeout=30):
                pass

    def refresh(self):
        """Everyone but Filipe and Kiko, who are silent."""
        self.report([name for name in PLACES if name not in ("Filipe", "Kiko")])

    def close(self):
        for node in (self.duarte, self.ines):
            node.stop()
        super().close()


class Pictures(Page):
    """The page, with pictures that show no passing message."""

    def take(self, name, size="laptop", theme="light"):
        self.theme(theme)
        resize(self, size)
        wait("no message is shown", lambda: not self.text("#said"))
        time.sleep(0.5)
        self.shot("dashboard" + (f"-{name}" if name else ""))
        checked(f"dashboard {name}")

    def show_person(self, name):
        self.js("""[...document.querySelectorAll('.person')]
            .find((one) => one.querySelector('.name').innerText === arguments[0]).click()""", name)
        wait(f"{name} is shown", lambda: name in self.text("#detail h2"))


def quiet_times(page, scene):
    """A report and a zone, before anything happens."""
    page.view("reports")
    page.click("[data-key=file]")
    page.fill(title="Fire at the sawmill", description="Wind from the west", category="fire",
              severity="5", place=f"{SOUTH + ROW * 1.7:.4f}, {FIRE[1]:.4f}", toEvacuate=True)
    page.take("report")
    page.submit()
    scene.leader.send("POST", "fences", {
        "name": "School yard", "kind": "muster", "circle": circle(*YARD, 120)})
    lat, lon = SOUTH + ROW * FIRE[0], FIRE[1]
    corners = [[lon - 0.0028, lat - 0.0012], [lon + 0.0024, lat - 0.0014],
               [lon + 0.0028, lat + 0.0013], [lon - 0.0024, lat + 0.0011]]
    scene.leader.send("POST", "fences", {
        "name": "Sawmill fire", "kind": "hazard",
        "geojson": {"type": "Polygon", "coordinates": [corners + corners[:1]]}})
    page.view("fences")
    wait("both zones are listed", lambda: "Sawmill fire" in page.text("#fences"))
    zone = next(one for one in scene.leader.get("fences")["items"] if one["kind"] == "hazard")
    scene.refresh()
    page.click(f"[data-key='zone {zone['id']}']")
    wait("its corners have handles", lambda: page.count(".handle.corner") == 4)
    page.take("zone")
    page.close_panel()


def distress(page, scene):
    scene.member.send("PUT", "me/safety", {"safety": "help", "note": "twisted ankle"})
    page.view("people")
    wait("the alarm is shown", lambda: "twisted ankle" in page.text("#alarm"))
    page.show_person("Ana")
    page.take("unsafe")
    page.close_panel()


def evacuation(page, scene):
    """Every severity at once."""
    # The page opens with everyone on the map.
    page.open()
    resize(page, "laptop")
    leader = scene.leader
    ids = {name: one["id"] for name, one in scene.users().items()}
    leader.send("PUT", f"users/{ids['Bruno']}/safety", {"safety": "help"})
    leader.send("PUT", "me/safety", {"safety": "safe"})
    leader.send("PUT", f"users/{ids['Kiko']}/override", {
        "safety": "safe", "note": "in the ambulance", "away": []})
    leader.send("POST", "directives", {
        "kind": "rollcall", "text": "By radio", "users": ["Gil"], "deadlineSeconds": 1})
    leader.send("POST", "directives", {
        "kind": "evacuate", "text": "Leave by the river road", "zones": ["School yard"],
        "users": ["Ana", "Duarte", "Eva"], "deadlineSeconds": 540})
    wanted = {
        "Ana": "mayday", "Bruno": "mayday", "Caro": "inHazard", "Duarte": "ordered",
        "Eva": "ordered", "Filipe": "noContact", "Gil": "overdue", "Hugo": "ok",
        "Ines": "noPosition", "Kiko": "accountedFor", "Lena": "atAssembly",
        "Lead": "reportedSafe"}

    def different():
        scene.refresh()
        time.sleep(3)
        return {name: (one["status"], wanted[name]) for name, one in scene.users().items()
                if one["status"] != wanted[name]}

    try:
        wait("every status is there", lambda: not different(), 150)
    except SystemExit as error:
        raise SystemExit(f"{error}, but {different()}")
    began = time.monotonic()
    wait("the page shows the silence", lambda: "No contact" in page.text("#people"))
    checked(f"the page shows the silence after {time.monotonic() - began:.1f} s")
    time.sleep(5)
    scene.refresh()
    caro = next(one for one in leader.get("alerts")["items"] if "Caro" in one["text"])
    leader.send("POST", f"alerts/{urllib.parse.quote(caro['id'])}/acknowledge", {"name": "Lead"})
    page.view("people")
    page.take("")
    resize(page, "phone")
    page.view("me")
    page.take("phone", "phone")
    # The overdue one has been asked by radio, and answers.
    late = next(one for one in leader.get("directives")["items"] if one["kind"] == "rollcall")
    leader.send("POST", f"directives/{late['id']}/close", {})
    leader.send("POST", "directives", {
        "kind": "rollcall", "text": "Answer by phone or radio", "deadlineSeconds": 600})
    call = next(one for one in leader.get("directives")["items"]
                if one["kind"] == "rollcall" and one["status"] == "open")
    for name in ("Lead", "Lena", "Hugo", "Gil", "Duarte"):
        leader.send("POST", f"directives/{call['id']}/acknowledgements", {"user": name})
    page.view("orders")
    card = f"[data-order='{call['id']}']"
    wait("four others are accounted for", lambda: "4 of" in page.text(f"{card} .sum"))
    resize(page, "laptop")
    page.js("document.querySelector(arguments[0]).scrollIntoView()", card)
    scene.refresh()
    page.take("rollcall")
    page.view("map")
    page.take("dark", theme="dark")
    page.theme("light")
    resize(page, "laptop")


def member(scene, shots):
    page = Pictures(scene.duarte.url, shots, ["--autoplay-policy=no-user-gesture-required"],
                    scene.duarte.link)
    try:
        page.open()
        resize(page, "laptop")
        wait("the order is shown", lambda: page.text("#duty"))
        page.view("me")
        page.take("member")
    finally:
        page.close()


def mesh(page, scene):
    page.view("mesh")
    wait("the ring is closed", lambda: (
        page.count(".graph line") == 4 and page.count(".graph polygon") == 0), 240)
    page.take("mesh")


def conflict(page, scene):
    """Lead and Ana edit one report during a partition."""
    report = scene.member.send("POST", "reports", {
        "title": "Sawmill burns", "category": "fire", "severity": 4,
        "lat": SOUTH + ROW * 1.2, "lon": FIRE[1] + 0.001})["id"]
    wait("the leader has it", lambda: any(
        one["id"] == report for one in scene.leader.get("reports")["items"]))
    for node in (scene.ines, scene.duarte, scene.member):
        node.stop()
    scene.leader.send("PATCH", f"reports/{report}", {"title": "Fire at the old sawmill"})
    scene.leader.stop()
    known, scene.member.peer = scene.member.peer, None
    scene.member.start()
    scene.member.send("PATCH", f"reports/{report}", {"title": "Sawmill and barn burn"})
    scene.member.stop()
    scene.member.peer = known
    for node in (scene.leader, scene.member, scene.duarte, scene.ines):
        node.start()
    wait("both have converged", lambda: scene.leader.get(f"reports/{report}")["conflicts"], 60)
    scene.refresh()
    page.view("reports")
    wait("the conflict is shown", lambda: "conflict" in page.text("#reports"), 60)
    page.click(f"[data-key='open {report}']")
    wait("both sides are shown", lambda: "barn burn" in page.text("#detail .sides"))
    page.take("conflict")
    page.close_panel()


def link(page, scene):
    page.view("people")
    scene.leader.stop()
    wait("the loss is shown", lambda: "LOST" in page.text("#banner"))
    page.take("link")


def reduce(folder):
    """Reduces the pictures to 256 colours, a third of the size."""
    pictures = glob.glob(os.path.join(folder, "dashboard*.png"))
    subprocess.run(["pngquant", "--force", "--ext", ".png", "--speed", "1", "--strip", "256",
                    *pictures], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--muster", default=".build/debug/muster")
    parser.add_argument("--to", default="docs/images", help="the folder of the pictures")
    options = parser.parse_args()
    browser.require()
    if not shutil.which("pngquant"):
        raise SystemExit("pngquant is not installed (apt install pngquant)")
    os.makedirs(options.to, exist_ok=True)
    scene = Scene(os.path.abspath(options.muster))
    page = None
    try:
        page = Pictures(scene.leader.url, options.to,
                        ["--autoplay-policy=no-user-gesture-required"], scene.leader.link)
        page.open()
        resize(page, "laptop")
        for chapter in (quiet_times, distress, evacuation, mesh):
            chapter(page, scene)
        member(scene, options.to)
        conflict(page, scene)
        link(page, scene)
        reduce(options.to)
    finally:
        if page:
            page.close()
        scene.close()


if __name__ == "__main__":
    main()
