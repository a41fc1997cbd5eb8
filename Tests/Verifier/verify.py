#!/usr/bin/env python3
"""A second implementation of `muster verify`, written from docs/wire.md without its code.

    python3 verify.py HOME [--keys DIR] [--passphrase-file FILE] [--root HEX]

Reads a node's home without changes, and prints the output of `muster verify --json`. Exits with 1 on
any problem. Needs PyNaCl, for libsodium's Ed25519, XChaCha20-Poly1305 and Argon2id.
"""

import argparse
import json
import sqlite3
import sys
from pathlib import Path

from control import Control
from councils import read_councils
from evidence import check_twins, read_fork_ends
from log import bodies, check_log, read_database, read_shown
from names import ROOT, h16, read_key_file
from pages import open_database
from state import State


def verify(database, root_key, own_chain):
    logs, keys = read_database(database)
    operation = h16(b"muster operation 1", root_key)
    fork_ends, overflowed, problems = read_fork_ends(database, operation, root_key)
    councils, found = read_councils(database, operation, root_key)
    control = Control(
        logs, own_chain + read_shown(database), operation, root_key, fork_ends, overflowed,
        councils)
    problems += found + check_twins(database, operation, root_key)
    problems += [
        f"epoch {id.hex()[:8]}: its id is not the hash of its key"
        for id, key in keys.items() if h16(b"muster epoch 1", operation, key) != id]
    fulfilled, own = control.fulfilled(), own_chain[0].hash if own_chain else None
    fulfilled |= control.of_commanders | {value for value, in database.execute(
        "SELECT value FROM local WHERE key = 'granted epoch'")}
    usable = {id: key for id, key in keys.items() if id in fulfilled}
    state = State()
    for log in sorted(logs, key=lambda log: (log.id != log.name, log.first)):
        certificate, _ = control.certificates.get(log.certificate, (None, 0))
        if certificate is None:
            problems += check_log(log, operation, root_key if log.certificate == ROOT else None)
            continue
        problems += check_log(log, operation, certificate.key)
        for frame, body, in_parts in bodies(
                log, operation, keys if log.certificate == own else usable):
            device = certificate.author.device
            counts = control.counts(device, log.name, frame.sequence) or control.is_released(
                log, frame)
            state.apply_body(frame, body, in_parts, log, certificate.author, operation, counts)
    return {
        "frames": sum(len(log.frames) for log in logs),
        "logs": len(logs),
        "ok": not problems,
        "problems": problems,
        "stateHash": state.hash(control.outcome()).hex(),
    }


def main():
    parser = argparse.ArgumentParser(description="Checks a node's home from the signatures up.")
    parser.add_argument("home", type=Path)
    parser.add_argument("--keys", type=Path, help="where device.key is (default: HOME/keys)")
    parser.add_argument("--passphrase-file", type=Path, help="for a protected device.key")
    parser.add_argument("--root", help="the operation's root public key, instead of device.key's")
    arguments = parser.parse_args()
    try:
        passphrase = None
        if arguments.passphrase_file is not None:
            passphrase = arguments.passphrase_file.read_bytes().rstrip(b"\r\n")
        folder = arguments.keys or arguments.home / "keys"
        key = read_key_file((folder / "device.key").read_bytes(), passphrase)
        root_key, chain = key.root_key, key.chain
        if arguments.root is not None:
            root_key, chain = bytes.fromhex(arguments.root), []
            if len(root_key) != 32:
                raise ValueError("a root key is 64 hexadecimal digits")
        path = (arguments.home / "data" / "muster.sqlite").resolve(strict=True)
        database = open_database(path, key.signing_seed)
    except (OSError, ValueError) as error:
        sys.exit(f"verify.py: {error}")
    try:
        report = verify(database, root_key, chain)
    except sqlite3.Error as error:
        sys.exit(f"verify.py: {path}: {error}")
    print(json.dumps(report, sort_keys=True))
    sys.exit(0 if report["ok"] else 1)


if __name__ == "__main__":
    main()
