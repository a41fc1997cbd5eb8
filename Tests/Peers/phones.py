"""Phones, which send over the air to four nodes, as their apps do: OsmAnd, Traccar Client of both
generations, and OwnTracks. What each app sends was read from its source."""

import base64
import json
import os
import subprocess
import sys
import time

from row import ROOT, Row, bridged, items, lab, wait

# A node accepts 192 names under one token: its other places are for logins and calls for help.
PHONES = 4 * 192
TURNS = 3
NODES = 4
TOKEN = "peers-token-of-phones"
PORT = 7480
# OsmAnd's template, from which the user removes nothing.
OSMAND = ("?id={id}&lat={lat}&lon={lon}&timestamp={time}&hdop={accuracy}&altitude={altitude}"
          "&speed={speed}&bearing={bearing}")


def single(value):
    """Returns a number as Java writes a `float`, which OsmAnd sends."""
    import numpy
    return str(numpy.float32(value))


class Phone:
    """One phone: its name, app, and a position for each turn, a minute apart."""

    apps = ("osmand", "traccar", "owntracks")

    def __init__(self, index, app=None):
        self.index = index
        self.app = app or self.apps[index % len(self.apps)]
        self.name = f"{self.app} {index}"

    def place(self, turn):
        return (-7.9 + 0.0007 * (self.index % 500) + 0.0002 * turn,
                40.1 + 0.0005 * (self.index // 10) + 0.0001 * turn)

    @property
    def callsign(self):
        return f"team/{self.index}" if self.app == "owntracks" else self.name

    def expected(self):
        """The last position, as the node receives it."""
        lon, lat = self.place(TURNS - 1)
        if self.app == "osmand":
            lon, lat = float(single(lon)), float(single(lat))
        return round(lon, 7), round(lat, 7)

    def request(self, turn, now):
        """Returns method, path, headers and body."""
        lon, lat = (round(value, 7) for value in self.place(turn))
        when = now - 60 * (TURNS - 1 - turn)
        return getattr(self, self.app)(lon, lat, when)

    def osmand(self, lon, lat, when):
        path = OSMAND.format(
            id=self.name.replace(" ", "%20"), lat=single(lat), lon=single(lon), time=when * 1000,
            accuracy="4.5", altitude="1104.0", speed="1.25", bearing="83.0")
        return "GET", f"/{TOKEN}/{path}", {"User-Agent": "OsmAnd", "Connection": "close"}, None

    def traccar(self, lon, lat, when):
        """Traccar Client up to 8: the form in the address of a POST without a body."""
        path = (f"?id={self.name.replace(' ', '%20')}&timestamp={when}&lat={lat}&lon={lon}"
                "&speed=2.4&bearing=83.0&altitude=1104.0&accuracy=4.5&batt=71.0&charge=false")
        return "POST", f"/{TOKEN}/{path}", {"Content-Length": "0", "Connection": "close"}, None

    def traccar9(self, lon, lat, when):
        """Traccar Client since 9: JSON, with a form for servers of before in a member."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(when))
        body = json.dumps({"location": {
            "timestamp": stamp,
            "coords": {"latitude": lat, "longitude": lon, "accuracy": 4.5, "speed": 1.25,
                       "heading": 83.0, "altitude": 1104.0},
            "is_moving": True, "odometer": 1204.5, "event": "motionchange",
            "battery": {"level": 0.71, "is_charging": False}, "activity": {"type": "walking"},
            "extras": {}, "_": f"&id={self.name}&lat={lat}&lon={lon}&timestamp={stamp}&"},
            "device_id": self.name}, separators=(",", ":"))
        return "POST", f"/{TOKEN}/", {"Content-Type": "application/json"}, body

    def owntracks(self, lon, lat, when, **more):
        message = {
            "_type": "location", "acc": 4, "alt": 1104, "batt": 71, "bs": 1, "conn": "m",
            "created_at": when + 1, "lat": lat, "lon": lon, "m": 2, "t": "t", "tst": when,
            "tid": f"{self.index % 100:02}", "vac": 3, "vel": 5,
            "topic": f"owntracks/team/{self.index}", **more}
        return "POST", "/owntracks", self.owner(), json.dumps(message)

    def owner(self):
        password = base64.b64encode(f"team:{TOKEN}".encode()).decode()
        return {"Content-Type": "application/json", "Authorization": f"Basic {password}",
                "X-Limit-U": "team", "X-Limit-D": str(self.index)}


def field(muster):
    """Starts the nodes, and a network namespace of phones on their bridge."""
    made = bridged(muster, NODES, "--http", f"0.0.0.0:{PORT}", env={"MUSTER_HTTP_TOKEN": TOKEN})
    hub, air = made.prefix + "hub", made.prefix + "phones"
    lab.run("ip", "netns", "add", air)
    lab.run("ip", "-n", hub, "link", "add", "phones", "type", "veth", "peer", "name", "radio",
            "netns", air)
    lab.run("ip", "-n", hub, "link", "set", "phones", "master", "hub", "up")
    lab.run("ip", "-n", air, "address", "add", "10.9.0.200/24", "dev", "radio")
    lab.run("ip", "-n", air, "link", "set", "radio", "up")
    return made, air


def transmit(air, phones):
    """Sends `[[host, port, requests]]` from the phones' namespace; see air.py."""
    done = subprocess.run(
        ["ip", "netns", "exec", air, sys.executable, os.path.join(ROOT, "Tests/Peers/air.py")],
        input=json.dumps(phones), capture_output=True, text=True, timeout=240)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-1500:])
    return json.loads(done.stdout)


