#!/usr/bin/env python3
"""Walks through the page of a phone that loses the laptop, again and again: everything that its user
enters arrives once. A real node, a real browser, and a link between them that can be cut.

    python3 Tests/Browser/offline.py --muster .build/debug/muster --entries 1000

Needs Chromium with its driver, and selenium 4 (PyPI). Exits with 1 if a check fails."""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

import browser
import lab
from browser import Page, checked, must
from nodes import Node, free_ports, wait
from remote import PASSPHRASE, log_in, pin

# A picture of one pixel.
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
         "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


# Of an answer, in seconds: a few are under way when the link is cut.
LATENCY = 0.03


class Link:
    """The Wi-Fi between the phone and the laptop: a relay that can be cut, lose answers, or be silent: the
    kernel drops its packets then, as out of range, and both ends send them again as TCP does. Afterwards the
    network may have forgotten the connections that were open."""

    def __init__(self, port):
        self.port, self.state, self.open = port, "up", []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.own = self.server.getsockname()[1]
        self.table = f"muster_link_{self.own}"
        self.forgets = False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.server.accept()
            try:
                if self.state == "down":
                    raise OSError("out of range")
                far = socket.create_connection(("127.0.0.1", self.port))
            except OSError:
                near.close()
                continue
            self.open += [near, far]
            for source, target, is_answer in ((near, far, False), (far, near, True)):
                threading.Thread(
                    target=self.copy, args=(source, target, is_answer), daemon=True).start()

    def copy(self, source, target, is_answer):
        try:
            while data := source.recv(65536):
                if is_answer:
                    time.sleep(LATENCY)
                if not (is_answer and self.state == "mute"):
                    target.sendall(data)
        except OSError:
            pass  # It was cut.
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.end_silence()
        self.state = "down"
        for one in self.open:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.open = []

    def swallow(self, forgets=False):
        """Drops every packet, until `restore`; that needs root."""
        self.state, self.forgets = "silent", forgets
        self.drop("")

    def lose_answers(self):
        """Requests arrive on the connections that are open, and their answers are lost; no other connection
        opens."""
        self.state = "mute"
        self.drop("tcp flags & (syn | ack) == syn")

    def drop(self, which):
        """Drops the packets of the relay of this kind, to and from the phone."""
        subprocess.run(["nft", "-f", "-"], check=True, text=True, input=f"""
            table inet {self.table} {{}}
            delete table inet {self.table}
            table inet {self.table} {{
                chain arriving {{
                    type filter hook input priority 0;
                    tcp dport {self.own} {which} drop
                    tcp sport {self.own} {which} drop
                }}
            }}""")

    def restore(self):
        """The phone is in range again."""
        known = [port for one in self.open if (port := port_of_phone(one, self.own))]
        if self.state == "silent" and self.forgets and known:
            self.drop(f"th dport {{ {', '.join(map(str, [self.own, *known]))} }} "
                      f"th sport {{ {', '.join(map(str, [self.own, *known]))} }}")
        else:
            self.end_silence()
        self.state = "up"

    def end_silence(self):
        subprocess.run(["nft", "delete", "table", "inet", self.table], stderr=subprocess.DEVNULL)


def port_of_phone(one, own):
    """Returns the other port of a connection to the port `own`; None if it has ended, or is another."""
    try:
        return one.getpeername()[1] if one.getsockname()[1] == own else None
    except OSError:
        return None


class Phone(Page):
    """The page of a phone, with the functions that its buttons call."""

    def call(self, code, *values):
        """Runs code that returns a promise, with the queue's module as `queue`."""
        result = self.driver.execute_async_script("""
            const [done, values] = [arguments[arguments.length - 1], [...arguments].slice(0, -1)];
            import("/dashboard/js/queue.js")
              .then(async (queue) => [await (async () => { %s })()])
              .then(done, (error) => done(String(error)));""" % code, *values)
        if not isinstance(result, list):
            raise SystemExit(f"FAILED: the page's code: {result}")
        return result[0]

    def waiting(self):
        """Returns what waits on this phone, as title or kind, with the reason of a refusal."""
        return self.call("return queue.queued().map(({ kind, label, why }) => [kind, label, why])")

    def enter(self, entries):
        """Enters many reports, comments and positions, as fast as a script can."""
        self.call("""
            const acts = values[0].map(([kind, label, method, path, body]) =>
              queue.act(kind, label, method, path, body));
            await Promise.all(acts);""", entries)

    def log_in(self, name):
        wait("the login form is shown", lambda: self.count("dialog [name=passphrase]"))
        log_in(self, name)
        wait(f"{name} is logged in", lambda: name in self.session())

    def await_files(self):
        """Waits until the page opens without the node."""
        wait("the page's files are kept", lambda: self.call("""
            const [name] = await caches.keys();
            return Boolean(name && await caches.match("/", { cacheName: name })
              && navigator.serviceWorker.controller);"""))

    def session(self):
        """Returns the name of the login, which a phone has no room to show."""
        return self.js("return document.querySelector('#session').textContent")


