#!/usr/bin/env python3
"""How long a node with many photos takes to start, and its memory, beside one with the same reports
and no photos (bars: 2 s, 20 MB more for 10,000 photos).

    python3 Benchmarks/photos/start.py --muster .build/release/muster [--photos 10000]
"""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "network"))
import lab  # noqa: E402
from sharing import PER_REPORT, add_photo  # noqa: E402

parser = lab.arguments(__doc__.split("\n\n")[0])
parser.add_argument("--photos", type=int, default=10_000)
parser.add_argument("--bytes", type=int, default=20_000, help="of each; the number of files matters")
options = parser.parse_args()


def measured(photos):
    """Seconds until the node accepts commands, and its resident MB, in the median of three."""
    mesh = lab.Lab(options.muster, 1)
    node = mesh.nodes[0]
    node.start("--no-multicast")
    for number in range(options.photos):
        if number % PER_REPORT == 0:
            report = node.add_report(f"Photos {number}", "")
        if photos:
            add_photo(node, report, number, options.bytes)
    times, sizes = [], []
    for _ in range(3):
        node.stop()
        began = time.perf_counter()
        node.start("--no-multicast")
        node.status()
        times.append(time.perf_counter() - began)
        time.sleep(2)
        for line in open(f"/proc/{node.process.pid}/status"):
            if line.startswith("VmRSS:"):
                sizes.append(int(line.split()[1]) / 1000)
    mesh.close()
    return lab.median(times), lab.median(sizes)


lab.in_private_network()
seconds, size = measured(True)
plain_seconds, plain_size = measured(False)
what = f"{options.photos} photos of {options.bytes} bytes"
lab.emit("photos-start", seconds, "s", 2, f"{what}; without photos {plain_seconds:.2f} s", digits=2)
lab.emit("photos-memory", size - plain_size, "MB", 20, f"{what}; without photos {plain_size:.0f} MB")
