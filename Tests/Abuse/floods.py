"""A1, A2, A3, N6: random datagrams, invalid signatures, spoofed sources, amplification."""

import json
import random
import socket
import subprocess
import sys
import time

# First, because it sets the path of the other modules.
from row import Row, Verdict, check_all, check_growth, mesh, resident_kib

import datagrams

PORT = 7500


def pour(seconds, rate, target, make, flight=64, distinct=4096):
    """Sends datagrams at a rate, or as fast as possible; returns how many were sent. A given number
    is created and repeated; with none, each datagram is new."""
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    pool = [make() for _ in range(distinct)]
    sent, began = 0, time.monotonic()
    while (now := time.monotonic() - began) < seconds:
        if sent > now * rate:
            time.sleep(0.001)
            continue
        for _ in range(flight):
            try:
                end.sendto(pool[sent % distinct] if pool else make(), target)
            except OSError:
                pass
            sent += 1
    return sent


def acknowledged_meanwhile(node, seconds, made):
    """Adds reports one after another; returns them and the seconds that each took."""
    ends, took = time.monotonic() + seconds, []
    while time.monotonic() < ends:
        began = time.perf_counter()
        made.append(node.add_report(f"Meanwhile {len(made)}", "x" * 100))
        took.append(time.perf_counter() - began)
        time.sleep(0.02)
    return sorted(took)


def flooded(verdict, lab, seconds, words, inside=()):
    """Floods the nodes from another process while node 0 works; returns its status afterwards, and
    how many reports it acknowledged."""
    node, acknowledged = lab.nodes[0], []
    before = resident_kib(node)
    flood = subprocess.Popen(
        [*inside, sys.executable, __file__, *map(str, words)], stdout=subprocess.PIPE, text=True)
    took = acknowledged_meanwhile(node, seconds, acknowledged)
    sent = json.loads(flood.communicate(timeout=seconds + 60)[0])
    rate = sent["datagrams"] / sent["seconds"]
    p99 = took[int(len(took) * 0.99)] * 1000
    verdict.volume = f"{sent['datagrams']:,} datagrams, {rate:,.0f}/s for {sent['seconds']:.0f} s"
    verdict.note = (f"{len(took)} acknowledged meanwhile, p99 {p99:.0f} ms; "
                    + check_growth(verdict, node, before))
    verdict.expect(p99 <= 250, f"an acknowledgement took {p99:.0f} ms at the 99th percentile")
    status = node.status()
    check_all(verdict, lab, acknowledged)
    return status, len(acknowledged)


def flooded_by_member(options, verdict, what, seconds):
    """Runs four nodes on a bridge, one of which attacks the others; returns the status of node 0
    before and after, and how many reports it acknowledged."""
    lab = mesh(options, 4, network="bridge")
    liar = lab.nodes[3]
    liar.stop()
    lab.nodes.pop()
    before = lab.nodes[0].status()
    after, acknowledged = flooded(
        verdict, lab, seconds, [what, seconds, 5000, liar.home],
        inside=["ip", "netns", "exec", liar.namespace])
    return before, after, acknowledged


def garbage(options):
    verdict = Verdict("")
    seconds = options.volume(60, 60)
    lab = mesh(options, 3)
    flooded(verdict, lab, seconds, ["garbage", seconds, 50_000])
    return verdict


def keyless(options):
    """Sends mutated genuine datagrams and noise: none may have an effect or do harm."""
    recorder = datagrams.Recorder()
    lab = mesh(options, 3)
    for node in lab.nodes:
        node.add_report("Before", "x" * 200)
    lab.until_in_step()
    captured = [data for _, _, target, data in recorder.stop() if target == PORT]
    count = options.volume(300_000, 1_000_000)
    draw = random.Random(1)
    before, status = resident_kib(lab.nodes[0]), lab.nodes[0].status()
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for number in range(count):
        data = (datagrams.mutated(draw.choice(captured), draw) if number % 4
                else datagrams.garbage(draw))
        end.sendto(data, ("127.0.0.1", PORT))
    verdict = Verdict(f"{count:,} datagrams")
    after = lab.nodes[0].status()
    verdict.expect(after["frames"] == status["frames"], "frames appeared without an author")
    verdict.expect(after["stateHash"] == status["stateHash"], "the state changed")
    dropped = sum(after["rejected"].values()) - sum(status["rejected"].values())
    verdict.note = f"{dropped:,} read and dropped; " + check_growth(verdict, lab.nodes[0], before)
    verdict.expect(dropped > count / 100, "too few were read")
    check_all(verdict, lab)
    return verdict