def start(program, folder):
    """Returns a node that serves two phones, and the port for them."""
    ports = free_ports(0)
    node = Node(program, folder, "lead", ports[0], http=ports[1])
    node.more = ["--serve", f"127.0.0.1:{ports[4]}"]
    node.run("init", "Serra fire", "--callsign", "Lead")
    for name in ("Rui", "Eva"):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(PASSPHRASE)
        node.run("login", "add", name, "--rights", "member", "--phone", "--passphrase-file", path)
    node.start()
    return node, ports[4]


def kill(node):
    node.process.send_signal(signal.SIGKILL)
    node.process.wait(30)


def reports(node):
    rows, cursor = [], ""
    while cursor is not None:
        after = f"&cursor={urllib.parse.quote(cursor)}" if cursor else ""
        page = node.get(f"reports?limit=10000{after}")
        rows += page["items"]
        cursor = page["next"]
    return rows


def titles(node):
    return sorted(row["title"] for row in reports(node))


def first_position(phone, node):
    """From the QR code's address to the position of the phone's user."""
    begin = time.monotonic()
    phone.driver.execute_cdp_cmd("Browser.grantPermissions", {
        "origin": phone.url, "permissions": ["geolocation"]})
    phone.driver.execute_cdp_cmd("Emulation.setGeolocationOverride", {
        "latitude": 40.3217, "longitude": -7.6114, "accuracy": 12})
    phone.driver.get(phone.url + "/join")
    phone.click("a.go")
    phone.log_in("Rui")
    phone.view("me")
    phone.click("[data-key='position share']")
    rui = lambda: next((u for u in node.get("users")["items"] if u["callsign"] == "Rui"), None)
    wait("the node knows the position", lambda: rui() and rui()["lat"] is not None)
    seconds = time.monotonic() - begin
    must(f"from the QR code to the first position in {seconds:.1f} s (30 s)", seconds <= 30)
    must("with its accuracy, as a tracker of this laptop", abs(rui()["accuracyMetres"] - 12) < 1
         and rui()["role"] == "tracker")
    phone.click("[data-key='position share']")
    apps = phone.js("""return [...document.querySelectorAll("#me a.button")]
        .map(({ href }) => href)""")
    must("OwnTracks gets its configuration", apps and apps[0].startswith("owntracks:///config?inline="))
    phone.await_files()


def draws_world(phone):
    """Whether there is land or sea in the middle of the map."""
    return phone.js("""
        const canvas = document.querySelector(".leaflet-base-pane canvas");
        return Boolean(canvas) && canvas.getContext("2d")
          .getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data[3] === 255;""")


def opens_out_of_range(phone, link):
    """The page opens from the phone, with people, the age of its data, and what waits."""
    wait("the last known data are kept", lambda: phone.call("""
        const { read } = await import("/dashboard/js/kept.js");
        return (await read("picture"))[0]?.sets.users?.size >= 2;"""))
    wait("the map of the world is drawn", lambda: draws_world(phone))
    link.cut()
    phone.driver.get(phone.url + "/")
    wait("people are shown out of range", lambda: phone.count(".person") >= 2)
    wait("and the map of the world", lambda: draws_world(phone))
    wait("and how old that is", lambda: phone.count("#banner:not([hidden])"))
    must("the login is still known", "Rui" in phone.session())
    phone.view("reports")
    phone.click("[data-key=file]")
    phone.fill(title="Entered in a form")
    phone.submit()
    wait("the page says that it waits", lambda: "1 waiting" in phone.text("#queued"))
    phone.driver.get(phone.url + "/")
    wait("it waits after the page was closed", lambda: "1 waiting" in phone.text("#queued"))
    phone.shot("offline-queue")
    link.restore()
    wait("it is sent", lambda: not phone.waiting())


