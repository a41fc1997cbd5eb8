"""What a leader sees of a post: the strip, the drawer, the chips, the terminal; and how often they are alarmed."""

import json
import re
import subprocess
import threading
import time

from nodes import wait

SIZES = {"laptop": (1400, 900), "tablet": (820, 1180), "phone": (390, 844)}

# Notes each announcement of the page: what it reads out when it sounds, and the alerts that this names.
EAR = """const done = arguments[arguments.length - 1];
    window.__announced = [];
    Promise.all([import('/dashboard/js/store.js'), import('/dashboard/js/alerts.js')])
      .then(([{ state }, { alertText, isWaiting }]) => {
        const place = document.querySelector('#heard');
        new MutationObserver(() => {
          const text = place.textContent;
          if (!text) return;
          const named = state.alerts.filter((one) => isWaiting(one) && text.includes(alertText(one)));
          window.__announced.push({ at: Date.now() / 1000,
            rows: named.length > 0 ? named.map((one) => `${one.kind}: ${alertText(one)}`) : [text] });
        }).observe(place, { childList: true, characterData: true, subtree: true });
        done();
      });"""

# Whether the row of an alert in the strip, and its buttons, are on the screen with nothing above them.
ON_SCREEN = """
    const li = [...document.querySelectorAll('#alarm li')].find((one) => one.innerText.includes(arguments[0]));
    if (!li) return 'it is not in the strip: ' + document.querySelector('#alarm').innerText;
    for (const one of [li.querySelector('strong'), ...li.querySelectorAll('button')]) {
      const box = one.getBoundingClientRect();
      if (box.width < 1 || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) {
        return `${one.innerText} is at ${box.left},${box.top} to ${box.right},${box.bottom}`;
      }
      const [x, y] = [box.left + Math.min(20, box.width / 2), box.top + box.height / 2];
      const top = document.elementFromPoint(x, y);
      if (!li.contains(top)) return `${one.innerText} is below ${top?.outerHTML.slice(0, 80)}`;
    }
    const where = li.querySelector('.where');
    return innerWidth > 1100 && where?.scrollWidth > where?.clientWidth
      ? `where they are is cut off: ${li.innerText}` : '';"""

CHIPS = """return [...document.querySelectorAll('#counts [data-count]')]
    .map((one) => [one.dataset.count, Number(one.innerText.match(/\\d+\\s*$/)[0])])"""


