"""Speech input of the page, with a recognizer that the test stands in for: the browser of the tests has
no language on the device."""

from browser import checked, must
from nodes import wait

# A browser that recognizes one language on the device, and logs what it is asked.
RECOGNIZER = """
    globalThis.webkitSpeechRecognition = undefined;
    globalThis.SpeechRecognition = class extends EventTarget {
      static asked = [];
      static async available({ langs, processLocally }) {
        this.asked.push([langs[0], processLocally]);
        return langs[0] === "%s" ? "available" : "unavailable";
      }
      start() { globalThis.recognizer = this; }
      stop() { this.dispatchEvent(new Event("end")); }
      abort() { this.isAborted = true; this.stop(); }
    };"""

SPEAK = """
    const words = Object.assign([{ transcript: " " + arguments[0] }], { isFinal: true });
    recognizer.dispatchEvent(Object.assign(new Event("result"), { results: [words], resultIndex: 0 }));"""


def opened(page, language, locale):
    """Opens a new report in a language, in a browser that recognizes one locale."""
    script = page.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": RECOGNIZER % locale})
    page.language(language)
    page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    page.view("reports")
    page.click("[data-key=file]")
    wait("the form is open", lambda: page.count("dialog .dictation"))


def dictated(page):
    for language, locale in [("de", "de-DE"), ("en", "en-US"), ("es", "es-ES"), ("fr", "fr-FR"),
                             ("pt", "pt-BR")]:
        opened(page, language, locale)
        wait("speech input is offered", lambda: page.text("dialog .dictation"))
        must(f"speech input is offered in {locale}, as recognized on the device alone",
             page.count("dialog [data-key=dictate]") == 1 and page.js(
                 "return SpeechRecognition.asked.every(([_, isLocal]) => isLocal)"))
        page.click("dialog [data-key=dictate]")
        must("in that language", page.js("return recognizer.lang") == locale
             and page.js("return recognizer.processLocally"))
        for words in ("Wind from the west,", "two people on the roof"):
            page.js(SPEAK, words)
        must("what is spoken is in the description", page.js(
            "return document.querySelector('dialog [name=description]').value")
            == "Wind from the west, two people on the roof")
        page.click("dialog [data-key=cancel]")
        wait("the microphone is off with the form", lambda: page.js("return recognizer.isAborted"))
    opened(page, "en", "tlh")
    wait("the browser was asked", lambda: page.js("return SpeechRecognition.asked.length"))
    must("without it the form offers none", page.text("dialog .dictation") == "")
    page.click("dialog [data-key=cancel]")
    checked("a description is dictated where the browser recognizes speech on the device")
