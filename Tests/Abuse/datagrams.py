"""Datagrams that an outsider or a dishonest member would create (docs/wire.md §10, §11)."""

import os
import random
import re
import socket
import struct
import threading
import time

from lab import ROOT, run
from names import read_key_file
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as unseal
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as seal
from nacl.signing import SigningKey
from protobuf import field, varint

ANNOUNCE, INITIATION = 9, 2

def current_rules():
    """Returns the rules version of this program, which is sent in plaintext."""
    with open(os.path.join(ROOT, "Sources/MusterModel/RulesVersion.swift"), encoding="utf-8") as file:
        return bytes([int(re.search(r"current = RulesVersion\((\d+)\)", file.read())[1])])


RULES = current_rules()
KINDS = range(1, 10)


def device_key(home):
    return read_key_file(open(os.path.join(home, "keys/device.key"), "rb").read(), None)


def garbage(draw):
    """Returns random bytes of any length, usually with a valid kind as the first byte."""
    data = bytearray(draw.randbytes(draw.randint(1, 1400)))
    if draw.random() < 0.8:
        data[0] = draw.choice(KINDS)
    return bytes(data)


def mutated(data, draw):
    """Returns a genuine datagram with flipped bits, truncated or extended."""
    data = bytearray(data)
    way = draw.randrange(3)
    if way == 0:
        for _ in range(draw.randint(1, 8)):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    elif way == 1:
        del data[draw.randrange(1, len(data)):]
    else:
        data += draw.randbytes(draw.randint(1, 200))
    return bytes(data)


def after_head(plain):
    """Returns the fields of an announce after certificate, incarnation and counter, unsigned."""
    def after_varint(start):
        while plain[start] & 0x80:
            start += 1
        return start + 1

    # Each of the first two is eight bytes with a tag and a length, the third is a varint.
    counter = after_varint(1) + 10 + 10
    return plain[after_varint(counter + 1):-66]


class Liar:
    """A member that sends arbitrary announces, sealed under the network key, signed or not."""

    def __init__(self, home):
        key = device_key(home)
        self.network_key, self.operation = key.network_key, key.operation
        self.certificate = key.chain[0].hash[:8]
        self.signer = SigningKey(key.signing_seed)
        self.counter = 1 << 40

    def content(self, *more, incarnation=b"liarliar"):
        self.counter += 1
        return b"".join([
            field(1, self.certificate), field(2, incarnation), b"\x18" + varint(self.counter),
            *more])

    def announce(self, content, signature=None):
        if signature is None:
            signature = self.signer.sign(b"muster announce 2" + RULES + content).signature
        return self.sealed(field(1, content) + field(2, signature))

    def sealed(self, plain):
        nonce = os.urandom(24)
        return bytes([ANNOUNCE]) + RULES + nonce + seal(
            plain, b"muster announce 2" + self.operation + RULES, nonce, self.network_key)

    def opened(self, announce):
        """Returns the plaintext of a received announce."""
        return unseal(
            announce[26:], b"muster announce 2" + self.operation + RULES, announce[2:26],
            self.network_key)

    def fuzzed(self, captured, draw):
        """Returns another device's announce, mutated under the seal; or signed as this member's own,
        with the sets, frames and records of the other device, mutated or unchanged."""
        plain = draw.choice(captured)
        if draw.random() < 0.4:
            return self.sealed(mutated(plain, draw))
        rest = after_head(plain)
        if rest and draw.random() < 0.8:
            rest = mutated(rest, draw)
        return self.announce(self.content(rest))


class Recorder:
    """Captures every UDP datagram on an interface of this namespace."""

    def __init__(self, interface="lo"):
        run("ip", "link", "set", interface, "up")
        self.captured = []
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
        self.socket.bind((interface, 0))
        self.socket.settimeout(0.2)
        self.open = True
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        while self.open:
            try:
                frame, address = self.socket.recvfrom(65536)
            except TimeoutError:
                continue
            # Loopback delivers each twice: once on transmission.
            if address[2] == socket.PACKET_OUTGOING or frame[23] != socket.IPPROTO_UDP:
                continue
            start = 14 + (frame[14] & 15) * 4
            source, target = struct.unpack_from(">HH", frame, start)
            self.captured.append((time.monotonic(), source, target, frame[start + 8:]))

    def stop(self):
        self.open = False
        self.thread.join()
        return self.captured


class Sprinkler:
    """Sends from many addresses of 127/8, each with its own socket, and counts the answers."""

    def __init__(self):
        self.sent = self.answered = 0
        self.most = 0.0

    def pour(self, datagrams, target, sources, seed=1, hold=400):
        """Sends each datagram from the next of the given number of addresses."""
        draw = random.Random(seed)
        held = []
        for number, data in enumerate(datagrams):
            source = number % sources
            end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            end.setblocking(False)
            end.bind((f"127.{64 + source // 65025 % 128}.{source // 255 % 255}.{source % 255 + 1}",
                      draw.randint(1024, 65000)))
            end.sendto(data, target)
            self.sent += len(data) + 28
            held.append((end, len(data) + 28))
            if len(held) >= hold:
                self.drain(held)
        time.sleep(0.5)
        self.drain(held)

    def drain(self, held):
        for end, sent in held:
            came = 0
            try:
                while True:
                    came += len(end.recv(2048)) + 28
            except BlockingIOError:
                pass
            self.answered += came
            self.most = max(self.most, came / sent)
            end.close()
        held.clear()
