#!/usr/bin/env python3
"""Kills the archiver and PostgreSQL in turn while frames are stored; nothing may be lost or doubled.

    kills.py [KILLS]          of each; default 200

Prints the seed of its pauses; MUSTER_SEED replays them.
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


def rows(cluster):
    exists = cluster.sql("SELECT to_regclass('muster.frames') IS NOT NULL")
    return int(cluster.sql("SELECT count(*) FROM muster.frames")) if exists == "t" else 0


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(os.environ.get("MUSTER_SEED", time.time_ns() % 1_000_000))
    print(f"seed {seed}", file=sys.stderr)
    pauses = random.Random(seed)
    with tempfile.TemporaryDirectory() as name, Cluster() as cluster:
        home, bundle = home_with_bundle(Path(name), 210_000)
        words = ["import", str(bundle), "--home", str(home), "--database", cluster.url]
        seconds = program("muster-archive", *words)[1]
        frames = rows(cluster)
        hashes = "SELECT md5(string_agg(hash::text, '' ORDER BY hash)) FROM muster.frames"
        whole = cluster.sql(hashes)
        archived = interrupted = 0
        cluster.sql("DROP SCHEMA muster CASCADE")
        for turn in range(2 * kills):
            if archived == frames:
                cluster.sql("DROP SCHEMA muster CASCADE")
                archived = 0
            child = subprocess.Popen([PROGRAMS / "muster-archive", *words],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(pauses.uniform(0.1, 1) * seconds)
            if turn % 2:
                cluster.kill()
            else:
                child.kill()
            complaint = child.communicate(timeout=120)[1].strip()
            interrupted += child.returncode != 0
            if turn % 2:
                if child.returncode and len(complaint.splitlines()) != 1:
                    raise SystemExit(f"turn {turn}: not one clear line: {complaint}")
                cluster.start()
            now = rows(cluster)
            if now < archived:
                raise SystemExit(f"turn {turn}: {archived - now} committed frames are lost")
            archived = now
        program("muster-archive", *words)
        counts = cluster.sql(
            "SELECT count(*), count(DISTINCT hash), (SELECT sum(stored) FROM muster.posts) "
            "FROM muster.frames")
        is_exact = counts == f"{frames}|{frames}|{frames}" and cluster.sql(hashes) == whole
        print(json.dumps({
            "bench": "archive-kills", "value": 0 if is_exact else 1, "unit": "faults", "limit": 0,
            "note": f"{kills} kills of the archiver and {kills} of PostgreSQL, {interrupted} of them "
            f"during an import of {frames} frames: {counts}"}), flush=True)
        sys.exit(not is_exact)


if __name__ == "__main__":
    main()
