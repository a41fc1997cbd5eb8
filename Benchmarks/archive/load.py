#!/usr/bin/env python3
"""Devices at several instances of `muster-archive serve`, and where the processor time goes.

    load.py [--operations N] [--devices D] [--instances K] [--seconds S] [--every SECONDS]
    load.py --find                       adds operations until the lag exceeds two seconds
    load.py --devices 2000 --every 0     one operation: how long a report takes to every device
    load.py --devices 2000 --every 60    how old positions become on the map of a device
    load.py --devices 2000 --every 0 --flood  while one device writes as fast as it can
    load.py --devices 2000 --every 0 --find   doubles the devices until that exceeds three seconds

The devices share the machine with the instances and PostgreSQL (`muster-bench uplinks`). Two of each
operation are whole replicas. All others are sessions: they do all that a laptop does on its uplink,
and neither merge nor store. The lag of a position is from its sample on one device until the whole
replica at the second instance shows it; reports are timed at every device. With `--profile FOLDER`,
`perf` records each instance while the load runs.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from cluster import PROGRAMS, Cluster, free_port

LIMIT_LAG, LIMIT_REPORT = 2000, 3000
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(*processes):
    total = 0
    for process in processes:
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            continue
        total += (int(fields[11]) + int(fields[12])) / TICKS
    return total


def resident(process):
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0


class Instances:
    def __init__(self, folder, ports, cluster):
        self.processes, self.logs = [], []
        environment = {**os.environ, "MUSTER_STATE": f"{folder}/state"}
        for number, port in enumerate(ports):
            peers = [word for other in ports[number + 1:]
                     for word in ("--peer", f"https://127.0.0.1:{other}")]
            log = open(f"{folder}/{number}.log", "w+")
            self.logs.append(log)
            self.processes.append(subprocess.Popen(
                [PROGRAMS / "muster-archive", "serve", "--homes", f"{folder}/{number}", "--uplink",
                 f"127.0.0.1:{port}", "--listen", f"127.0.0.1:{free_port()}", "--database",
                 cluster.url, *peers], env=environment, stdout=log, stderr=log))
        for port, process, log in zip(ports, self.processes, self.logs):
            self.wait(process, log, f"127.0.0.1:{port}")

    def profile(self, folder, seconds):
        """Records where each instance spends its time."""
        return [subprocess.Popen(
            ["perf", "record", "-q", "-F", "199", "--call-graph", "fp", "-o",
             f"{folder}/instance-{number}.perf", "-p", str(process.pid), "--", "sleep",
             str(seconds)]) for number, process in enumerate(self.processes)]

    @staticmethod
    def wait(process, log, words):
        end = time.monotonic() + 120
        while words not in Path(log.name).read_text():
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"an instance does not start: {Path(log.name).read_text()}")
            time.sleep(0.1)

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def run(operations, options):
    """Returns the events of one run, and the processor's share of each part."""
    with tempfile.TemporaryDirectory(prefix="ml-") as folder, Cluster() as cluster:
        ports = [free_port() for _ in range(options.instances)]
        os.environ["MUSTER_STATE"] = f"{folder}/state"
        bench = subprocess.Popen(
            [PROGRAMS / "muster-bench", "uplinks", "--folder", folder, "--operations",
             str(operations), "--devices", str(options.devices), "--seconds", str(options.seconds),
             "--every", str(options.every), "--connecting", str(options.connecting),
             *(["--flood"] if options.flood else []),
             *[word for port in ports for word in ("--port", str(port))]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        instances, events, recorders = None, {}, []
        try:
            for line in bench.stdout:
                event = json.loads(line)
                events[event.pop("event")] = event
                if "homes" in events and instances is None:
                    instances = Instances(folder, ports, cluster)
                    bench.stdin.write("\n")
                    bench.stdin.flush()
                if list(events)[-1] == "connected":
                    if options.profile:
                        recorders = instances.profile(options.profile, options.seconds)
                    parts = {"instances": [each.pid for each in instances.processes],
                             "laptops": [bench.pid]}
                    before = {name: processor_seconds(*pids) for name, pids in parts.items()}
                    begun = time.monotonic()
                if list(events)[-1] == "positions":
                    span = time.monotonic() - begun
                    events["cores"] = {
                        name: round((processor_seconds(*pids) - before[name]) / span, 2)
                        for name, pids in parts.items()}
                    events["cores"]["PostgreSQL"] = round(
                        processor_seconds(*cluster.processes()) / span, 2)
                    events["MiB"] = {name: round(sum(map(resident, pids)))
                                     for name, pids in parts.items()}
        finally:
            bench.kill()
            bench.wait()
            for recorder in recorders:
                recorder.wait()
            if instances:
                instances.end()
        if "reports" not in events:
            raise SystemExit("the laptops ended early")
        return events


def note(operations, events, options):
    return (f"{operations} operations x {options.devices} devices at {options.instances} instances, "
            f"{os.cpu_count()} cores; admitted in {events['homes']['seconds']:.1f} s, connected in "
            f"{events['connected']['seconds']:.1f} s, equal after {events['connected']['settled']:.1f} s"
            f"; cores used: {events['cores']}; MiB: {events['MiB']}")


def emit(bench, value, unit, limit, words):
    print(json.dumps({"bench": bench, "value": value, "unit": unit, "limit": limit,
                      "ratio": round(value / limit, 3), "note": words}), flush=True)


def measure(operations, options):
    """Prints a run. Returns whether it met the limits."""
    events = run(operations, options)
    words = note(operations, events, options)
    met = True
    if options.every:
        seen = events["positions"]
        emit("archive-load-lag-p99", seen["p99"], "ms", LIMIT_LAG,
             f"p50 {seen['p50']} ms, {seen['seen']} positions seen of {seen['expected']}; newest "
             f"position of a person: p50 {seen['age50'] / 1000:.1f} s old, p99 "
             f"{seen['age99'] / 1000:.1f} s, at most {seen['oldest'] / 1000:.1f} s; {words}")
        # Some positions are replaced by newer ones before they are seen; a few may be on their way.
        met = seen["p99"] <= LIMIT_LAG and seen["seen"] >= 0.95 * seen["expected"]
    reports = events["reports"]
    emit("archive-load-report", reports["max"], "ms", LIMIT_REPORT,
         f"p50 {reports['p50']} ms, p99 {reports['p99']} ms, {reports['arrivals']} arrivals, "
         f"{reports['missing']} missing, {reports['disconnected']} disconnected; {words}")
    return met and reports["max"] <= LIMIT_REPORT and not reports["missing"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", type=int, default=1)
    parser.add_argument("--devices", type=int, default=50)
    parser.add_argument("--instances", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--every", type=float, default=20)
    parser.add_argument("--connecting", type=int, default=0,
                        help="the most devices that connect in a second; 0 for all at once")
    parser.add_argument("--flood", action="store_true",
                        help="one device writes reports as fast as it can")
    parser.add_argument("--find", action="store_true")
    parser.add_argument("--profile", metavar="FOLDER")
    options = parser.parse_args()
    while measure(options.operations, options) and options.find:
        if options.every:
            options.operations += 4
        else:
            options.devices *= 2


if __name__ == "__main__":
    main()
