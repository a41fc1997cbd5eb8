"""A field team for stories: four laptops, and people with phones and logins, who report where they are."""

import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from nodes import Node, free_ports, wait
from owner import Login
from remote import PASSPHRASE

CENTRE = (40.3219, -7.6121)
# The silence setting, in seconds: nine minutes of the story.
SILENCE = 36
# The seconds between two positions of everyone.
PULSE = 5


def at(north, east=0):
    """The place so many metres from the school."""
    return CENTRE[0] + north / 111200, CENTRE[1] + east / 84900


class Field:
    """The post "Lead" with its page, and the laptops of Ana in the north, of Rui and Eva in the south.

    Phones and logins repeat their positions, as tracking apps do."""

    LAPTOPS = {"Lead": (0, 40), "Ana": (1500, 0), "Rui": (-2500, 0), "Eva": (-2600, 400)}
    PHONES = {
        "Lead": {"Otto": (0, -60), "Paula": (60, 60), "Quim": (-80, 0), "Raul": (0, 90)},
        "Ana": {"Bruno": (1500, 300), "Carla": (1600, -300), "Davi": (1800, 0), "Elsa": (1400, 500),
                "Fabio": (1300, -500), "Gil": (1250, 250)},
        "Rui": {"Hugo": (-3300, 100), "Ines": (-3350, -120), "Joao": (-3400, 0), "Lia": (-2400, 300),
                "Maia": (-2300, -300), "Nuno": (-2200, 100)}}
    LOGINS = {"Tiago": (200, 300), "Vera": (-100, 400), "Zita": (150, -300), "Xana": (-150, -350)}
    TEAMS = {"North": "Ana", "South": "Rui"}

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="muster-story-")
        self.nodes, self.logins, self.places, self.still = {}, {}, {}, set()
        self.charge = {}
        self.cut_table = None
        self.is_over = threading.Event()
        self.found()
        self.join()
        self.staff()
        self.beat = threading.Thread(target=self.pulse, daemon=True)
        self.beat.start()

    # MARK: The operation

    def found(self):
        ports = free_ports(0)
        post = self.nodes["Lead"] = Node(self.program, self.folder, "lead", ports[0], http=ports[1])
        post.more = ["--serve", f"127.0.0.1:{ports[4]}"]
        self.secure = ports[4]
        post.run("init", "River flood", "--callsign", "Lead")
        post.add_logins({name: "member" for name in self.LOGINS}, PASSPHRASE, "--phone")
        post.start()

    def join(self):
        post = self.nodes["Lead"]
        for name in list(self.LAPTOPS)[1:]:
            ports = free_ports(0)
            node = self.nodes[name] = Node(
                self.program, self.folder, name.lower(), ports[0], http=ports[1], peer=post.udp)
            invite = json.loads(post.run("invite", "--json"))["url"]
            node.run("join", invite, "--callsign", name)
            node.start()

    def staff(self):
        for name in self.LOGINS:
            self.logins[name] = Login(self.secure, name)
        for name in self.LAPTOPS:
            self.places[name] = self.LAPTOPS[name]
        for phones in (*self.PHONES.values(), self.LOGINS):
            self.places.update(phones)
        for name in self.places:
            self.stand(name)
        wait("the post knows everyone", lambda: len(self.people()) == len(self.places))
        for team, laptop in self.TEAMS.items():
            for name in (laptop, *self.PHONES[laptop]):
                self.post.send("PUT", f"users/{self.id(name)}/team", {"team": team})

    @property
    def post(self):
        return self.nodes["Lead"]

    def people(self):
        return {one["callsign"]: one for one in self.post.get("users?limit=1000")["items"]}

    def id(self, name):
        return self.people()[name]["id"]

    def laptop(self, name):
        """The laptop that receives someone's phone, or is theirs."""
        return self.nodes[next((laptop for laptop, phones in self.PHONES.items() if name in phones), name)]

    # MARK: Positions

    def stand(self, name, **more):
        """A position of someone, by their own way."""
        place = at(*self.places[name])
        if name in self.nodes:
            self.nodes[name].send("POST", "me/position", {"lat": place[0], "lon": place[1],
                                                          "accuracyMetres": 8})
        elif name in self.logins:
            self.logins[name].stand(place)
        else:
            node = self.laptop(name)
            words = urllib.parse.urlencode({
                "id": name, "lat": place[0], "lon": place[1], "timestamp": round(time.time(), 3),
                "accuracy": 5, "batt": self.charge.get(name, 80), **more})
            with urllib.request.urlopen(f"{node.url}/{node.token}/?{words}", timeout=30) as answer:
                answer.read()

    def move(self, name, north, east=0):
        self.places[name] = (north, east)
        self.stand(name)

    def pulse(self):
        """Everyone reports where they are, again and again."""
        while not self.is_over.wait(PULSE):
            for name in list(self.places):
                if name in self.still or self.is_over.is_set():
                    continue
                try:
                    self.stand(name)
                except (OSError, urllib.error.URLError):
                    pass  # The laptop has ended.

    # MARK: Links

    def cut(self, far):
        """No datagram passes between these laptops and the others: needs root."""
        ports = lambda names: ", ".join(str(self.nodes[name].udp) for name in names)
        near = ports(name for name in self.nodes if name not in far)
        self.cut_table = f"muster_story_{self.post.udp}"
        subprocess.run(["nft", "-f", "-"], check=True, text=True, input=f"""
            table inet {self.cut_table} {{
                chain arriving {{
                    type filter hook input priority 0;
                    udp sport {{ {near} }} udp dport {{ {ports(far)} }} drop
                    udp sport {{ {ports(far)} }} udp dport {{ {near} }} drop
                }}
            }}""")

    def heal(self):
        if self.cut_table:
            subprocess.run(["nft", "delete", "table", "inet", self.cut_table], check=True)
        self.cut_table = None

    def close(self):
        self.is_over.set()
        self.beat.join(30)
        self.heal()
        for node in reversed(self.nodes.values()):
            node.stop()
        shutil.rmtree(self.folder)
