"""Frames: storage, chains and content (docs/wire.md §3–5, §8)."""

import struct
from dataclasses import dataclass

import protobuf
from names import ROOT, Certificate, h16, h32, is_signed, unseal

CONTROL = 1

MESSAGES = protobuf.tables("""
Head: 1 log bytes; 2 sequence uint64; 3 hash bytes
Position: 1 latitude_e7 sint32; 2 longitude_e7 sint32
Fix: 1 position Position; 2 accuracy_plus_one uint32; 3 sample_time sint64
Crossing: 1 type uint32; 2 fence bytes; 3 fence_version bytes; 4 subject bytes; 5 transition uint32
Crossing: 6 fix Fix; 7 baseline bool; 8 tracker bytes
Certificate: 1 content bytes; 2 signature bytes
SealedKey: 1 device bytes; 2 sealed bytes
Epoch: 1 id bytes; 2 excludes bytes many; 3 sealed SealedKey many; 4 generation uint32
Epoch: 5 base bytes
Kept: 1 certificates bytes many
Revocation: 1 device bytes; 2 cuts Head many; 3 keeps Kept
Release: 1 frames Head many
Operation: 2 crossing Crossing kind
Operation: 16 certificate Certificate kind; 17 epoch Epoch kind; 18 revocation Revocation kind
UplinkCertificate: 1 der bytes
Operation: 19 release Release kind; 20 uplink UplinkCertificate kind
Part: 1 index uint32; 2 count uint32; 3 content bytes
Stamp: 1 boot bytes; 2 milliseconds uint64; 3 is_anchor bool; 4 echoes bytes
FrameBody: 1 written_at sint64; 2 operations Operation many; 3 part Part; 5 writes bytes
FrameBody: 6 stamp Stamp; 7 on_behalf_of bytes
""")


@dataclass
class Frame:
    sequence: int
    previous: bytes
    stored_hash: bytes
    epoch: bytes | None
    body: bytes
    signature: bytes | None
    blobs: bytes | None = None

    def header(self, operation, log):
        """Returns all but the last field, which is also the additional data of the body's seal."""
        return b"".join([
            b"muster frame 1", operation, log, struct.pack(">Q", self.sequence), self.previous,
            self.epoch or bytes(16), h32(self.blobs) if self.blobs else bytes(32),
        ])

    def hash(self, operation, log):
        return h32(self.header(operation, log), h32(self.body))


@dataclass
class Log:
    """A log, or a strand of a forked log."""
    id: bytes
    name: bytes
    certificate: bytes
    incarnation: bytes
    generation: int
    lane: int
    head: tuple
    frames: list
    first: int
    base: bytes
    is_parted: bool
    parent: object = None

    @property
    def said(self):
        """Returns all frames except the opening."""
        return self.frames[1:] if self.parent is None else self.frames

    def at(self, sequence):
        """Returns the frame of a sequence, which may be in a parent of the strand."""
        log = self
        while sequence < log.first:
            log = log.parent
        return log.frames[sequence - log.first]


def read_database(database):
    """Reads every log with its frames, and the epoch keys."""
    logs, parents = [], {}
    for ref, name, certificate, incarnation, generation, lane, *rest in database.execute(
        "SELECT ref, log, certificate, incarnation, generation, lane, head_sequence, head_hash,"
        " origin, parent, base_hash, first_sequence, is_parted FROM logs ORDER BY log"):
        sequence, hash, origin, parent, base, first, is_parted = rest
        log = Log(
            origin or name, name, certificate, incarnation, generation, lane, (sequence, hash), [],
            first, base or bytes(32), is_parted == 1)
        parents[name] = parent
        previous = log.base
        for place, name, rest, epoch, body, signature, blobs in database.execute(
            "SELECT place, name, rest, epoch, body, signature, blobs FROM frames"
            " WHERE place BETWEEN ?1 << 32 AND (?1 + 1 << 32) - 1 ORDER BY place", (ref,)):
            hash = name + rest
            log.frames.append(
                Frame(place & 0xFFFFFFFF, previous, hash, epoch, body, signature, blobs))
            previous = hash
        logs.append(log)
    named = {log.name: log for log in logs}
    for log in logs:
        log.parent = named.get(parents[log.name])
    return logs, dict(database.execute("SELECT id, key FROM epochs"))


def read_shown(database):
    """Returns the certificates that were shown outside control logs."""
    return [
        Certificate(content, signature)
        for content, signature in database.execute(
            "SELECT content, signature FROM certificates ORDER BY hash")
    ]


