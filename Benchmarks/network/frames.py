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
