#!/usr/bin/env python3
"""The way back of a call for help in the page: what its caller sees, and command's answer with one click.

Two real nodes; the caller's page is of a member's laptop."""

import argparse
import os

import browser
import lab
from browser import Page, checked, must
from nodes import Operation, wait

SIZES = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1400, 900)}


def shots(page, name):
    """The same state at the size of a phone, a tablet and a laptop: nothing is cut off."""
    for size, (width, height) in SIZES.items():
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})
        page.shot(f"call-{name}-{size}")
        must(f"{name}: nothing is wider than the {size}", page.js(
            "return document.documentElement.scrollWidth <= innerWidth"))
    page.as_laptop()


def calls(op, caller):
    must("without a call there is no line", page_line(caller) == "")
    op.member.send("PUT", "me/safety", {"safety": "help", "note": "Broken leg"})
    wait("the call is at command", lambda: "At command, not seen yet" in page_line(caller))
    must("and it is the caller's own", "Your call for help" in page_line(caller))
    checked("a caller sees that command holds the call")


def page_line(page):
    return page.js("const one = document.getElementById('call'); return one.hidden ? '' : one.innerText")


def programs(op, caller):
    alert = wait("command has the alert", lambda: next(
        (one for one in op.leader.get("alerts")["items"] if one["kind"] == "help"), None))
    op.leader.send("POST", f"alerts/{alert['id']}/acknowledge", {})
    wait("the alert is silenced", lambda: any(
        one["acknowledgedBy"] for one in op.leader.get("alerts")["items"] if one["kind"] == "help"))
    frames = lambda node: node.get("status")["frames"]
    wait("both have converged", lambda: frames(op.member) == frames(op.leader))
    must("a program has seen nothing", op.member.get("me/call")["call"]["seenBy"] == [])
    checked("a program's acknowledgement shows no caller that it was seen")


def answers(op, caller, command):
    command.view("feed")
    command.click("#alerts [data-key^='answer help:']")
    wait("the form is open", lambda: command.count("dialog[open] [name=text]"))
    must("it states who can read it", "All members can read it" in command.text("dialog[open]"))
    shots(command, "answer")
    command.click("dialog[open] [data-key='answer coming']")
    wait("one click sends it", lambda: not command.count("dialog"))
    wait("the caller sees who saw it", lambda: "Seen by Lead (command)" in page_line(caller))
    wait("and the text", lambda: "Help is coming" in page_line(caller))
    shots(caller, "answered")
    caller.click("#call [data-key^='call read']")
    wait("the author sees that it was read", lambda: any(
        one["kind"] == "message" and one["people"][0]["answeredAt"]
        for one in op.leader.get("directives")["items"]))
    wait("the caller too", lambda: "Read" in page_line(caller) and not caller.count(
        "#call [data-key^='call read']"))
    checked("command answers with one click, and the caller reads it")


def ends(op, caller):
    op.member.send("PUT", "me/safety", {"safety": "safe"})
    wait("the line is gone", lambda: page_line(caller) == "")
    checked("the line ends with the call")


def walk(options):
    op = Operation(options.muster, 0)
    pages = []
    try:
        for node in (op.member, op.leader):
            pages.append(Page(node.url, options.screenshots, link=node.link))
            pages[-1].open()
        caller, command = pages
        calls(op, caller)
        shots(caller, "at-command")
        programs(op, caller)
        answers(op, caller, command)
        ends(op, caller)
        for page in pages:
            faults = page.faults()
            must(f"the browser has no error {faults[:3]}", not faults)
    finally:
        for page in pages:
            page.close()
        op.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--muster", default=".build/debug/muster")
    parser.add_argument("--patience", type=int, default=0, help="the minimum timeout in s")
    parser.add_argument("--screenshots", help="a folder for screenshots")
    options = parser.parse_args()
    options.muster = os.path.abspath(options.muster)
    browser.require(options.screenshots)
    lab.patience = options.patience
    walk(options)
    print("the caller knows")


if __name__ == "__main__":
    main()
