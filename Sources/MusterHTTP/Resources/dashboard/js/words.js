// The texts of the page in the user's language.

import en from "./i18n/en.js";
import pt from "./i18n/pt.js";
import ptNode from "./i18n/pt-node.js";

const languages = { en, pt };
export const names = { en: "English", pt: "Português" };
export const language = (() => {
  const kept = localStorage.getItem("language");
  if (kept in languages) return kept;
  return navigator.language.startsWith("pt") ? "pt" : "en";
})();

/** A text with its `{name}` placeholders replaced. */
export function t(key, values = {}) {
  const phrase = languages[language][key] ?? en[key] ?? key;
  return phrase.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** Translates texts of the node, which are in English. */
export function spoken(text) {
  const known = language === "pt" && ptNode.find(([phrase]) => phrase.test(text));
  if (!known) return text;
  const [phrase, translation, isFollowed] = known;
  const [found] = text.match(phrase);
  const rest = text.slice(found.length);
  return found.replace(phrase, translation) + (isFollowed ? spoken(rest) : rest);
}

export function choose(name) {
  localStorage.setItem("language", name);
  location.reload();
}

/** A duration, such as "4 min". */
export function span(seconds) {
  if (seconds === null || seconds === undefined) return t("never");
  if (seconds < 60) return t("seconds", { n: Math.max(0, Math.round(seconds)) });
  if (seconds < 5400) return t("minutes", { n: Math.round(seconds / 60) });
  if (seconds < 172800) return t("hours", { n: Math.round(seconds / 3600) });
  return t("days", { n: Math.round(seconds / 86400) });
}

export const ago = (seconds) =>
  seconds === null || seconds === undefined ? t("never") : t("ago", { span: span(seconds) });

export const secondsSince = (time) => (Date.now() - Date.parse(time)) / 1000;

export const clock = (time) =>
  new Date(time).toLocaleTimeString(language, { hour12: false });
