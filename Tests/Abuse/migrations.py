"""S2: kill -9 while a newer program migrates an older database."""

import os
import pathlib
import random
import struct

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as encrypt

from datagrams import device_key
from moments import killed_at, need_strace
from pages import CLEAR, PAGE, RESERVED, Pages, open_database
from row import Row, Verdict, check_all, check_at_rest, mesh

# Reverts the last steps of `Migrations.swift`.
OLDER = """
    DROP TABLE certificates;
    DROP TABLE tracker_fixes;
    ALTER TABLE logs ADD COLUMN previous_log BLOB;
    ALTER TABLE logs ADD COLUMN previous_sequence INTEGER;
    ALTER TABLE logs ADD COLUMN previous_hash BLOB;
    DELETE FROM grdb_migrations WHERE identifier LIKE '4 %' OR identifier LIKE '5 %'
      OR identifier LIKE '6 %';
"""


def migrating(options):
    """Kills at each successive change of a file, sometimes twice in a row, and checks the result."""
    count = options.volume(120, 400)
    need_strace()
    made = mesh(options, 2)
    node = made.nodes[1]
    acknowledged = [node.add_report(f"Report {n}", "m" * 300) for n in range(60)]
    made.until_in_step()
    node.stop()
    path = pathlib.Path(node.home) / "data/muster.sqlite"
    older = make_older(path, device_key(node.home).signing_seed)
    draw, kills, second, unmigrated = random.Random(7), 0, 0, 0
    verdict, place = Verdict(""), 1
    for turn in range(count):
        put(path, older)
        if not killed(options, node, place):
            # It finished: that was the last change.
            verdict.expect(place > 4, "it finished without a change")
            place = 1
            continue
        place += 1
        kills += 1
        if draw.random() < 0.3:
            second += killed(options, node, draw.randint(1, 12))
        unmigrated += not is_migrated(node, path)
        check_at_rest(verdict, node, acknowledged, f"change {place - 1}")
        if len(verdict.problems) > 5:
            break
    verdict.volume = f"{kills} kills, {second} more during the repair"
    verdict.note = f"{unmigrated} before the migration"
    verdict.expect(unmigrated > 0, "no kill occurred before the migration")
    made.start_on_loopback(node)
    check_all(verdict, made, acknowledged)
    return verdict


def make_older(path, seed):
    """Creates the database of an older program, sealed by the same device."""
    database = open_database(path, seed)
    database.executescript(OLDER)
    whole = bytearray(database.serialize())
    whole[18:20] = b"\x02\x02"
    pages = Pages(seed)
    return b"".join(
        seal(pages, bytes(whole[offset : offset + PAGE]), offset // PAGE + 1)
        for offset in range(0, len(whole), PAGE))


def seal(pages, page, number):
    clear = page[:CLEAR] if number == 1 else b""
    nonce = os.urandom(24)
    data = struct.pack(">I", number) + clear
    sealed = encrypt(page[len(clear) : -RESERVED], data, nonce, pages.key)
    return clear + sealed[:-16] + nonce + sealed[-16:]


def put(path, content):
    """Writes it to the same file, which the sentinel names, and without a log."""
    with open(path, "r+b") as file:
        file.write(content)
        file.truncate()
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def is_migrated(node, path):
    database = open_database(path, device_key(node.home).signing_seed)
    return database.execute(
        "SELECT count(*) FROM grdb_migrations WHERE identifier LIKE '4 %'").fetchone()[0] == 1


def killed(options, node, place):
    """Opens the database and kills at the n-th change of a file; returns whether it was reached."""
    words = [options.muster, "status", "--home", node.home]
    return killed_at(place, words) is not None


ROWS = [Row("S2", "kill -9 during the migration of a database", migrating)]
