"""Firefox by WebDriver BiDi, which it speaks itself: Debian has no geckodriver."""

import atexit
import base64
import json
import os
import subprocess

from row import free_port, wait

PREFERENCES = {
    "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False, "browser.aboutwelcome.enabled": False,
    "services.settings.server": "data:,none", "network.captive-portal-service.enabled": False}


class Firefox:
    """One window. The methods are those of a Selenium driver that the pages of these tests use."""

    def __init__(self, profile):
        import websocket
        os.makedirs(profile)
        with open(os.path.join(profile, "user.js"), "w", encoding="utf-8") as file:
            for name, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        port = free_port()
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", profile,
             "--width", "1440", "--height", "900", "--remote-debugging-port", str(port)],
            stdout=subprocess.DEVNULL, stderr=open(profile + ".log", "w"),
            env=dict(os.environ, HOME=profile))
        atexit.register(self.process.kill)

        def connect():
            try:
                return websocket.create_connection(
                    f"ws://127.0.0.1:{port}/session", timeout=60, suppress_origin=True)
            except OSError:
                return None

        self.socket = wait("Firefox listens", connect)
        self.count, self.logged = 0, []
        session = self.command("session.new", capabilities={})
        self.name = "Firefox " + session["capabilities"]["browserVersion"]
        self.context = self.command("browsingContext.getTree")["contexts"][0]["context"]
        self.command("session.subscribe", events=["log.entryAdded"])
        self.command("browsingContext.setViewport", context=self.context,
                     viewport={"width": 1440, "height": 900})

    def command(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps(
            {"id": self.count, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("method") == "log.entryAdded":
                self.logged.append(answer["params"])
            if answer.get("id") != self.count:
                continue
            if answer["type"] == "error":
                raise SystemExit(f"{method}: {answer['error']}: {answer['message']}")
            return answer["result"]

    def get(self, url):
        self.command("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def execute_script(self, code, *values):
        """Runs the body of a function; arguments and result are JSON."""
        result = self.command(
            "script.callFunction", target={"context": self.context}, awaitPromise=True,
            functionDeclaration="(all) => JSON.stringify((function () {" + code
            + "}).apply(null, JSON.parse(all)) ?? null)",
            arguments=[{"type": "string", "value": json.dumps(values)}])
        if result["type"] == "exception":
            raise SystemExit(f"{result['exceptionDetails']['text']} in {code[:200]}")
        return json.loads(result["result"]["value"])

    def press(self, selector):
        """Moves the pointer to the middle of an element and clicks."""
        x, y = self.execute_script("""const one = document.querySelector(arguments[0]);
            one.scrollIntoView({block: "nearest"});
            const box = one.getBoundingClientRect();
            return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];""",
                                   selector)
        self.command("input.performActions", context=self.context, actions=[{
            "type": "pointer", "id": "mouse", "actions": [
                {"type": "pointerMove", "x": x, "y": y},
                {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}])

    def save_screenshot(self, path):
        picture = self.command("browsingContext.captureScreenshot", context=self.context)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def errors(self):
        """Returns the errors that the browser logged, except for tiles beyond the small map."""
        self.command("session.status")
        return [one["text"] for one in self.logged
                if one["level"] == "error" and "/tiles/" not in one["text"]]

    def quit(self):
        self.command("browser.close")
        self.process.wait(30)
