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
    """Scenario files, each played to its end with so many seeds, as many at once as there are
    processors."""

    def run(options):
        seeds = options.volume(3, full)
        verdict = Verdict(f"{len(files)} stories × {seeds} seeds")

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
    verdict = Verdict(f"{count} drawn stories with every fault")
    verdict.expect(held, output[-600:])
    return verdict


def suite(filter_, quick, full, words, times=1):
    """Tests that take their volume from outside, as a number or as so many times their own."""

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
    """An insider row, in thousandths of the volume that it names."""
    return suite(f"InsiderVolumeTests/.*{number}:", quick, 1000, words, times=times)


ROWS = [
    Row("S1", "power cuts and failing calls at every point", crash_points),
    Row("S4", "flipped bytes, cut files, zeroed pages",
        suite("MusterStoreTests.*PageTests|MusterReplicaTests.DamageTests", 3, 50,
              "{:,} flips found; a twentieth as much mended by a peer", times=200)),
    Row("A6", "a stolen laptop, commanders who revoke each other",
        stories("stolen-laptop", "dismissed-commander", full=500)),
    Row("N1", "loss of 30, 70 and 90 %; one way worse than back",
        stories("backlog-30", "backlog-70", "backlog-90", "backlog-lopsided")),
    Row("N2", "what comes ten times and out of order",
        suite("MusterSyncTests.DisorderTests", 60, 1000, "{:,} seeds")),
    Row("C1", "clocks wrong by years", stories("wrong-clocks", full=1000)),
    Row("A5", "a member who writes what is not theirs", stories("insider")),
    Row("R1", "who withholds, floods, forks, repeats", stories("saboteurs", "two-tongues", "outsider")),
    Row("R1", "who withholds is named, and nobody else",
        suite("MusterSyncTests.WithholdingScheduleTests", 100, 1000, "{:,} schedules")),
    Row("G0", "drawn stories", swarm),
    Row("N3", "datagrams with bits flipped, cut, lengthened",
        suite("MusterSyncTests.MutationTests", 300_000, 1_000_000, "{:,} datagrams")),
    Row("I1", "a revoked device joins again",
        insider("I1", "{:,.0f} schedules", 0.1)),
    Row("I2", "authors whose admitter is out of reach",
        insider("I2", "{:,.0f} schedules, three authors for ten of them", 1)),
    Row("I4", "logs opened without end",
        insider("I4", "{:,} openings", 1000)),
    Row("I5", "receipts and trackers without end",
        insider("I5", "{:,.2f} times their bounds", 0.01)),
    Row("I8", "frames under made-up epochs",
        insider("I8", "{:,} frames", 100)),
    Row("I12", "a state folder that cannot be written",
        suite("MusterNodeTests.StateFolderTests", 250, 1000, "{:,} starts")),
    Row("I13", "an epoch that would always win",
        suite("MusterReplicaTests.EpochChoiceTests", 1, 1, "every role, before and after a revocation")),
    Row("A8", "published vectors, and nonces",
        suite("MusterCryptoTests", 1_000_000, 10_000_000, "all vectors, {:,} nonces")),
]
