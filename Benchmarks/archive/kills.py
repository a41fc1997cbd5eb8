#!/usr/bin/env python3
"""Kills the archiver and PostgreSQL in turn while frames are copied: no loss, no double.

    kills.py [KILLS [RECORD]]     KILLS of each; default 200

Only kills while the server executes COPY count. Whenever the archive is complete, it is compared
with one that was never interrupted, a line is appended to RECORD, and it is emptied. A run
continues after the last line of RECORD. At last an exported bundle is verified: its state hash is
that of the node. Prints the seed of its pauses; MUSTER_SEED replays them.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cluster import PROGRAMS, Cluster, program
from ingest import home_with_bundle

OPERATIONS = 210_000
# About as long as one COPY.
LONGEST_PAUSE = 0.03
HASHES = "SELECT md5(string_agg(hash::text, '' ORDER BY hash)) FROM muster.frames"
COUNTS = ("SELECT count(*), count(DISTINCT hash), (SELECT sum(stored) FROM muster.posts) "
          "FROM muster.frames")


def rows(cluster):
    exists = cluster.sql("SELECT to_regclass('muster.frames') IS NOT NULL")
    return int(cluster.sql("SELECT count(*) FROM muster.frames")) if exists == "t" else 0


def is_copying(cluster):
    """Whether a process of the server executes COPY, by its title."""
    for process in cluster.processes()[1:]:
        try:
            if Path(f"/proc/{process}/cmdline").read_bytes().rstrip(b"\0 ").endswith(b"COPY"):
                return True
        except OSError:
            pass
    return False


def killed(cluster, words, is_server, pauses):
    """Kills during the first, second or third COPY. Returns whether there was one."""
    child = subprocess.Popen([PROGRAMS / "muster-archive", *words], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    for _ in range(pauses.choice((1, 1, 2, 3))):
        while child.poll() is None and is_copying(cluster):
            time.sleep(0.0005)
        while child.poll() is None and not is_copying(cluster):
            time.sleep(0.0005)
    time.sleep(pauses.uniform(0, LONGEST_PAUSE))
    was_copying = child.poll() is None and is_copying(cluster)
    if is_server:
        cluster.kill()
    else:
        child.kill()
    complaint = child.communicate(timeout=300)[1].strip()
    if is_server:
        if child.returncode and len(complaint.splitlines()) != 1:
            raise SystemExit(f"not one clear line: {complaint}")
        cluster.start()
    return was_copying and child.returncode != 0


class Archive:
    """An archive that is filled in spite of kills."""

    def __init__(self, cluster, home, bundle):
        self.cluster, self.archived = cluster, 0
        self.words = ["import", str(bundle), "--home", str(home), "--database", cluster.url]
        program("muster-archive", *self.words)
        self.frames, self.hashes = rows(cluster), cluster.sql(HASHES)
        self.empty()

    def empty(self):
        self.cluster.sql("DROP SCHEMA muster CASCADE")
        self.archived = 0

    def kill(self, is_server, pauses):
        """Kills once; returns whether that interrupted a COPY."""
        was_copying = killed(self.cluster, self.words, is_server, pauses)
        now = rows(self.cluster)
        if now < self.archived:
            raise SystemExit(f"{self.archived - now} committed frames are lost")
        self.archived = now
        return was_copying

    def expect_exact(self):
        """Completes the archive, and compares it with one that was never interrupted."""
        program("muster-archive", *self.words)
        counts = self.cluster.sql(COUNTS)
        if counts != f"{self.frames}|{self.frames}|{self.frames}":
            raise SystemExit(f"{counts} of {self.frames} frames")
        if self.cluster.sql(HASHES) != self.hashes:
            raise SystemExit("other frames than without kills")


def state_hash(*words):
    return json.loads(program("muster", "verify", "--json", *words)[0].stdout)["stateHash"]


def run(archive, pauses, done, kills, record):
    turn = 0
    while min(done.values()) < kills:
        is_server = turn % 2 == 1
        turn += 1
        done["postgres" if is_server else "archiver"] += archive.kill(is_server, pauses)
        if archive.archived == archive.frames or min(done.values()) >= kills:
            archive.expect_exact()
            record.write(json.dumps(done) + "\n")
            record.flush()
            if min(done.values()) < kills:
                archive.empty()


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(os.environ.get("MUSTER_SEED", time.time_ns() % 1_000_000))
    print(f"seed {seed}", file=sys.stderr, flush=True)
    done = {"archiver": 0, "postgres": 0}
    with tempfile.TemporaryDirectory() as name, Cluster() as cluster, \
            open(sys.argv[2] if len(sys.argv) > 2 else Path(name) / "record", "a+",
                 encoding="utf-8") as record:
        record.seek(0)
        for line in record:
            done = json.loads(line)
        home, bundle = home_with_bundle(Path(name), OPERATIONS)
        archive = Archive(cluster, home, bundle)
        run(archive, random.Random(seed), done, kills, record)
        exported = Path(name) / "exported.bundle"
        program("muster-archive", "export", exported, "--home", home, "--database", cluster.url)
        states = state_hash(exported, "--home", home), state_hash("--home", home)
        print(json.dumps({
            "bench": "archive-kills", "value": int(states[0] != states[1]), "unit": "faults",
            "limit": 0,
            "note": f"{done['archiver']} kills of the archiver and {done['postgres']} of "
            f"PostgreSQL during a COPY of {archive.frames} frames; state {states[0][:16]}, the "
            f"node's {states[1][:16]}"}), flush=True)
        sys.exit(states[0] != states[1])


if __name__ == "__main__":
    main()
