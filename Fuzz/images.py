#!/usr/bin/env python3
"""Mutates pictures and gives them to muster-image, as a node does. libFuzzer cannot: libvips is not
instrumented, and the program confines itself. Prints a row of the table of Scripts/fuzz.sh.

Usage: Fuzz/images.py PROGRAM SECONDS CRASHES [SEED]
  CRASHES  folder for pictures that end the helper by a signal, or that take longer than 30 s

A picture that ends the helper harms nothing else, but names a decoder with an error.
"""

import pathlib
import random
import subprocess
import sys
import tempfile
import time

PICTURES = pathlib.Path(__file__).resolve().parents[1] / "Tests" / "Pictures"
sys.path.insert(0, str(PICTURES))
from helper import Ended, Helper  # noqa: E402

EDGES = [0, 1, 0x7F, 0x80, 0xFF]


def mutated(drawn, picture, others):
    data = bytearray(picture)
    for _ in range(1 << drawn.randrange(6)):
        kind, at = drawn.randrange(7), drawn.randrange(len(data))
        # Headers are short, and decide more than pixels do.
        if drawn.random() < 0.5:
            at = min(at, drawn.randrange(min(len(data), 400)))
        if kind == 0:
            data[at] ^= 1 << drawn.randrange(8)
        elif kind == 1:
            data[at] = drawn.choice(EDGES)
        elif kind == 2:
            data[at:at + 4] = drawn.randbytes(4)
        elif kind == 3:
            del data[at:at + drawn.randrange(1, 64)]
        elif kind == 4:
            data[at:at] = data[at:at + drawn.randrange(1, 64)]
        elif kind == 5:
            other = drawn.choice(others)
            start = drawn.randrange(len(other))
            data[at:at + 64] = other[start:start + 64]
        else:
            data[at:at + 4] = drawn.choice(
                [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\1"])
        if not data:
            data = bytearray(picture[:16])
    return bytes(data)


def main():
    program, seconds, crashes = sys.argv[1], float(sys.argv[2]), pathlib.Path(sys.argv[3])
    seed = sys.argv[4] if len(sys.argv) > 4 else str(time.time_ns())
    drawn = random.Random(seed)
    crashes.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, PICTURES / "pictures.py", folder], check=True)
        files = [file for file in sorted(pathlib.Path(folder).iterdir())
                 if 0 < file.stat().st_size < 10_000]
        seeds = [file.read_bytes() for file in files]
    count, read, found, helper = 0, 0, 0, None
    start = time.monotonic()
    while time.monotonic() < start + seconds:
        at = drawn.randrange(len(seeds))
        picture = mutated(drawn, seeds[at], seeds)
        helper = helper or Helper(program)
        count += 1
        try:
            status, _ = helper.read(picture)
            read += status == 0
        except Ended as ended:
            # 0: it ends by itself before it has used up its processor time.
            if ended.args[0] != 0:
                found += 1
                name = f"image-{count}-{files[at].name}-{ended.args[0]}"
                (crashes / name).write_bytes(picture)
            helper = None
    if helper:
        helper.end()
    rate = int(count / (time.monotonic() - start))
    verdict = f"CRASH: {found}, see {crashes}" if found else "clean"
    print(f"{'image':<14} {count:>12} {rate:>9} {read:>8}  {verdict}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
