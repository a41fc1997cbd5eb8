// The rules of a zone: an alert if too few or too many people are inside, no one enters in time, or
// someone comes too close.

import { h } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt } from "./dialog.js";
import { span, t } from "./words.js";

const most = 16;

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
