#!/usr/bin/env python3
"""Measures the intake of 12-megapixel pictures in a warm helper: wall time, processor time, memory.

    swift build -c release --product muster-image
    .build/python/bin/python3 Benchmarks/photos/intake.py .build/release/muster-image [RUNS]

Bars: JPEG at most 400 ms and 150 MB, HEIC at most 2.5 s. Each format has a helper of its own, which
read a small picture before; the memory is its peak over all runs.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PICTURES = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Pictures"
sys.path.insert(0, str(PICTURES))
from helper import Helper  # noqa: E402


def main():
    program, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        draw = [sys.executable, PICTURES / "pictures.py", folder]
        subprocess.run(draw, check=True)
        subprocess.run([*draw, "--large"], check=True)
        print(f"{'picture':<22}{'median ms':>10}{'most ms':>9}{'CPU ms':>8}{'peak MB':>9}")
        for file in sorted(folder.glob("12mp*")):
            helper = Helper(program, patience=120)
            helper.read((folder / "plain.jpg").read_bytes())
            picture, times = file.read_bytes(), []
            before = helper.processor_seconds()
            for _ in range(runs):
                start = time.monotonic()
                status, _ = helper.read(picture)
                times.append((time.monotonic() - start) * 1000)
                assert status == 0, f"{file.name}: {status}"
            used = (helper.processor_seconds() - before) * 1000 / runs
            print(f"{file.name:<22}{statistics.median(times):>10.0f}{max(times):>9.0f}"
                  f"{used:>8.0f}{helper.memory():>9.0f}")
            helper.end()


if __name__ == "__main__":
    main()
