"""How many frames a node holds, and how large they are."""

import os
import pathlib
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/Verifier"))
from names import read_key_file  # noqa: E402
from pages import open_database  # noqa: E402


def frames(node):
    """Count, and bytes of bodies and signatures, from the database of a node."""
    home = pathlib.Path(node.home)
    key = read_key_file((home / "keys/device.key").read_bytes(), None)
    base = open_database(home / "data/muster.sqlite", key.signing_seed)
    count, size = base.execute(
        "SELECT count(*), sum(length(body) + coalesce(length(signature), 0)) FROM frames").fetchone()
    base.close()
    return count, size


def frames_of_status(answer):
    """Field 10 (frames, sint64) of a Status (field 3 of a Response)."""
    data, at = answer, 1
    size, at = number(data, at)
    end = at + size
    while at < end:
        tag, at = number(data, at)
        if tag & 7 == 0:
            value, at = number(data, at)
            if tag >> 3 == 10:
                return value >> 1
        elif tag & 7 == 2:
            size, at = number(data, at)
            at += size
        else:
            raise SystemExit("a status is not as expected")
    return 0


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
