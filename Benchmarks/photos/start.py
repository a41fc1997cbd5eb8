#!/usr/bin/env python3
"""How long a node with many photos takes to start, and its memory, beside one with the same reports
and no photos (bars: 2 s, 20 MB more for 10,000 photos). Three nodes add a third each, because a node
adds at most 4,096, and the first fetches the others'.

    python3 Benchmarks/photos/start.py --muster .build/release/muster [--photos 10000]
"""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "network"))
import lab  # noqa: E402
from sharing import PER_REPORT, add_photo, complete  # noqa: E402

parser = lab.arguments(__doc__.split("\n\n")[0])
parser.add_argument("--photos", type=int, default=10_000)
parser.add_argument("--bytes", type=int, default=20_000, help="of each; the number of files matters")
options = parser.parse_args()


def measured(photos):
    """Seconds until the node accepts commands, and its resident MB, in the median of three."""
    mesh = lab.Lab(options.muster, 3)
    mesh.on_loopback()
    reports = []
    for author in mesh.nodes:
        share = range(author.index, options.photos, len(mesh.nodes))
        for place, number in enumerate(share):
            if place % PER_REPORT == 0:
                reports.append(author.add_report(f"Photos {number}", ""))
            if photos:
                add_photo(author, reports[-1], number, options.bytes)
    node, *others = mesh.nodes
    mesh.until_in_step()
    lab.wait("the node has every photo",
             lambda: complete(node, reports) == (options.photos if photos else 0), 900, poll=2)
    for other in others:
        other.stop()
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
