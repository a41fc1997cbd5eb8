"""The browser of these tests: Chromium, driven by selenium, and helpers to inspect pages."""

import os
import shutil

from nodes import wait


def missing():
    """Returns the missing requirement, or None."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed (pip install selenium)"
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        return "Chromium is not installed (apt install chromium chromium-driver)"
    return None


def require(shots=None):
    """Ends the walk if a program that it needs is missing; makes the folder for its pictures."""
    if lack := missing():
        raise SystemExit(lack)
    if shots:
        os.makedirs(shots, exist_ok=True)


def checked(words):
    print(f"ok  {words}", flush=True)


def must(words, condition):
    if not condition:
        raise SystemExit(f"FAILED: {words}")
    checked(words)


class Page:
    """The dashboard in a separate browser."""

    def __init__(self, url, shots=None, more=(), link=None):
        """`link` is the address with the token, if one is required."""
        from selenium import webdriver
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900",
                     "--lang=en", *more):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_script_timeout(60)
        self.shots = shots
        self.url = url
        self.link = link or url + "/"

    def open(self):
        self.driver.get(self.link)
        wait("the page shows people", lambda: self.text("#counts"))

    def close(self):
        self.driver.quit()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        """Closes the page; after a failure with its texts, a picture, and the browser's errors."""
        try:
            # Unmet conditions exit.
            if isinstance(error, (Exception, SystemExit)):
                print(f"{kind.__name__}: {error}", flush=True)
                self.shot("failed")
                print(self.js("return document.body.innerText")[:2000])
                print("\n".join(self.faults()[:10]), flush=True)
        finally:
            self.close()

    def js(self, code, *values):
        return self.driver.execute_script(code, *values)

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def count(self, selector):
        return self.js("return document.querySelectorAll(arguments[0]).length", selector)

    def click(self, selector):
        wait(f"{selector} is there", lambda: self.count(selector))
        self.js("document.querySelector(arguments[0]).click()", selector)

    def click_word(self, selector, word):
        """Clicks the last element with exactly this text."""
        self.js("""[...document.querySelectorAll(arguments[0])]
            .findLast((one) => one.innerText === arguments[1]).click()""", selector, word)

    def view(self, name):
        """Opens a drawer; "map" closes it."""
        wait("the rail is there", lambda: self.count("#rail [data-view]"))
        if self.js("return document.body.dataset.view") != name:
            self.click(f"#rail [data-view={name}]")

    def close_panel(self):
        self.js("document.querySelector('[data-key=\"close panel\"]')?.click()")

    def on(self, selector, act):
        """Runs `act` on the first match, again if the page has redrawn it or not yet shown it."""
        from selenium.common.exceptions import (
            ElementNotInteractableException, NoSuchElementException,
            StaleElementReferenceException)

        def acted():
            try:
                act(self.driver.find_element("css selector", selector))
                return True
            except (ElementNotInteractableException, NoSuchElementException,
                    StaleElementReferenceException):
                return False

        wait(f"{selector} is there and stays", acted)

    def actions(self):
        from selenium.webdriver.common.action_chains import ActionChains
        return ActionChains(self.driver)

    def tap(self, x, y, is_right=False):
        """Clicks on the map at an offset from its centre."""
        def act(target):
            actions = self.actions().move_to_element_with_offset(target, x, y)
            (actions.context_click() if is_right else actions.click()).perform()
        self.on("#map", act)

    def fill(self, **values):
        for name, value in values.items():
            # The code of some forms is loaded when they open.
            wait(f"the form has a field {name}", lambda: self.js("""
                const field = document.querySelector(
                  `dialog[open] [name="${arguments[0]}"], #detail [name="${arguments[0]}"]`);
                if (field?.type === "checkbox") field.checked = arguments[1];
                else if (field) field.value = arguments[1];
                return Boolean(field);""", name, value))

    def await_form(self):
        wait("the form is open", lambda: self.count("dialog[open] [name=name]"))

    def drag(self, selector, x, y):
        """Drags the first match by an offset, once it rests and nothing covers it."""
        places = []

        def rests():
            places.append(self.js("""
                const one = document.querySelector(arguments[0]);
                const box = one?.getBoundingClientRect();
                const [x, y] = [box?.x + box?.width / 2, box?.y + box?.height / 2];
                return one?.contains(document.elementFromPoint(x, y)) ? [x, y] : null;""", selector))
            return len(places) > 1 and places[-1] and places[-1] == places[-2]

        wait(f"{selector} rests", rests)
        self.on(selector, lambda target: self.actions().move_to_element(target).click_and_hold()
                .move_by_offset(x // 2, y // 2).move_by_offset(x - x // 2, y - y // 2)
                .release().perform())

    def submit(self):
        self.click("dialog[open] [type=submit]")
        wait("the dialog has closed: " + self.text("dialog .wrong"), lambda: not self.count("dialog"))

    def shot(self, name):
        if self.shots:
            self.driver.save_screenshot(os.path.join(self.shots, name + ".png"))

    def as_phone(self):
        self.driver.set_window_size(500, 900)
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})

    def as_laptop(self):
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.set_window_size(1400, 900)

    def language(self, name):
        self.js("""window.__old = 1; localStorage.setItem("language", arguments[0]);
            location.reload()""", name)
        wait("the page is in " + name, lambda: self.js(
            "return !window.__old && document.querySelectorAll('.person').length"))

    def theme(self, name):
        if self.js("return document.documentElement.dataset.theme") != name:
            self.click("#theme")

    def faults(self, *but):
        """Returns the errors of the browser, without the expected ones."""
        return [e["message"] for e in self.driver.get_log("browser")
                if e["level"] == "SEVERE" and not any(word in e["message"] for word in but)]
