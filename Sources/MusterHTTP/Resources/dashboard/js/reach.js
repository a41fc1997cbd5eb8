// People behind laptops that do not answer are pale on the map and in the list, unless another path
// brought newer data about them; danger never is. Loaded after the first view.

import { on, passed, secondsLoaded, state } from "./store.js";
import { redrawMap } from "./map/map.js";

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
let shown = "";

/** By person: how many seconds ago their laptops answered last, if none of them answers now. */
function silences() {
  const peers = new Map((state.status?.peers ?? []).map((one) => [one.device, one]));
  const found = new Map();
  for (const { id, user } of state.devices) {
    const peer = peers.get(id);
    if (!peer) continue;
    const since = peer.state === "silent" ? peer.lastHeardSeconds + secondsLoaded("status") : 0;
    found.set(user, Math.min(since, found.get(user) ?? Infinity));
  }
  return found;
}

function mark() {
  const silent = silences();
  const pale = [];
  for (const user of state.users.values()) {
    const since = silent.get(user.owner ?? user.id) ?? 0;
    // A second for rounded ages.
    user.isPale = since > 0 && user.age?.seconds + passed() + 1 >= since;
    if (user.isPale) pale.push(`#people [data-key="${user.id}"]:not(.is-danger) :is(.name, .age)`);
  }
  const rules = pale.length > 0 ? `${pale} { color: var(--faint); font-weight: 400; font-style: italic; }` : "";
  if (rules === shown) return;
  shown = rules;
  sheet.replaceSync(rules);
  redrawMap();
}

on(["users", "devices", "status"], mark);
mark();
