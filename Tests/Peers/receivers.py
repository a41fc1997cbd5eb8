"""Position receivers: real gpsd processes, each with gpsfake, at many times the usual rate."""

import datetime
import math
import os
import subprocess
import time

from row import Row, bridged, items, lab, wait

FIXES = 1200
# Sentences of a fix: GGA, RMC and GSA. gpsfake sends one every 20 ms: 16 fixes a second.
PAUSE = 0.02
SPEED = 1.5
NORTH = 1 / 111_132
# The walks pass through the middle of the zone.
START = (40.32, -7.61)
RADIUS = 200
HALF = FIXES // 2 * SPEED


def sentence(body):
    check = 0
    for character in body:
        check ^= ord(character)
    return f"${body}*{check:02X}\r\n"


def angle(degrees, width, letters):
    whole = int(abs(degrees))
    minutes = (abs(degrees) - whole) * 60
    return f"{whole:0{width}d}{minutes:08.5f},{letters[degrees < 0]}"


class Walk:
    """A walk to the north at a constant speed; each node has its own meridian."""

    def __init__(self, index, start):
        self.index = index
        self.start = start
        self.longitude = START[1] + index * 0.0002

    def latitude(self, seconds):
        return START[0] + (seconds * SPEED - HALF) * NORTH

    def log(self):
        lines = []
        for second in range(FIXES):
            when = self.start + datetime.timedelta(seconds=second)
            clock, day = when.strftime("%H%M%S.00"), when.strftime("%d%m%y")
            place = angle(self.latitude(second), 2, "NS") + "," + angle(self.longitude, 3, "EW")
            lines += [
                sentence(f"GPGGA,{clock},{place},1,09,0.9,1200.0,M,50.0,M,,"),
                sentence(f"GPRMC,{clock},A,{place},{SPEED * 1.94384:.1f},0.0,{day},,,A"),
                sentence("GPGSA,A,3,02,05,07,09,12,16,21,25,29,,,,1.6,0.9,1.3")]
        return "".join(lines)

    def place_at(self, when):
        """Returns the true latitude at a time."""
        return self.latitude((when - self.start).total_seconds())


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def feed(made, node, walk):
    """Starts gpsfake, which starts a gpsd, in the network namespace of the node."""
    path = node.home + ".nmea"
    with open(path, "w", encoding="ascii", newline="") as file:
        file.write(walk.log())
    # Debian's Python has the module that gpsfake needs.
    return subprocess.Popen(
        ["ip", "netns", "exec", node.namespace, "/usr/bin/python3", "/usr/bin/gpsfake", "-q", "-1",
         "-c", str(PAUSE), "-P", "2947", path],
        stdout=subprocess.DEVNULL, stderr=open(node.home + ".gpsfake", "w"),
        env=dict(os.environ, PATH="/usr/sbin:/usr/bin:/bin"))


def gpsd(muster, result):
    made = bridged(muster, 3, "--gpsd", "127.0.0.1:2947")
    made.nodes[0].call("POST", "fences", {"name": "Camp", "kind": "hazard", "circle": {
        "lat": START[0], "lon": START[1], "radiusMetres": RADIUS}})
    made.until_in_step()
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    start -= datetime.timedelta(seconds=FIXES)
    walks = [Walk(index, start) for index in range(3)]
    feeds = []
    began = time.monotonic()
    try:
        for node, walk in zip(made.nodes, walks):
            feeds.append(feed(made, node, walk))
        far = lambda: all(
            user["lat"] is not None and user["lat"] > walks[0].latitude(FIXES - 60)
            for user in items(made.nodes[0], "users"))
        wait("everyone's last position reaches the first node", far, 150)
        seconds = time.monotonic() - began
        events = lambda: {(one["callsign"], one["type"]): one
                          for one in items(made.nodes[2], "events")}
        wait("all zone events reach the third node", lambda: len(events()) >= 6)
    finally:
        for process in feeds:
            lab.run("pkill", "-9", "-P", str(process.pid), check=False)
            process.kill()
            process.wait()
    result.equal("zone events", sorted(events()), sorted(
        (f"N{n}", kind) for n in range(3) for kind in ("ENTER", "EXIT")))
    latest = 0
    for (name, kind), one in events().items():
        walk = walks[int(name[1])]
        aside = abs(walk.longitude - START[1]) * math.cos(math.radians(START[0])) / NORTH
        along = math.sqrt(RADIUS ** 2 - aside ** 2) * (1 if kind == "EXIT" else -1)
        true = start + datetime.timedelta(seconds=(HALF + along) / SPEED)
        late = (moment(one["sampleTime"]) - true).total_seconds()
        # The filter may wait for 30 m or 30 s.
        result.check(0 <= late <= 45, f"{kind} of {name} is {late:.0f} s late")
        latest = max(latest, late)
    off, fixes, undated = 0, 0, 0
    for node, walk in zip(made.nodes, walks):
        user = next(one for one in items(node, "users") if one["callsign"] == f"N{walk.index}")
        track = node.call("GET", f"tracks/{user['id']}?limit=10000")["items"]
        result.check(len(track) >= FIXES * SPEED / 60,
                     f"N{walk.index} kept only {len(track)} fixes")
        fixes += len(track)
        for fix in track:
            if moment(fix["sampleTime"]) >= start + datetime.timedelta(seconds=FIXES):
                # Before gpsd had read a date: the time of arrival.
                undated += 1
                continue
            north = abs(fix["lat"] - walk.place_at(moment(fix["sampleTime"]))) / NORTH
            off = max(off, north, abs(fix["lon"] - walk.longitude) / NORTH)
        state = node.status()["location"]
        result.equal(f"the source of N{walk.index}, after gpsd ended", state["state"], "waiting")
    result.check(undated <= 3, f"{undated} fixes with the time of arrival, not of the receiver")
    result.check(off <= 2, f"a fix of a track is {off:.1f} m beside the walk")
    result.figure(f"3 gpsd, {3 * FIXES} fixes in {seconds:.0f} s, {fixes} kept, at most "
                  f"{off:.1f} m beside the walk; zone events at most {latest:.0f} s late")


ROWS = [Row("gpsd", "gpsd feeds three nodes", ("gpsd", "gpsd-clients", "iproute2", "procps"), gpsd)]
