#!/usr/bin/env python3
"""An oracle for the status of a person, written from the tables of docs/decisions/0037 independently
of Sources/MusterStatus: random histories and their results.

Usage: status.py SEED COUNT > histories.jsonl

Each line is an object {"input": …, "expected": …}. Moments are milliseconds of the observer's boot
clock, coordinates whole 1e-7 degrees, accuracies decimetres. `null` as the earliest bound of a
moment means that no lower bound is known. Distances are computed on a plane that touches the Earth
at the fix, and by Vincenty's method; histories in which a fix is closer than a metre to a change of
the result are replaced.
"""
import json
import math
import random
import sys

MINUTE = 60_000
HOUR = 60 * MINUTE
YEAR = 365 * 24 * HOUR
WEEK = 7 * 24 * HOUR
LONG_AGO = -(1 << 52)
MARGIN = 1.0

A, F = 6378137.0, 1 / 298.257223563
B = A * (1 - F)
E2 = F * (2 - F)

SEVERITY = {
    "mayday": "danger",
    "accountedFor": "safe",
    "signedOff": "neutral",
    "unaccounted": "danger",
    "overdue": "warning",
    "expected": "neutral",
    "noContact": "warning",
    "ordered": "warning",
    "atAssembly": "safe",
    "reportedSafe": "safe",
    "oldPosition": "neutral",
    "noPosition": "neutral",
    "ok": "neutral",
}
TABLE = [
    "mayday", "accountedFor", "inHazard", "signedOff", "unaccounted", "overdue", "expected",
    "noContact", "ordered", "atAssembly", "reportedSafe", "oldPosition",
    "noPosition", "ok",
]


class TooClose(Exception):
    """A result depends on less than the margin."""


# ---- Geometry -----------------------------------------------------------------------------------


def vincenty(lat1, lon1, lat2, lon2):
    """Returns metres and azimuth in degrees; accurate over some kilometres."""
    if (lat1, lon1) == (lat2, lon2):
        return 0.0, 0.0
    u1 = math.atan((1 - F) * math.tan(math.radians(lat1)))
    u2 = math.atan((1 - F) * math.tan(math.radians(lat2)))
    length = math.radians(lon2 - lon1)
    lam = length
    for _ in range(100):
        sl, cl = math.sin(lam), math.cos(lam)
        x = math.cos(u2) * sl
        y = math.cos(u1) * math.sin(u2) - math.sin(u1) * math.cos(u2) * cl
        ss = math.hypot(x, y)
        if ss == 0:
            return 0.0, 0.0
        cs = math.sin(u1) * math.sin(u2) + math.cos(u1) * math.cos(u2) * cl
        sigma = math.atan2(ss, cs)
        sa = math.cos(u1) * math.cos(u2) * sl / ss
        c2 = 1 - sa * sa
        cm = cs - 2 * math.sin(u1) * math.sin(u2) / c2 if c2 else 0.0
        c = F / 16 * c2 * (4 + F * (4 - 3 * c2))
        before = lam
        lam = length + (1 - c) * F * sa * (sigma + c * ss * (cm + c * cs * (2 * cm * cm - 1)))
        if abs(lam - before) < 1e-13:
            break
    k = c2 * (A * A - B * B) / (B * B)
    aa = 1 + k / 16384 * (4096 + k * (-768 + k * (320 - 175 * k)))
    bb = k / 1024 * (256 + k * (-128 + k * (74 - 47 * k)))
    ds = bb * ss * (cm + bb / 4 * (cs * (2 * cm * cm - 1)
         - bb / 6 * cm * (4 * ss * ss - 3) * (4 * cm * cm - 3)))
    return B * aa * (sigma - ds), math.degrees(math.atan2(x, y)) % 360


def radii(lat):
    """Returns the metres in a degree of longitude and of latitude."""
    w = math.sqrt(1 - E2 * math.sin(math.radians(lat)) ** 2)
    return (A / w * math.cos(math.radians(lat)) * math.pi / 180,
            A * (1 - E2) / w ** 3 * math.pi / 180)


