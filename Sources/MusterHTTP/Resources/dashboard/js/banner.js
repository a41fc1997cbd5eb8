// Warns of outdated data: no connection to the node, or no other laptop in range of the node.

import { byId } from "./dom.js";
import { clock, t } from "./words.js";

const patience = 1500;
let lostAt = null;
let alone = false;
let timer;

export function nodeLink(isUp) {
  if (isUp) lostAt = null;
  else lostAt ??= Date.now();
  clearTimeout(timer);
  // A connection that returns immediately is not reported.
  timer = setTimeout(draw, isUp ? 0 : Math.max(0, lostAt + patience - Date.now()));
}

export function fieldLink(status) {
  alone = status.peers.length > 0 && status.peers.every((p) => p.state !== "connected");
  draw();
}

function draw() {
  const banner = byId("banner");
  const isLost = lostAt !== null && Date.now() - lostAt >= patience;
  banner.classList.toggle("field", !isLost);
  const text = isLost ? t("lost.node", { time: clock(lostAt) }) : alone ? t("lost.field") : "";
  if (banner.textContent !== text) banner.textContent = text;
  banner.hidden = text === "";
}
