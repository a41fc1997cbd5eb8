"""A receiver of webhooks, built from the reference library of Standard Webhooks and the SDK of
CloudEvents. It fails for a while, as receivers on bad links do."""

import http.server
import os
import random
import threading
import time

import air
from phones import TOKEN, Phone
from row import Row, free_port, items, lab, wait

WALKERS = 50
TURNS = 21
ZONE = (-7.6, 40.3)


class Receiver:
    """The server, and the events that it accepted, in order."""

    def __init__(self, secret):
        # Installed by peers.py.
        from cloudevents.core.bindings import http as binding
        from standardwebhooks import Webhook
        self.binding, self.signed = binding, Webhook(secret)
        self.accepted, self.refused, self.faults = [], 0, []
        self.draw = random.Random(4)
        self.server = None

    def start(self, port=0):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(receiver.take(dict(self.headers), body))
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.server.server_address[1]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def take(self, headers, body):
        try:
            self.signed.verify(body, headers)
            event = self.binding.from_http_event(self.binding.HTTPMessage(headers, body))
            if headers["webhook-id"] != event.get_id():
                raise ValueError(f"webhook-id {headers['webhook-id']} of {event.get_id()}")
        except Exception as error:  # Every fault of a message is reported.
            self.faults.append(f"{type(error).__name__}: {error}")
            return 400
        # One in fifty is accepted, and the answer is an error: the event comes again.
        self.accepted.append(event)
        if self.draw.random() < 0.02:
            self.refused += 1
            return 503
        return 204

    def first_ones(self):
        """Returns the ids, without repetitions, in the order in which they arrived."""
        return list(dict.fromkeys(event.get_id() for event in self.accepted))


class Walker(Phone):
    """A phone that enters and leaves the zone in turns, two minutes apart."""

    def __init__(self, index):
        super().__init__(index, "traccar")

    def place(self, turn):
        return ZONE[0] + (0.005 if turn % 2 == 0 else 0), ZONE[1] + 0.00001 * self.index


def webhooks(muster, result):
    lab.run("ip", "link", "set", "lo", "up")
    made = lab.Lab(muster, 1)
    node = made.nodes[0]
    os.environ["MUSTER_HTTP_TOKEN"] = TOKEN
    port = free_port()
    node.start("--http", f"127.0.0.1:{port}", "--no-multicast", "--listen", "127.0.0.1:0")
    node.call("POST", "fences", {"name": "Camp", "kind": "muster", "circle": {
        "lon": ZONE[0], "lat": ZONE[1], "radiusMetres": 200}})
    secret = "whsec_bXVzdGVyLXBlZXJzLXRlc3Qtc2VjcmV0LTEyMzQ="
    receiver = Receiver(secret)
    address = receiver.start()
    node.call("PUT", "webhooks/board", {
        "url": f"http://127.0.0.1:{address}/hook", "secret": secret})
    walkers = [Walker(index) for index in range(WALKERS)]
    now = int(time.time())
    began = time.monotonic()
    for first, last in ((0, 8), (8, 15), (15, TURNS)):
        if first == 8:
            receiver.stop()
        if first == 15:
            receiver.start(address)
        for turn in range(first, last):
            send(port, walkers, turn, now - 120 * (TURNS - turn))
    crossings = lambda: items(node, "events")
    expected = WALKERS * (TURNS - 1)
    try:
        wait("all events are accepted",
             lambda: len(receiver.first_ones()) >= len(crossings()) == expected, 120)
    except SystemExit:
        pass
    seconds = time.monotonic() - began
    rows = crossings()
    result.equal("zone events of the node", len(rows), expected)
    ids = receiver.first_ones()
    result.check(len(ids) >= expected, f"{len(ids)} of {expected} events after {seconds:.0f} s "
                 f"and {receiver.refused} errors of the receiver")
    result.check(ids == [one["id"] for one in rows][:len(ids)], "events arrived out of order")
    result.equal("signatures and events that the libraries reject", receiver.faults[:3], [])
    by_id = {event.get_id(): event for event in receiver.accepted}
    for one in rows:
        if not (event := by_id.get(one["id"])):
            continue
        detail = event.get_data()["detail"]
        lon, lat = detail["Position"]
        result.check(
            event.get_type() == f"muster.crossing.{one['type'].lower()}.v1"
            and detail["EventType"] == one["type"] and abs(lon - one["lon"]) < 1e-7
            and abs(lat - one["lat"]) < 1e-7 and detail["SampleTime"] == one["sampleTime"],
            f"event {one['id']} differs from the API: {detail}")
    result.equal("events that were set aside", node.call("GET", "webhooks/board/failed")["items"],
                 [])
    repeated = len(receiver.accepted) - len(ids)
    result.figure(f"{len(ids)} events in order in {seconds:.0f} s, {repeated} repeated after "
                  f"{receiver.refused} errors; receiver stopped for a third of them")


def send(port, walkers, turn, when):
    requests = []
    for walker in walkers:
        lon, lat = (round(value, 7) for value in walker.place(turn))
        requests.append(["127.0.0.1", port, [walker.traccar(lon, lat, when)]])
    statuses = air.sent(requests)["statuses"]
    if set(statuses) != {"200"}:
        raise SystemExit(f"positions were answered with {statuses}")


ROWS = [Row("webhooks", "Standard Webhooks and CloudEvents receive zone events", ("iproute2",),
            webhooks)]
