#!/usr/bin/env python3
"""How long a fresh write takes over four hops: five laptops in a row, each hearing only its
neighbours (limit: 150 ms)."""

import time

import lab

parser = lab.arguments(__doc__)
parser.add_argument("--nodes", type=int, default=5)
parser.add_argument("--writes", type=int, default=30)
options = parser.parse_args()

mesh = lab.Lab(options.muster, options.nodes)
mesh.in_a_row()
for node in mesh.nodes:
    node.start()
mesh.until_in_step()
first, last, took = mesh.nodes[0], mesh.nodes[-1], []
for number in range(options.writes):
    time.sleep(0.5)
    began = time.perf_counter()
    report = first.add_report(f"Fresh {number}", "x" * 100)
    while not last.has_report(report):
        if time.perf_counter() - began > 30:
            raise SystemExit(f"write {number} did not arrive in 30 s")
        time.sleep(0.0005)
    took.append(1000 * (time.perf_counter() - began))
took.sort()
lab.emit(
    "chain", lab.median(took), "ms", 150,
    f"median of {options.writes} writes over {options.nodes - 1} hops, from the command to the far "
    f"end; 95th percentile {took[int(len(took) * 0.95)]:.0f} ms")
