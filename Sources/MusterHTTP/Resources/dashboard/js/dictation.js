// Speech input for a text field, only where the browser recognizes speech on this device: nothing
// that is spoken leaves it.

import { button, faint, h } from "./dom.js";
import { language, t } from "./words.js";

const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;
/** A browser recognizes a language as it is spoken in some regions. The user's own come first. */
const locales = [
  ...navigator.languages.filter((one) => one.startsWith(`${language}-`)),
  ...{ en: ["en-US"], pt: ["pt-PT", "pt-BR"] }[language] ?? [`${language}-${language.toUpperCase()}`],
];

/** A button that writes what is spoken into the field, where it can. */
export function dictation(name) {
  const line = h("div", { class: "dictation" });
  offer(line, name);
  return line;
}

async function offer(line, name) {
  const lang = await recognized();
  if (!lang) return;
  const start = button(`🎤 ${t("dictate")}`, "dictate", () => listen(start, line, name, lang),
    { type: "button", "aria-pressed": "false" });
  line.replaceChildren(start);
}

/** The first of the locales that is recognized on this device. */
async function recognized() {
  for (const lang of locales) {
    try {
      const found = await Recognition?.available?.({ langs: [lang], processLocally: true });
      if (found === "available") return lang;
    } catch {
      // A browser that rejects the question cannot do it.
    }
  }
  return null;
}

let running = null;
function listen(start, line, name, lang) {
  if (running) return running.stop();
  const field = line.closest("form").querySelector(`[name="${name}"]`);
  running = new Recognition();
  Object.assign(running, { lang, processLocally: true, continuous: true });
  running.addEventListener("result", ({ results, resultIndex }) => {
    for (const result of [...results].slice(resultIndex)) {
      if (result.isFinal) field.value = `${field.value} ${result[0].transcript.trim()}`.trim();
    }
  });
  running.addEventListener("error", ({ error }) => line.append(faint(t("dictate.failed", { error }))));
  running.addEventListener("end", () => {
    running = null;
    start.setAttribute("aria-pressed", "false");
  });
  // The microphone is off once the form is gone.
  line.closest("dialog").addEventListener("close", () => running?.abort(), { once: true });
  start.setAttribute("aria-pressed", "true");
  running.start();
}
