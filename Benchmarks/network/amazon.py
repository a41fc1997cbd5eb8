#!/usr/bin/env python3
"""Positions a second that a real node stores durably by Amazon Location: BatchUpdateDevicePosition
with requests that are signed before the measurement, 10 positions each, over 8 connections that stay
open. Every position is read back afterwards. Of the node's processor time too: other programs cost
it none."""

import datetime
import hashlib
import hmac
import http.client
import json
import multiprocessing
import os
import time

import lab

HTTP = 7480
POSITIONS_A_SECOND = 3_000
BATCH = 10
REGION = "eu-west-1"
PATH = "/tracking/v0/trackers/Bench/positions"
# Of each device; a node accepts a burst of 300 fixes.
MOST_FIXES = 300


def main():
    parser = lab.arguments(__doc__)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--devices", type=int, default=30, help="of each connection; 256 in all at most")
    parser.add_argument("--fixes", type=int, default=150, help="of each device")
    options = parser.parse_args()
    if options.fixes > MOST_FIXES or options.devices % BATCH or options.connections * options.devices > 256:
        raise SystemExit(f"at most {MOST_FIXES} fixes, a multiple of {BATCH} devices, 256 devices in all")
    lab.in_private_network()
    node = lab.Lab(options.muster, 1).nodes[0]
    valley = node.lab
    valley.start_on_loopback(node, "--http", f"127.0.0.1:{HTTP}", "--trust-local")
    user = node.call("GET", "users")["items"][0]["callsign"]
    key = json.loads(node.muster("access-key", "create", "--rights", "command", "--user", user, "--json"))
    call(connect(), key, "POST", "/tracking/v0/trackers", {"TrackerName": "Bench"})
    began = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=MOST_FIXES)
    ready = multiprocessing.Barrier(options.connections + 1)
    senders = [
        multiprocessing.Process(target=send, args=(key, number, options.devices, options.fixes, began, ready))
        for number in range(options.connections)]
    for sender in senders:
        sender.start()
    ready.wait()
    start, before = time.perf_counter(), processor_seconds(node)
    for sender in senders:
        sender.join()
    seconds, busy = time.perf_counter() - start, processor_seconds(node) - before
    if any(sender.exitcode for sender in senders):
        raise SystemExit("a position was refused")
    count = sum(stored(key, name(number, device), began) for number in range(options.connections)
                for device in range(options.devices))
    expected = options.connections * options.devices * options.fixes
    if count != expected:
        raise SystemExit(f"{count} of {expected} positions are stored")
    note = f"{BATCH} a call, {options.connections} connections"
    lab.emit("amazon-positions", expected / seconds, "positions/s", POSITIONS_A_SECOND, note)
    lab.emit("amazon-positions-processor", expected / busy, "positions/s of the node's processor time", None, note)


def processor_seconds(node):
    with open(f"/proc/{node.process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def name(number, device):
    return f"bench-{number}-{device}"


def send(key, number, devices, fixes, began, ready):
    connection, requests = connect(), []
    for fix in range(fixes):
        for first in range(0, devices, BATCH):
            updates = [
                {"DeviceId": name(number, device), "Position": [7.0 + device * 0.001, 46.0 + fix * 0.00001],
                 "SampleTime": (began + datetime.timedelta(seconds=fix)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
                for device in range(first, first + BATCH)]
            body = json.dumps({"Updates": updates}).encode()
            requests.append((body, signed(key, "POST", PATH, body)))
    ready.wait()
    for body, headers in requests:
        errors = answer(connection, "POST", PATH, body, headers)["Errors"]
        if errors:
            raise SystemExit(f"refused: {errors[0]}")


def stored(key, device, began):
    """The number of positions of a device that the node returns."""
    path = f"/tracking/v0/trackers/Bench/devices/{device}/list-positions"
    request = {"StartTimeInclusive": (began - datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ"),
               "EndTimeExclusive": (began + datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")}
    connection, count = connect(), 0
    while True:
        page = call(connection, key, "POST", path, request)
        count += len(page["DevicePositions"])
        if not page.get("NextToken"):
            return count
        request["NextToken"] = page["NextToken"]


# MARK: Requests


def connect():
    return http.client.HTTPConnection("127.0.0.1", HTTP, timeout=60)


def call(connection, key, method, path, document):
    body = json.dumps(document).encode()
    return answer(connection, method, path, body, signed(key, method, path, body))


def answer(connection, method, path, body, headers):
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    text = response.read()
    if response.status != 200:
        raise SystemExit(f"{path}: status {response.status}: {text[:300]!r}")
    return json.loads(text)


def signed(key, method, path, body):
    """The headers of a request with Signature Version 4."""
    moment = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{moment[:8]}/{REGION}/geo/aws4_request"
    host = f"127.0.0.1:{HTTP}"
    canonical = "\n".join(
        [method, path, "", f"host:{host}", f"x-amz-date:{moment}", "", "host;x-amz-date",
         hashlib.sha256(body).hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    secret = ("AWS4" + key["secret"]).encode()
    for part in scope.split("/"):
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
    return {"Host": host, "X-Amz-Date": moment, "Content-Type": "application/json",
            "Authorization": f"AWS4-HMAC-SHA256 Credential={key['id']}/{scope}, "
                             f"SignedHeaders=host;x-amz-date, Signature={signature}"}


if __name__ == "__main__":
    main()
