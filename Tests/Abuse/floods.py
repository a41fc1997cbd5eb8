"""A1, A2, A3, N6: garbage, bad signatures, false sources, amplification."""

import json
import random
import socket
import subprocess
import sys
import time

# First, since it says where the other modules are.
from row import Row, Verdict, check_all, check_growth, mesh, resident_kib

import datagrams

PORT = 7500


def pour(seconds, rate, target, make, flight=64, distinct=4096):
    """So many datagrams a second, or as many as can be sent; returns how many left. So many are
    made, and repeated; where that is none, each is made anew."""
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
    """Reports that are added one after another, and how long each took, in seconds."""
    ends, took = time.monotonic() + seconds, []
    while time.monotonic() < ends:
        began = time.perf_counter()
        made.append(node.add_report(f"Meanwhile {len(made)}", "x" * 100))
        took.append(time.perf_counter() - began)
        time.sleep(0.02)
    return sorted(took)


def flooded(verdict, lab, seconds, words, inside=()):
    """Another process floods the nodes while node 0 goes on working; answers what 0 then says, and
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
    """Of four on a bridge one has turned against the others; answers what node 0 said before and
    then, and how many reports it acknowledged."""
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
    """Genuine datagrams, mutated, and noise: none may count, none may hurt."""
    recorder = datagrams.Recorder()
    lab = mesh(options, 3)
    for node in lab.nodes:
        node.add_report("Before", "x" * 200)
    lab.until_in_step()
    heard = [data for _, _, target, data in recorder.stop() if target == PORT]
    count = options.volume(300_000, 1_000_000)
    draw = random.Random(1)
    before, status = resident_kib(lab.nodes[0]), lab.nodes[0].status()
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for number in range(count):
        data = (datagrams.mutated(draw.choice(heard), draw) if number % 4
                else datagrams.garbage(draw))
        end.sendto(data, ("127.0.0.1", PORT))
    verdict = Verdict(f"{count:,} datagrams")
    after = lab.nodes[0].status()
    verdict.expect(after["frames"] == status["frames"], "frames came out of nothing")
    verdict.expect(after["stateHash"] == status["stateHash"], "the state changed")
    dropped = sum(after["rejected"].values()) - sum(status["rejected"].values())
    verdict.note = f"{dropped:,} read and dropped; " + check_growth(verdict, lab.nodes[0], before)
    verdict.expect(dropped > count / 100, "hardly any was read")
    check_all(verdict, lab)
    return verdict


def sources(options):
    """A recorded first message of a handshake, from a hundred thousand addresses."""
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
    verdict.expect({"N1", "N2"} <= names, f"real peers were pushed out: {names}")
    verdict.note = (f"{len(peers)} peers in the table; at most {sprinkler.most:.2f} × to an address; "
                    + check_growth(verdict, lab.nodes[0], before))
    verdict.expect(sprinkler.most <= 3, f"{sprinkler.most:.2f} × to an address that proved nothing")
    check_all(verdict, lab)
    return verdict


def amplification(options):
    """What nobody's key made is answered with nothing at all."""
    lab = mesh(options, 2)
    count = options.volume(100_000, 100_000)
    draw = random.Random(2)
    sprinkler = datagrams.Sprinkler()
    sprinkler.pour((datagrams.garbage(draw) for _ in range(count)), ("127.0.0.1", PORT), 60_000)
    verdict = Verdict(f"{count:,} datagrams", note=f"{sprinkler.answered} bytes answered")
    verdict.expect(sprinkler.answered == 0, f"{sprinkler.answered} bytes to who proved nothing")
    check_all(verdict, lab)
    return verdict


def signatures(options):
    """A member floods the others with announces whose signatures do not hold."""
    verdict = Verdict("")
    _, status, _ = flooded_by_member(options, verdict, "signatures", options.volume(30, 60))
    throttled = status["rejected"].get("throttled", 0)
    verdict.note += f"; {throttled:,} unread for their author's allowance"
    verdict.expect(throttled > 0, "nobody was throttled")
    return verdict


def keyed(options):
    """A member says what others said, mutated, under the key and sometimes its own signature."""
    verdict = Verdict("")
    before, status, acknowledged = flooded_by_member(
        options, verdict, "keyed", options.volume(20, 205))
    counted = {reason: status["rejected"][reason] - before["rejected"].get(reason, 0)
               for reason in status["rejected"]}
    verdict.note += "; " + ", ".join(
        f"{count:,} {reason}" for reason, count in sorted(counted.items()) if count)
    verdict.expect(sum(counted.values()) > 1000, "hardly any was read")
    verdict.expect(status["reports"] == acknowledged, "reports out of nothing")
    return verdict


ROWS = [
    Row("A1", "mutated and random datagrams of an outsider", keyless),
    Row("A1", "mutated words of a member, under the operation's key", keyed),
    Row("A2", "50,000 datagrams/s of garbage", garbage),
    Row("A2", "5,000 bad signatures/s by a member", signatures),
    Row("A3", "a hundred thousand false sources", sources),
    Row("N6", "nothing to amplify", amplification),
]


def main():
    """The flood, in a process of its own: what, seconds, rate, and the liar's home."""
    what, seconds, rate = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    draw = random.Random(3)
    began = time.monotonic()
    if what == "garbage":
        sent = pour(seconds, rate, ("127.0.0.1", PORT), lambda: datagrams.garbage(draw))
    elif what == "keyed":
        liar, recorder = datagrams.Liar(sys.argv[4]), datagrams.Recorder("radio")
        time.sleep(4)
        heard = [liar.opened(data) for _, _, _, data in recorder.stop()
                 if data[0] == datagrams.ANNOUNCE]
        sent = pour(seconds - 4, rate, ("239.77.85.83", 7475),
                    lambda: liar.fuzzed(heard, draw), flight=8, distinct=0)
    else:
        liar = datagrams.Liar(sys.argv[4])
        sent = pour(seconds, rate, ("239.77.85.83", 7475),
                    lambda: liar.announce(liar.content(), signature=draw.randbytes(64)), flight=8)
    print(json.dumps({"datagrams": sent, "seconds": time.monotonic() - began}))


if __name__ == "__main__":
    main()
