"""D1: what the disk of a switched-off laptop discloses."""

import os
import pathlib
import signal

from names import read_key_file
from pages import open_database
from row import Row, Verdict, mesh

PHRASE = "correct horse battery staple"
RECEIVED, WRITTEN, NOTE = "Canary-that-was-received", "Canary-that-was-written", "canary-of-a-note"


def scan(options):
    """Checks that no text and no key is in any file of a crashed node with a passphrase."""
    made = mesh(options, 2)
    node, verdict = made.nodes[0], Verdict("")
    node.add_report(RECEIVED, "c" * 50)
    made.until_in_step()
    locked, words = lock(made, node)
    # Swift's own handler would print a trace and continue, because no access occurred.
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    made.start_on_loopback(locked, *words)
    for number in range(options.volume(50, 2000)):
        locked.add_report(f"{WRITTEN} {number}", NOTE * 5)
    made.nodes.append(locked)
    made.until_in_step()
    running = look(verdict, locked, made, "while it runs")
    # Its log is not yet checkpointed, and no core file may remain.
    os.kill(locked.process.pid, signal.SIGSEGV)
    locked.process.wait()
    killed = look(verdict, locked, made, "after it crashed")
    verdict.volume = f"{running + killed:,} bytes of files and notices"
    return verdict


def lock(made, node):
    """Creates a node with a passphrase on its key file; returns it and its start command."""
    locked = type(node)(made, 9)
    locked.home = os.path.join(made.folder, "locked")
    request, grant, phrase = (locked.home + end for end in (".request", ".grant", ".phrase"))
    with open(phrase, "w") as file:
        file.write(PHRASE + "\n")
    words = ("--passphrase-file", phrase)
    locked.muster("join", "--request", request, "--callsign", "Locked", *words)
    node.muster("admit", request, "--out", grant)
    locked.muster("join", "--grant", grant, *words)
    return locked, words


def secrets(home, passphrase):
    """Returns the secrets that must not be found, and the plaintext of the database with them."""
    key = read_key_file((home / "keys/device.key").read_bytes(), passphrase)
    database = open_database(home / "data/muster.sqlite", key.signing_seed)
    needles = {
        "a received text": RECEIVED.encode(), "a written text": WRITTEN.encode(),
        "a description": NOTE.encode(), "the schema of the database": b"CREATE TABLE",
    }
    for id, epoch in database.execute("SELECT id, key FROM epochs"):
        needles[f"the key of epoch {id.hex()[:8]}"] = epoch
    text = database.serialize()
    keys = {"the network key": key.network_key, "the device's seed": key.signing_seed}
    return needles, keys, text


def look(verdict, node, made, when):
    home = pathlib.Path(node.home)
    needles, keys, text = secrets(home, PHRASE.encode())
    for what, needle in needles.items():
        verdict.expect(needle in text, f"the scan does not find {what} in plaintext")
    verdict.expect(len(needles) > 4, "no epoch key to search for")
    needles |= keys | {"the passphrase": PHRASE.encode()}
    files = [path for path in home.rglob("*") if path.is_file()]
    files += [path for path in pathlib.Path(made.folder).iterdir() if "core" in path.name]
    files.append(pathlib.Path(node.home + ".log"))
    looked = 0
    for path in files:
        data = path.read_bytes()
        looked += len(data)
        for what, needle in needles.items():
            found = needle in data or needle.hex().encode() in data
            verdict.expect(not found, f"{when}, {what} is in {path.name}")
    return looked


ROWS = [Row("D1", "texts and keys in a locked laptop's files", scan)]