def ring_holds(ring, lat, lon):
    """Applies the even-odd rule in integers."""
    inside = False
    for (ay, ax), (by, bx) in zip(ring, ring[1:] + ring[:1]):
        if (ay > lat) != (by > lat):
            side = (bx - ax) * (lat - ay) - (lon - ax) * (by - ay)
            if (side > 0) == (by > ay):
                inside = not inside
    return inside


def ring_nearest(ring, lat, lon):
    """Returns the nearest point on the edges, in degrees."""
    mx, my = radii(lat / 1e7)
    best = (math.inf, 0, 0)
    for (ay, ax), (by, bx) in zip(ring, ring[1:] + ring[:1]):
        x1, y1 = (ax - lon) / 1e7 * mx, (ay - lat) / 1e7 * my
        dx, dy = (bx - ax) / 1e7 * mx, (by - ay) / 1e7 * my
        t = max(0.0, min(1.0, -(x1 * dx + y1 * dy) / (dx * dx + dy * dy)))
        px, py = x1 + t * dx, y1 + t * dy
        best = min(best, (math.hypot(px, py), lat / 1e7 + py / my, lon / 1e7 + px / mx))
    return best[1:]


class Zone:
    def __init__(self, data):
        self.id, self.kind, self.active = data["id"], data["kind"], data["active"]
        self.circle, self.rings = data.get("circle"), data.get("rings")

    def place(self, fix):
        """Returns whether inside, metres to the edge, and azimuth to the nearest point."""
        lat, lon = fix["lat"], fix["lon"]
        if self.circle:
            cy, cx, centimetres = self.circle
            metres, azimuth = vincenty(lat / 1e7, lon / 1e7, cy / 1e7, cx / 1e7)
            gap = metres - centimetres / 100
            return gap <= 0, abs(gap), azimuth
        inside = sum(ring_holds(ring, lat, lon) for ring in self.rings) % 2 == 1
        edges = [vincenty(lat / 1e7, lon / 1e7, *ring_nearest(ring, lat, lon))
                 for ring in self.rings]
        metres, azimuth = min(edges)
        return inside, metres, azimuth

    def holds(self, fix):
        inside, metres, _ = self.place(fix)
        if metres < MARGIN:
            raise TooClose
        return inside

    def metres(self, fix):
        """Returns the distance to the zone; 0 inside."""
        inside, metres, azimuth = self.place(fix)
        if metres < MARGIN:
            raise TooClose
        return (0.0, None) if inside else (metres, azimuth)


# ---- The tables ---------------------------------------------------------------------------------


def usable(fix):
    accuracy = fix["accuracy"]
    if (fix["lat"], fix["lon"]) == (0, 0):
        return False
    return accuracy is None or accuracy <= 10_000


def is_inside_hazard(zone, fix):
    """Returns whether inside the zone or within min(accuracy, 100 m) of it."""
    metres, _ = zone.metres(fix)
    reach = 100.0 if fix["accuracy"] is None else min(fix["accuracy"] / 10, 100.0)
    if metres and abs(metres - reach) < MARGIN:
        raise TooClose
    return metres <= reach


def was_old(fix):
    """Returns whether a fix was old, or of unknown time, when it was received."""
    return fix["age"]["kind"] == "unknown" or fix["age"]["milliseconds"] > 5 * MINUTE


def clears(zone, fix):
    """Returns whether a fix clears: it is outside, and if coarser than 100 m with its whole circle."""
    if was_old(fix):
        return False
    if fix["accuracy"] is None or fix["accuracy"] <= 1000:
        return True
    metres, _ = zone.metres(fix)
    if abs(metres - fix["accuracy"] / 10) < MARGIN:
        raise TooClose
    return metres > fix["accuracy"] / 10


