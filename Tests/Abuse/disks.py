"""S3: a disk that is full, also for phones that call for help."""

import http.client
import json
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
import time

import lab
from row import Row, Verdict, check_all, mesh


def full(options):
    """Fills a node's disk while it works, and frees space again, several times."""
    rounds = options.volume(25, 500)
    made = mesh(options, 2)
    node, verdict, acknowledged, refused = made.nodes[1], Verdict(""), [], 0
    node.stop()
    # The home moves to a small separate file system.
    kept = node.home + ".kept"
    os.rename(node.home, kept)
    os.mkdir(node.home, 0o700)
    lab.run("mount", "-t", "tmpfs", "-o", "size=48m,mode=0700", "muster-abuse", node.home)
    try:
        lab.run("cp", "-a", kept + "/.", node.home)
        made.start_on_loopback(node)
        ballast = os.path.join(node.home, "ballast")
        for turn in range(rounds):
            if turn % 50 == 49:
                # The space that the database's log once used can be written to: it is released.
                node.stop()
                made.start_on_loopback(node)
            room = os.statvfs(node.home)
            size = max(0, room.f_bavail * room.f_frsize - 40_960 * (turn % 4))
            try:
                with open(ballast, "wb") as file:
                    file.write(bytes(size))
            except OSError:
                # There was no space to begin with.
                pass
            refusals = 0
            for number in range(400):
                done = add(made, node, f"Full {turn}.{number}")
                if done.returncode == 0:
                    acknowledged.append(done.stdout.strip())
                else:
                    refusals += 1
                    verdict.expect(done.stderr.count("\n") <= 2, f"no clear message: {done.stderr}")
                    if refusals == 3:
                        break
            refused += refusals
            verdict.expect(refusals > 0, "the disk was never full")
            # Reads still work.
            kept_ids = node.muster("report", "list")
            verdict.expect("Full" in kept_ids or not acknowledged, "reads fail")
            if os.path.exists(ballast):
                os.remove(ballast)
            began = time.monotonic()
            while add(made, node, f"Room {turn}", acknowledged).returncode != 0:
                if time.monotonic() - began > 60:
                    verdict.problems.append("it does not write again a minute after space was freed")
                    break
                time.sleep(0.2)
        verdict.volume = f"{rounds} times, {refused} rejected, {len(acknowledged)} acknowledged"
        check_all(verdict, made, acknowledged)
        node.stop()
    finally:
        node.stop()
        subprocess.run(["umount", "-l", node.home])
    return verdict


def add(made, node, title, acknowledged=None):
    done = subprocess.run(
        [made.program, "report", "add", "--title", title, "--description", "f" * 600,
         "--home", node.home], capture_output=True, text=True)
    if acknowledged is not None and done.returncode == 0:
        acknowledged.append(done.stdout.strip())
    return done


class Post:
    """A command post on its own small file system: one port for apps and programs, one for logins."""

    PORT, LOGINS = 7610, 7611
    WORDS = "correct horse battery staple"

    def __init__(self, program):
        self.program, self.process = program, None
        self.folder = tempfile.mkdtemp(prefix="muster-disk-")
        self.home = os.path.join(self.folder, "home")
        self.ballast = os.path.join(self.home, "ballast")
        os.mkdir(self.home, 0o700)
        lab.run("mount", "-t", "tmpfs", "-o", "size=48m,mode=0700", "muster-abuse", self.home)

    def muster(self, *words):
        return subprocess.run(
            [self.program, *words, "--home", self.home], check=True, capture_output=True, text=True).stdout

    def start(self):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "run", "--home", self.home, "--no-multicast", "--listen", "127.0.0.1:7612", "--http",
                 f"127.0.0.1:{self.PORT}", "--trust-local", "--serve", f"127.0.0.1:{self.LOGINS}"],
                stdout=log, stderr=log)
        lab.wait("the post answers", self.answers)

    def answers(self):
        try:
            return self.ask("GET", "/api/v1/status")[0] == 200
        except OSError:
            return False

    def end(self, by=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(by)
            self.process.wait(30)

    def close(self):
        self.end()
        subprocess.run(["umount", "-l", self.home])
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, path, body=None, secret=False, more=()):
        """Returns the status, the body and the headers of an answer."""
        connection = (
            http.client.HTTPSConnection("127.0.0.1", self.LOGINS, timeout=60, context=ssl._create_unverified_context())
            if secret else http.client.HTTPConnection("127.0.0.1", self.PORT, timeout=60))
        headers = {"Connection": "close", **dict(more)}
        if isinstance(body, dict):
            body, headers["Content-Type"] = json.dumps(body), "application/json"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text, answer.headers

    def cookie(self, name):
        status, text, headers = self.ask(
            "POST", "/api/v1/session", {"name": name, "passphrase": self.WORDS}, secret=True)
        if status >= 300:
            raise SystemExit(f"{name} cannot log in: {status} {text!r}")
        return "; ".join(value.split(";")[0] for value in headers.get_all("Set-Cookie"))

    def person(self, name):
        items = json.loads(self.ask("GET", "/api/v1/users?limit=100")[1])["items"]
        return next((one for one in items if one["callsign"] == name), {})

    def fill(self, spare):
        room = os.statvfs(self.home)
        try:
            with open(self.ballast, "wb") as file:
                file.write(bytes(max(0, room.f_bavail * room.f_frsize - spare)))
        except OSError:
            pass  # There was no space to begin with.


