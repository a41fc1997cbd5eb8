#!/usr/bin/env python3
"""Time of a search by area and time over many positions, the first one after a start included.

    positions.py [ROWS [FOLDER]]

A FOLDER keeps the database, so that a second run measures without filling it.
"""

import json
import sys
import tempfile
from pathlib import Path

from cluster import Cluster, program

LIMIT_MILLISECONDS = 200
DAYS = 20
AREA = "46.05,14.5,2000"
# One person each 20 seconds, in a valley of 40 by 40 km.
FILL = """
INSERT INTO muster.positions
SELECT o.id, decode(lpad(to_hex(n % {people}), 32, '0'), 'hex'), 'P' || n % {people},
  '{date} 00:00+00'::timestamptz + (n / {people}) * interval '20 s'
    + (n % {people}) * interval '1 ms',
  ST_SetSRID(ST_MakePoint(14.3 + 0.5 * random(), 45.9 + 0.36 * random()), 4326)::geography, 5
FROM muster.operations o, generate_series(0, {rows} - 1) AS n
"""




def fill(cluster, home, rows):
    """Fills the days before today, and lets a projection sort them."""
    program("muster", "init", "River flood", "--callsign", "Anna", "--home", home)
    program("muster-archive", "import", "--home", home, "--database", cluster.url)
    program("muster-archive", "project", "--home", home, "--database", cluster.url)
    for ago in range(DAYS, 0, -1):
        date = cluster.sql(f"SELECT ((now() AT TIME ZONE 'UTC')::date - {ago})::text")
        cluster.sql(
            f"CREATE TABLE IF NOT EXISTS muster.positions_{date.replace('-', '')} PARTITION OF "
            f"muster.positions FOR VALUES FROM ('{date} 00:00+00') TO ('{date} 00:00+00'"
            "::timestamptz + interval '1 day');"
            + FILL.format(people=max(1, rows // DAYS // 4300), rows=rows // DAYS, date=date))
        print(f"{date}: {rows // DAYS} positions", file=sys.stderr, flush=True)
    # The next projection sorts days that are over.
    _, seconds = program("muster-archive", "project", "--home", home, "--database", cluster.url)
    print(f"projected and sorted in {seconds:.0f} s", file=sys.stderr, flush=True)
    cluster.sql("VACUUM (ANALYZE) muster.positions")


def measure(cluster):
    rows = int(cluster.sql("SELECT count(*) FROM muster.positions"))
    newest = "(SELECT max(at)::date FROM muster.positions)"
    first, last = (
        cluster.sql(f"SELECT ({newest} - {ago})::text") + "T00:00:00Z" for ago in (10, 8))
    for name in ("first", "next", "next", "next"):
        if name == "first":
            cluster.forget_cache()
        found, seconds = program(
            "muster-archive", "search", "--json", f"--area={AREA}", "--since", first, "--until",
            last, "--database", cluster.url)
        count = len(json.loads(found.stdout))
        print(json.dumps({
            "bench": f"archive-area-{name}", "value": round(1000 * seconds), "unit": "ms",
            "limit": LIMIT_MILLISECONDS, "ratio": round(1000 * seconds / LIMIT_MILLISECONDS, 2),
            "note": f"{rows} positions, 2 km and 2 days, the newest {count}; with the start of "
            "the program and the connection"}), flush=True)


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    kept = sys.argv[2] if len(sys.argv) > 2 else None
    settings = "shared_buffers=256MB", "max_wal_size=4GB", "fsync=off"
    with Cluster(*settings, folder=kept) as cluster, tempfile.TemporaryDirectory() as folder:
        if cluster.sql("SELECT to_regclass('muster.positions') IS NULL") == "t":
            fill(cluster, Path(folder) / "home", rows)
        measure(cluster)


if __name__ == "__main__":
    main()