def help_first(phone, node, link):
    """A call for help overtakes reports, and an earlier OK does not follow it."""
    link.cut()
    phone.call("""for (const title of ["One", "Two"])
          await queue.act("report", title, "POST", "reports", { title });
        await queue.act("safe", "", "PUT", "me/safety", { safety: "safe" });""")
    phone.view("me")
    phone.click("#say-help")
    wait("the form is open", lambda: phone.count("dialog [name=note]"))
    phone.fill(note="trapped")
    phone.submit()
    order = [kind for kind, _, _ in phone.waiting()]
    must(f"the call for help is first {order}", order[0] == "help")
    wait("the page states that it is not sent", lambda: "NOT SENT" in phone.text("#call"))
    phone.shot("call-not-sent")
    before = len(audit(node))
    link.restore()
    wait("and then what it has reached", lambda: "At command" in phone.text("#call"))
    wait("all but the earlier OK is sent", lambda: len(phone.waiting()) == 1)
    kind, _, why = phone.waiting()[0]
    must(f"the earlier OK stays, with the reason ({why})", kind == "safe" and "later call" in why)
    sent = [line for line in audit(node)[before:] if "/reports" in line or "/safety" in line]
    must("the node took the call for help first", "/me/safety" in sent[0])
    rui = next(u for u in node.get("users")["items"] if u["callsign"] == "Rui")
    must("the user needs help", rui["safety"] == "unsafe" and "trapped" in rui["word"]["note"])
    phone.view("me")
    phone.shot("offline-refused")
    phone.click("#queue [data-key^=discard]")
    wait("it is discarded", lambda: not phone.waiting())


def refused(phone, node, link):
    """An entry that the node refuses stays with its reason, and blocks nothing."""
    gone = node.send("POST", "reports", {"title": "Gone"})["id"]
    link.cut()
    phone.call("""await queue.act("comment", "Gone", "POST", `reports/${values[0]}/comments`,
          { text: "Still there?" });
        const bytes = Uint8Array.from(atob(values[1]), (one) => one.charCodeAt(0));
        await queue.act("report", "With photo", "POST", "reports", { title: "With photo" },
          { files: [new File([bytes], "pixel.png", { type: "image/png" })] });""", gone, PIXEL)
    must("the photo waits with its report", [kind for kind, _, _ in phone.waiting()]
         == ["comment", "report", "photo"])
    node.send("DELETE", f"reports/{gone}", None)
    link.restore()
    wait("the rest is sent", lambda: [kind for kind, _, why in phone.waiting()] == ["comment"]
         and phone.waiting()[0][2])
    checked(f"the comment stays: {phone.waiting()[0][2]}")
    row = next(row for row in reports(node) if row["title"] == "With photo")
    must("the photo belongs to its report", row["photos"] == 1)
    phone.view("me")
    phone.click("#queue [data-key^=discard]")
    wait("it is discarded", lambda: not phone.waiting())


def another_login(phone, node, link):
    """What Rui entered is neither shown nor sent by Eva."""
    link.cut()
    phone.call("""await queue.act("report", "Only Rui's", "POST", "reports",
        { title: "Only Rui's" })""")
    link.restore()
    link.cut()
    phone.click("#log-out")
    wait("the page asks", lambda: phone.count("dialog [type=submit]"))
    phone.click("dialog [type=submit]")
    # The session ends when the laptop is in range again.
    link.restore()
    phone.driver.get(phone.url + "/")
    phone.log_in("Eva")
    wait("Eva sees people", lambda: phone.count(".person") >= 2)
    must("nothing of Rui waits for Eva", phone.waiting() == [] and not phone.count("#queued:not([hidden])"))
    phone.click("#log-out")
    phone.log_in("Rui")
    wait("Rui's report is sent", lambda: "Only Rui's" in titles(node) and not phone.waiting())
    lines = [line for line in audit(node) if "POST /api/v1/reports" in line]
    must("by Rui", '"name":"Rui"' in lines[-1])
    phone.await_files()


def audit(node):
    with open(node.home + "/audit.log", encoding="utf-8") as file:
        return file.read().splitlines()


def taken(node):
    """Returns how many requests of Rui the node has performed, or answered again."""
    return sum('"name":"Rui"' in line and "POST /api/v1/" in line
               and ('"status":201' in line or '"status":204' in line) for line in audit(node))


