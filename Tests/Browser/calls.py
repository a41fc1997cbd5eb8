#!/usr/bin/env python3
"""A call for help that waits on a phone: a real node and a real browser, with outages of the link, restarts
and `kill -9` of the node, closing and `kill -9` of the browser. Each call arrives once, at most 5 s after
the node answers, without a touch; no login screen holds it, and none shows a name.

    python3 Tests/Browser/calls.py --muster .build/debug/muster --rounds 60

Needs Chromium with its driver, and selenium 4 (PyPI). Exits with 1 if a check fails."""

import argparse
import os
import random
import shutil
import signal
import tempfile
import time

import browser
import lab
from browser import checked, must
from nodes import wait
from offline import Link, Phone, audit, kill, start
from remote import PASSPHRASE, pin

# From the moment at which the node answers to the call at the node. With --patience, on a machine that also does
# something else, the call must arrive within that time: times are measured without it.
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
    # The answer may be lost with its connection.
    wait("the page shows that it is sent", lambda: page.js(
        "return document.querySelector('#call') !== null") and not page.call(
            "return queue.unsentCalls().length"))
    must(f"round {number} ({words}): sent {spent:.1f} s after the node answers",
         spent <= max(ALLOWED, lab.patience))
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


def at_each_size(page, name):
    """The same state at the size of a phone, a tablet and a laptop: nothing is cut off."""
    for size, (width, height) in SIZES.items():
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})
        page.shot(f"unsent-{name}-{size}")
        must(f"{name}: nothing is wider than the {size}", page.js(
            "return document.documentElement.scrollWidth <= innerWidth"))
    page.as_phone()


def stored(page):
    """Returns all that the browser keeps of this site, as text, without the files of the page."""
    return page.call("""
        const { read } = await import("/dashboard/js/kept.js");
        return JSON.stringify([await read("entries"), await read("picture"), { ...localStorage }]);""")


def log_out(page):
    wait("the form has closed", lambda: not page.count("dialog"))
    page.click("#log-out")
    wait("the page asks", lambda: "NOT SENT" in page.text("dialog[open]"))
    page.click("dialog[open] [type=submit]")


def logged_out(node, link, handset):
    """A logout out of range keeps the call, shows it without a name, and sends it without a login."""
    page = handset.page
    link.cut()
    press_help(page, "after a logout")
    log_out(page)
    wait("the login screen shows the call", lambda: "NOT SENT" in page.text("#unsent"))
    seen = page.js("return document.body.innerText") + page.js("return document.title")
    must("it shows when the call was made, and no name", "call for help of" in seen and "Rui" not in seen)
    must("no name is kept", "Rui" not in stored(page))
    at_each_size(page, "logged-out")
    for language in LANGUAGES[1:]:
        page.js("localStorage.setItem('language', arguments[0])", language)
        handset.load()
        wait("the call is shown", lambda: page.count("#unsent .unsent"))
        page.shot(f"unsent-{language}-phone")
        must(f"{language}: nothing is wider than the phone", page.js(
            "return document.documentElement.scrollWidth <= innerWidth"))
    page.js("localStorage.removeItem('language')")
    handset.load()
    wait("the call is shown again", lambda: "NOT SENT" in page.text("#unsent"))
    link.restore()
    begin = time.monotonic()
    wait("it is sent without a login", lambda: rui(node)["safety"] == "unsafe")
    spent = time.monotonic() - begin
    must(f"within 5 s ({spent:.1f} s)", spent <= max(ALLOWED, lab.patience))
    wait("the screen shows no call", lambda: not page.count("#unsent .unsent"))
    wait("and the session ends", lambda: page.js("return localStorage.getItem('leaving')") is None)
    page.log_in("Rui")
    calm(node, page)


def cancelled(node, link, handset):
    """The login screen cancels a call, after a question."""
    page = handset.page
    link.cut()
    press_help(page, "by mistake")
    log_out(page)
    wait("the call is shown", lambda: page.count("#unsent .unsent"))
    page.click("#unsent [data-key^='cancel ']")
    wait("the page asks", lambda: page.count("dialog[open]") == 2)
    page.shot("unsent-cancel")
    page.js("""[...document.querySelectorAll("dialog[open]")].at(-1).querySelector("[type=submit]").click()""")
    wait("nothing is shown any more", lambda: not page.count("#unsent .unsent"))
    before = len(audit(node))
    link.restore()
    wait("the laptop learns that Rui is OK", lambda: any(
        "/me/safety" in line for line in audit(node)[before:]))
    must("and of no call", rui(node)["safety"] != "unsafe")
    page.log_in("Rui")


