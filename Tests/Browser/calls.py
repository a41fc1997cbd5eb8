#!/usr/bin/env python3
"""A call for help that waits on a phone: a real node and a real browser, with outages of the link, restarts
and `kill -9` of the node, closing and `kill -9` of the browser. Each call arrives once, at most 5 s after
the node answers, without a touch; no login screen holds it, and none shows a name.

    python3 Tests/Browser/calls.py --muster .build/debug/muster --rounds 60

Needs Chromium with its driver, and selenium 4 (PyPI). Exits with 1 if a check fails."""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

import browser
import lab
from browser import checked, must
from nodes import wait
from offline import Link, Phone, audit, kill, start
from remote import PASSPHRASE, pin

# From the moment at which the node answers to the call at the node.
ALLOWED = 5.0
SIZES = {"phone": (390, 844), "tablet": (820, 1180), "laptop": (1440, 900)}
LANGUAGES = ("en", "de", "es", "fr", "pt")


class Handset:
    """A phone whose browser can be closed or killed, and opened again with all that it keeps."""

    def __init__(self, folder, link, port, shots):
        self.arguments = (f"https://127.0.0.1:{link.own}", shots, [
            f"--ignore-certificate-errors-spki-list={pin(port)}",
            f"--user-data-dir={os.path.join(folder, 'profile')}"])
        self.page = None

    def open(self):
        """Opens the page, which may be out of range."""
        self.page = Phone(*self.arguments)
        self.page.as_phone()
        self.load()
        return self.page

    def load(self):
        from selenium.common.exceptions import WebDriverException
        try:
            self.page.driver.get(self.page.url + "/")
        except WebDriverException:
            pass  # Out of range, without the page's files.

    def close(self):
        if self.page:
            self.page.close()
        self.page = None

    def kill(self):
        """Ends the browser without a moment to write."""
        service = self.page.driver.service.process.pid
        for pid in descendants(service) + [service]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.page.driver.service.process.wait(30)
        self.page = None
        for name in ("SingletonLock", "SingletonSocket", "SingletonCookie"):
            path = os.path.join(self.arguments[2][1].split("=")[1], name)
            if os.path.lexists(path):
                os.remove(path)


def descendants(parent):
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="latin-1") as file:
                words = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(words[1]) == parent:
            found += descendants(int(name)) + [int(name)]
    return found


def rui(node):
    return next((one for one in node.get("users")["items"] if one["callsign"] == "Rui"), None)


def press_help(page, note):
    page.view("me")
    page.click("#say-help")
    wait("the form is open", lambda: page.count("dialog[open] [name=note]"))
    page.fill(note=note)
    page.click("dialog[open] [type=submit]")
    wait("the page states that it is not sent", lambda: "NOT SENT" in page.text("#call"))


def waiting(page):
    """What the node has neither answered nor refused: it refuses the photo, which is none."""
    return [kind for kind, _, why in page.waiting() if not why]


def calm(node, page):
    """The user is safe again, and nothing waits."""
    page.call("""await queue.act("safe", "", "PUT", "me/safety", { safety: "safe" })""")
    wait("Rui is safe", lambda: rui(node)["safety"] != "unsafe" and not waiting(page))


def round_of(number, chance, node, link, handset):
    """One drawn outage around a call. Returns the seconds from the node's answer to the call."""
    page, note = handset.page, f"round {number}"
    outage = chance.choice(("cut", "swallow", "forget", "answers", "kill", "stop"))
    ending = chance.choice(("stay", "stay", "reload", "close", "kill browser"))
    words = f"{outage}, {ending}"
    if outage == "cut":
        link.cut()
    elif outage in ("swallow", "forget"):
        link.swallow(outage == "forget")
    elif outage == "answers":
        link.lose_answers()
    elif outage == "kill":
        kill(node)
    else:
        node.stop()
    if chance.random() < 0.5:
        # Before the call: what must not delay it.
        page.call("""queue.act("report", "Slow", "POST", "reports", { title: values[0] },
            { files: [new File([new Uint8Array(900000)], "slow.png", { type: "image/png" })] })""",
                  f"before {number}")
    press_help(page, note)
    time.sleep(chance.uniform(0, 4))
    if ending == "reload":
        handset.load()
    elif ending == "close":
        handset.close()
    elif ending == "kill browser":
        handset.kill()
    time.sleep(chance.uniform(0, 6))
    if outage in ("kill", "stop"):
        node.start()
    elif outage == "answers" and chance.random() < 0.5:
        kill(node)
        node.start()
    if not handset.page:
        handset.open()
    link.restore()
    begin = time.monotonic()
    wait("the call is at the node", lambda: (
        (rui(node) or {}).get("word") or {}).get("note", "").split(" [")[0] == note, seconds=60)
    spent = time.monotonic() - begin
    page = handset.page
    wait("the page shows that it is sent", lambda: page.js(
        "return document.querySelector('#call') !== null") and not page.call(
            "return queue.unsentCalls().length"))
    must(f"round {number} ({words}): sent {spent:.1f} s after the node answers", spent <= ALLOWED)
    return spent


def rounds(options, node, link, handset):
    chance = random.Random(options.seed)
    times = []
    for number in range(1, options.rounds + 1):
        times.append(round_of(number, chance, node, link, handset))
        made = rui(node)["word"]["saidAt"]
        wait("nothing waits", lambda: not waiting(handset.page), seconds=120)
        must(f"round {number}: the call was performed once", rui(node)["word"]["saidAt"] == made)
        calm(node, handset.page)
    checked(f"{len(times)} calls arrived, the slowest {max(times):.1f} s after the node answered")


def walk(options, folder):
    node, port = start(options.muster, folder)
    link = Link(port)
    handset = Handset(folder, link, port, options.screenshots)
    try:
        page = handset.open()
        page.log_in("Rui")
        page.await_files()
        # The browser writes its cookies when it closes.
        handset.close()
        handset.open()
        rounds(options, node, link, handset)
    finally:
        handset.close()
        node.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--muster", default=".build/debug/muster")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000)
    parser.add_argument("--patience", type=int, default=0, help="the minimum timeout in s")
    parser.add_argument("--screenshots", help="a folder for screenshots")
    options = parser.parse_args()
    options.muster = os.path.abspath(options.muster)
    browser.require(options.screenshots)
    lab.patience = options.patience
    print(f"seed {options.seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="muster-calls-")
    try:
        walk(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("no call waited")


if __name__ == "__main__":
    main()
