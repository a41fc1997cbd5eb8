// Whom this laptop hears, by which path, how far behind each is.

import { byId, fill, h, onceAFrame } from "./dom.js";
import { on, state } from "./store.js";
import { ago, span, t } from "./words.js";

export function openMesh() {
  on(["status"], onceAFrame(draw));
}

const bytes = (n) => (n === null ? "–" : n < 10000 ? `${n} B` : n < 1e7 ? `${Math.round(n / 1e3)} kB` : `${(n / 1e6).toFixed(1)} MB`);

function draw() {
  const { status } = state;
  if (!status) return;
  const order = { connected: 0, heard: 1, silent: 2 };
  const peers = [...status.peers].sort((a, b) => order[a.state] - order[b.state] || (a.callsign < b.callsign ? -1 : 1));
  const line = (word, value) => h("tr", {}, h("th", { scope: "row" }, word), h("td", {}, value));
  fill(byId("mesh"), h("h2", {}, t("mesh")),
    peers.length === 0 && h("p", { class: "faint" }, t("mesh.none")),
    peers.map(peer),
    h("h2", {}, t("this.node")),
    h("table", {}, h("tbody", {},
      line(t("callsign"), status.callsign), line(t("role"), t(`role.${status.role}`)), line(t("device"), status.device.slice(0, 12)),
      line(t("frames"), `${status.frames} · ${t("logs", { n: status.logs })}`), line(t("quarantined"), String(status.quarantined)),
      line(t("uplink"), uplink(status.uplink)), line(t("state.hash"), status.stateHash.slice(0, 16)),
      line(t("disk"), bytes(status.diskFreeBytes)))));
}

const uplink = (link) => (link === null || link === undefined ? t("uplink.none")
  : typeof link === "object" ? Object.entries(link).map(([k, v]) => `${k}: ${JSON.stringify(v)}`).join(", ") : String(link));

function peer(one) {
  const look = { connected: "safe", heard: "unknown", silent: "unsafe" }[one.state] ?? "unknown";
  return h("article", { class: `card ${look}-card` },
    h("div", { class: "head" }, h("h3", {}, one.callsign), h("span", { class: `state ${look}` }, t(`peer.${one.state}`))),
    h("p", {}, one.behindFrames === 0 ? t("in.step") : t("behind", { n: one.behindFrames })),
    h("p", { class: "faint" }, [
      t("heard", { ago: ago(one.lastHeardSeconds) }),
      one.connectedSeconds !== null && t("since", { span: span(one.connectedSeconds) }),
      [one.address, one.interface].filter(Boolean).join(" · "),
      one.roundTripMilliseconds !== null && `${Math.round(one.roundTripMilliseconds)} ms`,
      `↑ ${bytes(one.sentBytes)} ↓ ${bytes(one.receivedBytes)}`,
    ].filter(Boolean).join(" · ")));
}