def restricted(node, link, handset):
    """An expired login, and a removed one, call for help from the login screen."""
    page = handset.page
    login = lambda: next(one for one in node.get("logins")["items"] if one["name"] == "Rui")
    # The call waits while the laptop revokes the browser.
    link.cut()
    press_help(page, "revoked meanwhile")
    for one in login()["devices"]:
        if one["standing"] == "full":
            node.send("DELETE", f"logins/Rui/devices/{one['id']}", None)
    link.restore()
    begin = time.monotonic()
    wait("a revoked browser sends it", lambda: rui(node)["safety"] == "unsafe")
    must(f"within 5 s ({time.monotonic() - begin:.1f} s)", time.monotonic() - begin <= max(ALLOWED, lab.patience))
    must("it is marked", "[login expired]" in rui(node)["word"]["note"])
    wait("the login screen is shown", lambda: "expired" in page.text("dialog[open]"))
    node.send("PUT", f"users/{rui(node)['id']}/override", {"safety": "safe", "note": "found"})
    wait("command has ended it", lambda: rui(node)["safety"] != "unsafe")
    at_each_size(page, "expired")
    page.click("#unsent #say-help")
    wait("the form is open", lambda: page.count("dialog[open] [name=note]"))
    page.js("""document.querySelector("dialog[open] [name=note]").value = "from the login screen";
        [...document.querySelectorAll("dialog[open]")].at(-1).querySelector("[type=submit]").click()""")
    wait("it calls from there", lambda: "from the login screen" in (rui(node)["word"] or {})["note"])
    page.shot("unsent-sent")
    node.send("DELETE", "logins/Rui", None)
    handset.load()
    wait("the screen of a removed login", lambda: "removed" in page.text("dialog[open]"))
    page.click("#unsent #say-help")
    wait("the form is open", lambda: page.count("dialog[open] [name=note]"))
    page.js("""[...document.querySelectorAll("dialog[open]")].at(-1).querySelector("[type=submit]").click()""")
    wait("it raises an unverified call", lambda: node.get("unverified-calls")["items"])
    must("no name is shown", "Rui" not in page.js("return document.body.innerText"))


def locked(node, link, handset):
    """After half an hour command enters the passphrase again; the report waits, and is then sent."""
    page = handset.page
    node.add_logins({"Maria": "command"}, PASSPHRASE)
    wait("the form of the login", lambda: page.count("dialog[open] [name=passphrase]"))
    handset.load()
    page.log_in("Maria")
    wait("Maria reads", lambda: page.count(".person"))
    node.stop()
    node.start()
    handset.load()
    wait("still logged in", lambda: "Maria" in page.session())
    page.view("reports")
    page.click("[data-key=file]")
    page.fill(title="Needs the passphrase")
    page.click("dialog[open] [type=submit]")
    wait("the passphrase is asked for", lambda: page.count("dialog[open] [name=passphrase]"))
    page.shot("unlock")
    page.js("""const one = [...document.querySelectorAll("dialog[open]")].at(-1);
        one.querySelector("[name=passphrase]").value = arguments[0];
        one.querySelector("[type=submit]").click()""", PASSPHRASE)
    wait("the report is filed", lambda: any(
        one["title"] == "Needs the passphrase" for one in node.get("reports")["items"]))
    wait("nothing waits", lambda: not page.waiting())


def devices(node, shots):
    """The laptop's page lists the browsers of a login, revokes and restores one."""
    page = browser.Page(node.url, shots, link=node.link)
    try:
        page.open()
        page.view("team")
        wait("the browsers are listed", lambda: page.count("[data-login=Rui] [data-device]"))
        must("by browser and system", "Chrome on Linux" in page.text("[data-login=Rui] [data-device]"))
        for size, (width, height) in SIZES.items():
            page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})
            page.js("document.querySelector('[data-login=Rui]').scrollIntoView()")
            page.shot(f"devices-{size}")
            must(f"the list is no wider than the {size}", page.js(
                "return document.documentElement.scrollWidth <= innerWidth"))
        page.as_laptop()
        page.click("[data-login=Rui] [data-key^='revoke ']")
        page.submit()
        wait("it is revoked", lambda: "only calls for help: revoked" in page.text("[data-login=Rui]"))
        page.shot("devices-revoked")
        page.click("[data-login=Rui] [data-key^='restore ']")
        wait("it is restored", lambda: page.count("[data-login=Rui] [data-key^='revoke ']"))
        for language in LANGUAGES[1:]:
            page.language(language)
            page.view("team")
            wait("the browsers are listed", lambda: page.count("[data-login=Rui] [data-device]"))
            page.js("document.querySelector('[data-login=Rui]').scrollIntoView()")
            page.shot(f"devices-{language}")
    finally:
        page.close()


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
        logged_out(node, link, handset)
        cancelled(node, link, handset)
        devices(node, options.screenshots)
        handset.load()
        wait("Rui is logged in", lambda: "Rui" in handset.page.session())
        restricted(node, link, handset)
        locked(node, link, handset)
    finally:
        handset.close()
        link.end_silence()
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