def hazards_of(device, fixes, zones):
    """Replays the fixes, oldest first."""
    shown = set()
    for zone in zones:
        if zone.kind != "hazard" or not zone.active:
            continue
        danger = False
        for fix in fixes:
            if not usable(fix):
                continue
            if is_inside_hazard(zone, fix):
                danger = True
            elif clears(zone, fix) and not device["revoked"]:
                danger = False
        if danger:
            shown.add(zone.id)
    return shown


class Person:
    def __init__(self, world):
        self.world = world
        self.now = world["now"]
        self.person = world["person"]
        self.zones = [Zone(zone) for zone in world["zones"]]
        self.devices = world["devices"]

    # A moment is (earliest, latest).
    def moment(self, evidence):
        if "stamped" in evidence:
            earliest, latest = evidence["stamped"]
            return (LONG_AGO if earliest is None else earliest, latest)
        arrived = max(self.now - evidence["arrival"], 0)
        claimed = self.world["wall"] - evidence["wall"]
        return (self.now - max(arrived, claimed), self.now - arrived)

    def fix_moment(self, fix):
        """Returns when a fix was made: its record states how old it was."""
        earliest, latest = self.moment(fix["made"])
        kind, total = fix["age"]["kind"], fix["age"]["milliseconds"] + fix["age"]["held"]
        if kind == "exactly" and total == 0:
            return earliest, latest
        doubt = {"exactly": 0, "about": 5000}.get(kind)
        bounded = doubt is not None and earliest > LONG_AGO and "stamped" in fix["made"]
        return (max(earliest - total - doubt, LONG_AGO) if bounded else LONG_AGO), latest - total

    def is_older(self, fix):
        """Returns whether a fix is certainly older than the silence setting."""
        age = fix["age"]
        if age == {"kind": "exactly", "milliseconds": 0, "held": 0}:
            return False
        return age["kind"] == "unknown" or self.now - self.fix_moment(fix)[1] > self.world["silence"]

    # -- Claims

    def names(self):
        named = set()
        for override in self.world["accountings"]:
            named |= set(override["claims"])
        for override in self.world["helpOverrides"]:
            named |= set(override["seen"])
        for relayed in self.world["relayed"]:
            named |= set(relayed["seen"])
        return named

    def help_dots(self):
        return ({claim["dot"] for claim in self.world["claims"] if not claim["safe"]}
                | {override["dot"] for override in self.world["helpOverrides"]}
                | {relayed["dot"] for relayed in self.world["relayed"] if not relayed["safe"]})

    # -- Devices

    def away(self):
        lists = [set(accounting["away"]) for accounting in self.world["accountings"]]
        return set.intersection(*lists) if lists else set()

    def with_person(self):
        away = self.away()
        return [device for device in self.devices if device["id"] not in away]

    def newest(self, device):
        fixes = [fix for fix in device["fixes"] if usable(fix)]
        return max(fixes, key=lambda fix: fix["order"]) if fixes else None

    def history(self, device):
        return sorted(device["fixes"], key=lambda fix: fix["order"])

    def in_contact(self):
        found = []
        for device in self.with_person():
            if device["revoked"] or device["received"] is None:
                continue
            earliest, _ = self.moment(device["received"])
            if self.now - earliest <= self.world["silence"]:
                found.append(device)
        return found

    # -- Orders and timers

    def is_for(self, order):
        me = self.person
        if order["expected"] is not None and order["kind"] == "rollcall":
            return me["id"] in order["expected"]
        audience = order["audience"]
        if me["id"] in audience["users"]:
            return True
        if me["id"] == order["owner"]:
            return False
        if audience["role"] is not None and not me["tracker"] and audience["role"] == me["role"]:
            return True
        if audience["team"] and me["team"] == audience["team"]:
            return True
        if audience["users"] or audience["role"] is not None or audience["team"]:
            return False
        return me["tracker"] or me["role"] in ("command", "member")

    def open_orders(self):
        moving = ("evacuate", "muster")
        mine = [order for order in self.world["orders"]
                if order["kind"] in moving + ("rollcall",) and self.is_for(order)]
        left = self.world["signOff"]["rows"] if self.world["signOff"] else []
        found = []
        for order in mine:
            if order["kind"] == "rollcall":
                replaced = not all(self.may_be_late(order, other)
                                   for other in self.successors(order))
            else:
                replaced = any(order["id"] in other["supersedes"] and other is not order
                               and other["kind"] in moving for other in mine)
            if order["open"] and not replaced and order["id"] not in left:
                found.append(order)
        return found

    def successors(self, call):
        """Returns the roll calls to this person that replace one, directly or not."""
        calls = [order for order in self.world["orders"]
                 if order["kind"] == "rollcall" and self.is_for(order)]
        found = []
        while True:
            named = [call["id"], *[order["id"] for order in found]]
            more = [order for order in calls if order is not call and order not in found
                    and any(name in order["supersedes"] for name in named)]
            if not more:
                return found
            found += more

    def may_be_late(self, call, other):
        """Returns whether a deadline may have passed when another roll call was issued."""
        due = self.due(call)
        return due is not None and due[0] <= self.moment(other["made"])[1]

    def movement(self):
        return [order for order in self.open_orders() if order["kind"] != "rollcall"]

    def assembly(self):
        return [zone for zone in self.zones if zone.active and zone.kind == "muster"]

    def goals(self):
        """Returns the zones of all open orders, any of which satisfies them."""
        found = {}
        for order in self.movement():
            named = [zone for zone in self.zones
                     if zone.id in order["zones"] and zone.active and zone.kind != "hazard"]
            for zone in named or self.assembly():
                found[zone.id] = zone
        return [found[key] for key in sorted(found)]

    def is_done(self, order):
        """Returns whether satisfied, without accountings."""
        acknowledged = self.person["id"] in order["acks"]
        if order["kind"] == "rollcall":
            return acknowledged or any(
                self.person["id"] in other["acks"] for other in self.successors(order))
        goals = self.goals()
        if not goals:
            return acknowledged
        for device in self.with_person():
            fix = self.newest(device)
            if device["revoked"] or fix is None:
                continue
            reported, _ = self.fix_moment(fix)
            _, issued = self.moment(order["made"])
            if reported >= issued and any(zone.holds(fix) for zone in goals):
                return True
        return False

    def due(self, order):
        """Returns the earliest moment, and the latest with grace."""
        if not order["durations"]:
            return None
        duration = min(max(min(order["durations"]) * 1000, 0), WEEK)
        earliest, latest = self.moment(order["made"])
        return earliest + duration, latest + duration + 2 * MINUTE

    def lateness(self, due):
        if due is None or self.now < due[0]:
            return "none"
        return "unaccounted" if self.now >= due[1] else "overdue"

    def timers(self):
        left = self.world["signOff"]["rows"] if self.world["signOff"] else []
        return [timer for timer in self.world["timers"]
                if not timer["checkedIn"] and timer["id"] not in left]

    def timer_due(self, timer):
        earliest, latest = timer["due"]
        return (LONG_AGO if earliest is None else earliest), latest + timer["grace"]

    # -- Accountings

    def holds(self, claims, rows, positions, away):
        """Returns whether the accounting is still in effect."""
        if self.help_dots() - set(claims):
            return False
        for order in self.open_orders():
            late = self.lateness(self.due(order)) != "none"
            if late and order["id"] not in rows and not self.is_done(order):
                return False
        for timer in self.timers():
            if self.lateness(self.timer_due(timer)) != "none" and timer["id"] not in rows:
                return False
        for device in self.devices:
            if device["id"] in away:
                continue
            named = [position["order"] for position in positions
                     if position["device"] == device["id"]]
            later = [fix for fix in self.history(device)
                     if not named or fix["order"] > max(named)]
            if hazards_of(device, later, self.zones):
                return False
        return True

    def accountings(self):
        found = []
        for accounting in self.world["accountings"]:
            if self.holds(accounting["claims"], accounting["rows"], accounting["positions"],
                          accounting["away"]):
                found.append(set(accounting["rows"]))
        for relayed in self.world["relayed"]:
            if relayed["safe"] and self.holds(relayed["seen"], [], [], list(self.away())):
                found.append(set())
        return found

    # -- The table

    def answer(self):
        conditions = {}
        if self.help_dots() - self.names():
            conditions["mayday"] = "danger"
        accountings = self.accountings()
        if accountings:
            conditions["accountedFor"] = "safe"
        hazards = set()
        for device in self.with_person():
            hazards |= hazards_of(device, self.history(device), self.zones)
        if hazards:
            permitted = all(self.may_enter(zone) for zone in hazards)
            conditions["inHazard"] = "warning" if permitted else "danger"
        if self.world["signOff"]:
            conditions["signedOff"] = "neutral"
        satisfied = []
        for order in self.open_orders():
            named = any(order["id"] in rows for rows in accountings)
            if named or self.is_done(order):
                satisfied.append(order["id"])
                continue
            late = self.lateness(self.due(order))
            status = "ordered" if late == "none" else late
            conditions[status] = SEVERITY[status]
        for timer in self.timers():
            late = self.lateness(self.timer_due(timer))
            if late != "none":
                conditions[late] = SEVERITY[late]
        contact = self.in_contact()
        usable_devices = [device for device in self.devices if not device["revoked"]]
        if not self.world["everReceived"]:
            conditions["expected"] = "neutral"
            if self.devices and not usable_devices:
                conditions["noContact"] = "warning"
        elif not contact:
            conditions["noContact"] = "warning"
        if self.is_at_assembly(contact):
            conditions["atAssembly"] = "safe"
        if any(claim["safe"] for claim in self.world["claims"]):
            conditions["reportedSafe"] = "safe"
        if self.world["everReceived"] and contact:
            fixed = any(self.newest(device) for device in self.with_person()
                        if not device["revoked"])
            current = [self.newest(device) for device in contact if self.newest(device)]
            if current and all(self.is_older(fix) for fix in current):
                conditions["oldPosition"] = "neutral"
            if not fixed:
                conditions["noPosition"] = "neutral"
            elif not conditions:
                conditions["ok"] = "neutral"
        found = [status for status in TABLE if status in conditions]
        status = found[0]
        if status == "signedOff" and "unaccounted" in conditions:
            status = "unaccounted"
        shown, goal = self.shown(satisfied)
        return {
            "status": status,
            "severity": conditions[status],
            "conditions": [[name, conditions[name]] for name in found],
            "satisfied": sorted(satisfied),
            "order": shown,
            "goal": goal,
        }

    def is_at_assembly(self, contact):
        zones = self.goals() if self.movement() else self.assembly()
        for device in contact:
            fix = self.newest(device)
            if fix is None or fix["accuracy"] is None or fix["accuracy"] > 1000:
                return False
            if self.is_older(fix):
                return False
            if not any(zone.holds(fix) for zone in zones):
                return False
        return bool(contact)

    def may_enter(self, zone):
        for permit in self.world["permits"]:
            if permit["revoked"] or permit["zone"] != zone or not permit["durations"]:
                continue
            mine = self.person["id"] in permit["users"] or (
                permit["team"] and permit["team"] == self.person["team"])
            earliest, _ = self.moment(permit["made"])
            duration = min(max(min(permit["durations"]) * 1000, 0), WEEK)
            if mine and self.now < earliest + duration:
                return True
        return False

    def shown(self, satisfied):
        roles = ["command", "member", "observer", "relay"]

        def key(order):
            return (order["kind"] != "evacuate", roles.index(order["role"]), -order["dot"])

        movement = sorted(self.movement(), key=key)
        if movement:
            return movement[0]["id"], self.nearest()
        calls = [order for order in self.open_orders()
                 if order["id"] not in satisfied and not self.successors(order)]
        return (sorted(calls, key=key)[0]["id"] if calls else None), None

    def nearest(self):
        """Returns distance and bearing from the newest fix to the nearest goal."""
        fixes = []
        for device in self.with_person():
            fix = self.newest(device)
            if not device["revoked"] and fix is not None:
                earliest, latest = self.fix_moment(fix)
                fixes.append(((latest, earliest, device["id"]), fix))
        goals = self.goals()
        if not fixes or not goals:
            return None
        fix = max(fixes, key=lambda pair: pair[0])[1]
        ways = sorted((*zone.metres(fix), zone.id) for zone in goals
                      if zone.metres(fix)[1] is not None)
        inside = [zone.id for zone in goals if zone.metres(fix)[1] is None]
        if inside:
            return {"zone": min(inside), "metres": 0.0, "bearing": None}
        if len(ways) > 1 and ways[1][0] - ways[0][0] < 0.01 * ways[0][0]:
            raise TooClose
        return {"zone": ways[0][2], "metres": ways[0][0], "bearing": ways[0][1]}


