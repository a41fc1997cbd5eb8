"""The pages of a sealed database: docs/wire.md §8. Reads a database that a node may be writing to."""

import hashlib
import sqlite3
import struct

from names import h32, unseal

PAGE, CLEAR, RESERVED = 4096, 100, 40
LOG_HEADER, FRAME_HEADER = 32, 24


class Pages:
    def __init__(self, signing_seed):
        self.key = h32(b"muster database 1", signing_seed)
        self.mask_key = h32(b"muster database mask 1", signing_seed)

    def open(self, page, number):
        """Returns the page with zeros in place of nonce and tag, or None."""
        clear = page[:CLEAR] if number == 1 else b""
        nonce, tag = page[-RESERVED:-16], page[-16:]
        sealed = nonce + page[len(clear) : -RESERVED] + tag
        text = unseal(sealed, self.key, struct.pack(">I", number) + clear)
        return None if text is None else clear + text + bytes(RESERVED)

    def mask(self, header, offset):
        place = struct.pack(">q", offset) + header[:16]
        return hashlib.blake2b(place, key=self.mask_key, digest_size=16).digest()[:8]


def open_database(path, signing_seed):
    """Returns a connection to a consistent copy in memory."""
    pages = Pages(signing_seed)
    log_path = path.with_name(path.name + "-wal")
    while True:
        before = read(log_path)[:LOG_HEADER]
        database, log = path.read_bytes(), read(log_path)
        # Else the log was restarted meanwhile. Otherwise all pages that were checkpointed from it
        # are still in it.
        if log[:LOG_HEADER] == before:
            break
    newest, count = committed(log, pages)
    if count is None:
        count = len(database) // PAGE
    whole = bytearray()
    for number in range(1, count + 1):
        page = newest.get(number)
        if page is None:
            offset = (number - 1) * PAGE
            sealed = database[offset : offset + PAGE]
            page = pages.open(sealed, number) if len(sealed) == PAGE else None
        if page is None:
            raise ValueError(f"page {number} is not as it was sealed, or the key is another's")
        whole += page
    # A copy in memory has no log.
    whole[18:20] = b"\x01\x01"
    connection = sqlite3.connect(":memory:")
    connection.deserialize(bytes(whole))
    return connection


def read(path):
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def committed(log, pages):
    """Returns the newest committed page of each number in the write-ahead log, and the resulting number
    of pages (https://www.sqlite.org/fileformat2.html, section 4)."""
    newest, pending, count = {}, {}, None
    if len(log) < LOG_HEADER:
        return newest, count
    order = "<" if log[:4] == b"\x37\x7f\x06\x82" else ">"
    salts = log[16:24]
    sums = checksum(log[:24], (0, 0), order)
    if struct.pack(">II", *sums) != log[24:32]:
        return newest, count
    size = FRAME_HEADER + PAGE
    for offset in range(LOG_HEADER, len(log) - size + 1, size):
        header = log[offset : offset + FRAME_HEADER]
        place = offset + FRAME_HEADER
        number = int.from_bytes(header[:4], "big")
        page = pages.open(log[place : place + PAGE], number)
        if page is None or header[8:16] != salts:
            break
        sums = checksum(page, checksum(header[:8], sums, order), order)
        hidden = bytes(a ^ b for a, b in zip(header[16:], pages.mask(header, offset)))
        if struct.pack(">II", *sums) != hidden:
            break
        number, after = struct.unpack(">II", header[:8])
        pending[number] = page
        if after:
            newest.update(pending)
            pending, count = {}, after
    return newest, count


def checksum(data, sums, order):
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for left in words:
        first = (first + left + second) & 0xFFFFFFFF
        second = (second + next(words) + first) & 0xFFFFFFFF
    return first, second
