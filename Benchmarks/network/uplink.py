#!/usr/bin/env python3
"""Uplinks: how long a fresh write takes to the command post and back (limit: 300 ms, median), how
much of a link of 1 Mbit/s (tbf) catching up with 100,000 operations fills (limit: 85 %), and whether
a mule that is a minute on the mesh and a minute online brings everything both ways."""

import time

import lab
from frames import frames

# A report says that it is there, its title, its description and when it was made.
OPERATIONS_OF_A_REPORT = 4
POST = "https://10.9.0.1:7443"


def inside(node, *words):
    return lab.run("ip", "netns", "exec", node.namespace, *words)


def close_udp(mesh):
    """From now on there are uplinks, and nothing else."""
    for node in mesh.nodes:
        inside(node, "nft", "add table inet air; add chain inet air in { type filter hook input "
               "priority 0; }; add rule inet air in meta l4proto udp drop")


def open_udp(mesh):
    for node in mesh.nodes:
        inside(node, "nft", "flush", "ruleset")


def shape(mesh, rate):
    for node in mesh.nodes:
        inside(node, "tc", "qdisc", "replace", "dev", "radio", "root", "tbf", "rate", rate,
               "burst", "15000", "latency", "50ms")


def acquainted(program, count):
    """Laptops that know the command post's certificate, on a bridge that carries no UDP any more."""
    mesh = lab.Lab(program, count)
    mesh.on_bridge()
    mesh.nodes[0].start("--serve", "10.9.0.1:7443")
    for node in mesh.nodes[1:]:
        node.start()
    mesh.until_in_step()
    for node in mesh.nodes[1:]:
        node.stop()
    close_udp(mesh)
    return mesh


def until_up(node):
    lab.wait(
        "the uplink is up", lambda: (node.status()["uplink"] or {}).get("state") == "up",
        seconds=120, poll=0.1)


def latency(options):
    mesh = acquainted(options.muster, 2)
    post, field = mesh.nodes
    field.start("--uplink", POST)
    until_up(field)
    for name, source, reader in (("up", field, post), ("down", post, field)):
        times = []
        for turn in range(options.writes):
            began = time.perf_counter()
            report = source.add_report(f"{name} {turn}", "")
            lab.wait("it arrives", lambda: reader.has_report(report), seconds=120, poll=0.0005)
            times.append((time.perf_counter() - began) * 1000)
            time.sleep(0.02)
        lab.emit(f"uplink-latency-{name}", lab.median(times), "ms", 300,
                 f"median of {len(times)} writes, command to readable at the other end; most "
                 f"{max(times):.0f}")
    mesh.close()


def catch_up(options):
    mesh = acquainted(options.muster, 2)
    post, field = mesh.nodes
    field.start()
    for index in range(options.operations // OPERATIONS_OF_A_REPORT):
        field.add_report(f"Report {index}", f"{index:06d} water over the road")
    field.stop()
    count, _ = frames(field)
    shape(mesh, options.rate)
    field.start("--uplink", POST)
    held = post.frame_count
    before = first = held()
    while first < before + 50:
        time.sleep(0.01)
        first = held()
    began, sent = time.perf_counter(), tx(field)
    last = count - (count - before) // 100
    lab.wait("it has caught up", lambda: held() >= last, seconds=900, poll=0.05)
    seconds = time.perf_counter() - began
    carried = tx(field) - sent
    post.stop()
    # Of what arrived: signatures that a run made needless stayed behind.
    held_there, size = frames(post)
    share = (last - first) / held_there * size
    link = bits(options.rate) / 8
    lab.emit("uplink-catch-up", share / seconds / link * 100, "%", 85,
             f"bodies and signatures of {count} frames, {size} bytes, of what {options.rate} (tbf) "
             f"carry; with all headers {carried / seconds / link * 100:.1f} %; "
             f"{seconds:.0f} s")
    mesh.close()


def tx(node):
    return int(inside(node, "cat", "/sys/class/net/radio/statistics/tx_bytes"))


def bits(rate):
    return float(rate.removesuffix("mbit")) * 1e6


def mule(options):
    """The mesh is 1, the mule, and 2, 3: a minute there, then a minute online, then back."""
    mesh = acquainted(options.muster, 4)
    post, carrier, *others = mesh.nodes
    post.stop()
    post.start("--serve", "10.9.0.1:7443", "--listen", "10.9.0.1:7600", "--no-multicast")
    wrote = {node.index: [] for node in mesh.nodes}
    open_udp(mesh)
    inside(post, "nft", "add table inet air; add chain inet air in { type filter hook input "
           "priority 0; }; add rule inet air in meta l4proto udp drop")

    def phase(seconds, *running):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for node in running:
                wrote[node.index].append(
                    node.add_report(f"by {node.index}", "x" * 200))
            time.sleep(1)

    for node in (carrier, *others):
        node.start()
    phase(options.minute, post, carrier, *others)
    held = wrote[1] + [r for node in others for r in wrote[node.index]]
    here = [report for report in held if carrier.has_report(report)]
    carrier.stop()
    carrier.start("--uplink", POST, "--listen", "127.0.0.1:7600", "--no-multicast")
    phase(options.minute, post)
    arrived = sum(post.has_report(report) for report in here)
    lab.emit("uplink-mule-to-post", arrived / len(here) * 100, "%", 100,
             f"{len(here)} reports that it held, after {options.minute} s online")
    known = [report for report in wrote[0] if carrier.has_report(report)]
    carrier.stop()
    carrier.start()
    lab.wait("the mesh knows what came from the command post",
             lambda: all(node.has_report(report) for node in others for report in known), 60)
    lab.emit("uplink-mule-to-mesh", len(known) / len(wrote[0]) * 100, "%", 100,
             f"{len(wrote[0])} reports of the command post, back on the mesh")
    mesh.close()


if __name__ == "__main__":
    parser = lab.arguments(__doc__)
    parser.add_argument("--writes", type=int, default=100)
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--rate", default="1mbit")
    parser.add_argument("--minute", type=int, default=60, help="seconds")
    parser.add_argument("--only", choices=["latency", "catch-up", "mule"])
    options = parser.parse_args()
    for name, measure in (("latency", latency), ("catch-up", catch_up), ("mule", mule)):
        if options.only in (None, name):
            measure(options)
