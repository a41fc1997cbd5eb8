#!/usr/bin/env python3
"""Moves the frames of an archive to further PostgreSQL servers, by operation.

Usage: Scripts/archive-shards.py COORDINATOR SHARD SHARD…

Each argument is the URL of a database, postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full. Keep
the passwords in ~/.pgpass (or $PGPASSFILE): other users of the machine can see arguments. The user
of the coordinator must be a superuser; that of a shard must be able to create a schema there, and
its password is stored in the coordinator's user mapping. All other tables stay at the coordinator.
Programs of the archive keep the URL of the coordinator. Stop them while this runs; it can be run
again after a failure. See docs/archive.md.
"""

import os
import re
import subprocess
import sys
from urllib.parse import parse_qsl, unquote, urlsplit

COLUMNS = """operation bytea NOT NULL, log bytea NOT NULL, sequence bigint NOT NULL,
  hash bytea NOT NULL, previous bytea NOT NULL, epoch bytea, blob_list bytea, body bytea NOT NULL,
  signature bytea, received_at timestamptz NOT NULL DEFAULT now()"""

# A foreign table has no keys of its own, so the shard has the primary key and the guard.
SHARD = f"""
CREATE SCHEMA IF NOT EXISTS muster;
CREATE TABLE IF NOT EXISTS muster.frames ({COLUMNS},
  PRIMARY KEY (operation, log, sequence, hash));
CREATE INDEX IF NOT EXISTS frames_with_blobs ON muster.frames (operation)
  WHERE blob_list IS NOT NULL;
CREATE OR REPLACE FUNCTION muster.keep_frames() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'frames of an archive are never changed or deleted'; END $$;
CREATE OR REPLACE TRIGGER keep_frames BEFORE UPDATE OR DELETE ON muster.frames
  FOR EACH ROW EXECUTE FUNCTION muster.keep_frames();
"""


# Statements with passwords must be in no log or statistics of the coordinator.
QUIET = """
SET LOCAL log_statement = 'none';
SET LOCAL log_min_duration_statement = -1;
SET LOCAL log_min_error_statement = 'panic';
SET LOCAL pg_stat_statements.track = 'none';
SET LOCAL pg_stat_statements.track_utility = off;
SET LOCAL pgaudit.log = 'none';
"""


def fail(text):
    sys.exit(f"archive-shards: {text}")


def place(url):
    """The host, port, database and user of a URL."""
    parts = urlsplit(url)
    return (parts.hostname or "", str(parts.port or 5432), unquote(parts.path.lstrip("/")),
            unquote(parts.username or ""))


def password(url):
    """The password of a URL's place in ~/.pgpass, where libpq finds it too."""
    name = os.environ.get("PGPASSFILE") or os.path.expanduser("~/.pgpass")
    try:
        if os.stat(name).st_mode & 0o077:
            fail(f"other users can read {name}: chmod 600 {name}")
        lines = open(name, encoding="utf-8").read().splitlines()
    except OSError:
        lines = []
    for line in lines:
        fields = [re.sub(r"\\(.)", r"\1", field) for field in re.findall(
            r"(?:^|:)((?:[^:\\]|\\.)*)", line)]
        if len(fields) == 5 and not line.startswith("#") and all(
                field in ("*", own) for field, own in zip(fields, place(url))):
            return fields[4]
    fail(f"{name} has no password of {place(url)[3]} at {place(url)[0]}: add it")


def psql(url, sql):
    """Runs SQL, all or nothing, and returns what it prints."""
    done = subprocess.run(
        ["psql", url, "-XAtq", "-v", "ON_ERROR_STOP=1", "--single-transaction"],
        input=sql, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{urlsplit(url).hostname}: {done.stderr.strip()}")
    return done.stdout.strip()


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def server(number, url, owner):
    """The definition of a shard at the coordinator."""
    host, port, database, name = place(url)
    where = {"host": host, "port": port, "dbname": database,
             # Such as sslmode, by which the coordinator authenticates the shard.
             **dict(parse_qsl(urlsplit(url).query)),
             # The planner asks the shard, and so finds the index of its primary key.
             "use_remote_estimate": "true", "fetch_size": "10000", "batch_size": "500"}
    user = {"user": name, "password": password(url)}
    options = lambda values: ", ".join(f"{key} {quoted(value)}" for key, value in values.items())
    return f"""
DROP SERVER IF EXISTS muster_shard_{number} CASCADE;
CREATE SERVER muster_shard_{number} FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({options(where)});
CREATE USER MAPPING FOR CURRENT_USER SERVER muster_shard_{number} OPTIONS ({options(user)});
"""


def main(coordinator, *shards):
    if len(shards) < 2:
        fail("give the coordinator and at least two shards")
    if "@" not in coordinator or any("@" not in url for url in shards):
        fail("write each database as postgres://USER@HOST:PORT/DATABASE")
    if any(urlsplit(url).password is not None for url in (coordinator, *shards)):
        fail("other users can see arguments: keep passwords in ~/.pgpass, not in URLs")
    state = psql(coordinator, """
      SELECT r.rolname, (SELECT count(*) FROM pg_inherits i JOIN pg_foreign_table f
        ON f.ftrelid = i.inhrelid WHERE i.inhparent = c.oid)
      FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
      WHERE c.oid = to_regclass('muster.frames')
      """)
    if not state:
        fail("the coordinator has no archive: run `muster-archive status` with its URL first")
    owner, foreign = state.split("|")
    if foreign != "0":
        fail("the frames of this archive are at shards already: adding one is not supported")
    if not re.fullmatch(r"\w+", owner):
        fail(f"the owner {owner} of the archive needs a plain name")
    for url in shards:
        psql(url, SHARD)
    parts = "".join(
        f"CREATE FOREIGN TABLE muster.frames_shard_{number} PARTITION OF muster.frames FOR VALUES"
        f" WITH (MODULUS {len(shards)}, REMAINDER {number}) SERVER muster_shard_{number}"
        " OPTIONS (schema_name 'muster', table_name 'frames');\n"
        for number in range(len(shards)))
    # What an interrupted run copied stays at the shards, and is not copied twice.
    print(psql(coordinator, f"""{QUIET}
CREATE EXTENSION IF NOT EXISTS postgres_fdw;
GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO "{owner}";
SET ROLE "{owner}";
{"".join(server(number, url, owner) for number, url in enumerate(shards))}
ALTER TABLE muster.frames RENAME TO frames_before;
CREATE TABLE muster.frames ({COLUMNS}) PARTITION BY HASH (operation);
{parts}
INSERT INTO muster.frames SELECT * FROM muster.frames_before ON CONFLICT DO NOTHING;
DO $$ BEGIN
  IF EXISTS (SELECT operation, count(*) FROM muster.frames_before GROUP BY operation
             EXCEPT SELECT operation, count(*) FROM muster.frames GROUP BY operation) THEN
    RAISE EXCEPTION 'a shard lacks frames that were copied to it; nothing was changed here';
  END IF;
END $$;
DROP TABLE muster.frames_before;
SELECT 'moved ' || count(*) || ' frames to {len(shards)} shards' FROM muster.frames;
"""))


if __name__ == "__main__":
    if len(sys.argv) < 3 or "--help" in sys.argv:
        sys.exit(__doc__)
    main(*sys.argv[1:])
