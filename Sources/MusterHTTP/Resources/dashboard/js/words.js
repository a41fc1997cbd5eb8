// The texts of the page in the user's language.

import english from "./i18n/en.js";
import englishNode from "./i18n/en-node.js";

export const names = {
  en: "English", de: "Deutsch", es: "Español", fr: "Français", pt: "Português",
};
export const language = (() => {
  const kept = localStorage.getItem("language");
  if (kept in names) return kept;
  const own = navigator.language.slice(0, 2);
  return own in names ? own : "en";
})();

const part = async (code, name) => (await import(`./i18n/${code}-${name}.js`)).default;

/** The texts of the page, and the phrases of the node (`PhraseKey`). */
const en = { ...english, ...englishNode };
const texts = language === "en" ? en : Object.assign({}, ...await Promise.all([
  import(`./i18n/${language}.js`).then((module) => module.default), part(language, "node"),
]));

/** Adds the texts of a part of the page that is loaded later. */
export async function loadTexts(name) {
  Object.assign(en, await part("en", name));
  if (language !== "en") Object.assign(texts, await part(language, name));
}

/** The texts are in European Portuguese, where 0 is a plural. */
const plural = new Intl.PluralRules(language === "pt" ? "pt-PT" : language);

/**
 * A text with its `{name}` placeholders replaced, of a list with commas, or with the words in
 * `{name: or }`. A segment such as `[: {note}]` is left out if a value in it is empty. A text with
 * two forms, as "{n} zone|{n} zones", is the first if `of`, or else `n`, takes the singular in this
 * language.
 */
export function t(key, values = {}) {
  let text = texts[key] ?? en[key] ?? key;
  if (text.includes("|")) {
    const [one, other] = text.split("|");
    text = plural.select(values.of ?? values.n) === "one" ? one : other;
  }
  if (text.includes("[")) {
    text = text.replace(/\[([^\]]*)\]/g, (_, part) =>
      ([...part.matchAll(/\{(\w+)/g)].every(([, name]) => worded(values[name]) !== "") ? part : ""));
  }
  return text.replace(/\{(\w+)(?::([^}]*))?\}/g, (_, name, between) => worded(values[name], between));
}

function worded(value, between = ", ") {
  if (Array.isArray(value)) return value.map((one) => worded(one)).join(between);
  return value?.key ? said(value) : String(value ?? "");
}

/** A text of the node, which sends its key with values; in English if this page lacks the key. */
export const said = (phrase, text = "") =>
  (phrase && Object.hasOwn(en, phrase.key) ? t(phrase.key, phrase.values ?? {}) : text);

/** Names an author: "Rui, through Anna's laptop", "Rui, via Anna's post"; nothing without one. */
export const byline = (text) => (text ?? "").replace(
  /^(.*), (through (.+)'s laptop|via (.+)'s post)$/,
  (_, name, __, via, post) => (via ? t("throughLaptop", { name, via }) : t("viaPost", { name, post })));

/** The errors of the node that a user reads, by patterns: they come long after the page. */
let errors = [];
if (language !== "en") part(language, "errors").then((list) => { errors = list; }, () => {});

/** Translates an error of the node, which is in English. */
export function spoken(text) {
  const known = errors.find(([pattern]) => pattern.test(text));
  return known ? text.replace(...known) : text;
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
