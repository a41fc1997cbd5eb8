"""Real nodes for the browser to look at: an operation with a leader and one who joins."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request


def wait(what, condition, seconds=30):
    """Until the condition gives something true, which is returned."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise SystemExit(f"FAILED after {seconds} s: {what}")


class Node:
    def __init__(self, program, folder, name, udp, http=None, peer=None):
        self.program, self.home, self.udp, self.http, self.peer = (
            program, os.path.join(folder, name), udp, http, peer)
        self.log = open(self.home + ".log", "ab")
        self.process = None

    def run(self, *words):
        done = subprocess.run(
            [self.program, *words, "--home", self.home], capture_output=True, text=True,
            timeout=120, env=dict(os.environ, MUSTER_PASSPHRASE="browser"))
        if done.returncode:
            raise SystemExit(f"FAILED: muster {' '.join(words)}: {done.stderr}")
        return done.stdout

    def start(self):
        words = [self.program, "run", "--home", self.home, "--no-multicast",
                 "--listen", f"127.0.0.1:{self.udp}"]
        if self.http:
            words += ["--http", f"127.0.0.1:{self.http}"]
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

    def get(self, path):
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}", timeout=30) as answer:
            return json.load(answer)

    def send(self, method, path, body):
        request = urllib.request.Request(
            f"{self.url}/api/v1/{path}", json.dumps(body).encode(), method=method,
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None


class Operation:
    """A leader whom the browser looks at, and a member over loopback."""

    def __init__(self, program, port):
        self.folder = tempfile.mkdtemp(prefix="muster-browser-")
        self.leader = Node(program, self.folder, "lead", port, http=port + 1)
        self.member = Node(program, self.folder, "ana", port + 2, http=port + 3, peer=port)
        self.leader.run("init", "Serra fire", "--callsign", "Lead")
        self.leader.start()
        invite = json.loads(self.leader.run("invite", "--json"))["url"]
        self.member.run("join", invite, "--callsign", "Ana")
        self.member.start()

    def close(self):
        for node in (self.member, self.leader):
            node.stop()
        shutil.rmtree(self.folder)