def sources(options):
    """Replays a recorded handshake initiation from a hundred thousand addresses."""
    recorder = datagrams.Recorder()
    lab = mesh(options, 3)
    first = [data for _, _, target, data in recorder.stop()
             if target == PORT and data[0] == datagrams.INITIATION]
    count = options.volume(100_000, 100_000)
    before = resident_kib(lab.nodes[0])
    sprinkler = datagrams.Sprinkler()
    sprinkler.pour((first[n % len(first)] for n in range(count)), ("127.0.0.1", PORT), count)
    verdict = Verdict(f"{count:,} sources")
    peers = json.loads(lab.nodes[0].muster("peers", "--json"))
    peers = peers["peers"] if isinstance(peers, dict) else peers
    verdict.expect(len(peers) <= 1024, f"{len(peers)} peers in the table")
    names = {peer["callsign"] for peer in peers}
    verdict.expect({"N1", "N2"} <= names, f"real peers were evicted: {names}")
    verdict.note = (f"{len(peers)} peers in the table; at most {sprinkler.most:.2f} × to an address; "
                    + check_growth(verdict, lab.nodes[0], before))
    verdict.expect(sprinkler.most <= 3, f"{sprinkler.most:.2f} × to an unvalidated address")
    check_all(verdict, lab)
    return verdict


def amplification(options):
    """Checks that a datagram made without a key gets no answer."""
    lab = mesh(options, 2)
    count = options.volume(100_000, 100_000)
    draw = random.Random(2)
    sprinkler = datagrams.Sprinkler()
    sprinkler.pour((datagrams.garbage(draw) for _ in range(count)), ("127.0.0.1", PORT), 60_000)
    verdict = Verdict(f"{count:,} datagrams", note=f"{sprinkler.answered} bytes answered")
    verdict.expect(sprinkler.answered == 0, f"{sprinkler.answered} bytes to an unvalidated address")
    check_all(verdict, lab)
    return verdict


def signatures(options):
    """Floods nodes with a member's announces with invalid signatures."""
    verdict = Verdict("")
    _, status, _ = flooded_by_member(options, verdict, "signatures", options.volume(30, 60))
    throttled = status["rejected"].get("throttled", 0)
    verdict.note += f"; {throttled:,} dropped by the rate limiter of their author"
    verdict.expect(throttled > 0, "the rate limiter dropped nothing")
    return verdict


def keyed(options):
    """Sends mutated announces of others under the key, sometimes with the member's own signature."""
    verdict = Verdict("")
    before, status, acknowledged = flooded_by_member(
        options, verdict, "keyed", options.volume(20, 205))
    counted = {reason: status["rejected"][reason] - before["rejected"].get(reason, 0)
               for reason in status["rejected"]}
    verdict.note += "; " + ", ".join(
        f"{count:,} {reason}" for reason, count in sorted(counted.items()) if count)
    verdict.expect(sum(counted.values()) > 1000, "too few were read")
    verdict.expect(status["reports"] == acknowledged, "reports appeared without an author")
    return verdict


ROWS = [
    Row("A1", "mutated and random datagrams of an outsider", keyless),
    Row("A1", "mutated announces of a member, under the network key", keyed),
    Row("A2", "50,000 random datagrams/s", garbage),
    Row("A2", "5,000 invalid signatures/s by a member", signatures),
    Row("A3", "a hundred thousand spoofed sources", sources),
    Row("N6", "no amplification", amplification),
]


def main():
    """Runs the flood in a separate process: kind, seconds, rate, and the attacker's home."""
    what, seconds, rate = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    draw = random.Random(3)
    began = time.monotonic()
    if what == "garbage":
        sent = pour(seconds, rate, ("127.0.0.1", PORT), lambda: datagrams.garbage(draw))
    elif what == "keyed":
        liar, recorder = datagrams.Liar(sys.argv[4]), datagrams.Recorder("radio")
        time.sleep(4)
        captured = [liar.opened(data) for _, _, _, data in recorder.stop()
                 if data[0] == datagrams.ANNOUNCE]
        sent = pour(seconds - 4, rate, ("239.77.85.83", 7475),
                    lambda: liar.fuzzed(captured, draw), flight=8, distinct=0)
    else:
        liar = datagrams.Liar(sys.argv[4])
        sent = pour(seconds, rate, ("239.77.85.83", 7475),
                    lambda: liar.announce(liar.content(), signature=draw.randbytes(64)), flight=8)
    print(json.dumps({"datagrams": sent, "seconds": time.monotonic() - began}))


if __name__ == "__main__":
    main()
