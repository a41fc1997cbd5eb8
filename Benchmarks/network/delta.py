#!/usr/bin/env python3
"""Time and bytes of a delta sync: 10 changes among many rows, as a client that keeps a copy receives them from a real
node, headers included. The rows are written over several connections first."""

import http.client
import json
import multiprocessing
import statistics
import time

import lab

HTTP = 7480
MILLISECONDS = 10
BYTES = 10_000
CHANGES = 10
ROUNDS = 20
WRITERS = 8


def main():
    parser = lab.arguments(__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--set", choices=("reports", "fences"), default="reports")
    options = parser.parse_args()
    lab.in_private_network()
    node = lab.Lab(options.muster, 1).nodes[0]
    node.lab.start_on_loopback(node, "--http", f"127.0.0.1:{HTTP}", "--trust-local")
    share = options.rows // WRITERS
    writers = [multiprocessing.Process(target=write, args=(options.set, number, share)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    if any(writer.exitcode for writer in writers):
        raise SystemExit("a row was refused")
    connection = connect()
    path = f"/api/v1/sync/{options.set}"
    # The base query begins with the moment from which deltas continue.
    first, _ = call(connection, "GET", f"{path}?limit={CHANGES}")
    since, rows = first["startedAt"], [item["id"] for item in first["items"]]
    times, sizes = [], []
    for number in range(ROUNDS):
        for row in rows:
            change = {"severity": 1 + number % 5} if options.set == "reports" else {"name": f"changed {number}"}
            call(connection, "PATCH", f"/api/v1/{options.set}/{row}", change)
        begin = time.perf_counter()
        delta, size = call(connection, "GET", f"{path}?lastSync={since}")
        times.append((time.perf_counter() - begin) * 1000)
        sizes.append(size)
        if sorted(item["id"] for item in delta["items"]) != sorted(rows):
            raise SystemExit(f"{len(delta['items'])} rows are in the delta")
        since = delta["startedAt"]
    note = f"{CHANGES} changes in {WRITERS * share} {options.set}"
    lab.emit("delta-sync", statistics.median(times), "ms", MILLISECONDS, note, digits=2)
    lab.emit("delta-sync-bytes", max(sizes), "bytes", BYTES, note)


def write(name, number, count):
    connection = connect()
    for row in range(count):
        place = number * count + row
        body = {"title": f"Report {place}"} if name == "reports" else {
            "name": f"Zone {place}",
            "circle": {"lat": 40 + place % 1000 * 0.01, "lon": 7 + place // 1000 * 0.01, "radiusMetres": 100}}
        call(connection, "POST", f"/api/v1/{name}", body)


def connect():
    return http.client.HTTPConnection("127.0.0.1", HTTP, timeout=60)


def call(connection, method, path, document=None):
    """Returns the parsed answer and its bytes with the status line and the headers."""
    body = None if document is None else json.dumps(document)
    connection.request(method, path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise SystemExit(f"{path}: status {answer.status}: {text[:300]!r}")
    head = len(f"HTTP/1.1 {answer.status} {answer.reason}\r\n\r\n") + sum(
        len(f"{name}: {value}\r\n") for name, value in answer.getheaders())
    return json.loads(text) if text else None, head + len(text)


if __name__ == "__main__":
    main()
