#!/usr/bin/env python3
"""Speed of the archive's import beside COPY and merge alone, and of four posts with one bundle.

    ingest.py [OPERATIONS]

The same server, the same rows and the same size of transactions for both. The bundle is that of a
home that `muster-bench` writes.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cluster import PROGRAMS, Cluster, program

COLUMNS = "operation, log, sequence, hash, previous, epoch, blob_list, body, signature"
ROUNDS = 3


def home_with_bundle(folder, operations):
    """Writes a home of many operations, and its bundle."""
    home, cold = folder / "home", folder / "cold"
    for path in (cold, home / "data", home / "keys"):
        path.mkdir(parents=True, mode=0o700)
    program("muster-bench", "coldstart-write", "--operations", operations, "--burst", 1,
            "--folder", cold)
    for file in cold.glob("bench.sqlite*"):
        shutil.move(file, home / "data" / file.name.replace("bench", "muster"))
    shutil.move(cold / "device.key", home / "keys" / "device.key")
    (home / "keys" / "device.key").chmod(0o600)
    home.chmod(0o700)
    program("muster", "bundle", "create", folder / "all.bundle", "--home", home)
    return home, folder / "all.bundle"


def empty(cluster):
    """Leaves an archive without frames."""
    cluster.sql("DROP SCHEMA IF EXISTS muster CASCADE")
    program("muster-archive", "status", "--database", cluster.url)
    cluster.sql("CHECKPOINT")


def imported(cluster, home, bundle):
    return program("muster-archive", "import", bundle, "--home", home, "--database", cluster.url)[1]


def copied(cluster, pieces):
    """Copies rows into a table and merges them, and nothing else."""
    script = "CREATE TEMPORARY TABLE staged AS SELECT " + COLUMNS + " FROM muster.frames LIMIT 0;\n"
    for piece in pieces:
        script += (
            f"BEGIN;\n\\copy staged FROM '{piece}' (FORMAT binary)\n"
            f"INSERT INTO muster.frames ({COLUMNS}) SELECT * FROM staged ON CONFLICT DO NOTHING;\n"
            "TRUNCATE staged;\nCOMMIT;\n")
    begun = time.monotonic()
    subprocess.run(["psql", cluster.url, "-Xq", "-v", "ON_ERROR_STOP=1"], input=script, text=True,
                   check=True)
    return time.monotonic() - begun


def main():
    operations = int(sys.argv[1]) if len(sys.argv) > 1 else 700_000
    with tempfile.TemporaryDirectory() as name, Cluster("max_wal_size=4GB") as cluster:
        folder = Path(name)
        home, bundle = home_with_bundle(folder, operations)
        empty(cluster)
        imported(cluster, home, bundle)
        frames = int(cluster.sql("SELECT count(*) FROM muster.frames"))
        size = int(cluster.sql("SELECT sum(length(body) + 200) FROM muster.frames"))
        batches = max(1, size >> 21)
        pieces = [folder / f"piece-{number}" for number in range(batches)]
        for number, piece in enumerate(pieces):
            with open(piece, "wb") as file:
                subprocess.run(
                    ["psql", cluster.url, "-XAtqc",
                     f"COPY (SELECT {COLUMNS} FROM (SELECT *, row_number() OVER (ORDER BY log, "
                     f"sequence) - 1 AS row FROM muster.frames) AS f WHERE row * {batches} / "
                     f"{frames} = {number} ORDER BY row) TO STDOUT (FORMAT binary)"],
                    stdout=file, check=True)
        alone, whole = [], []
        for _ in range(ROUNDS):
            empty(cluster)
            alone.append(copied(cluster, pieces))
            empty(cluster)
            whole.append(imported(cluster, home, bundle))
        ratio = min(alone) / min(whole)
        print(json.dumps({
            "bench": "archive-import", "value": round(frames / min(whole)), "unit": "frames/s",
            "limit": round(0.8 * frames / min(alone)), "ratio": round(ratio, 2),
            "note": f"{frames} frames verified and archived, with the start of the program; COPY "
            f"and merge alone {round(frames / min(alone))}; at least 0.8"}), flush=True)
        overlap = []
        for _ in range(ROUNDS):
            empty(cluster)
            begun = time.monotonic()
            posts = [
                subprocess.Popen(
                    [PROGRAMS / "muster-archive", "import", bundle, "--home", home, "--database",
                     cluster.url], stdout=subprocess.DEVNULL) for _ in range(4)]
            if any(post.wait() for post in posts):
                raise SystemExit("an import failed")
            overlap.append(time.monotonic() - begun)
            union = cluster.sql("SELECT count(*), count(DISTINCT hash) FROM muster.frames")
            if union != f"{frames}|{frames}":
                raise SystemExit(f"the union is not exact: {union} of {frames}")
        print(json.dumps({
            "bench": "archive-overlap", "value": round(min(overlap), 2), "unit": "s",
            "limit": round(2 * min(whole), 2), "ratio": round(min(overlap) / min(whole), 2),
            "note": f"four posts import the same {frames} frames at once; one alone "
            f"{min(whole):.2f} s; at most twice"}), flush=True)


if __name__ == "__main__":
    main()
