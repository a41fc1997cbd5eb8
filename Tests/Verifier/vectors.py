#!/usr/bin/env python3
"""Derives the published test vectors, keys/test-vectors/wire.json, from seeds by docs/wire.md.

    python3 vectors.py [FILE]
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as xchacha_seal
from nacl.bindings import crypto_scalarmult, crypto_scalarmult_base
from nacl.signing import SigningKey

from log import Frame, log_id, opening
from control import Control
from evidence import read_twin_proof
from names import ROOT, Certificate, h16, h32, i64, u32

FILE = Path(__file__).resolve().parents[2] / "keys" / "test-vectors" / "wire.json"


def nonce_of(drawn, plaintext, data, key):
    """The nonce that the program derives: drawn bytes, so that a reader need not check it."""
    def keyed(secret, text, size):
        return hashlib.blake2b(text, key=secret, digest_size=size).digest()

    prf, mac = (keyed(key, label, 32) for label in (b"muster nonce 1", b"muster nonce hash 1"))
    return keyed(prf, drawn + poly1305(plaintext, mac) + data, 24)


def poly1305(text, key):
    """RFC 8439 §2.5."""
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for start in range(0, len(text), 16):
        block = text[start : start + 16] + b"\1"
        total = (total + int.from_bytes(block, "little")) * r % ((1 << 130) - 5)
    total += int.from_bytes(key[16:], "little")
    return (total % (1 << 128)).to_bytes(16, "little")


def seal(plaintext, data, given):
    nonce = nonce_of(given["nonce"], plaintext, data, given["seed.epoch"])
    return nonce + xchacha_seal(plaintext, data, nonce, given["seed.epoch"])


def duress(secret, recipient, context):
    """A call under duress (§6) to one recipient; the other slots are as the program fills them."""
    def word(key, text):
        return hashlib.blake2b(text, key=key, digest_size=16).digest()[:8]

    public = crypto_scalarmult_base(secret)
    shared = crypto_scalarmult(secret, recipient)
    first = word(shared, b"muster duress 1" + public + recipient + context)
    return public + first + b"".join(
        word(secret, b"muster duress filler 1" + bytes([slot])) for slot in range(1, 16))


def derive(given):
    """Every value in the file but the seeds, the incarnation and the drawn nonce."""
    root = SigningKey(given["seed.root"])
    signing = SigningKey(given["seed.signing"])
    root_key, key = bytes(root.verify_key), bytes(signing.verify_key)
    agreement = crypto_scalarmult_base(given["seed.agreement"])
    operation = h16(b"muster operation 1", root_key)
    user = h16(b"muster user 1", operation, key)
    content = b"".join([
        b"muster certificate 1", operation, ROOT, user, key, agreement, b"\1"])
    certificate = Certificate(content, root.sign(content).signature)
    assert certificate.hash in Control([], [certificate], operation, root_key).certificates
    incarnation, lane = given["incarnation"], 3
    log = log_id(operation, certificate.hash, incarnation, 1, lane)
    epoch = h16(b"muster epoch 1", operation, given["seed.epoch"])
    first = Frame(0, bytes(32), b"", None, opening(certificate.hash, incarnation, 1, lane), None)
    frame = Frame(1, first.hash(operation, log), b"", epoch, b"", None)
    plaintext = b"fire on the ridge"
    frame.body = seal(plaintext, frame.header(operation, log), given)
    blob = bytes(index % 251 for index in range(40_000))
    root, proof = merkle(blob)
    blob_id = h16(b"muster blob 1", u32(len(blob)), root)
    blob_list = b"".join(sorted(
        merkle(each)[0] + u32(len(each)) + bytes([kind])
        for kind, each in ((1, blob[:1000]), (2, blob))))
    photo = Frame(1, first.hash(operation, log), b"", epoch, b"", None, blob_list)
    photo.body = seal(plaintext, photo.header(operation, log), given)
    found = {
        "root.key": root_key, "signing.key": key, "agreement.key": agreement,
        "operation.id": operation, "user.id": user, "device.id": certificate.author.device,
        "certificate.content": content, "certificate.hash": certificate.hash,
        "certificate.signature": certificate.signature, "log.id": log, "epoch.id": epoch,
        "row.id": h16(b"muster row 1", operation, user, incarnation),
        "invite.id": h16(b"muster invite 1", bytes([7] * 16)),
        "fence.version": h16(b"muster fence version 1", b"\1", incarnation, b"\0\1", b"\0"),
        "topic.id": h16(b"muster topic 1", operation, certificate.hash, b"\1"),
        "alert.row": h16(b"muster alert 1", operation, b"\1", user),
        "photo.id": h16(b"muster photo 1", user, incarnation, b"\0\1"),
        "blob.root": root, "blob.id": blob_id, "blob.proof": proof, "blob.list": blob_list,
    }
    report = operation + found["row.id"]
    shown = u32(17) + b"fire on the ridge\2\4\1"
    shown += struct.pack(">ii", 460_500_000, -145_000_000) + b"\1"
    found["confirmed.content"] = h16(b"muster report shown 1", report, shown) + h16(
        b"muster report description 1", report, b"Two houses")
    found["duress.field"] = duress(
        bytes([9] * 32), agreement, operation + certificate.author.device + found["row.id"])
    for name, each in (("opening", first), ("frame", frame), ("photo", photo)):
        found[f"{name}.body"] = each.body
        found[f"{name}.header"] = each.header(operation, log) + h32(each.body)
        found[f"{name}.hash"] = each.hash(operation, log)
        found[f"{name}.signature"] = signing.sign(found[f"{name}.hash"]).signature
    boot = h16(b"muster boot 1", operation, certificate.author.device, b"a boot")
    plain = b"\x0a\x10" + boot + b"\x10\x80\xdd\xdb\x01"
    anchor = plain + b"\x18\1\x22\x20" + found["frame.hash"][:16] + incarnation
    found.update({
        "boot.id": boot, "stamp.plain": plain, "stamp.anchor": anchor,
        "stamp.body": b"\x08\xd0\x0f\x32" + bytes([len(anchor)]) + anchor,
        "principal.login": b"\x08\xd0\x0f\x3a\x04\x02Rui",
        "principal.person": b"\x08\xd0\x0f\x32" + bytes([len(anchor)]) + anchor
        + b"\x3a\x11\1" + user,
        "stamp.name": found["frame.hash"][:16],
    })
    fix = b"\x0a\x0c\x08\xc0\xb0\x95\xb7\x03\x10\xff\x98\xa4\x8a\x01"
    fix += b"\x10\x33\x18\xd0\x0f"
    position = b"\x0a" + bytes([len(fix)]) + fix + b"\x10\xd0\x0f"
    position += b"\x1a" + bytes([len(plain)]) + plain
    place = fix[:14]
    first = place + b"\x18\x07\x2a\x10" + bytes([5] * 16)
    second = place + b"\x10\xea\x07"
    coarse = b"\x0a\x14" + place + b"\x10\x89\x27\x18\xd0\x0f" + position[21:]
    coarse += b"\x22" + bytes([len(first)]) + first + b"\x22" + bytes([len(second)]) + second
    presence = b"\x08\xd0\x0f\x12" + bytes([len(anchor)]) + anchor
    other = u32(2) + bytes([8] * 16)
    told = i64(1000)
    sealed = told + b"\0\0\0\0\0\1" + struct.pack(">H", 3 << 14 | 16383)
    sealed += certificate.author.device[:6] + struct.pack(">H", 1 << 14 | 1)
    for name, kind, about, body, text in (
            ("receipt", 2, log, log + u32(1) + found["frame.hash"], b""),
            ("neighbours", 4, b"", None, sealed), ("lives", 5, b"", other, b""),
            ("clone", 6, b"", other + told, b""),
            ("blobs", 8, log, log + u32(1) + blob_id, b""), ("position", 1, b"", None, position),
            ("coarse", 1, b"", None, coarse),
            ("presence", 7, b"", None, presence)):
        data = b"".join([
            b"muster record 1", operation, bytes([kind]), certificate.hash, u32(1), incarnation,
            struct.pack(">Q", 1), bytes(16) if body else epoch])
        if body is None:
            body = seal(text, data, given)
        found[f"{name}.topic"] = h16(
            b"muster topic 1", operation, certificate.hash, bytes([kind]), about)
        found[f"{name}.body"] = body
        found[f"{name}.signature"] = signing.sign(h32(data, h32(body))).signature
        if name == "presence":
            found["presence.name"] = h32(data, h32(body))[:16]
    twins = sorted(
        (epoch, h32(found[f"{name}.body"]), found[f"{name}.signature"])
        for name in ("position", "coarse"))
    found["twins.proof"] = b"".join([
        b"\1", u32(len(certificate.content)), certificate.content, certificate.signature, b"\1",
        u32(1), incarnation, struct.pack(">Q", 1), *twins[0], *twins[1]])
    found["twins.id"] = h32(b"muster evidence 1", operation, b"\4", certificate.hash)
    assert read_twin_proof(found["twins.proof"], operation, root_key) == certificate.hash
    rules = b"\x0f"
    announced = b"\x0a\x08" + certificate.hash[:8] + b"\x12\x08" + incarnation[:8] + b"\x18\1"
    proof = signing.sign(b"muster announce 2" + rules + announced).signature
    found["announce.datagram"] = b"\x09" + rules + seal(
        b"\x0a" + bytes([len(announced)]) + announced + b"\x12\x40" + proof,
        b"muster announce 2" + operation + rules, given)
    found["join.signature"] = signing.sign(
        b"muster join 2" + rules + agreement + b"file Ada").signature
    header = b"muster bundle 2\n" + rules + incarnation
    header += h16(b"muster bundle 2", operation, incarnation)
    found["bundle.header"] = header + h16(b"muster bundle 2", header)[:4]
    return found


def merkle(data):
    """Returns the root of a blob (§3), and the proof of unit 1: the second one."""
    def up(level):
        return [
            h32(b"muster blob node 1", *pair) if len(pair) == 2 else pair[0]
            for pair in (level[at : at + 2] for at in range(0, len(level), 2))]

    level = [
        h32(b"muster blob leaf 1", data[at : at + 1024]) for at in range(0, len(data), 1024)]
    proof, place, depth = b"".join(level[16:32]), 1, 0
    while len(level) > 1:
        if depth >= 4:
            if place ^ 1 < len(level):
                proof += level[place ^ 1]
            place //= 2
        level, depth = up(level), depth + 1
    return level[0], proof


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    given = {name: bytes.fromhex(hex) for name, hex in json.loads(path.read_text()).items()}
    drawn = {"seed.root", "seed.signing", "seed.agreement", "seed.epoch", "nonce", "incarnation"}
    found = derive(given)
    names = sorted(given.keys() - drawn | found.keys())
    wrong = [name for name in names if found.get(name) != given.get(name)]
    for name in wrong:
        print(f"{name} differs")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
