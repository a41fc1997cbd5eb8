"""Real nodes for browser tests: an operation with a leader and members."""

import http.server
import json
import math
import os
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import urllib.request
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "Benchmarks/network"))

from lab import wait  # noqa: E402

def free_ports(first):
    """Returns five ports from `first` on, or with 0 five free ones."""
    if first:
        return range(first, first + 5)
    kinds = (socket.SOCK_DGRAM, socket.SOCK_STREAM) * 2 + (socket.SOCK_STREAM,)
    sockets = [socket.socket(socket.AF_INET, kind) for kind in kinds]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Node:
    def __init__(self, program, folder, name, udp, http=None, peer=None):
        self.program, self.home, self.udp, self.http, self.peer = (
            program, os.path.join(folder, name), udp, http, peer)
        self.log = open(self.home + ".log", "ab")
        self.process = None
        # Further arguments of `muster run`.
        self.more = []

    def run(self, *words):
        done = subprocess.run(
            [self.program, *words, "--home", self.home], capture_output=True, text=True,
            timeout=120, env=dict(os.environ, MUSTER_PASSPHRASE="browser"))
        if done.returncode:
            raise SystemExit(f"FAILED: muster {' '.join(words)}: {done.stderr}")
        return done.stdout

    def add_logins(self, rights, passphrase, *more):
        """Adds the logins for other machines, with their permissions and further arguments."""
        path = self.home + ".passphrase"
        with open(path, "w", encoding="utf-8") as file:
            file.write(passphrase)
        for name, may in rights.items():
            self.run("login", "add", name, "--rights", may, "--passphrase-file", path, *more)

    def start(self):
        words = [self.program, "run", "--home", self.home, "--no-multicast",
                 "--listen", f"127.0.0.1:{self.udp}"]
        words += ["--http", f"127.0.0.1:{self.http}"] if self.http else ["--no-http"]
        words += self.more
        if self.peer:
            words += ["--peer", f"127.0.0.1:{self.peer}"]
        self.process = subprocess.Popen(
            words, stdout=self.log, stderr=self.log,
            env=dict(os.environ, MUSTER_PASSPHRASE="browser"))
        if self.http:
            wait("the node answers", self.answers)

    def answers(self):
        try:
            return self.get("status")
        except OSError:
            return None

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(30)
            self.process = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http}"

    @property
    def token(self):
        with open(self.home + "/run/http-token", encoding="utf-8") as file:
            return file.read().strip()

    @property
    def link(self):
        """Returns the output of the node on a terminal."""
        return f"{self.url}/?token={self.token}"

    def get(self, path):
        request = urllib.request.Request(
            f"{self.url}/api/v1/{path}", headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def send(self, method, path, body):
        request = urllib.request.Request(
            f"{self.url}/api/v1/{path}", json.dumps(body).encode(), method=method,
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None


def base_map(path):
    """Writes a small MBTiles file around the walkers, with one colour per tile."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    def picture(red, green, blue):
        row = b"\0" + bytes((red, green, blue)) * 256
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(row * 256)) + chunk(b"IEND", b""))

    file = sqlite3.connect(path)
    file.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
    file.execute("CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, "
                 "tile_data BLOB)")
    file.execute("CREATE UNIQUE INDEX place ON tiles (zoom_level, tile_column, tile_row)")
    file.executemany("INSERT INTO metadata VALUES (?, ?)", [
        ("name", "Serra"), ("format", "png"), ("minzoom", "10"), ("maxzoom", "15"),
        ("attribution", "<b onclick='window.__ran=1'>&copy;</b> <a href='javascript:window.__ran=1'>Field survey</a>"
         "<img src=x onerror='window.__ran=1'>")])
    for zoom in range(10, 16):
        side = 2 ** zoom
        west, east = (int((lon + 180) / 360 * side) for lon in (-7.75, -7.45))
        north, south = (int((1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2 * side)
                        for lat in (40.42, 40.22))
        for x in range(west, east + 1):
            for y in range(north, south + 1):
                shade = 12 * ((x + y) % 2)
                file.execute("INSERT INTO tiles VALUES (?, ?, ?, ?)", (
                    zoom, x, side - 1 - y, picture(200 + shade, 214 + shade, 190 + shade)))
    file.commit()
    file.close()
    return path


class Receiver:
    """A receiver of webhooks on loopback, which keeps their CloudEvents."""

    def __init__(self):
        events = self.events = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["Content-Length"])
                events.append(json.loads(self.rfile.read(length)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Stream:
    """The event stream of a node, and the sets that it has reported."""

    def __init__(self, node):
        request = urllib.request.Request(
            f"{node.url}/api/v1/stream", headers={"Authorization": f"Bearer {node.token}"})
        self.answer = urllib.request.urlopen(request, timeout=600)
        self.sets = set()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        kind = ""
        try:
            for line in self.answer:
                name, _, value = line.decode().strip().partition(": ")
                if name == "event":
                    kind = value
                if name == "data" and kind == "change":
                    self.sets.add(json.loads(value)["dataset"])
        except (OSError, ValueError, AttributeError):
            pass  # It was closed.

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.answer.close()


class Operation:
    """A leader, whose page is tested, and a member, over loopback."""

    def __init__(self, program, port):
        self.folder = tempfile.mkdtemp(prefix="muster-browser-")
        ports = free_ports(port)
        self.leader = Node(program, self.folder, "lead", ports[0], http=ports[1])
        self.member = Node(program, self.folder, "ana", ports[2], http=ports[3], peer=ports[0])
        # The port of the leader's listener for other machines.
        self.post = ports[4]
        self.leader.more = ["--map", base_map(os.path.join(self.folder, "valley.mbtiles")),
                            "--serve", f"127.0.0.1:{self.post}"]
        self.leader.run("init", "Serra fire", "--callsign", "Lead")
        self.leader.start()
        invite = json.loads(self.leader.run("invite", "--json"))["url"]
        self.member.run("join", invite, "--callsign", "Ana")
        self.member.start()

    def join_by_file(self, name, **more):
        """Adds a member that has only the address of the given peer, or the uplink."""
        node = Node(self.leader.program, self.folder, name.lower(), free_ports(0)[0], **more)
        request, grant = (f"{node.home}.{kind}" for kind in ("request", "grant"))
        node.run("join", "--request", request, "--callsign", name)
        self.leader.run("admit", request, "--out", grant)
        node.run("join", "--grant", grant)
        return node

    def use_uplink(self):
        """Connects the member to the leader over HTTPS alone, from a new address."""
        # A frame contains the command post's certificate.
        frames = lambda node: node.get("status")["frames"]
        wait("both have converged", lambda: frames(self.member) == frames(self.leader))
        self.member.stop()
        self.member.udp, self.member.peer = free_ports(0)[0], None
        self.member.more = ["--uplink", f"https://127.0.0.1:{self.post}"]
        self.member.start()
        wait("the uplink is connected", lambda: self.member.get("status")["uplink"]["state"] == "up")

    def close(self):
        for node in (self.member, self.leader):
            node.stop()
        shutil.rmtree(self.folder)
