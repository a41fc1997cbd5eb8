"""Membership evidence (docs/wire.md §2): proofs that a log has more branches than count, and that a key
signed two records with one order."""

import struct

from log import CONTROL, log_id
from names import COMMAND, ROOT, Certificate, h32, is_signed

MOST_BRANCHES = 8
MOST_OVERFORKED = 32
LONGEST_CHAIN = 4
FORK_PROOF, TWIN_PROOF = 1, 4


def read_items(database, operation, readers):
    """What the stored items of some kinds state, and what is wrong with them.

    readers: by kind what reads a content; it returns what the item states, and what it proves."""
    found, problems = [], []
    for id, kind, content in database.execute("SELECT id, kind, content FROM evidence ORDER BY id"):
        if kind not in readers:
            continue
        try:
            item, identity = readers[kind](content)
        except (ValueError, IndexError, struct.error) as error:
            problems.append(f"evidence {id.hex()[:8]}: {error}")
            continue
        if id != h32(b"muster evidence 1", operation, bytes([kind]), identity):
            problems.append(f"evidence {id.hex()[:8]}: it proves something else")
        found.append((kind, item))
    return found, problems


def read_fork_ends(database, operation, root_key):
    """What the stored proofs come to, and what is wrong with them.

    By log the last sequence that counts; certificates with too many such logs; problems."""
    def read(content):
        log, _, fork = proof = read_fork_proof(content, operation, root_key)
        return proof, log + struct.pack(">Q", fork)

    ends, logs_of = {}, {}
    found, problems = read_items(database, operation, {FORK_PROOF: read})
    for _, (log, certificate, fork) in found:
        ends[log] = min(fork - 1, ends.get(log, fork - 1))
        logs_of.setdefault(certificate, set()).add(log)
    overflowed = {name for name, logs in logs_of.items() if len(logs) > MOST_OVERFORKED}
    return ends, overflowed, problems


def read_fork_proof(content, operation, root_key):
    """(log, certificate, lowest sequence of which two frames are proved)."""
    reader = Reader(content)
    chain = read_chain(reader)
    certificate, incarnation = reader.take(32), reader.take(16)
    generation, lane = reader.number(4), reader.number(1)
    log = log_id(operation, certificate, incarnation, generation, lane)
    key = author_key(chain, certificate, lane, operation, root_key)
    groups, order = {}, []
    for _ in range(reader.number(1)):
        first, previous, count = reader.number(4), reader.take(32), reader.number(1)
        has_lists, count = count >= 128, count & 127
        if first < 1 or not 1 <= count <= 32:
            raise ValueError("a witness of another form")
        hash, hashes, lists = previous, [], []
        for sequence in range(first, first + count):
            epoch = reader.take(16)
            lists.append(reader.take(32) if has_lists else bytes(32))
            body = reader.take(32)
            hash = h32(
                b"muster frame 1", operation, log, struct.pack(">Q", sequence), hash, epoch,
                lists[-1], body)
            hashes.append(hash)
        if has_lists != any(list != bytes(32) for list in lists):
            raise ValueError("another form")
        if not is_signed(hash, reader.take(64), key):
            raise ValueError("a signature does not hold")
        order.append((first, previous, hashes[0]))
        groups.setdefault((first, previous), set()).add(hashes[0])
    if reader.rest or order != sorted(set(order)):
        raise ValueError("another form")
    if any(len(group) < 2 for group in groups.values()):
        raise ValueError("a branch without another")
    if sum(len(group) - 1 for group in groups.values()) != MOST_BRANCHES:
        raise ValueError("fewer or more branches than a proof has")
    return log, certificate, order[0][0]


def read_chain(reader):
    return [
        Certificate(reader.take(reader.number(4)), reader.take(64)) for _ in range(reader.number(1))]


def check_twins(database, operation, root_key):
    """What is wrong with the stored proofs that a key signed two records with one order."""
    def read(content):
        certificate = read_twin_proof(content, operation, root_key)
        return certificate, certificate

    return read_items(database, operation, {TWIN_PROOF: read})[1]


def read_twin_proof(content, operation, root_key):
    """The certificate whose key signed both."""
    reader = Reader(content)
    chain = read_chain(reader)
    if not chain:
        raise ValueError("no certificate")
    certificate = chain[0].hash
    key = author_key(chain, certificate, None, operation, root_key)
    kind, order = reader.take(1), reader.take(28)
    twins = [(reader.take(16), reader.take(32), reader.take(64)) for _ in range(2)]
    if reader.rest or twins[0][:2] >= twins[1][:2]:
        raise ValueError("another form")
    for epoch, body, signature in twins:
        signed = h32(b"muster record 1", operation, kind, certificate, order, epoch, body)
        if not is_signed(signed, signature, key):
            raise ValueError("a signature does not hold")
    return certificate


def author_key(chain, certificate, lane, operation, root_key):
    if certificate == ROOT:
        if chain or lane != CONTROL:
            raise ValueError("no log of the root's")
        return root_key
    if not 1 <= len(chain) <= LONGEST_CHAIN or chain[0].hash != certificate:
        raise ValueError("the chain is another device's")
    for place, signed in enumerate(chain):
        above = chain[place + 1] if place + 1 < len(chain) else None
        holds = signed.operation == operation and (
            signed.issuer == ROOT and is_signed(signed.content, signed.signature, root_key)
            if above is None else
            signed.issuer == above.hash and above.author.role == COMMAND
            and is_signed(signed.content, signed.signature, above.key))
        if not holds:
            raise ValueError("the chain does not hold")
    return chain[0].key


class Reader:
    def __init__(self, data):
        self.rest = data

    def take(self, count):
        if count > len(self.rest):
            raise ValueError("cut short")
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def number(self, count):
        return int.from_bytes(self.take(count), "big")
