"""What must be on a leader's screen, from the acts of a story alone: things that are wrong, worst first.

Independent of the program: the order of kinds is that of docs/alarms.md, all else is here."""

import os
import re

from nodes import ROOT

PRIORITIES = ["life", "danger", "warning", "message"]


def table():
    """The place of each kind in the table of alarms, by priority."""
    with open(os.path.join(ROOT, "docs/alarms.md"), encoding="utf-8") as file:
        text = file.read().split("<!-- alarms: begin -->")[1]
    places, priority = {}, ""
    for line in text.splitlines():
        if heading := re.match(r"### (\w+)", line):
            priority = heading[1].lower()
        elif row := re.match(r"\| `(\w+)`", line):
            # All calls for help have one place.
            places[priority, row[1]] = 0 if priority == "life" else len(places)
    return places


class Thing:
    """Something that is wrong until it is resolved, such as "danger inHazard Ines"."""

    def __init__(self, words, raised):
        self.priority, self.kind, self.who = words.split(" ", 2)
        self.raised, self.seen = raised, None

    def __str__(self):
        return f"{self.priority} {self.kind} {self.who}{' (acknowledged)' if self.seen else ''}"

    def is_shown_by(self, alert):
        return (alert["kind"] == self.kind and alert["priority"] == self.priority
                and self.who.lower() in alert["text"].lower()
                and (alert["acknowledgedBy"] is not None) == bool(self.seen))


class Oracle:
    """The things that are wrong, as a function of the acts so far."""

    def __init__(self):
        self.things, self.acts, self.places = [], 0, table()
        # What time alone will raise, and what it has raised.
        self.due, self.come = [], set()

    def find(self, words):
        """The thing of a kind about someone, such as "inHazard Ines"."""
        found = [one for one in self.things if f"{one.kind} {one.who}" == words]
        if not found:
            raise SystemExit(f"FAILED: the story names {words}, which is not wrong: {self.things}")
        return found[0]

    def act(self, raises, seen, ends, due):
        """One act of the story: what it raises, what command acknowledges, what it ends, what is due later."""
        self.acts += 1
        self.due += due
        for words in ends:
            self.things.remove(self.find(words))
        for words in seen:
            self.find(words).seen = self.acts
        for words in raises:
            if words not in self.come:
                self.rise(words)

    def rise(self, words):
        new = Thing(words, self.acts)
        before = [one for one in self.things if (one.kind, one.who) == (new.kind, new.who)]
        if before and not before[0].seen:
            # A warning that became a danger: it has waited since it was raised.
            new.raised = before[0].raised
        self.things = [one for one in self.things if one not in before] + [new]

    def pass_time(self, alerts):
        """Takes what was due from the alerts: when it comes depends on the speed of the machine."""
        for words in list(self.due):
            if any(Thing(words, 0).is_shown_by(one) for one in alerts):
                # A danger comes after its warning.
                last = self.due.index(words)
                self.come.update(one for one in self.due[:last + 1] if one.split(" ", 1)[1] == words.split(" ", 1)[1])
                self.due = [one for one in self.due if one not in self.come]
                self.rise(words)

    def place(self, one):
        """Worst first: priority, table, unacknowledged the newest first, acknowledged the oldest first."""
        return (PRIORITIES.index(one.priority), self.places[one.priority, one.kind],
                bool(one.seen), one.seen or -one.raised)

    def sorted(self):
        return sorted(self.things, key=self.place)

    def strip(self):
        """What the strip shows: what is not acknowledged, of alarms and of calls that were called off."""
        return [one for one in self.sorted() if not one.seen and (
            one.priority in ("life", "danger") or one.kind == "calledOff")]

    def in_hand(self):
        return [one for one in self.sorted() if one.seen and one.priority == "life"]