# ---- Random histories ---------------------------------------------------------------------------


class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)
        r = self.random
        self.lat, self.lon = r.uniform(-65, 65), r.uniform(-170, 170)
        self.mx, self.my = radii(self.lat)
        self.now = r.choice([0, 5 * MINUTE, 10 * HOUR, 40 * 24 * HOUR])
        self.wall = 1_700_000_000_000 + r.randrange(YEAR)
        self.dots = list(range(1, 200))
        r.shuffle(self.dots)
        self.next_order = 0

    def dot(self):
        return self.dots.pop()

    def some(self, items, most):
        items = list(items)
        return self.random.sample(items, min(len(items), self.random.randrange(most + 1)))

    def coordinate(self, x, y):
        return (round((self.lat + y / self.my) * 1e7), round((self.lon + x / self.mx) * 1e7))

    def evidence(self, true, offset):
        """Returns the observer's data about a moment: a stamp with bounds, or a wall-clock label."""
        r = self.random
        arrival = min(self.now, true + r.choice([0, 40, 900, 30_000, 8 * MINUTE]))
        if r.random() < 0.15:
            return {"arrival": arrival, "wall": self.wall - (self.now - true) + offset}
        known = r.random()
        earliest = None if known < 0.1 else true - r.choice([0, 30, 2_000, 4 * MINUTE])
        return {"stamped": [earliest, arrival]}

    def zone(self, number):
        r = self.random
        x, y, size = r.uniform(-1500, 1500), r.uniform(-1500, 1500), r.uniform(30, 900)
        kinds = ["hazard", "hazard", "muster", "muster", "muster", "info"]
        zone = {"id": number, "kind": r.choice(kinds),
                "active": r.random() < 0.85}
        if r.random() < 0.4:
            zone["circle"] = [*self.coordinate(x, y), round(size * 100)]
        else:
            def star(radius, count):
                step = 2 * math.pi / count
                turns = [step * (k + r.uniform(0, 0.6)) for k in range(count)]
                lengths = [radius * r.uniform(0.6, 1) for _ in turns]
                return [self.coordinate(x + length * math.cos(turn), y + length * math.sin(turn))
                        for turn, length in zip(turns, lengths)]
            zone["rings"] = [star(size, r.randrange(4, 9))]
            if r.random() < 0.25:
                zone["rings"].append(star(size * 0.25, r.randrange(4, 6)))
        return zone, (x, y, size)

    def fix(self, true, offset, places):
        r = self.random
        kind = r.random()
        if kind < 0.04:
            lat, lon = 0, 0
        elif kind < 0.85 and places:
            x, y, size = r.choice(places)
            turn, away = r.uniform(0, 2 * math.pi), size * r.choice([0, 0.1, 0.3, 0.9, 1.1, 1.5]) \
                + r.choice([0, 0, 20, 80, 150, 600])
            lat, lon = self.coordinate(x + away * math.cos(turn), y + away * math.sin(turn))
        else:
            lat, lon = self.coordinate(r.uniform(-3000, 3000), r.uniform(-3000, 3000))
        accuracy = r.choice([None, 0, 30, 80, 200, 990, 1000, 1001, 3000, 9999, 10_000, 10_001,
                             40_000])
        self.next_order += 1
        return {"order": self.next_order, "lat": lat, "lon": lon, "accuracy": accuracy,
                "made": self.evidence(true, offset), "age": self.age()}

    def age(self):
        """Draws how old a fix is in its record; most are of the moment."""
        r = self.random
        if r.random() < 0.7:
            return {"kind": "exactly", "milliseconds": 0, "held": 0}
        kind = r.choice(["exactly", "about", "atLeast", "unknown"])
        milliseconds = 0 if kind == "unknown" else r.choice(
            [0, 2_000, 5 * MINUTE, 5 * MINUTE + 1, 9 * MINUTE, 3 * HOUR])
        return {"kind": kind, "milliseconds": milliseconds,
                "held": r.choice([0, 0, 30_000, 8 * MINUTE, 11 * MINUTE])}

    def past(self):
        return self.now - self.random.choice(
            [0, 0, 0, 1_000, 30_000, MINUTE, 3 * MINUTE, 9 * MINUTE, 11 * MINUTE, 16 * MINUTE,
             HOUR, 3 * HOUR])

    def device(self, number, places):
        r = self.random
        offset = r.choice([0, 0, 0, 4_000, -90_000, 24 * HOUR, -24 * HOUR, 10 * YEAR, -10 * YEAR])
        times = sorted(self.past() for _ in range(r.choice([0, 1, 1, 2, 3, 5])))
        fixes = [self.fix(true, offset, places) for true in times]
        heard = None
        if r.random() < 0.9:
            last = times[-1] if times and r.random() < 0.6 else self.past()
            heard = self.evidence(last, offset)
        r.shuffle(fixes)
        return {"id": number, "revoked": r.random() < 0.15, "received": heard, "fixes": fixes}

    def order(self, number, zones, me):
        r = self.random
        kind = r.choice(["evacuate", "evacuate", "muster", "muster", "rollcall", "locate",
                         "message"])
        audience = {"users": [], "role": None, "team": ""}
        whom = r.random()
        if whom < 0.2:
            audience["users"] = self.some([me, me, 901, 902], 3)
        elif whom < 0.3:
            audience["role"] = r.choice(["command", "member"])
        elif whom < 0.4:
            audience["team"] = r.choice(["red", "blue"])
        offset = r.choice([0, 0, -10 * YEAR, 10 * YEAR, 3 * MINUTE])
        return {
            "id": number, "kind": kind, "open": r.random() < 0.85, "audience": audience,
            "owner": r.choice([me, 900, 900, 900, 901]), "role": r.choice(["command", "member"]),
            "dot": self.dot(), "made": self.evidence(self.past(), offset),
            "durations": [r.choice([1, 60, 120, 600, 900, 3600, 604_800])
                          for _ in range(r.choice([0, 1, 1, 1, 2]))],
            "zones": self.some(zones, 3) if r.random() < 0.5 else [],
            "supersedes": self.some(range(300, number), 1),
            "expected": self.some([me, 900, 901], 3)
            if kind == "rollcall" and r.random() < 0.7 else None,
            "acks": self.some([me, 901], 2),
        }

    def world(self):
        r = self.random
        me = 500
        # Half of the people have no claims, neither their own nor others'.
        spoken = r.random() < 0.5
        zones, places = [], []
        for number in range(100, 100 + r.randrange(6)):
            zone, place = self.zone(number)
            zones.append(zone)
            places.append(place)
        devices = [self.device(number, places) for number in range(r.choice([0, 1, 1, 1, 2, 3]))]
        ids = [zone["id"] for zone in zones] + [199]
        orders = [self.order(number, ids, me)
                  for number in range(300, 300 + r.choice([0, 0, 1, 1, 2, 3, 4]))]
        timers = []
        for number in range(r.choice([0, 0, 0, 1, 2]) if spoken else 0):
            due = self.now + r.choice([-HOUR, -MINUTE, 0, MINUTE])
            timers.append({"id": 400 + number, "checkedIn": r.random() < 0.3, "grace": 2 * MINUTE,
                           "due": [due - r.choice([0, 50, 30_000]) if r.random() < 0.9 else None,
                                   due + r.choice([0, 50, 5 * MINUTE])]})
        rows = [order["id"] for order in orders] + [timer["id"] for timer in timers]
        claims = [{"dot": self.dot(), "safe": r.random() < 0.6}
                  for _ in range(r.choice([0, 0, 1, 1, 2]) if spoken else 0)]
        relayed = [{"dot": self.dot(), "safe": r.random() < 0.6, "seen": []}
                   for _ in range(r.choice([0, 0, 0, 0, 1, 2]) if spoken else 0)]
        helped = [{"dot": self.dot(), "seen": self.some([c["dot"] for c in claims], 2)}
                  for _ in range(r.choice([0, 0, 0, 0, 0, 1]) if spoken else 0)]
        dots = [claim["dot"] for claim in claims + relayed + helped]
        for one in relayed:
            one["seen"] = self.some([dot for dot in dots if dot != one["dot"]], 4)
        accountings = []
        for _ in range(r.choice([0, 0, 0, 1, 1, 2]) if spoken else 0):
            positions = []
            for device in devices:
                if device["fixes"] and r.random() < 0.8:
                    named = r.choice(device["fixes"] + [max(device["fixes"],
                                                            key=lambda fix: fix["order"])] * 2)
                    positions.append({"device": device["id"], "order": named["order"]})
            accountings.append({
                "claims": dots if r.random() < 0.7 else self.some(dots, 4),
                "rows": rows if r.random() < 0.6 else self.some(rows, 4), "positions": positions,
                "away": self.some([device["id"] for device in devices], 2)
                if r.random() < 0.4 else []})
        heard = any(device["received"] or device["fixes"] for device in devices)
        return {
            "now": self.now, "wall": self.wall, "silence": r.choice([300_000, 600_000, HOUR]),
            "person": {"id": me, "role": r.choice(["command", "member", "member", "observer"]),
                       "team": r.choice(["", "red", "blue"]), "tracker": r.random() < 0.15},
            "everReceived": heard or r.random() < 0.3, "zones": zones, "devices": devices,
            "orders": orders, "timers": timers, "claims": claims, "relayed": relayed,
            "helpOverrides": helped, "accountings": accountings,
            "signOff": {"rows": self.some(rows, 4)} if spoken and r.random() < 0.15 else None,
            "permits": [
                {"zone": r.choice(ids), "users": self.some([me, 901], 2),
                 "team": r.choice(["", "red"]), "revoked": r.random() < 0.15,
                 "made": self.evidence(self.past(), 10 * YEAR),
                 "durations": [r.choice([60, 900, 86_400]) for _ in range(r.choice([1, 1, 2]))]}
                for _ in range(r.choice([0, 0, 0, 1, 3]))],
        }


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    number = seed * 1_000_000
    while count:
        number += 1
        world = Draw(number).world()
        try:
            expected = Person(world).answer()
        except TooClose:
            continue
        print(json.dumps({"input": world, "expected": expected}, separators=(",", ":")))
        count -= 1


if __name__ == "__main__":
    main()
