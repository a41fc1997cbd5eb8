#!/usr/bin/env python3
"""One radio channel that all share: takes what each interface sends, lets it wait its turn at so
many bits a second, and hands it to whom it is for, or to all. Runs in the namespace that holds the
nodes' other ends (p0, p1, …)."""

import argparse
import collections
import random
import select
import socket
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("count", type=int)
parser.add_argument("--rate", type=int, default=64_000, help="bits a second")
parser.add_argument("--queue", type=int, default=16_000, help="bytes that wait at most, each sender")
parser.add_argument("--loss", type=float, default=0, help="percent, drawn for each receiver")
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()

draw = random.Random(options.seed)
ends, poller = {}, select.poll()
for index in range(options.count):
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    end.bind((f"p{index}", 0))
    ends[end.fileno()] = end
    poller.register(end, select.POLLIN)
stations = {}


def whole(frame):
    """Without the UDP checksum, which the kernel leaves to a network card that is not there: 0 says
    that there is none (RFC 768)."""
    if frame[12:14] == b"\x08\x00" and frame[23] == socket.IPPROTO_UDP:
        place = 14 + (frame[14] & 15) * 4 + 6
        return frame[:place] + bytes(2) + frame[place + 2:]
    return frame


waiting = {number: collections.deque() for number in ends}
held = {number: 0 for number in ends}
turn = collections.deque()
free_at = time.monotonic()
carried = dropped = 0
print("ready", flush=True)
report_at = free_at + 60

while True:
    now = time.monotonic()
    wait = max(0.0, free_at - now) if turn else 1.0
    for number, _ in poller.poll(wait * 1000):
        frame, address = ends[number].recvfrom(65536)
        if address[2] == socket.PACKET_OUTGOING:
            continue
        stations[frame[6:12]] = number
        if held[number] + len(frame) > options.queue:
            dropped += 1
            continue
        if not waiting[number]:
            turn.append(number)
        waiting[number].append(whole(frame))
        held[number] += len(frame)
    now = time.monotonic()
    # Fair by sender, as a radio's channel access is: one frame each in turn.
    while turn and free_at <= now:
        number = turn.popleft()
        frame = waiting[number].popleft()
        held[number] -= len(frame)
        if waiting[number]:
            turn.append(number)
        free_at = max(free_at, now - 0.05) + len(frame) * 8 / options.rate
        carried += len(frame)
        to = stations.get(frame[:6])
        for other, end in ends.items():
            if other != number and to in (None, other) and draw.random() * 100 >= options.loss:
                end.send(frame)
    if now > report_at:
        print(f"carried {carried} bytes, dropped {dropped} frames", flush=True)
        report_at += 60
