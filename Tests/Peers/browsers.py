"""The dashboard of a real node in browsers of other makers: Firefox, and WebKit, the engine of
Safari."""

import atexit
import glob
import os
import shutil
import subprocess
import time

import browser
from bidi import Firefox
from nodes import Operation
from row import Row, lab, wait


# The number of canvases on the map with more than some dots.
DRAWN = """return [...document.querySelectorAll('#map canvas')].filter((one) => {
    const dots = one.getContext('2d').getImageData(0, 0, one.width, one.height).data;
    let drawn = 0;
    for (let n = 3; n < dots.length; n += 4) drawn += dots[n] > 0;
    return drawn > 200;
}).length"""


class OtherPage(browser.Page):
    """The page in another browser, with the helpers of the tests in Chromium."""

    def __init__(self, driver, link):
        self.driver, self.link, self.shots = driver, link, None

    def press(self, selector):
        """A real click of the pointer."""
        wait(f"{selector} is there", lambda: self.count(selector))
        self.driver.press(selector)


class WebKit:
    """WebKitGTK's own small browser on a virtual screen, by its WebDriver."""

    def __init__(self):
        from selenium import webdriver
        found = glob.glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")
        if not found:
            raise SystemExit("MiniBrowser of webkit2gtk is not installed")
        reading, writing = os.pipe()
        self.screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[writing])
        os.close(writing)
        # Xvfb writes the number of a free display, and a line break.
        with open(reading, encoding="ascii") as file:
            display = file.readline().strip()
        atexit.register(self.screen.kill)
        os.environ.update(DISPLAY=f":{display}", GDK_BACKEND="x11", NO_AT_BRIDGE="1",
                          LIBGL_ALWAYS_SOFTWARE="1")
        options = webdriver.WebKitGTKOptions()
        options.binary_location = sorted(found)[-1]
        options.add_argument("--automation")
        self.inner = webdriver.WebKitGTK(
            options=options,
            service=webdriver.WebKitGTKService(executable_path=shutil.which("WebKitWebDriver")))
        self.inner.set_window_size(1440, 900)
        self.execute_script = self.inner.execute_script
        self.get = self.inner.get
        self.save_screenshot = self.inner.save_screenshot
        self.name = "WebKitGTK " + self.inner.capabilities["browserVersion"]

    def press(self, selector):
        self.inner.find_element("css selector", selector).click()

    def errors(self):
        """Its WebDriver has no log: the page records errors from here on."""
        return self.execute_script("return window.__errors ?? []")

    def quit(self):
        self.inner.quit()
        self.screen.kill()
        self.screen.wait()


def walk(driver, operation, result):
    """Page and map are loaded; four tasks are done by real clicks."""
    leader, member = operation.leader, operation.member
    leader.send("POST", "me/position", {"lat": 40.3251, "lon": -7.6050})
    member.send("POST", "me/position", {"lat": 40.3217, "lon": -7.6114})
    page = OtherPage(driver, leader.link)
    began = time.monotonic()
    page.open()
    opened = time.monotonic() - began
    page.js("""window.__errors = [];
        addEventListener("error", (one) => window.__errors.push(one.message));
        addEventListener("unhandledrejection", (one) => window.__errors.push(`${one.reason}`));""")
    wait("the base map is drawn", lambda: page.js("""
        return [...document.querySelectorAll('.leaflet-tile')].some((t) => t.naturalWidth === 256)
        """))
    wait("graticule and people are drawn", lambda: page.js(DRAWN) >= 2)

    # A member asks for help: the stream brings it, and a click acknowledges it.
    began = time.monotonic()
    member.send("PUT", "me/safety", {"safety": "help", "note": "twisted ankle"})
    wait("the banner shows it", lambda: "twisted ankle" in page.text("#alarm"))
    shown = time.monotonic() - began
    result.check(shown <= 2, f"a call for help was shown after {shown:.1f} s")
    page.press("#alarm [data-key^='alarm seen ']")
    wait("the node has the acknowledgement", lambda: any(
        "twisted ankle" in one["text"] and one["acknowledgedBy"]
        for one in leader.get("alerts")["items"]))

    page.press("#rail [data-view=reports]")
    page.press("[data-key=file]")
    wait("the form is open", lambda: page.count("dialog [name=title]"))
    page.fill(title="Fire at the sawmill", category="fire", severity="5",
              place="40.3260, -7.6150")
    page.press("dialog [type=submit]")
    wait("the member's node has the report", lambda: any(
        one["title"] == "Fire at the sawmill" and one["severity"] == 5
        for one in member.get("reports")["items"]))

    page.press("#rail [data-view=people]")
    page.press(".person")
    wait("the person is shown", lambda: page.count("#detail .conditions li"))
    page.press("#more")
    page.press("#theme")
    wait("the theme changes", lambda: page.js(
        "return document.documentElement.dataset.theme") == "dark")
    wide = page.js("return document.documentElement.scrollWidth - innerWidth")
    result.check(wide <= 0, f"the page is {wide} pixels wider than the window")
    path = os.path.join(operation.folder, "page.png")
    driver.save_screenshot(path)
    result.check(os.path.getsize(path) > 20_000, "the screenshot is blank")
    result.equal("errors of the page", driver.errors()[:5], [])
    result.figure(f"{driver.name}: page in {opened:.1f} s, a call for help in {shown:.2f} s, "
                  "4 tasks by clicks")


def keep(driver):
    """Saves the page as it is at the end, into the folder that the user named."""
    if folder := os.environ.get("MUSTER_PEER_SHOTS"):
        driver.save_screenshot(os.path.join(folder, driver.name.split()[0] + ".png"))


def run(make, muster, result):
    lab.run("ip", "link", "set", "lo", "up")
    operation = Operation(muster, 0)
    driver = None
    try:
        driver = make(operation)
        walk(driver, operation, result)
    finally:
        if driver:
            keep(driver)
            driver.quit()
        operation.close()


def firefox(muster, result):
    run(lambda operation: Firefox(os.path.join(operation.folder, "profile")), muster, result)


def webkit(muster, result):
    run(lambda operation: WebKit(), muster, result)


ROWS = [
    Row("firefox", "the dashboard in Firefox",
        ("firefox-esr", "libjs-leaflet", "iproute2"), firefox),
    Row("webkit", "the dashboard in WebKit, the engine of Safari",
        ("webkit2gtk-driver", "xvfb", "libjs-leaflet", "iproute2"), webkit)]