def thousand(muster, result):
    made, air = field(muster)
    everyone = [Phone(index) for index in range(PHONES)]
    now = int(time.time())
    began = time.monotonic()
    answers = transmit(air, [
        [f"10.9.0.{phone.index % NODES + 1}", PORT,
         [phone.request(turn, now) for turn in range(TURNS)]] for phone in everyone])
    seconds = time.monotonic() - began
    result.equal("answers", answers["statuses"], {"200": PHONES * TURNS})
    wanted = {phone.callsign: phone.expected() for phone in everyone}
    began = time.monotonic()
    known = lambda node: {one["callsign"]: (one["lon"], one["lat"])
                          for one in items(node, "users") if one["role"] == "tracker"}
    for node in made.nodes:
        try:
            wait("all phones", lambda: known(node) == wanted, 60)
        except SystemExit:
            result.same_places(f"phones on node {node.index}", known(node), wanted)
    result.figure(
        f"{PHONES} phones of 3 apps at {NODES} nodes, {PHONES * TURNS / seconds:.0f} positions/s, "
        f"on all nodes {time.monotonic() - began:.1f} s later; slowest answer "
        f"{answers['slowest']:.2f} s")


def today(muster, result):
    """The apps as they are installed today, and what OwnTracks sends besides positions."""
    made, air = field(muster)
    now = int(time.time())
    new = [Phone(index, "traccar9") for index in range(4)]
    answers = transmit(air, [
        ["10.9.0.1", PORT, [phone.request(turn, now) for turn in range(TURNS)]] for phone in new])
    result.check(answers["statuses"] == {"200": 4 * TURNS},
                 f"positions of Traccar Client 9 are answered with {answers['statuses']}")
    known = lambda: {one["callsign"] for one in items(made.nodes[3], "users")}
    if answers["statuses"] == {"200": 4 * TURNS}:
        wait("the phones are known", lambda: known() >= {one.name for one in new})
    owner = Phone(9, "owntracks")
    others = {
        "status": {"_type": "status", "android": {"wifi": 1, "hib": 0}},
        "waypoint": {"_type": "waypoint", "desc": "Camp", "lat": 40.1, "lon": -7.9, "rad": 50,
                     "tst": now},
        "transition": {"_type": "transition", "event": "enter", "lat": 40.1, "lon": -7.9,
                       "acc": 5, "tst": now, "wtst": now, "tid": "09", "t": "c"},
        "lwt": {"_type": "lwt", "tst": now}}
    for kind, message in others.items():
        answers = transmit(air, [["10.9.0.1", PORT, [
            ("POST", "/owntracks", owner.owner(), json.dumps(message))]]])
        result.equal(f"the answer to {kind} of OwnTracks", answers["statuses"], {"200": 1})
    empty = transmit(air, [["10.9.0.1", PORT, [("POST", "/owntracks", owner.owner(), "")]]])
    result.check(empty["statuses"] == {"200": 1},
                 "an empty message of OwnTracks, which its app sends when a friend is removed, is "
                 f"answered with {empty['statuses']}")
    sealed = transmit(air, [["10.9.0.1", PORT, [
        ("POST", "/owntracks", owner.owner(),
         json.dumps({"_type": "encrypted", "data": "bm90IGEgcG9zaXRpb24="}))]]])
    result.check("200" not in sealed["statuses"],
                 "an encrypted position of OwnTracks is acknowledged and dropped: the phone shows "
                 "success, and the person has no position")
    result.figure(f"Traccar Client 9, and {len(others) + 2} kinds of OwnTracks messages")


PACKAGES = ("iproute2",)
ROWS = [Row("phones", "hundreds of phones, as their apps send", PACKAGES, thousand),
        Row("apps", "messages of current phone apps", PACKAGES, today)]
