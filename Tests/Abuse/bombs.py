"""A9: small inputs that expand: depths, counts, lengths, numbers, entities, compressed bytes."""

import gzip
import json
import os
import socket
import subprocess
import time

from row import Row, Verdict, check_all, check_growth, mesh, resident_kib
from protobuf import varint

DOOR = ("127.0.0.1", 7480)
MOST_SECONDS = 1.0
DEPTHS = (100, 1_000, 10_000, 100_000, 500_000)
WRITES = (
    ("POST", "reports"), ("POST", "fences"), ("POST", "directives"), ("PUT", "me/safety"),
    ("PUT", "me/team"), ("POST", "me/position"), ("PUT", "subscriptions/bomb"))


def request(method, path, body=b"", headers=(), length=None):
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1:7480", "Connection: close"]
    if body or length is not None:
        lines += ["Content-Type: application/json",
                  f"Content-Length: {len(body) if length is None else length}"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


def ask(raw, patience=20):
    """Returns the status of the answer (0 for a closed connection) and the time it took."""
    began = time.perf_counter()
    answer = b""
    try:
        with socket.create_connection(DOOR, timeout=patience) as door:
            try:
                door.sendall(raw)
            except OSError:
                # It answered, or closed the connection, before it had read everything.
                pass
            while b"\r\n" not in answer:
                piece = door.recv(65536)
                if not piece:
                    break
                answer += piece
    except ConnectionError:
        pass
    took = time.perf_counter() - began
    status = answer.split(b" ", 2)[1] if answer.startswith(b"HTTP/") else b"0"
    return int(status), took


def depths():
    for method, path in WRITES:
        for depth in DEPTHS:
            yield f"{depth} arrays", method, path, b"[" * depth + b"]" * depth
            yield f"{depth} objects", method, path, b'{"a":' * depth + b"1" + b"}" * depth


def sizes():
    members = {
        "reports": "title", "fences": "name", "directives": "text", "me/safety": "note",
        "me/team": "team", "me/position": "lat", "subscriptions/bomb": "datasets"}
    for method, path in WRITES:
        name = members[path]
        text = lambda value: json.dumps({name: value}).encode()
        yield "a text of 900,000", method, path, text("x" * 900_000)
        yield "150,000 escapes", method, path, b'{"%s":"%s"}' % (name.encode(), b"\\u0041" * 150_000)
        yield "450,000 elements", method, path, text([1] * 300_000)
        yield "60,000 members", method, path, json.dumps(
            {f"m{number}": 1 for number in range(60_000)}).encode()
        yield "one member 90,000 times", method, path, (
            b"{" + b",".join([b'"%s":1' % name.encode()] * 90_000) + b"}")
        yield "900,000 digits", method, path, b'{"%s":%s}' % (name.encode(), b"9" * 900_000)
        yield "an exponent of 900,000 digits", method, path, (
            b'{"%s":1e%s}' % (name.encode(), b"9" * 900_000))
        yield "900,000 spaces", method, path, b" " * 900_000 + b"{"
        yield "two megabytes", method, path, text("y" * 2_000_000)
        yield "bytes that are not UTF-8", method, path, b"\xff" * 900_000
        yield "an unpaired surrogate", method, path, (
            b'{"%s":"%s"}' % (name.encode(), b"\\ud800" * 150_000))
        packed = gzip.compress(b" " * 50_000_000, 9)
        yield "50 MB compressed", method, path, packed


def shapes():
    """Returns geofences that are valid JSON, but invalid or too large as geofences."""
    ring = [[7 + number * 1e-6, 46 + (number % 2) * 1e-6] for number in range(30_000)]
    ring.append(ring[0])
    tiny = [[7, 46], [7.1, 46], [7.1, 46.1], [7, 46]]
    yield "a ring of 30,000 zigzags", {"type": "Polygon", "coordinates": [ring]}
    yield "9,000 holes", {"type": "Polygon", "coordinates": [tiny] * 9_000}
    yield "9,000 polygons", {"type": "MultiPolygon", "coordinates": [[tiny]] * 9_000}
    yield "coordinates of 200,000 numbers", {"type": "Polygon", "coordinates": [[[7.0] * 200_000]]}
    yield "coordinates of 1e300", {"type": "Polygon", "coordinates": [[[1e300, 1e300]] * 4]}
    yield "9,000 features", {
        "type": "FeatureCollection",
        "features": [{"type": "Feature", "properties": {}, "geometry": {
            "type": "Polygon", "coordinates": [tiny]}}] * 9_000}
    nested = {"type": "Polygon", "coordinates": [tiny]}
    for _ in range(300):
        nested = {"type": "GeometryCollection", "geometries": [nested]}
    yield "300 nested collections", nested


def heads():
    """Returns requests with hostile heads."""
    yield "10,000 headers", request("GET", "/api/v1/status", headers=["X: 1"] * 10_000)
    yield "a header of 1 MB", request("GET", "/api/v1/status", headers=["X: " + "y" * 1_000_000])
    yield "a URL of 1 MB", request("GET", "/api/v1/reports?cursor=" + "a" * 1_000_000)
    yield "20,000 parameters", request("GET", "/api/v1/reports?" + "&".join(["limit=1"] * 20_000))
    yield "a limit of 4,000 digits", request("GET", "/api/v1/reports?limit=" + "9" * 4_000)
    yield "80,000 segments", request("GET", "/api/v1" + "/a" * 80_000)
    yield "1,300 escaped slashes", request("GET", "/api/v1/reports/" + "%2e%2e%2f" * 400)
    for length in (10**12, 2**63, 2**64, 10**40, -1):
        yield f"a body of {length}", request("POST", "/api/v1/reports", b"{", length=length)
    chunked = ["Transfer-Encoding: chunked", "Content-Type: application/json"]
    for size in ("FFFFFFFF", "7FFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFF", "F" * 4_000):
        yield f"a chunk of {size[:20]}", (
            request("POST", "/api/v1/reports", headers=chunked) + size.encode() + b"\r\n{")
    yield "300,000 chunks of one byte", (
        request("POST", "/api/v1/reports", headers=chunked) + b"1\r\n[\r\n" * 300_000 + b"0\r\n\r\n")
    yield "a compressed head", request(
        "POST", "/api/v1/reports", gzip.compress(b"[" * 50_000_000, 9),
        headers=["Content-Encoding: gzip"])


def files(folder):
    """Writes hostile files, each with the command that reads it; all must be rejected."""
    tiny = "[[7,46],[7.1,46],[7.1,46.1],[7,46]]"
    geojson = {
        **{f"deep{depth}": "[" * depth for depth in DEPTHS},
        **{f"objects{depth}": '{"geometry":' * depth for depth in DEPTHS},
        "holes": '{"type":"Polygon","coordinates":[' + ",".join([tiny] * 9_000) + "]}",
        "digits": '{"type":"Polygon","coordinates":[[[' + "9" * 500_000 + ",1]]]}",
        "spaces": " " * 3_000_000,
    }
    for name, text in geojson.items():
        yield write(folder, name, text.encode()), lambda path: [
            "fence", "add", "--name", "Bomb", "--geojson", path]
    binary = {
        "zeros": bytes(60_000), "ones": b"\xff" * 60_000, "huge": b"\xff" * 3_000_000,
        "lengths": b"\x7f\xff\xff\xff" * 10_000,
        "groups": b"\x0b" * 60_000,
        "nested": b"".join(b"\x0a" + varint(60_000 - 4 * n) for n in range(10_000)),
        "packed": gzip.compress(bytes(20_000_000), 9),
    }
    for name, contents in binary.items():
        path = write(folder, name, contents)
        yield path, lambda path: ["admit", path, "--out", path + ".out"]


def write(folder, name, contents):
    path = os.path.join(folder, "bomb-" + name)
    with open(path, "wb") as file:
        file.write(contents)
    return path


def bombs(options):
    """Checks that each input is rejected within a second and leaves no memory allocated."""
    made = mesh(options, 2)
    node = made.nodes[0]
    node.stop()
    made.start_on_loopback(node, "--http", "127.0.0.1:7480", "--trust-local")
    made.until_in_step()
    verdict, count, slowest, answers = Verdict(""), 0, 0.0, {}
    status, _ = ask(request("POST", "/api/v1/reports", b'{"title": "Valid"}'))
    verdict.expect(status == 201, f"the valid request is answered {status}")
    kept = [node.add_report("Before", "x" * 200)]
    before = resident_kib(node)

    def judge(what, status, took):
        nonlocal count, slowest
        count += 1
        slowest = max(slowest, took)
        answers[status] = answers.get(status, 0) + 1
        verdict.expect(400 <= status < 500 or status == 0, f"{what}: answered {status}")
        verdict.expect(took <= MOST_SECONDS, f"{what}: took {took:.2f} s")

    for what, method, path, body in [*depths(), *sizes()]:
        judge(f"{path}, {what}", *ask(request(method, "/api/v1/" + path, body)))
    for what, shape in shapes():
        body = json.dumps({"name": "Bomb", "kind": "muster", "geojson": shape}).encode()
        judge(f"fences, {what}", *ask(request("POST", "/api/v1/fences", body)))
    for depth in DEPTHS:
        for path in ("/owntracks", "/"):
            judge(f"{path}, {depth} deep", *ask(request("POST", path, b"[" * depth)))
    waiting = []
    for what, raw in heads():
        # Some are never complete, so that the server waits for more. Other clients must not wait.
        door = socket.create_connection(DOOR, timeout=20)
        try:
            door.sendall(raw)
        except OSError:
            pass
        waiting.append(door)
        status, took = ask(request("GET", "/healthz"))
        count += 1
        slowest = max(slowest, took)
        verdict.expect(status == 200, f"{what}: then /healthz answers {status}")
        verdict.expect(took <= MOST_SECONDS, f"{what}: then /healthz took {took:.2f} s")
    for length in (2**31, 2**32 - 1):
        door = socket.socket(socket.AF_UNIX)
        door.connect(os.path.join(node.home, "run/muster.sock"))
        door.sendall(length.to_bytes(4, "big") + b"\x00" * 1000)
        waiting.append(door)
        count += 1
    for path, words in files(made.folder):
        began = time.perf_counter()
        done = subprocess.run(
            [made.program, *words(path), "--home", node.home], capture_output=True, text=True)
        took = time.perf_counter() - began
        what = f"{' '.join(words(os.path.basename(path))[:2])}, {os.path.basename(path)}"
        count += 1
        slowest = max(slowest, took)
        verdict.expect(done.returncode in (1, 64), f"{what}: ended with {done.returncode}")
        verdict.expect(done.stderr.count("\n") <= 3, f"{what}: {done.stderr[:200]}")
        verdict.expect(took <= MOST_SECONDS, f"{what}: took {took:.2f} s")
    verdict.volume = f"{count} inputs"
    counts = ", ".join(f"{answers[status]} × {status or 'closed'}" for status in sorted(answers))
    verdict.note = f"{counts}; slowest {slowest:.2f} s; {check_growth(verdict, node, before)}"
    for door in waiting:
        door.close()
    kept.append(node.add_report("After", "x" * 200))
    check_all(verdict, made, kept)
    return verdict


ROWS = [Row("A9", "inputs that expand: depth, count, length, compression", bombs)]
