"""Hashes, names, signatures and key files: docs/wire.md §1, §2, §9."""

import hashlib
import struct
from dataclasses import dataclass

import nacl.exceptions
import nacl.pwhash
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as xchacha_open
from nacl.signing import VerifyKey

ROOT = bytes(32)
COMMAND, MEMBER, OBSERVER, RELAY, ARCHIVE = 1, 2, 3, 4, 5
PERSONAL = (COMMAND, MEMBER, OBSERVER)


def h16(*parts):
    return hashlib.blake2b(b"".join(parts), digest_size=16).digest()


def h32(*parts):
    return hashlib.blake2b(b"".join(parts), digest_size=32).digest()


def u32(number):
    return struct.pack(">I", number)


def i64(number):
    return struct.pack(">q", number)


def text(string):
    data = string.encode("utf-8")
    return u32(len(data)) + data


def is_signed(message, signature, key):
    try:
        VerifyKey(key).verify(message, signature)
        return True
    except (nacl.exceptions.BadSignatureError, ValueError):
        return False


def unseal(body, key, additional_data):
    """Returns the plaintext of nonce ‖ ciphertext ‖ tag, or None."""
    if len(body) < 40:
        return None
    try:
        return xchacha_open(body[24:], additional_data, body[:24], key)
    except nacl.exceptions.CryptoError:
        return None


@dataclass(frozen=True)
class Author:
    user: bytes
    device: bytes
    role: int


class Certificate:
    LAYOUT = struct.Struct(">20s16s32s16s32s32sB")

    def __init__(self, content, signature):
        """Raises ValueError for an invalid certificate; `Control` decides whether it counts."""
        if len(content) != self.LAYOUT.size or len(signature) != 64:
            raise ValueError("certificate of another width")
        tag, self.operation, self.issuer, user, self.key, _, role = self.LAYOUT.unpack(content)
        if tag != b"muster certificate 1" or not COMMAND <= role <= ARCHIVE:
            raise ValueError("not a certificate")
        self.author = Author(user, h16(b"muster device 1", self.operation, self.key), role)
        self.content, self.signature, self.hash = content, signature, h32(content)


DEVICE_KEY = b"muster device key 1\n"


@dataclass(frozen=True)
class DeviceKey:
    """A device's key file; the chain contains its own certificates, leaf first."""

    root_key: bytes
    network_key: bytes
    signing_seed: bytes
    chain: list

    @property
    def operation(self):
        return h16(b"muster operation 1", self.root_key)


def read_key_file(data, passphrase):
    if not data.startswith(DEVICE_KEY):
        raise ValueError("not a device key file")
    mark, content = data[len(DEVICE_KEY)], data[len(DEVICE_KEY) + 1 :]
    if mark == 1:
        if passphrase is None:
            raise ValueError("the key file is protected: give --passphrase-file")
        salt, passes, kibibytes = struct.unpack(">16sII", content[:24])
        if not (1 <= passes <= 32 and 8 <= kibibytes <= 1024 * 1024):
            raise ValueError("the key file asks for too much")
        key = nacl.pwhash.argon2id.kdf(32, passphrase, salt, passes, kibibytes * 1024)
        content = unseal(content[24:], key, DEVICE_KEY)
        if content is None:
            raise ValueError("the passphrase is wrong")
    (length,) = struct.unpack_from(">I", content)
    place = 4 + length
    root_key, network_key, seed = (
        content[at : at + 32] for at in range(place, place + 96, 32))
    place += 4 * 32  # the last is the agreement secret
    chain = []
    count, place = content[place], place + 1
    for _ in range(count):
        (length,) = struct.unpack_from(">I", content, place)
        place += 4
        end = place + length
        chain.append(Certificate(content[place:end], content[end : end + 64]))
        place = end + 64
    if place != len(content):
        raise ValueError("the key file is damaged")
    return DeviceKey(root_key, network_key, seed, chain)
