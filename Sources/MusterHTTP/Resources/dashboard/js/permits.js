// Entry permits: who may be in a hazard zone, and until when. Their form is in `personforms.js`.

import { button, dotted, h } from "./dom.js";
import { segment, write } from "./api.js";
import { attempt } from "./dialog.js";
import { isCommand, load, state } from "./store.js";
import { byline, t } from "./words.js";
import { timeLeft } from "./status.js";

/** The active hazard zones, by name. */
export const hazards = () => [...state.fences.values()]
  .filter(({ kind, active }) => kind === "hazard" && active).sort((a, b) => (a.name < b.name ? -1 : 1));

/** The seconds until a permit ends, by the clock of the laptop that issued it. */
const secondsLeft = ({ issuedAt, durationSeconds }) => (Date.parse(issuedAt) - Date.now()) / 1000 + durationSeconds;
const isValid = (one) => !one.revoked && secondsLeft(one) > 0;

/** The permits of a person or of their team, or those for a zone. */
const permitsOf = ({ callsign, team, kind, id }) => state.permits.filter((one) => isValid(one)
  && (kind ? one.zone === id : one.people.includes(callsign) || (team && one.team === team)));

/** "Ben, Cleo" or "Team South". */
const holder = ({ people, team }) => people.join(", ") || t("team.of.name", { team });

/** The list of the permits of a person, or for a zone; command withdraws them. Nothing without any. */
export function permitList(one) {
  const all = permitsOf(one);
  return all.length > 0 && h("section", {}, h("h3", {}, t("permits")),
    h("ul", { class: "people", "aria-label": t("permits") }, all.map((permit) => {
      const name = `${holder(permit)} → ${permit.zoneName}`;
      return h("li", { class: "person-line" }, h("span", { class: "name" }, name),
        h("span", { class: "why" }, dotted(timeLeft(secondsLeft(permit)), byline(permit.callsign))),
        isCommand() && button(t("permit.withdraw"), `permit ${permit.id}`, () => withdraw(permit),
          { class: "act", "aria-label": t("permit.withdraw.of", { name }) }));
    })));
}

const withdraw = ({ id }) => attempt(() => revoke(id), t("done"));

/** Withdraws a permit. */
export async function revoke(id) {
  await write("POST", `permits/${segment(id)}/revoke`);
  load("permits");
}

/** The button that issues a permit to a person, or for a zone; nothing where none can be issued. */
export const permitButton = (one) => isCommand()
  && (one.kind ? one.kind === "hazard" && one.active : hazards().length > 0)
  && button(t("permit.new"), "permit new", async () => (await import("./personforms.js")).permit(one));
