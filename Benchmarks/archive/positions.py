#!/usr/bin/env python3
"""Time of a search by area and time over many positions, the first one after a start included.

    positions.py [ROWS]
"""

import json
import sys
import tempfile
from pathlib import Path

from cluster import Cluster, program

LIMIT_MILLISECONDS = 200
# One person each 20 seconds, in a valley of 40 by 40 km.
FILL = """
INSERT INTO muster.positions
SELECT o.id, decode(lpad(to_hex(n % {people}), 32, '0'), 'hex'), 'P' || n % {people},
  day + (n / {people}) * interval '20 s' + (n % {people}) * interval '1 ms',
  ST_SetSRID(ST_MakePoint(14.3 + 0.5 * random(), 45.9 + 0.36 * random()), 4326)::geography, 5
FROM muster.operations o, generate_series(0, {rows} - 1) AS n
"""


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    days = 20
    with Cluster("shared_buffers=256MB", "max_wal_size=4GB", "fsync=off") as cluster, \
            tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        program("muster", "init", "River flood", "--callsign", "Anna", "--home", home)
        program("muster-archive", "import", "--home", home, "--database", cluster.url)
        program("muster-archive", "project", "--home", home, "--database", cluster.url)
        for day in range(days):
            begin = f"date_trunc('day', now() AT TIME ZONE 'UTC') - interval '{days - day} day'"
            date = cluster.sql(f"SELECT ({begin})::date")
            cluster.sql(
                f"CREATE TABLE IF NOT EXISTS muster.positions_{date.replace('-', '')} PARTITION OF "
                f"muster.positions FOR VALUES FROM ('{date} 00:00+00') TO ('{date} 00:00+00'"
                "::timestamptz + interval '1 day');"
                + FILL.format(people=max(1, rows // days // 4300), rows=rows // days)
                .replace("day +", f"'{date} 00:00+00'::timestamptz +"))
            print(f"{date}: {rows // days} positions", file=sys.stderr, flush=True)
        # The next projection sorts days that are over.
        program("muster-archive", "project", "--home", home, "--database", cluster.url)
        cluster.sql("VACUUM (ANALYZE) muster.positions")
        first, last = (
            cluster.sql(f"SELECT (current_date - {ago})::text") + "T00:00:00Z" for ago in (10, 8))
        for name in ("first", "next", "next", "next"):
            if name == "first":
                cluster.forget_cache()
            found, seconds = program(
                "muster-archive", "search", "--json", "--area=46.05,14.5,2000", "--since", first,
                "--until", last, "--database", cluster.url)
            count = len(json.loads(found.stdout))
            print(json.dumps({
                "bench": f"archive-area-{name}", "value": round(1000 * seconds), "unit": "ms",
                "limit": LIMIT_MILLISECONDS, "ratio": round(1000 * seconds / LIMIT_MILLISECONDS, 2),
                "note": f"{rows} positions, 2 km and 2 days, the newest {count}; with the start of "
                "the program and the connection"}), flush=True)


if __name__ == "__main__":
    main()
