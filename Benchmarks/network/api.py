#!/usr/bin/env python3
"""The HTTP API of real nodes: reads a second (wrk), how long an event takes to reach all of many
event streams, and how long a field laptop's write takes to a reader's stream at the command post."""

import re
import selectors
import socket
import time

import lab

HTTP = 7480
READS_A_SECOND, SLOWEST_MILLISECONDS = 5_000, 20
ALL_MILLISECONDS, FIELD_MILLISECONDS = 500, 300


def main():
    parser = lab.arguments(__doc__)
    parser.add_argument("--seconds", type=int, default=10, help="of reading")
    parser.add_argument("--subscribers", type=int, default=500)
    parser.add_argument("--reports", type=int, default=100, help="that the operation has")
    parser.add_argument("--rounds", type=int, default=20, help="of writing")
    options = parser.parse_args()
    lab.in_private_network()
    valley = lab.Lab(options.muster, 2)
    post, field = valley.nodes
    valley.start_on_loopback(post, "--http", f"127.0.0.1:{HTTP}", "--trust-local")
    valley.start_on_loopback(field)
    for index in range(options.reports):
        post.add_report(f"Report {index}", "Something happens here. " * 4)
    valley.until_in_step()
    reads(options)
    streams(options, post, field)


def reads(options):
    for path, limit in (("/api/v1/status", READS_A_SECOND), ("/api/v1/reports", None)):
        told = lab.run(
            "wrk", "-t2", "-c32", f"-d{options.seconds}s", "--latency",
            f"http://127.0.0.1:{HTTP}{path}")
        name = path.rsplit("/", 1)[1]
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", told).group(1))
        slowest = milliseconds(re.search(r"99%\s+([\d.]+\w+)", told).group(1))
        if "Non-2xx" in told:
            raise SystemExit(told)
        lab.emit(f"api-{name}", rate, "requests/s", limit, "wrk -t2 -c32")
        lab.emit(f"api-{name}-p99", slowest, "ms", SLOWEST_MILLISECONDS if limit else None)


def milliseconds(text):
    number, unit = re.match(r"([\d.]+)(\w+)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def streams(options, post, field):
    """Event streams, read by one thread, as many readers would read one each."""
    readers = selectors.DefaultSelector()
    for index in range(options.subscribers):
        reader = socket.create_connection(("127.0.0.1", HTTP))
        reader.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        readers.register(reader, selectors.EVENT_READ, index)
    until_all_heard(readers, b"event: counts", options.subscribers)
    for name, node, limit in (
            ("own", post, ALL_MILLISECONDS), ("field", field, FIELD_MILLISECONDS)):
        first, last = [], []
        for index in range(options.rounds):
            began = time.perf_counter()
            node.add_report(f"{name} {index}", "")
            heard = until_all_heard(readers, b"event: change", options.subscribers)
            first.append((heard[0] - began) * 1000)
            last.append((heard[-1] - began) * 1000)
            time.sleep(0.2)
        lab.emit(
            f"api-stream-{name}-first", lab.median(first), "ms",
            FIELD_MILLISECONDS if node is field else None, f"{options.subscribers} streams")
        lab.emit(f"api-stream-{name}-all", lab.median(last), "ms", ALL_MILLISECONDS)
        lab.emit(f"api-stream-{name}-all-slowest", max(last), "ms", ALL_MILLISECONDS)


def until_all_heard(readers, word, count, seconds=30):
    """When each reader had the word, in order."""
    heard, times = set(), []
    deadline = time.perf_counter() + seconds
    while len(heard) < count:
        if time.perf_counter() > deadline:
            raise SystemExit(f"{len(heard)} of {count} readers heard {word!r}")
        for key, _ in readers.select(1):
            data = key.fileobj.recv(65536)
            if not data:
                raise SystemExit("a stream ended")
            if word in data and key.data not in heard:
                heard.add(key.data)
                times.append(time.perf_counter())
    return times


if __name__ == "__main__":
    main()
