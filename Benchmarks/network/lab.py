"""Real nodes for measuring and testing: an operation of N laptops, enrolled by file, each a `muster run` of its
own, on loopback in a private network namespace or each in a namespace on one bridge.

Needs root (`unshare`, `ip netns`). Everything is made below a temporary folder and in namespaces
named `mb<pid>-…`, and taken away again.
"""

import argparse
import atexit
import http.client
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

# The minimum timeout of `wait`, for busy machines.
patience = 0
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def log(text):
    print(text, file=sys.stderr, flush=True)


def emit(bench, value, unit, limit=None, note="", digits=1):
    """One line, in the form of `muster-bench`."""
    line = {"bench": bench, "value": round(value, digits), "unit": unit, "note": note}
    if limit is not None:
        line["limit"] = round(limit, digits)
        line["ratio"] = round(value / limit, 3)
    print(json.dumps(line, sort_keys=True), flush=True)


def run(*words, check=True):
    done = subprocess.run(words, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise SystemExit(f"`{' '.join(words)}` failed: {done.stderr or done.stdout}")
    return done.stdout


def wait(what, condition, seconds=60, poll=0.02):
    """Waits until the condition is true, and returns its value."""
    seconds = max(seconds, patience)
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise SystemExit(f"FAILED after {seconds} s: {what}")
        time.sleep(poll)
    return value


def free_port():
    """Returns a TCP port that no program uses."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def arguments(text):
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument(
        "--muster", default=os.path.join(ROOT, ".build/release/muster"), help="the program to run")
    return parser


def in_private_network():
    """Goes on in a network namespace of its own, with loopback up: its counters are ours alone."""
    if os.environ.get("MUSTER_BENCH_INNER") != "1":
        os.environ["MUSTER_BENCH_INNER"] = "1"
        os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])
    run("ip", "link", "set", "lo", "up")


def loopback_bytes():
    for line in open("/proc/net/dev"):
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[8])
    raise SystemExit("there is no loopback here")


class Node:
    """One laptop: its home, its process and its control socket (MusterControl)."""

    def __init__(self, lab, index):
        self.lab, self.index = lab, index
        self.home = os.path.join(lab.folder, f"n{index}")
        self.namespace = None
        self.process = None

    def muster(self, *words):
        return run(self.lab.program, *words, "--home", self.home)

    def start(self, *words):
        inside = ["ip", "netns", "exec", self.namespace] if self.namespace else []
        web = [] if "--http" in words else ["--no-http"]
        self.process = subprocess.Popen(
            [*inside, self.lab.program, "run", *web, *words, "--home", self.home],
            stdout=subprocess.DEVNULL, stderr=open(self.home + ".log", "a"))
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.connect().close()
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise SystemExit(
                        open(self.home + ".log").read() or f"{self.home} never listened")
                time.sleep(0.02)

    def connect(self):
        door = socket.socket(socket.AF_UNIX)
        door.connect(os.path.join(self.home, "run/muster.sock"))
        return door

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def call(self, method, path, body=None):
        """Calls the API through the node's socket, which works across network namespaces."""
        connection = http.client.HTTPConnection("localhost")
        connection.sock = self.connect()
        connection.sock.settimeout(60)
        try:
            connection.request(
                method, f"/api/v1/{path}", None if body is None else json.dumps(body),
                {"Content-Type": "application/json", "Connection": "close"})
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise SystemExit(
                f"node {self.index} closed the connection ({error}): {self.home}.log")
        finally:
            connection.close()
        if answer.status >= 300:
            raise SystemExit(
                f"node {self.index}, {method} {path}: status {answer.status}: {text[:300]!r}")
        return json.loads(text) if text else None

    def ask(self, command):
        """One command, one reply; both as JSON over HTTP, as `Codable` derives it in Swift."""
        return self.call("POST", "commands", {"command": {"_0": command}})

    def add_report(self, title, details, evacuate=False):
        draft = {"title": title, "details": details, "toEvacuate": evacuate}
        answer = self.ask({"addReport": {"_0": draft}})
        if "created" not in answer:
            raise SystemExit(f"node {self.index} refused a report: {answer!r}")
        return answer["created"]["_0"]

    def has_report(self, identifier):
        return "reports" in self.ask({"report": {"_0": identifier}})

    def call_for_help(self, note):
        """Calls for help as `muster sos` does; returns what identifies this call."""
        self.call("PUT", "me/safety", {"safety": "help", "note": note})
        return self.index, note

    def has_call(self, call):
        """Whether this node raises the alarm about this call; its author need not."""
        author, note = call
        return self.index == author or any(
            one["kind"] == "help" and note in one["text"]
            for one in self.call("GET", "alerts")["items"])

    def frame_count(self):
        return self.ask({"status": {}})["status"]["_0"]["frames"]

    def status(self):
        return json.loads(self.muster("status", "--json"))


class Lab:
    """An operation and its laptops; node 0 is the command post."""

    def __init__(self, program, count, keep=False):
        if os.geteuid() != 0:
            raise SystemExit("this needs root: it makes network namespaces")
        if not os.access(program, os.X_OK):
            raise SystemExit(f"{program} is not there: swift build -c release --product muster")
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="muster-bench-")
        self.prefix = f"mb{os.getpid()}-"
        os.environ["XDG_STATE_HOME"] = os.path.join(self.folder, "state")
        self.nodes = [Node(self, index) for index in range(count)]
        self.airs = []
        if not keep:
            atexit.register(self.close)
        self.enrol()

    def enrol(self):
        log(f"enrolling {len(self.nodes)} laptops …")
        first = self.nodes[0]
        first.muster("init", "bench", "--callsign", "N0")
        for node in self.nodes[1:]:
            request, grant = (f"{node.home}.{name}" for name in ("request", "grant"))
            node.muster("join", "--request", request, "--callsign", f"N{node.index}")
            first.muster("admit", request, "--out", grant)
            node.muster("join", "--grant", grant)

    # Networks

    def start_on(self, network):
        """All nodes, on loopback or on a bridge."""
        if network == "loopback":
            return self.on_loopback()
        self.on_bridge()
        for node in self.nodes:
            node.start()

    def on_loopback(self, *words):
        """All at 127.0.0.1, each told of those before it; loopback has no multicast."""
        for node in self.nodes:
            self.start_on_loopback(node, *words)

    def start_on_loopback(self, node, *words):
        """One at its own port of 127.0.0.1, again perhaps."""
        peers = [
            word for other in range(min(node.index, len(self.nodes)))
            for word in ("--peer", f"127.0.0.1:{7500 + other}")]
        node.start("--listen", f"127.0.0.1:{7500 + node.index}", "--no-multicast", *peers, *words)

    def on_bridge(self):
        """Each in a namespace of its own, on one bridge that carries multicast."""
        hub = self.prefix + "hub"
        run("ip", "netns", "add", hub)
        run("ip", "-n", hub, "link", "add", "name", "hub", "type", "bridge", "mcast_snooping", "0")
        run("ip", "-n", hub, "link", "set", "hub", "up")
        for node in self.nodes:
            self.namespace(node)
            run("ip", "-n", hub, "link", "add", f"p{node.index}", "type", "veth",
                "peer", "name", "radio", "netns", node.namespace)
            run("ip", "-n", hub, "link", "set", f"p{node.index}", "master", "hub", "up")
            self.address(node)

    def in_a_row(self):
        """Each in a namespace of its own, linked to the nodes before and after it only."""
        for node in self.nodes:
            self.namespace(node)
        for left, right in zip(self.nodes, self.nodes[1:]):
            run("ip", "-n", left.namespace, "link", "add", f"to{right.index}", "type", "veth",
                "peer", "name", f"to{left.index}", "netns", right.namespace)
            for node, other, host in ((left, right, 1), (right, left, 2)):
                run("ip", "-n", node.namespace, "address", "add", f"10.9.{left.index}.{host}/24",
                    "broadcast", "+", "dev", f"to{other.index}")
                run("ip", "-n", node.namespace, "link", "set", f"to{other.index}", "up")

    def namespace(self, node):
        node.namespace = f"{self.prefix}{node.index}"
        run("ip", "netns", "add", node.namespace)
        run("ip", "-n", node.namespace, "link", "set", "lo", "up")

    def address(self, node):
        run("ip", "netns", "exec", node.namespace, "sysctl", "-qw",
            "net.ipv6.conf.all.disable_ipv6=1")
        run("ip", "-n", node.namespace, "address", "add", f"10.9.0.{node.index + 1}/24",
            "broadcast", "+", "dev", "radio")
        run("ip", "-n", node.namespace, "link", "set", "radio", "up")
        run("ip", "-n", node.namespace, "route", "add", "default", "dev", "radio")

    def sent_bytes(self):
        """What every node has sent, with IP, UDP and Ethernet headers; loopback counts as one."""
        if self.nodes[0].namespace is None:
            return loopback_bytes()
        return sum(
            int(run("ip", "netns", "exec", node.namespace, "cat",
                    "/sys/class/net/radio/statistics/tx_bytes"))
            for node in self.nodes)

    # Waiting

    def until_in_step(self, seconds=120):
        """Until every node says the same root and state."""
        deadline = time.monotonic() + seconds
        while True:
            seen = {(s["root"], s["stateHash"]) for s in (n.status() for n in self.nodes)}
            if len(seen) == 1:
                return
            if time.monotonic() > deadline:
                raise SystemExit(f"not in step after {seconds} s; logs in {self.folder}")
            time.sleep(0.5)

    def until_all_have(self, report, seconds=60, poll=0.001, has=Node.has_report):
        """When each node had a report, in seconds from the call; None for those that never did."""
        began = time.perf_counter()
        arrived = [None] * len(self.nodes)
        while None in arrived and time.perf_counter() - began < seconds:
            for node in self.nodes:
                if arrived[node.index] is None and has(node, report):
                    arrived[node.index] = time.perf_counter() - began
            time.sleep(poll)
        return arrived

    def close(self):
        for node in self.nodes:
            if node.process:
                node.process.kill()
                node.process.wait()
        for air in self.airs:
            air.kill()
            air.wait()
        for line in run("ip", "netns", "list", check=False).splitlines():
            name = line.split()[0]
            if name.startswith(self.prefix):
                run("ip", "netns", "delete", name, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def median(values):
    return statistics.median(values)
