// Links between laptops; the backlog of this laptop's own peers.

import { byId, dotted, faint, fill, h, onceAFrame, svg } from "./dom.js";
import { drawerHead } from "./shell.js";
import { fixAge, on, state } from "./store.js";
import { ago, loadTexts, secondsSince, since, span, t } from "./words.js";

const mostRows = 200;

export async function openMesh() {
  await loadTexts("mesh");
  on(["status", "devices", "mesh"], onceAFrame(draw));
}

function bytes(n) {
  if (n === null) return "–";
  if (n < 10000) return `${n} B`;
  if (n < 1e6) return `${Math.round(n / 1e3)} kB`;
  return n < 1e9 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(1)} GB`;
}

function draw() {
  const { status } = state;
  if (!status) return;
  const order = { connected: 0, heard: 1, silent: 2 };
  const peers = [...status.peers].sort((a, b) =>
    order[a.state] - order[b.state] || (a.callsign < b.callsign ? -1 : 1));
  fill(byId("mesh"), drawerHead("mesh"),
    peers.length === 0 && faint(t("mesh.none")),
    linkTable(status),
    peers.map(peer),
    others(status),
    h("h3", {}, t("this.node")),
    table([
      [t("callsign"), status.callsign], [t("role"), t(`role.${status.role}`)],
      [t("device"), status.device.slice(0, 12)],
      [t("frames"), `${status.frames} · ${t("logs", { n: status.logs })}`],
      [t("quarantined"), String(status.quarantined)],
      [t("uplink"), uplink(status.uplink)],
      [t("state"), status.stateHash.slice(0, 16)],
      [t("disk"), bytes(status.diskFreeBytes)]]));
}

/** Each command post with the state of the connection, and who is connected to this one. */
const uplink = (link) => dotted(
  ...(link?.posts ?? []).map(({ url, state, sinceSeconds, advice }) =>
    [url, t(`uplink.${state}`), span(sinceSeconds), advice].filter(Boolean).join(" ")),
  link?.serves && t("uplink.serves", { at: link.serves, n: link.guests }))
  || t("uplink.none");

/** One link per pair: this laptop's own, or the one reported later. */
function pairs() {
  const chosen = new Map();
  const isOwn = (link) => link.behindFrames !== null;
  for (const link of state.mesh) {
    const key = [link.from, link.to].sort().join();
    const other = chosen.get(key);
    const isLater = !isOwn(other ?? link) && link.toldAt > other?.toldAt;
    if (!other || isOwn(link) || isLater) chosen.set(key, link);
  }
  return [...chosen.values()].sort((a, b) => isOwn(b) - isOwn(a) || b.isCurrent - a.isCurrent
    || (a.fromCallsign < b.fromCallsign ? -1 : 1));
}

const row = ([head, ...cells]) =>
  h("tr", {}, h("th", { scope: "row" }, head), cells.map((one) => h("td", {}, one)));

const table = (rows, heads = []) => [
  h("table", {}, heads.length > 0
    && h("thead", {}, h("tr", {}, heads.map((key) => h("th", { scope: "col" }, t(key))))),
    h("tbody", {}, rows.slice(0, mostRows).map(row))),
  rows.length > mostRows && faint(t("more", { n: rows.length - mostRows }))];

const steps = ({ behindFrames: n }) => (n === 0 ? t("in.step") : t("behind", { n }));

function linkTable({ device, callsign }) {
  const links = pairs();
  if (links.length === 0) return null;
  const names = new Map([[device, callsign]]);
  const rows = links.map((link) => {
    const [a, b] = [link.fromCallsign, link.toCallsign];
    names.set(link.from, a).set(link.to, b);
    const age = () => t(link.isCurrent ? "mesh.reported" : "mesh.old",
      { ago: since(link.toldAt) });
    return [t(link.isMutual ? "mesh.both" : "mesh.one", { a, b }), t(`path.${link.path}`),
      span(secondsSince(link.since)), link.behindFrames === null ? age() : steps(link)];
  });
  const drawn = graph(device, names, links);
  return [drawn, drawn && faint(t("mesh.key")),
    table(rows, ["mesh.who", "mesh.by", "mesh.for", "mesh.behind"])];
}

/** Laptops without direct contact, whose data others relayed. */
function others(status) {
  const reachable = status.peers.filter((peer) => peer.state !== "silent");
  const near = new Set([status.device, ...reachable.map((peer) => peer.device)]);
  const far = state.devices.filter((d) => !near.has(d.id) && !d.isRevoked);
  if (far.length === 0) return null;
  const stale = new Map((status.stale ?? []).map((s) => [s.device, s.seconds]));
  const rows = far.map((device) => {
    const user = state.users.get(device.user);
    const update = stale.has(device.id)
      ? t("nothing.new", { span: span(stale.get(device.id)) }) : t("updates.recent");
    const fix = user?.lat === null || !user ? t("nowhere") : t("fix", { ago: ago(fixAge(user)) });
    return [device.callsign, dotted(t(`role.${device.role}`), update, fix)];
  });
  return [h("h3", {}, t("mesh.far")), faint(t("mesh.far.why")), table(rows)];
}

function peer(one) {
  const look = one.state === "connected" && !one.isRevoked ? "safe" : "warning";
  const link = t(`peer.${one.state}`);
  return h("article", { class: `card ${look}-card` },
    h("div", { class: "head" }, h("h3", {}, one.callsign),
      h("span", { class: `state ${look}` },
        one.isRevoked ? t("peer.revoked", { link }) : link)),
    h("p", {}, steps(one)),
    faint(dotted(
      t("contact.last", { ago: ago(one.lastHeardSeconds) }),
      one.connectedSeconds !== null && t("since", { span: span(one.connectedSeconds) }),
      one.address, one.interface !== one.address && one.interface,
      one.roundTripMilliseconds !== null && `${Math.round(one.roundTripMilliseconds)} ms`,
      `↑ ${bytes(one.sentBytes)} ↓ ${bytes(one.receivedBytes)}`)));
}

// MARK: The graph, a ring so that no line crosses a third node

/** More could not be distinguished. */
const mostNodes = 20;
const mostWords = 8;

/** Ordered along the links from this laptop, so that few links cross. */
function inOrder(own, names, pairs) {
  const found = new Set();
  const visit = (one) => {
    if (found.has(one)) return;
    found.add(one);
    for (const { from, to } of pairs) {
      if (from === one) visit(to);
      if (to === one) visit(from);
    }
  };
  [own, ...names.keys()].forEach(visit);
  return [...found];
}

/** A line in the style of its path; one-way links have an arrow to the received laptop. */
function link(pair, [x, y], [u, v], hasWord) {
  const length = Math.hypot(u - x, v - y);
  const [dx, dy] = [(u - x) / length, (v - y) / length];
  const point = (along, aside) => `${x + dx * along - dy * aside} ${y + dy * along + dx * aside} `;
  const tip = length * 0.65;
  return svg("g", { class: pair.isCurrent ? pair.path : `${pair.path} old` },
    svg("line", { x1: x, y1: y, x2: u, y2: v }),
    !pair.isMutual
      && svg("polygon", { points: point(tip, 0) + point(tip - 13, 6) + point(tip - 13, -6) }),
    hasWord && svg("text", { x: (x + u) / 2, y: (y + v) / 2 + 4 }, t(`path.${pair.path}`)));
}

function graph(own, names, pairs) {
  if (names.size > mostNodes) return null;
  const order = inOrder(own, names, pairs);
  const turn = (n) => (2 * Math.PI * n) / order.length;
  const place = (n, far) => [220 + Math.sin(turn(n)) * far, 160 - Math.cos(turn(n)) * far];
  const at = (one) => place(order.indexOf(one), 110);
  const name = (one, n) => {
    const [x, y] = place(n, order.length > 12 && n % 2 ? 143 : 127);
    const side = Math.sign(Math.round(Math.sin(turn(n)) * 4));
    const letters = [...names.get(one)];
    return svg("text", { x, y: y + 4, "text-anchor": ["end", "middle", "start"][side + 1] },
      letters.length > 14 ? `${letters.slice(0, 13).join("")}…` : letters.join(""));
  };
  return svg("svg", {
    viewBox: "0 0 440 320", class: "graph", role: "img", "aria-label": t("mesh.who"),
  },
  pairs.map((pair) => link(pair, at(pair.from), at(pair.to), pairs.length <= mostWords)),
  order.map((one, n) => svg("g", { class: one === own ? "own" : "" },
    svg("circle", { cx: at(one)[0], cy: at(one)[1], r: 9 }), name(one, n))));
}
