// The texts of the page in the user's language.

import en from "./i18n/en.js";

export const names = {
  en: "English", de: "Deutsch", es: "Español", fr: "Français", pt: "Português",
};
export const language = (() => {
  const kept = localStorage.getItem("language");
  if (kept in names) return kept;
  const own = navigator.language.slice(0, 2);
  return own in names ? own : "en";
})();

/** The texts of the page, and of the node, in a language other than English. */
const [texts, nodeTexts] = language === "en" ? [en, []] : (await Promise.all([
  import(`./i18n/${language}.js`), import(`./i18n/${language}-node.js`),
])).map((module) => module.default);

/** Adds the texts of a part of the page that is loaded later. */
export async function loadTexts(name) {
  const load = async (code) => (await import(`./i18n/${code}-${name}.js`)).default;
  Object.assign(en, await load("en"));
  if (language !== "en") Object.assign(texts, await load(language));
}

/** The texts are in European Portuguese, where 0 is a plural. */
const plural = new Intl.PluralRules(language === "pt" ? "pt-PT" : language);

/**
 * A text with its `{name}` placeholders replaced. One with two forms, as "{n} zone|{n} zones", is
 * the first if `of`, or else `n`, takes the singular in this language.
 */
export function t(key, values = {}) {
  let phrase = texts[key] ?? en[key] ?? key;
  if (phrase.includes("|")) {
    const [one, other] = phrase.split("|");
    phrase = plural.select(values.of ?? values.n) === "one" ? one : other;
  }
  return phrase.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** Names an author: "Rui, through Anna's laptop"; nothing without one. */
export const byline = (text) =>
  (text ?? "").replace(/, through (.+?)'s laptop/g, (_, name) => t("through", { name }));

/** Translates texts of the node, which are in English. */
export const spoken = (text) => byline(translated(text))
  .replace(/, comes and goes: (\d+) times in 10 min$/, (_, n) => t("chatter", { n }))
  .replace(/(?<= k?m )(north|south)?-?(east|west)?(?= \(\d+°\))/, (point) => points[point] ?? point);

/** The points of the compass by their English names. */
const points = Object.fromEntries(Object.keys(en)
  .filter((key) => key.startsWith("compass.")).map((key) => [en[key], t(key)]));

function translated(text) {
  const known = nodeTexts.find(([phrase]) => phrase.test(text));
  if (!known) return text;
  const [phrase, translation, isFollowed] = known;
  const [found] = text.match(phrase);
  const rest = text.slice(found.length);
  return found.replace(phrase, translation) + (isFollowed ? translated(rest) : rest);
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

/** "4 min ago", of a time. */
export const since = (time) => ago(secondsSince(time));

export const secondsSince = (time) => (Date.now() - Date.parse(time)) / 1000;

export const clock = (time) =>
  new Date(time).toLocaleTimeString(language, { hour12: false });
