#!/usr/bin/env python3
"""Speed of the archive's import beside COPY and merge alone, and of four posts with one bundle.

    ingest.py [OPERATIONS]

"Work" is what all archivers and the server use of the processors; the wall time of four posts also
depends on how many cores there are. The same server, the same rows and the same size of
transactions for all. The bundle is that of a home that `muster-bench` writes.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cluster import PROGRAMS, Cluster, processor_seconds, program

COLUMNS = "operation, log, sequence, hash, previous, epoch, blob_list, body, signature"
ROUNDS, POSTS = 3, 4


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


class Import:
    """The wall time and the processor seconds of some posts that import a bundle at once."""

    def __init__(self, cluster, home, bundle, posts=1):
        before = processor_seconds() + cluster.processor_seconds()
        begun = time.monotonic()
        words = ["import", bundle, "--home", home, "--database", cluster.url]
        programs = [
            subprocess.Popen([PROGRAMS / "muster-archive", *words], stdout=subprocess.DEVNULL)
            for _ in range(posts)]
        # All of them end before the failure of one is reported.
        if any([post.wait() for post in programs]):
            raise SystemExit("an import failed")
        self.wall = time.monotonic() - begun
        self.work = processor_seconds() + cluster.processor_seconds() - before


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


def pieces_of(cluster, folder):
    """Writes the archived rows as files, each of the size of a transaction."""
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
    return frames, pieces


def alone_and_overlapping(cluster, home, bundle, frames):
    """Imports by one post and by four, in turn."""
    one, four = [], []
    for _ in range(ROUNDS):
        for posts, imports in ((1, one), (POSTS, four)):
            empty(cluster)
            imports.append(Import(cluster, home, bundle, posts))
            union = cluster.sql("SELECT count(*), count(DISTINCT hash) FROM muster.frames")
            if union != f"{frames}|{frames}":
                raise SystemExit(f"the union is not exact: {union} of {frames}")
    return one, four


def compare(bench, unit, one, four, note):
    print(json.dumps({
        "bench": bench, "value": round(four, 2), "unit": unit, "limit": round(2 * one, 2),
        "ratio": round(four / one, 2), "note": f"{note}; one alone {one:.2f}; at most twice"}),
          flush=True)


def main():
    operations = int(sys.argv[1]) if len(sys.argv) > 1 else 700_000
    with tempfile.TemporaryDirectory() as name, Cluster("max_wal_size=4GB") as cluster:
        home, bundle = home_with_bundle(Path(name), operations)
        empty(cluster)
        Import(cluster, home, bundle)
        frames, pieces = pieces_of(cluster, Path(name))
        alone = []
        for _ in range(ROUNDS):
            empty(cluster)
            alone.append(copied(cluster, pieces))
        one, four = alone_and_overlapping(cluster, home, bundle, frames)
        copy, whole = frames / min(alone), frames / min(each.wall for each in one)
        print(json.dumps({
            "bench": "archive-import", "value": round(whole), "unit": "frames/s",
            "limit": round(0.8 * copy), "ratio": round(whole / copy, 2),
            "note": f"{frames} frames verified and archived, with the start of the program; COPY "
            f"and merge alone {round(copy)}; at least 0.8"}), flush=True)
        note = f"{POSTS} posts import the same {frames} frames at once"
        compare("archive-overlap-work", "processor s", min(each.work for each in one),
                min(each.work for each in four), note)
        compare("archive-overlap", "s", min(each.wall for each in one),
                min(each.wall for each in four), note)


if __name__ == "__main__":
    main()
