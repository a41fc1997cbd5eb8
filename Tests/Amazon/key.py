"""Sends one signed request: key.py NODES NAME STATUS. The key NAME of the file NODES must be answered with STATUS."""
import json
import sys

from walk import Raw, expect

with open(sys.argv[1], encoding="utf-8") as file:
    nodes = json.load(file)
status, _, body = Raw(nodes[sys.argv[2]]).send("POST", "/tracking/v0/list-trackers")
expect(status == int(sys.argv[3]), status, body)