def callers(post):
    """Returns each way of a call by the name of its person: a function that sends it at a time."""
    sos = "lat=46.5&lon=7.5&accuracy=5&alarm=sos&timestamp="
    rui, lead = post.cookie("Rui"), post.cookie("Owner")
    address = json.loads(post.ask("GET", "/api/v1/session", secret=True, more=[("Cookie", lead)])[1])["phone"]

    def page(cookie, number):
        return post.ask(
            "PUT", "/api/v1/me/safety", {"safety": "help", "note": f"call {number}"}, secret=True,
            more=[("Cookie", cookie), ("Idempotency-Key", f"call-{number}")])[0]

    return {
        "Kim": lambda number: post.ask("GET", f"/?id=Kim&{sos}{number}")[0],
        "Tom": lambda number: post.ask("POST", "/owntracks", {
            "_type": "location", "tid": "Tom", "lat": 46.5, "lon": 7.5, "tst": number, "alarm": "sos"})[0],
        "Lead": lambda number: post.ask("GET", f"{address}?{sos}{number}", secret=True)[0],
        "Rui": lambda number: page(rui, number),
    }


def called(options):
    """Phones call for help while the disk is full: what is answered with success is kept, also after
    `kill -9`, and what is not is a call when the phone sends it again, once."""
    rounds, verdict, post = options.volume(6, 60), Verdict(""), Post(options.muster)
    lab.run("ip", "link", "set", "lo", "up")
    refused = kept = 0
    try:
        post.muster("init", "Full", "--callsign", "Lead")
        words = os.path.join(post.folder, "words")
        with open(words, "w", encoding="utf-8") as file:
            file.write(post.WORDS)
        post.muster("login", "add", "Rui", "--rights", "member", "--phone", "--passphrase-file", words)
        post.muster("login", "add", "Owner", "--rights", "member", "--user", "Lead", "--passphrase-file", words)
        post.start()
        ways = callers(post)
        first = int(time.time()) - rounds
        for turn in range(rounds):
            number, accepted = first + turn, []
            post.fill(40_960 * (turn % 3))
            for name, send in ways.items():
                # What has room in the log is stored; the full disk is met sooner or later.
                status = send(number)
                verdict.expect(status in (200, 204, 503), f"{name}: status {status} while the disk is full")
                if status == 503:
                    refused += 1
                else:
                    kept += 1
                    accepted.append(name)
            killed = turn % 2 == 1
            if killed:
                post.end(signal.SIGKILL)
            os.remove(post.ballast)
            if killed:
                post.start()
            for name in accepted:
                verdict.expect(
                    post.person(name).get("status") == "mayday", f"{name}: a call with success is lost")
            for name, send in ways.items():
                lab.wait(f"the call of {name} is stored", lambda: send(number) in (200, 204))
                person = post.person(name)
                verdict.expect(person.get("status") == "mayday", f"{name}: {person.get('status')} after it has room")
                post.ask("PUT", f"/api/v1/users/{person['id']}/override", {"safety": "safe", "note": "met"})
                # The answer was lost, and the phone sends the same once more.
                send(number)
                verdict.expect(post.person(name).get("status") != "mayday", f"{name}: the same call, twice")
        verdict.volume = f"{rounds} times 4 ways, {refused} answered with 503, {kept} kept"
        verdict.expect(refused > 0, "the disk was never full for a call")
    finally:
        post.close()
    return verdict


ROWS = [
    Row("S3", "a disk that is full, and then has space", full),
    Row("S3a", "phones that call while the disk is full", called),
]
