// Whom this laptop hears, by which path, how far behind each is; and what is known of the others.

import { byId, fill, h, onceAFrame } from "./dom.js";
import { fixAge, on, state } from "./store.js";
import { ago, span, t } from "./words.js";

const mostFar = 200;

export function openMesh() {
  on(["status", "devices"], onceAFrame(draw));
}

function bytes(n) {
  if (n === null) return "–";
  if (n < 10000) return `${n} B`;
  if (n < 1e7) return `${Math.round(n / 1e3)} kB`;
  return n < 1e9 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(1)} GB`;
}

function draw() {
  const { status } = state;
  if (!status) return;
  const order = { connected: 0, heard: 1, silent: 2 };
  const peers = [...status.peers].sort((a, b) =>
    order[a.state] - order[b.state] || (a.callsign < b.callsign ? -1 : 1));
  const line = (word, value) => h("tr", {}, h("th", { scope: "row" }, word), h("td", {}, value));
  fill(byId("mesh"), h("h2", {}, t("mesh")),
    peers.length === 0 && h("p", { class: "faint" }, t("mesh.none")),
    peers.map(peer),
    others(status),
    h("h2", {}, t("this.node")),
    h("table", {}, h("tbody", {},
      line(t("callsign"), status.callsign), line(t("role"), t(`role.${status.role}`)),
      line(t("device"), status.device.slice(0, 12)),
      line(t("frames"), `${status.frames} · ${t("logs", { n: status.logs })}`),
      line(t("quarantined"), String(status.quarantined)),
      line(t("uplink"), uplink(status.uplink)),
      line(t("state.hash"), status.stateHash.slice(0, 16)),
      line(t("disk"), bytes(status.diskFreeBytes)))));
}

const uplink = (link) => (link ? Object.entries(link)
  .map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ") : t("uplink.none"));

/**
 * Laptops that this one does not hear itself: what it has of them came by way of others. Nobody
 * tells whom they hear, so which way it came is not known.
 */
function others(status) {
  const heard = status.peers.filter((peer) => peer.state !== "silent");
  const near = new Set([status.device, ...heard.map((peer) => peer.device)]);
  const far = state.devices.filter((d) => !near.has(d.id) && !d.isRevoked);
  if (far.length === 0) return null;
  const stale = new Map((status.stale ?? []).map((s) => [s.device, s.seconds]));
  const rows = far.map((device) => {
    const user = state.users.get(device.user);
    const news = stale.has(device.id)
      ? t("nothing.new", { span: span(stale.get(device.id)) }) : t("news.recent");
    const fix = user?.lat === null || !user ? t("nowhere") : t("fix", { ago: ago(fixAge(user)) });
    return h("tr", {}, h("th", { scope: "row" }, device.callsign),
      h("td", {}, [t(`role.${device.role}`), news, fix].join(" · ")));
  });
  return [h("h2", {}, t("mesh.far")),
    h("p", { class: "faint" }, t("mesh.far.why"), " ", t("mesh.far.unknown")),
    h("table", {}, h("tbody", {}, rows.slice(0, mostFar))),
    rows.length > mostFar && h("p", { class: "faint" }, t("more", { n: rows.length - mostFar }))];
}

function peer(one) {
  const look = { connected: "safe", heard: "unknown", silent: "unsafe" }[one.state] ?? "unknown";
  return h("article", { class: `card ${look}-card` },
    h("div", { class: "head" }, h("h3", {}, one.callsign),
      h("span", { class: `state ${look}` }, t(`peer.${one.state}`))),
    h("p", {}, one.behindFrames === 0 ? t("in.step") : t("behind", { n: one.behindFrames })),
    h("p", { class: "faint" }, [
      t("heard", { ago: ago(one.lastHeardSeconds) }),
      one.connectedSeconds !== null && t("since", { span: span(one.connectedSeconds) }),
      [one.address, one.interface].filter(Boolean).join(" · "),
      one.roundTripMilliseconds !== null && `${Math.round(one.roundTripMilliseconds)} ms`,
      `↑ ${bytes(one.sentBytes)} ↓ ${bytes(one.receivedBytes)}`,
    ].filter(Boolean).join(" · ")));
}
