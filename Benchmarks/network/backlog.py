#!/usr/bin/env python3
"""How long eight laptops on one lossy network need to agree on a backlog of 1,000 changes that one
of them made alone (limits: 30 s at 30 % loss, 5 minutes at 70 %, 30 minutes at 90 %)."""

import time

import lab

LIMITS = {30: 30, 70: 300, 90: 1800}

parser = lab.arguments(__doc__)
parser.add_argument("--nodes", type=int, default=8)
parser.add_argument("--changes", type=int, default=1000)
parser.add_argument("--loss", type=int, default=30, help="percent of what each hears, at random")
options = parser.parse_args()

mesh = lab.Lab(options.muster, options.nodes)
mesh.on_bridge()
author = mesh.nodes[0]
author.start("--no-multicast")
for number in range(options.changes):
    author.add_report(f"Change {number}", "x" * 60)
author.stop()
for node in mesh.nodes:
    inside = ["ip", "netns", "exec", node.namespace, "nft"]
    lab.run(*inside, "add table inet air")
    lab.run(*inside, "add chain inet air input { type filter hook input priority 0; }")
    lab.run(*inside, f"add rule inet air input meta l4proto udp numgen random mod 100 < "
                     f"{options.loss} drop")
began = time.perf_counter()
for node in mesh.nodes:
    node.start()
limit = LIMITS.get(options.loss)
mesh.until_in_step(2 * (limit or 1800))
lab.emit(f"backlog-{options.loss}", time.perf_counter() - began, "s", limit,
         f"{options.nodes} nodes, {options.changes} changes, from their start until all agree")