def some(count, first, report):
    """Returns entries of each kind: their texts, and the times of positions, are unique."""
    entries, start = [], int(time.time()) - 20_000
    for number in range(first, first + count):
        if number % 10 == 0:
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start + number * 15))
            entries.append(["position", "", "POST", "me/position",
                            {"lat": 40.3217, "lon": -7.6114, "sampleTime": at}])
        elif number % 5 == 0:
            entries.append(["comment", "Talk", "POST", f"reports/{report}/comments",
                            {"text": f"word {number}"}])
        else:
            entries.append(["report", f"r {number}", "POST", "reports", {"title": f"r {number}"}])
    return entries


def outages(phone, node, link, count):
    """Many entries over several outages; the node is killed between a commit and its answer."""
    report = node.send("POST", "reports", {"title": "Talk"})["id"]
    rounds, entered = 4, []
    for index in range(rounds):
        link.cut()
        entries = some(count // rounds, len(entered) + 1, report)
        entered += entries
        phone.enter(entries)
        count_waiting = len(phone.waiting())
        must(f"outage {index + 1}: {len(entries)} wait ({count_waiting})",
             count_waiting == len(entries))
        if index % 2:
            phone.driver.get(phone.url + "/")
            wait("they wait after the page was closed",
                 lambda: len(phone.waiting()) == len(entries))
        before = taken(node)
        link.restore()
        phone.call("queue.flush()")
        if index < rounds - 1:
            kill_unanswered(phone, node, link, before + len(entries))
        # A page that was just opened has not read what waits.
        wait("all is sent",
             lambda: not phone.waiting() and taken(node) >= before + len(entries), seconds=600)
    check(node, report, entered)


def kill_unanswered(phone, node, link, total):
    """Loses the answer to an entry that the node has committed, and kills the node with -9."""
    wait("some are sent", lambda: taken(node) > total - 15)
    link.lose_answers()
    wait("an entry is committed and not answered",
         lambda: taken(node) + len(phone.waiting()) > total)
    kill(node)
    link.cut()
    node.start()
    link.restore()
    # The page needs no passphrase after a restart of the node.
    phone.driver.get(phone.url + "/")
    wait("Rui is still logged in", lambda: "Rui" in phone.session())


def check(node, report, entered):
    """Each entry is there, and none is there twice."""
    def same(kind, found, wanted):
        must(f"{len(wanted)} {kind}: none lost, none doubled", sorted(found) == sorted(wanted))

    bodies = [body for _, _, _, _, body in entered]
    same("reports", [one for one in titles(node) if one.startswith("r ")],
         [body["title"] for body in bodies if "title" in body])
    said = node.get(f"reports/{report}")["comments"]
    same("comments", [one["text"].split(" [")[0] for one in said],
         [body["text"] for body in bodies if "text" in body])
    rui = next(u for u in node.get("users")["items"] if u["callsign"] == "Rui")["id"]
    wanted = [body["sampleTime"] for body in bodies if "sampleTime" in body]
    fixes = [one["sampleTime"] for one in node.get(f"tracks/{rui}?limit=10000")["items"]]
    same("positions", [one for one in fixes if one in wanted], wanted)


def walk(options, folder):
    node, port = start(options.muster, folder)
    link = Link(port)
    phone = None
    try:
        phone = Phone(f"https://127.0.0.1:{link.own}", options.screenshots,
                      [f"--ignore-certificate-errors-spki-list={pin(port)}"])
        phone.as_phone()
        first_position(phone, node)
        opens_out_of_range(phone, link)
        help_first(phone, node, link)
        refused(phone, node, link)
        another_login(phone, node, link)
        outages(phone, node, link, options.entries)
        faults = phone.faults("ERR_", "status of 401", "status of 4")
        must(f"the browser has no error {faults[:3]}", not faults)
    finally:
        if phone:
            phone.close()
        node.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--muster", default=".build/debug/muster")
    parser.add_argument("--entries", type=int, default=100, help="how many wait, in all outages")
    parser.add_argument("--patience", type=int, default=0, help="the minimum timeout in s")
    parser.add_argument("--screenshots", help="a folder for screenshots")
    options = parser.parse_args()
    options.muster = os.path.abspath(options.muster)
    browser.require(options.screenshots)
    lab.patience = options.patience
    folder = tempfile.mkdtemp(prefix="muster-offline-")
    try:
        walk(options, folder)
    finally:
        shutil.rmtree(folder)
    print("nothing was lost or doubled")


if __name__ == "__main__":
    main()
