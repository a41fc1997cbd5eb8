// Speech input for a text field, only where the browser recognizes speech on this device: nothing
// that is spoken leaves it.

import { button, faint, h } from "./dom.js";
import { language, t } from "./words.js";

const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;
const locale = { en: "en-US", pt: "pt-PT" }[language];

/** A button that writes what is spoken into the field; nothing where there is none. */
export function dictation(name) {
  const line = h("div", { class: "dictation" });
  offer(line, name);
  return line;
}

async function offer(line, name) {
  const options = { langs: [locale], processLocally: true };
  let found = "unavailable";
  try {
    found = await Recognition?.available?.(options) ?? found;
  } catch {
    // A browser that rejects the question cannot do it.
  }
  if (found !== "available") return;
  const start = button(`🎤 ${t("dictate")}`, "dictate", () => listen(start, line, name),
    { type: "button", "aria-pressed": "false" });
  line.replaceChildren(start);
}

let running = null;
function listen(start, line, name) {
  if (running) return running.stop();
  const field = line.closest("form").querySelector(`[name="${name}"]`);
  running = new Recognition();
  Object.assign(running, { lang: locale, processLocally: true, continuous: true });
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
  start.setAttribute("aria-pressed", "true");
  running.start();
}