# Chains (§3, §8)


def check_log(log, operation, key):
    """Yields the faults of a log, frame by frame."""
    def told(frame, what):
        return f"frame {frame.sequence} of log {log.name.hex()[:8]}: {what}"

    if not log.frames:
        return [f"log {log.id.hex()[:8]}: no frames"]
    problems = []
    if key is None:
        problems.append(told(log.frames[0], "its author is not certified"))
    for expected, frame in enumerate(log.frames, log.first):
        if frame.sequence != expected:
            problems.append(told(frame, "frames before it are missing"))
            break
        if frame.epoch == bytes(16) or frame.hash(operation, log.id) != frame.stored_hash:
            problems.append(told(frame, "its contents and its chain do not give its hash"))
        if frame.signature is not None and key is not None:
            if not is_signed(frame.stored_hash, frame.signature, key):
                problems.append(told(frame, "its signature is invalid"))
    if log.id != log.name:
        if not is_strand(log):
            problems.append(told(log.frames[0], "its strand does not begin with it"))
    elif not is_opening(log, operation):
        problems.append(told(log.frames[0], "its opening does not belong to its log"))
    last = log.frames[-1]
    if last.signature is None and not log.is_parted:
        problems.append(told(last, "no signature proves it"))
    if log.head != (last.sequence, last.stored_hash):
        problems.append(told(last, "it is not the log's head"))
    return problems


def is_strand(log):
    """Returns whether a strand follows its parent's head, and has the name derived from its frames."""
    return (
        log.parent is not None
        and log.parent.id == log.id
        and log.parent.is_parted
        and log.parent.head == (log.first - 1, log.base)
        and log.name == h16(b"muster strand 1", log.id, log.frames[0].stored_hash)
    )


def is_opening(log, operation):
    """Returns whether the opening has its only valid form, from which the log's id follows."""
    first = log.frames[0]
    said = log.certificate, log.incarnation, log.generation, log.lane
    return (
        first.epoch is None
        and 1 <= log.lane <= 4
        and 1 <= log.generation <= 1024
        and (log.certificate != ROOT or log.lane == CONTROL)
        and first.body == opening(*said)
        and log.id == log_id(operation, *said)
    )


def opening(certificate, incarnation, generation, lane):
    number = [generation] if generation < 128 else [generation & 127 | 128, generation >> 7]
    return b"".join([
        b"\x0a\x20", certificate, b"\x12\x10", incarnation, b"\x18", bytes(number), b"\x20",
        bytes([lane])])


def log_id(operation, certificate, incarnation, generation, lane):
    return h16(
        b"muster log 1", operation, certificate, incarnation, struct.pack(">IB", generation, lane))


# Content of frames (§5)


def bodies(log, operation, keys):
    """Yields the decrypted bodies of a log outside the control lane: (frame, FrameBody, in parts).
    `keys` are those that may be used for it."""
    if log.lane == CONTROL:
        return
    opened = (
        (frame, unseal(frame.body, keys[frame.epoch], frame.header(operation, log.id)))
        for frame in log.said if frame.epoch in keys)
    yield from joined((frame, plaintext) for frame, plaintext in opened if plaintext is not None)


def joined(plaintexts):
    """Yields bodies, in one frame or in parts: (last frame, FrameBody, whether in parts)."""
    parts, after = [], None
    for frame, plaintext in plaintexts:
        body = parse_body(plaintext)
        if body is None:
            continue
        if "part" not in body:
            yield frame, body, False
            continue
        part = body["part"]
        index, count = part.get("index", 0), part.get("count", 0)
        if index == 0:
            parts = []
        if index != len(parts) or (index > 0 and after != frame.sequence - 1):
            parts, after = [], None
            continue
        parts.append(part.get("content", b""))
        after = frame.sequence
        if sum(map(len, parts)) > 65536:
            parts, after = [], None
        elif index + 1 == count:
            whole = parse_body(b"".join(parts))
            parts, after = [], None
            if whole is not None and "part" not in whole:
                yield frame, whole, True


def parse_body(data):
    """Returns None for an invalid value."""
    try:
        body = protobuf.parse(data, MESSAGES["FrameBody"])
    except protobuf.Malformed:
        return None
    if "part" in body:
        index, count = body["part"].get("index", 0), body["part"].get("count", 0)
        if not (2 <= count <= 128 and index < count) or body.get("operations"):
            return None
        if body.get("writes"):
            return None
    elif len(body.get("operations", [])) > 512:
        return None
    return body
