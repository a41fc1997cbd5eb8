"""D1: what the disk of a laptop that is switched off gives away."""

import os

import datagrams
from row import Row, Verdict, mesh

PHRASE = "correct horse battery staple"


def scan(options):
    """Keys protected by a passphrase: neither they nor their like are in any file."""
    made = mesh(options, 2)
    node = made.nodes[0]
    key = datagrams.device_key(node.home)
    needles = {"the device's signing seed": key.signing_seed, "the network key": key.network_key}
    node.add_report("Canary-in-the-log", "c" * 50)
    made.until_in_step()
    home = os.path.join(made.folder, "locked")
    phrase = os.path.join(made.folder, "phrase")
    with open(phrase, "w") as file:
        file.write(PHRASE + "\n")
    locked = type(node)(made, 9)
    locked.home = home
    request, grant = home + ".request", home + ".grant"
    locked.muster("join", "--request", request, "--callsign", "Locked", "--passphrase-file", phrase)
    node.muster("admit", request, "--out", grant)
    locked.muster("join", "--grant", grant, "--passphrase-file", phrase)
    locked.start("--listen", "127.0.0.1:7509", "--no-multicast", "--peer", "127.0.0.1:7500",
                 "--passphrase-file", phrase)
    locked.add_report("Written-when-open", "c" * 50)
    locked.stop()
    looked, verdict = 0, Verdict("")
    for folder, _, names in os.walk(home):
        for name in names:
            data = open(os.path.join(folder, name), "rb").read()
            looked += len(data)
            # The seed is another device's.
            for what, needle in (
                    ("the network key", key.network_key), ("the passphrase", PHRASE.encode())):
                verdict.expect(needle not in data, f"{what} stands in {name}")
    for name in (locked.home + ".log", node.home + ".log"):
        data = open(name, "rb").read()
        looked += len(data)
        for what, needle in needles.items():
            verdict.expect(needle not in data and needle.hex().encode() not in data,
                           f"{what} stands in {name}")
    verdict.volume = f"{looked:,} bytes of files and logs"
    verdict.note = "the database is not encrypted: texts and epoch keys in it are not looked for"
    return verdict


ROWS = [Row("D1", "keys in a locked laptop's files", scan)]
