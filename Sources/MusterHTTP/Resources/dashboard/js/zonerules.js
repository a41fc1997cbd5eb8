// The rules of a zone: an alert if too few or too many people are inside, no one enters in time, or
// someone comes too close.

import { h } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt, field, form } from "./dialog.js";
import { span, t } from "./words.js";

const kinds = ["atLeast", "atMost", "entryBy", "within"];
const most = 16;
const roles = ["command", "member", "observer"];

/** The rules of a zone as a list; command removes them here. */
export function ruleList(fence, mayChange) {
  if (!fence.rules?.length) return null;
  return h("ul", { class: "people", "aria-label": t("rules") }, fence.rules.map((rule) =>
    h("li", { class: "person-line" }, h("span", { class: "why" }, words(rule)),
      mayChange && h("button", {
        class: "act", "data-key": `rule ${rule.id}`,
        "aria-label": t("rule.remove.of", { rule: words(rule) }),
        onclick: () => attempt(() => write(
          "POST", `fences/${segment(fence.id)}/rules/remove`, { rule: rule.id }), t("done")),
      }, t("rule.remove")))));
}

function words({ kind, number, role, team }) {
  const who = role ? t("rule.role", { role: t(`role.${role}`) }) : team ? t("rule.team", { team }) : "";
  const n = kind === "entryBy" ? span(number) : number;
  return `${t(`rule.${kind}`, { n })}${who}`;
}

/** Whether command can add a rule. */
export const mayAddRule = (fence) => fence.rules?.length < most;

/** The form for a new rule; a time is entered in minutes. */
export const addRule = (fence) => form(t("rule.of", { name: fence.name }), [
  field("kind", t("rule.kind"), { options: kinds.map((kind) => [kind, t(`rule.kind.${kind}`)]) }),
  field("number", t("rule.number"), {
    type: "number", min: 0, max: 100000, value: 1, required: true,
  }),
  field("role", t("rule.only.role"), {
    options: [["", t("all.role")], ...roles.map((role) => [role, t(`role.${role}`)])],
  }),
  field("team", t("rule.only.team"), { maxlength: 200 }),
], ({ kind, number, role, team }) => write("POST", `fences/${segment(fence.id)}/rules`, {
  kind, number: Number(number) * (kind === "entryBy" ? 60 : 1),
  ...(role ? { role } : {}), ...(team ? { team } : {}),
}), t("rule.add"));
