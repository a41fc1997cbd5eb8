"""Accessibility checks with axe-core."""

import json
import time

from browser import Page, must

VIEWS = ("map", "people", "reports", "fences", "orders", "timers", "team", "mesh", "layers", "feed", "me")


def find(page, where):
    """Returns the findings for the current screen."""
    found = page.driver.execute_async_script("""
        const done = arguments[0];
        axe.run(document, { rules: { "target-size": { enabled: true } } }).then((r) => done(r.violations.map((v) =>
          [v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 160)])));""")
    return [(where, *one) for one in found]


# Shows the first person of the instant that the map shows.
PAST = """return Promise.all([import("/dashboard/js/store.js"), import("/dashboard/js/replay.js")])
    .then(([{ past }, { showPast }]) => {
      const [user] = past.users?.values() ?? [];
      if (user) showPast({ row: user });
      return Boolean(user);
    })"""


def dialogs(page):
    """Opens each form, panel and menu, and yields its name."""
    for view, opener in (
            ("reports", "[data-key=file]"), ("reports", "#reports [data-key^='open ']"),
            ("fences", "[data-key=typed]"), ("fences", "#fences [data-key^='zone ']"),
            ("orders", "[data-key=rollcall]"), ("timers", "[data-key='checkin start']"),
            ("timers", "[data-key='checkin pins']"), ("team", "[data-key=sampling]"),
            ("team", "[data-key=invite]"), ("team", "#team [data-key^='revoke ']"),
            ("people", ".person"), ("people", "#people [data-key^='tick ']"),
            ("me", "#say-help"), ("map", "#more"), ("map", "[data-key='tool find']"),
            ("map", "[data-key='tool rings']"), ("map", "[data-key='tool measure']"),
            ("map", "[data-key='tool fences']"), ("map", "[data-key='tool replay']"),
            ("map", "#contacts"), ("map", "#nearby"), ("map", "#keys")):
        page.view(view)
        if not page.count(opener):
            continue
        page.click(opener)
        time.sleep(0.2)
        yield f"{view} {opener}"
        if "replay" in opener and page.js(PAST):
            time.sleep(0.2)
            yield "a person of the past"
        page.js("""document.querySelector('dialog')?.close();
            document.querySelector('#map-bar button:last-child')?.click();
            document.querySelector("[data-key='chosen clear']")?.click();
            document.querySelector("[data-key='past close']")?.click();""")
        page.close_panel()
    page.view("reports")
    row = page.js("""
        return [...document.querySelectorAll('#reports .item')]
          .find((card) => /(photos|fotografias): /.test(card.innerText))?.dataset.key""")
    if row:
        page.click(f"[data-key='{row}']")
        page.click("#detail .photos button")
        time.sleep(0.2)
        yield "the gallery"
        page.js("[...document.querySelectorAll('dialog')].forEach((one) => one.close())")
        page.close_panel()


def focus(page):
    """The focus is never lost: what closes returns it to what opened it, or to the map. With the
    keyboard alone."""
    from selenium.webdriver.common.keys import Keys

    def press(key):
        page.actions().send_keys(key).perform()
        time.sleep(0.3)

    focused = """const one = document.activeElement, box = one.getBoundingClientRect();
        return [one.dataset.key ?? one.id, one !== document.body && box.width > 0]"""
    lost = []
    for view, opener in (
            ("reports", "[data-key=file]"), ("reports", "#reports [data-key^='open ']"),
            ("fences", "[data-key=typed]"), ("fences", "#fences [data-key^='zone ']"),
            ("orders", "[data-key=rollcall]"), ("timers", "[data-key='checkin start']"),
            ("team", "[data-key=invite]"), ("people", ".person"), ("me", "#say-help"),
            ("map", "[data-key='tool find']"), ("map", "[data-key='tool measure']"),
            ("map", "[data-key='tool fences']"), ("map", "[data-key='tool replay']"),
            ("map", "#more"), ("map", "#contacts"), ("map", "#nearby"), ("map", "#keys"),
            ("map", "#rail [data-view=people]"), ("map", "#rail [data-view=mesh]")):
        page.view(view)
        if not page.count(opener):
            continue
        if page.count(f"#settings {opener}"):
            page.click("#more")
        page.js("document.querySelector(arguments[0]).focus()", opener)
        for key in (Keys.ENTER, Keys.ESCAPE):
            press(key)
            name, is_kept = page.js(focused)
            if not is_kept:
                lost.append((view, opener, "ENTER" if key == Keys.ENTER else "ESCAPE", name))
        page.js("document.querySelector('dialog')?.close()")
        page.close_panel()
    must(f"the focus is never lost {lost}", not lost)


# English is last: the checks that follow read English texts.
LANGUAGES = ("de", "es", "fr", "pt", "en")


def as_zoomed(page):
    """A laptop at 200 % zoom: half the CSS pixels."""
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 700, "height": 450, "deviceScaleFactor": 2, "mobile": False})


def excess(page):
    """Returns by how many pixels the page is wider than the screen."""
    return page.js("return document.documentElement.scrollWidth - innerWidth")


def accessible(page, axe):
    """Checks every panel and dialog in all languages and both themes: laptop, 200 % zoom, phone."""
    with open(axe, encoding="utf-8") as file:
        script = file.read() + ";window.axe = axe;"
    worst, wide, looks = [], [], 0
    for language in LANGUAGES:
        page.language(language)
        page.js(script)
        for size in (Page.as_laptop, as_zoomed, Page.as_phone):
            size(page)
            for theme in ("light", "dark"):
                page.theme(theme)
                name = f"{language} {size.__name__} {theme}"
                for view in VIEWS:
                    page.view(view)
                    time.sleep(0.3)
                    looks += 1
                    worst += find(page, f"{name} {view}")
                    if excess(page) > 0:
                        wide.append(f"{name} {view}")
                for dialog in dialogs(page):
                    looks += 1
                    worst += find(page, f"{name} {dialog}")
        page.as_laptop()
        page.theme("light")
    focus(page)
    must(f"no view is wider than the screen {wide[:6]}", not wide)
    version = page.js("return axe.version")
    # Each finding once, with the place where it was first seen.
    found = {(one[2], one[4]): one for one in reversed(worst)}
    must(f"axe-core {version} has no finding on {looks} screens "
         f"{json.dumps(list(found.values())[:6])}", not worst)
