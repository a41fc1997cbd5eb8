"""Rows that are simulated, or tests of the suite at a larger volume."""

import itertools
import os
import subprocess
from concurrent import futures

from row import ROOT, Row, Verdict


def simulated(options, *words):
    done = subprocess.run(
        [options.sim, *words], capture_output=True, text=True, cwd=ROOT)
    return done.returncode == 0, done.stdout + done.stderr


def crash_points(options):
    points = options.volume(150, 1000)
    held, output = simulated(options, "crashpoints", "--points", str(points))
    verdict = Verdict(f"{points} points of each kind of power cut and failing call")
    verdict.expect(held, output[-600:])
    return verdict


def stories(*files, full=100):
    """Runs scenario files with a number of seeds each, one run per processor."""

    def run(options):
        seeds = options.volume(3, full)
        verdict = Verdict(f"{len(files)} scenarios × {seeds} seeds")

        def play(drawn):
            file, seed = drawn
            return simulated(options, "run", f"simulations/{file}.yaml", "--seed", str(seed))

        drawn = list(itertools.product(files, range(1, seeds + 1)))
        with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (file, seed), (held, output) in zip(drawn, pool.map(play, drawn)):
                verdict.expect(held, f"{file}, seed {seed}: {output[-300:]}")
        return verdict

    return run


def swarm(options):
    count = options.volume(60, 10_000)
    held, output = simulated(options, "swarm", "--seeds", str(count), "--json",
                             "--failures", "/tmp/muster-abuse-failures")
    verdict = Verdict(f"{count} random scenarios with every fault")
    verdict.expect(held, output[-600:])
    return verdict


def suite(filter_, quick, full, words, times=1):
    """Runs tests with a given volume: a number, or a multiple of their own."""

    def run(options):
        volume = options.volume(quick, full)
        done = subprocess.run(
            ["swift", "test", "-c", "release", "--explicit-target-dependency-import-check", "error",
             "--scratch-path", ".build/optimized", "-Xswiftc", "-enable-testing",
             "--skip-build", "--disable-xctest", "--filter", filter_],
            capture_output=True, text=True, cwd=ROOT,
            env={**os.environ, "MUSTER_VOLUME": str(volume)})
        verdict, output = Verdict(words.format(volume * times)), done.stdout + done.stderr
        issues = [line for line in output.splitlines() if "recorded an issue" in line]
        verdict.expect(done.returncode == 0 and "passed after" in output,
                       "\n".join(issues)[:2000] or output[-600:])
        return verdict

    return run


def insider(number, words, times, quick=250):
    """Runs an insider row, in thousandths of the stated volume."""
    return suite(f"InsiderVolumeTests/.*{number}:", quick, 1000, words, times=times)


ROWS = [
    Row("S1", "power cuts and failing calls at every point", crash_points),
    Row("S4", "flipped bytes, truncated files, zeroed pages",
        suite("MusterStoreTests.*PageTests|MusterReplicaTests.DamageTests", 3, 50,
              "{:,} flips detected; a twentieth as many repaired by a peer", times=200)),
    Row("A6", "a stolen laptop, commanders who revoke each other",
        stories("stolen-laptop", "dismissed-commander", full=500)),
    Row("N1", "loss of 30, 70 and 90 %; asymmetric links",
        stories("backlog-30", "backlog-70", "backlog-90", "backlog-lopsided")),
    Row("N2", "tenfold duplication and reordering",
        suite("MusterSyncTests.DisorderTests", 60, 1000, "{:,} seeds")),
    Row("C1", "clocks that are wrong by years", stories("wrong-clocks", full=1000)),
    Row("A5", "a member that writes without permission", stories("insider")),
    Row("R1", "withholding, floods, forks, replays", stories("saboteurs", "two-tongues", "outsider")),
    Row("R1", "only the stalled peer is reported",
        suite("MusterSyncTests.WithholdingScheduleTests", 100, 1000, "{:,} schedules")),
    Row("G0", "random scenarios", swarm),
    Row("N3", "datagrams with flipped bits, truncated, extended",
        suite("MusterSyncTests.MutationTests", 300_000, 1_000_000, "{:,} datagrams")),
    Row("I1", "a revoked device joins again",
        insider("I1", "{:,.0f} schedules", 0.1)),
    Row("I2", "authors whose admitter is out of reach",
        insider("I2", "{:,.0f} schedules, three authors for ten of them", 1)),
    Row("I4", "unlimited openings of logs",
        insider("I4", "{:,} openings", 1000)),
    Row("I5", "unlimited receipts and trackers",
        insider("I5", "{:,.2f} times their bounds", 0.01)),
    Row("I8", "frames under invented epochs",
        insider("I8", "{:,} frames", 100)),
    Row("I12", "a state folder that cannot be written",
        suite("MusterNodeTests.StateFolderTests", 250, 1000, "{:,} starts")),
    Row("I13", "an epoch with the greatest generation",
        suite("MusterReplicaTests.EpochChoiceTests", 1, 1, "every role, before and after a revocation")),
    Row("A8", "published vectors, and nonces",
        suite("MusterCryptoTests", 1_000_000, 10_000_000, "all vectors, {:,} nonces")),
]