class Surfaces:
    """Every surface of the post; each check returns what is wrong, or nothing."""

    def __init__(self, field, page):
        self.field, self.page = field, page
        self.raised = []
        self.follower = None

    def begin(self):
        """Counts announcements from now on: of the page, and of `muster alert follow`."""
        self.page.driver.execute_async_script(EAR)
        post = self.field.post
        self.follower = subprocess.Popen(
            [post.program, "alert", "follow", "--json", "--home", post.home], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        for line in self.follower.stdout:
            one = json.loads(line)
            if one["change"] == "raised" and one["priority"] != "message" and not one["acknowledgedBy"]:
                self.raised.append((time.time(), f"{one['kind']}: {one['text']}"))

    def announced(self):
        """The time and text of each alert that the page announced."""
        return [(note["at"], row) for note in self.page.js("return window.__announced") for row in note["rows"]]

    def close(self):
        if self.follower:
            self.follower.terminate()

    def alerts(self):
        return self.field.post.get("alerts")["items"]

    # MARK: Checks

    def differs(self, oracle):
        """The alerts that no act explains, and the things that no alert shows."""
        alerts = [one for one in self.alerts() if one["priority"] != "message"]
        oracle.pass_time(alerts)
        missing = []
        for thing in oracle.things:
            found = [one for one in alerts if thing.is_shown_by(one)]
            if found:
                alerts.remove(found[0])
            else:
                missing.append(str(thing))
        wrong = [f"{one['priority']} {one['kind']} {one['text']} ({one['acknowledgedBy']})" for one in alerts]
        return [f"missing: {missing}"] * bool(missing) + [f"unexplained: {wrong}"] * bool(wrong)

    def order(self, oracle):
        """The API lists the worst first, by the oracle's order."""
        alerts = self.alerts()
        places = []
        for one in alerts:
            thing = next((thing for thing in oracle.things if thing.is_shown_by(one)), None)
            places.append(oracle.place(thing) if thing else (len(oracle.places),))
        return [] if places == sorted(places) else [f"the order is {[one['text'] for one in alerts]}"]

    def strip(self, oracle):
        """The first row of the strip is the worst that waits; calls in hand are named below."""
        shown = oracle.strip()
        rows = self.page.js("return [...document.querySelectorAll('#alarm li')].map((one) => one.innerText)")
        if not shown:
            wrong = [f"the strip shows {rows}"] if rows else []
        else:
            worst = [one.who for one in shown if oracle.place(one) == oracle.place(shown[0])]
            wrong = [] if rows and any(who.lower() in rows[0].lower() for who in worst) else [
                f"the strip begins with {rows[:1]}, not with {worst}"]
            if rows and shown[0].priority == "life" and "MAYDAY" not in rows[0]:
                wrong.append(f"no MAYDAY is in {rows[0]}")
        waiting = sum(not one.seen for one in oracle.things)
        if self.page.text("#waiting") != str(waiting or ""):
            wrong.append(f"the bell counts {self.page.text('#waiting')}, but {waiting} wait")
        hand = self.page.text("#alarm .hand")
        wrong += [f"{one.who} is not in hand: {hand}" for one in oracle.in_hand() if one.who not in hand]
        return wrong

    def drawer(self):
        """The drawer *Alerts* lists what the API lists, in the same order."""
        ids = [one["id"] for one in self.alerts()]
        keys = self.page.js("""return [...document.querySelectorAll('#alerts [data-key^="lead "]')]
            .map((one) => one.dataset.key.slice(5))""")
        return [] if keys == ids else [f"the drawer lists {keys}, the API {ids}"]

    def terminal(self):
        """`muster alert list` and `muster watch --once` list the same, the worst first."""
        texts = [one["text"] for one in self.alerts()]
        post, wrong = self.field.post, []
        for words in (["alert", "list"], ["watch", "--once"]):
            flat, place = " ".join(post.run(*words).split()), 0
            for text in texts:
                place = flat.find(" ".join(text.split()), place)
                if place < 0:
                    wrong.append(f"muster {' '.join(words)} has not, in this place, {text}: {flat[:2000]}")
                    break
        return wrong

    def chips(self, oracle):
        """The chips partition everyone who is not signed off; the worst have theirs; no one of them is green."""
        people = self.field.people()
        off = [one for one in people.values() if one["status"] == "signedOff"]
        chips = dict(self.page.js(CHIPS))
        words = self.page.text("#counts .sum")
        numbers = [int(number) for number in re.findall(r"\d+", words)]
        wrong = []
        if numbers != [len(people) - len(off)] + [len(off)] * bool(off):
            wrong.append(f"{words}, of {len(people)} people, {len(off)} signed off")
        if sum(chips.values()) != len(people) - len(off):
            wrong.append(f"the chips {chips} are not {len(people) - len(off)}")
        calls = {one.who for one in oracle.things if one.priority == "life"}
        hazard = {one.who for one in oracle.things if one.kind == "inHazard"} - calls
        for key, who in (("mayday", calls), ("inHazard", hazard)):
            if chips.get(key, 0) != len(who):
                wrong.append(f"the chip {key} has {chips.get(key, 0)}, but {sorted(who)}")
        return wrong

    def on_screen(self, words, shot=None):
        """A row of the strip is on the screen at three sizes, on the map and beside a drawer."""
        wrong = []
        for size in SIZES:
            self.resize(size)
            for view in ("map", "people", "feed"):
                self.page.view(view)
                try:
                    wait(f"{words} is on screen", lambda: not self.page.js(ON_SCREEN, words), seconds=3)
                except SystemExit:
                    wrong.append(f"{size}, {view}: {self.page.js(ON_SCREEN, words)}")
                if shot and view != "people":
                    self.page.shot(f"{shot}-{size}-{view}")
        self.resize("laptop")
        self.page.view("feed")
        return wrong

    def resize(self, size):
        width, height = SIZES[size]
        self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})
        self.page.js("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
