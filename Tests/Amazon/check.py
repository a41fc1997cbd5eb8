#!/usr/bin/env python3
"""Drives two running nodes with boto3, the AWS CLI and signed requests, as a program for Amazon
Location would, and fails at the first answer that is not the service's.

    python3 Tests/Amazon/check.py nodes.json

`nodes.json` has `first`, `second` and `open` (started with --aws-anonymous, on its own), each with
`url` and `token` of its HTTP API, and, except for `open`, `id` and `secret` of an access key with
command rights; and `observer`, `member` and `signedOff`, with `id` and `secret` of keys of the first node: the last
one belongs to Ben."""

import base64
import datetime
import http.server
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request

import boto3
import botocore.config
import botocore.exceptions
import botocore.session

from generate import FOREIGN, SQUARE, invalid, missing_outputs, valid
from walk import BAD_BODIES, REGION, Raw, expect, expect_fault, serialized, unknown_paths, walk_signatures

OURS = """CreateGeofenceCollection DescribeGeofenceCollection UpdateGeofenceCollection ListGeofenceCollections
    PutGeofence GetGeofence ListGeofences BatchPutGeofence BatchEvaluateGeofences ForecastGeofenceEvents CreateTracker
    DescribeTracker UpdateTracker ListTrackers AssociateTrackerConsumer ListTrackerConsumers
    DisassociateTrackerConsumer BatchUpdateDevicePosition GetDevicePosition BatchGetDevicePosition
    GetDevicePositionHistory ListDevicePositions BatchDeleteDevicePositionHistory TagResource ListTagsForResource
    UntagResource BatchDeleteGeofence DeleteTracker DeleteGeofenceCollection""".split()
MODEL = botocore.session.get_session().get_service_model("location")
CONFIG = botocore.config.Config(inject_host_prefix=False, retries={"max_attempts": 0}, parameter_validation=True)


def client(node):
    return boto3.client(
        "location", endpoint_url=node["url"], region_name=REGION, aws_access_key_id=node["id"],
        aws_secret_access_key=node["secret"], config=CONFIG)


# MARK: Every operation of the model

NAMES = {"CollectionName": "Walk", "TrackerName": "Walk", "GeofenceId": "João-1", "GeofenceIds": ["João-1"],
         "DeviceId": "walker-1", "DeviceIds": ["walker-1"], "NextToken": None, "KmsKeyId": None,
         "StartTimeInclusive": "2026-01-01T00:00:00Z", "EndTimeExclusive": "2100-01-01T00:00:00Z",
         "Speed": 0.0, "PricingPlan": "RequestBasedUsage", "GeofenceProperties": {"kind": "info"}}


# The ARNs in these are those of trackers.
OF_TRACKERS = ("ListTagsForResource",)


def names_of(operation):
    kind = "tracker" if operation in OF_TRACKERS else "geofence-collection"
    arn = f"arn:aws:geo:{REGION}:123456789012:{kind}/Walk"
    return {**NAMES, "ConsumerArn": arn, "ResourceArn": arn}


def walk_valid(raw):
    """Each operation with the required members, and with all."""
    for every in (False, True):
        for operation in OURS:
            model = MODEL.operation_model(operation)
            parameters = valid(model.input_shape, names_of(operation), every)
            answer = raw.send(*serialized(MODEL, operation, parameters))
            expect(answer[0] == 200, operation, parameters, answer[0], answer[2])
            missing = list(missing_outputs(model.output_shape, answer[2]))
            expect(not missing, operation, "lacks", missing, answer[2])
            errors = answer[2].get("Errors", [])
            expect(not errors, operation, errors)


def walk_invalid(raw):
    """Each operation with one fault at a time: the service's error, and nothing written."""
    for operation in ("CreateGeofenceCollection", "CreateTracker", "PutGeofence", "BatchUpdateDevicePosition"):
        model = MODEL.operation_model(operation)
        answer = raw.send(*serialized(MODEL, operation, valid(model.input_shape, names_of(operation), False)))
        expect(answer[0] == 200, operation, answer[2])
    before, count = everything(raw), 0
    for operation in OURS:
        shape = MODEL.operation_model(operation).input_shape
        parameters = valid(shape, names_of(operation), True)
        method, path, body = serialized(MODEL, operation, parameters)
        inside = {name: value for name, value in parameters.items()
                  if not shape.members[name].serialization.get("location")}
        for what, bad in invalid(shape, inside):
            if not isinstance(bad, dict) and method in ("GET", "DELETE"):
                continue
            answer = raw.send(method, path, json.dumps(bad).encode())
            if answer[0] == 200:
                # A fault of one outline or position is a fault of its item.
                errors = answer[2].get("Errors", [])
                expect(errors and all(error["Error"]["Code"] == "ValidationError" for error in errors)
                       or harmless(operation, what), operation, what, answer[2])
            else:
                expect_fault(answer, 400, "ValidationException", operation, what)
            count += 1
        for what, bad_path in bad_paths(operation, shape, parameters):
            expect_fault(raw.send(method, bad_path, body), 400, "ValidationException", operation, what)
            count += 1
        for bad_path in unknown_paths(path):
            expect_fault(raw.send(method, bad_path, body), 400, "ValidationException", operation, bad_path)
            count += 1
        if body:
            for bad in BAD_BODIES:
                expect_fault(raw.send(method, path, bad), 400, "ValidationException", operation, bad[:20])
                count += 1
        count += walk_signatures(raw, method, path, body)
    expect(everything(raw) == before, "something was written:", before, everything(raw))
    return count


def harmless(operation, what):
    """Members that have no effect may have any value that botocore can send."""
    return "PricingPlanDataSource" in what


def bad_paths(operation, shape, parameters):
    for name, member in shape.members.items():
        if member.serialization.get("location") != "uri":
            continue
        letters = FOREIGN + (["é", "北", "\u0301"] if member.name == "ResourceName" else ["\u0301"])
        for bad in ["x" * 1700] + [f"a{letter}b" for letter in letters]:
            yield f"{name} is {bad[:20]!r}", serialized(MODEL, operation, {**parameters, name: bad})[1]
        good = serialized(MODEL, operation, {**parameters, name: "QQQ"})[1]
        for bad in ("%", "%zz", "%ff"):
            yield f"{name} is {bad}", good.replace("QQQ", bad)


def everything(raw):
    """What the service shows of the state, without times."""
    state = []
    for method, path in (("POST", "/geofencing/v0/list-collections"), ("POST", "/tracking/v0/list-trackers"),
                         ("POST", "/geofencing/v0/collections/Walk/list-geofences"),
                         ("POST", "/tracking/v0/trackers/Walk/list-consumers"),
                         ("POST", "/tracking/v0/trackers/Walk/list-positions"),
                         ("GET", "/geofencing/v0/collections/Walk"), ("GET", "/tracking/v0/trackers/Walk")):
        state.append(raw.send(method, path)[2])
    return state


def others(raw):
    """Every operation that is not performed here is unknown."""
    for operation in MODEL.operation_names:
        if operation not in OURS:
            route = MODEL.operation_model(operation).http
            path = route["requestUri"].split("?")[0]
            for name in set(part for part in path.split("/") if part.startswith("{")):
                path = path.replace(name, "Walk")
            answer = raw.send(route["method"], path)
            expect_fault(answer, 400, "ValidationException", operation, reason="UnknownOperation")


# MARK: Who may

READS = ("Describe", "List", "Get", "BatchGet", "Forecast")
OF_COMMAND = ("PutGeofence", "BatchPutGeofence", "BatchDeleteGeofence", "DeleteGeofenceCollection")


def rights(raw, nodes):
    """Each operation by a key of each kind: what its rights permit, and nothing else."""
    count = 0
    for operation in OURS:
        model = MODEL.operation_model(operation)
        names = {**names_of(operation), "CollectionName": "Rights", "TrackerName": "Rights"}
        request = serialized(MODEL, operation, valid(model.input_shape, names, False))
        for kind, key in (("observer", nodes["observer"]), ("member", nodes["member"]), ("command", raw.node)):
            permitted = kind == "command" or operation.startswith(READS) \
                or kind == "member" and operation not in OF_COMMAND
            answer = raw.send(*request, key=key)
            if permitted:
                expect(answer[0] != 403, operation, kind, answer[0], answer[2])
            else:
                expect_fault(answer, 403, "AccessDeniedException", operation, kind)
            count += 1
        stranger = raw.send(*request, signed=False)
        expect_fault(stranger, 403, "MissingAuthenticationTokenException", operation, "unsigned")
        count += 1
    return count


def signatures(raw, nodes):
    path = "/tracking/v0/list-trackers"
    expect(raw.send("POST", path)[0] == 200, "a signed request")
    for host in ("tracking.node.test", "cp.tracking.geo.eu-west-1.amazonaws.com:443"):
        expect(raw.send("POST", path, headers={"Host": host})[0] == 200, "any host", host)
    expect(raw.send("POST", path, skew=-14 * 60)[0] == 200, "14 minutes late")
    wrong = {**raw.node, "secret": "x" * 40}
    expect_fault(raw.send("POST", path, key=wrong), 403, "InvalidSignatureException", "a wrong secret")
    expect_fault(raw.send("POST", path, b"{}", tamper=lambda _: b'{"a":1}'), 403, "InvalidSignatureException", "body")
    for skew in (-16 * 60, 16 * 60):
        answer = raw.send("POST", path, skew=skew)
        expect_fault(answer, 403, "InvalidSignatureException", "a wrong clock")
        now = datetime.datetime.now(datetime.timezone.utc)
        clocks = [(now - datetime.timedelta(minutes=minutes)).strftime("(%Y%m%dT%H%M") for minutes in (0, 1)]
        expect(any(clock in answer[2]["message"] for clock in clocks), "the node's clock", answer[2])
    unknown = {"id": "MSTRAAAAAAAAAAAAAAAA", "secret": "x" * 40}
    expect_fault(raw.send("POST", path, key=unknown), 403, "UnrecognizedClientException", "an unknown key")
    expect_fault(raw.send("POST", path, signed=False), 403, "MissingAuthenticationTokenException", "unsigned")
    token = {"Authorization": "Bearer " + raw.node["token"]}
    expect_fault(raw.send("POST", path, headers=token, signed=False), 400, "IncompleteSignatureException", "a token")
    large = raw.send("POST", path, b" " * 1_100_000)
    expect_fault(large, 400, "ValidationException", "a large body")
    for key in ("observer", "member"):
        expect(raw.send("POST", path, key=nodes[key])[0] == 200, key, "reads")
    create = ("POST", "/tracking/v0/trackers", b'{"TrackerName": "Not"}')
    expect_fault(raw.send(*create, key=nodes["observer"]), 403, "AccessDeniedException", "an observer writes")
    outline = json.dumps({"Geometry": {"Polygon": [SQUARE]}}).encode()
    put = ("PUT", "/geofencing/v0/collections/fences/geofences/Not", outline)
    for key in ("observer", "member"):
        expect_fault(raw.send(*put, key=nodes[key]), 403, "AccessDeniedException", key, "writes a geofence")


def unsigned(raw):
    """On a node with --aws-anonymous."""
    path = "/tracking/v0/list-trackers"
    expect(raw.send("POST", path, signed=False)[0] == 200, "unsigned on loopback")
    for headers in ({"Host": "tracking.node.test"}, {"Origin": raw.node["url"]}, {"Sec-Fetch-Site": "none"},
                    {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        answer = raw.send("POST", path, headers=headers, signed=False)
        expect_fault(answer, 403, "MissingAuthenticationTokenException", headers)


# MARK: The mission

CENTRE = (7.5, 46.5)
ZONE = [[[7.49, 46.49], [7.51, 46.49], [7.51, 46.51], [7.49, 46.51], [7.49, 46.49]]]


def at(seconds):
    start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=30)
    return start + datetime.timedelta(seconds=seconds)


def events(node):
    request = urllib.request.Request(
        node["url"] + "/api/v1/events?limit=10000", headers={"Authorization": "Bearer " + node["token"]})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["items"]


def api(node, method, path, body=None):
    request = urllib.request.Request(
        node["url"] + path, data=body, method=method,
        headers={"Authorization": "Bearer " + node["token"], "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()


def kinds(node, zone):
    return [event["type"] for event in events(node) if event["fenceName"] == zone]


def wait(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, "never:", what)
        time.sleep(0.2)


class Receiver:
    """Receives the events of a webhook."""

    def __init__(self):
        receiver = self
        self.details = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                receiver.details.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["data"])
                self.send_response(204)
                self.end_headers()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def follow(self, node):
        body = json.dumps({"url": f"http://127.0.0.1:{self.server.server_address[1]}/"}).encode()
        request = urllib.request.Request(
            node["url"] + "/api/v1/webhooks/events", data=body, method="PUT",
            headers={"Authorization": "Bearer " + node["token"], "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            expect(answer.status == 200, "a webhook")

    def check(self):
        """The events have the names that the program gave."""
        wait("the events at the webhook", lambda: len(self.details) == 2)
        for event, kind in zip(self.details, ("ENTER", "EXIT")):
            detail = event["detail"]
            expect((event["source"], event["detail-type"]) == ("aws.geo", "Location Geofence Event"), event)
            expect((detail["EventType"], detail["GeofenceId"], detail["DeviceId"]) == (kind, "assembly-1", "team-1"), event)
            expect(event["resources"][0].endswith("geofence-collection/Valley"), event)
        self.server.shutdown()
        self.server.server_close()


def flow(nodes):
    first, second = client(nodes["first"]), client(nodes["second"])
    receiver = Receiver()
    receiver.follow(nodes["first"])
    first.create_geofence_collection(CollectionName="Valley", Description="Assembly", Tags={"team": "north"})
    first.create_tracker(TrackerName="Teams")
    collection = first.describe_geofence_collection(CollectionName="Valley")["CollectionArn"]
    first.put_geofence(CollectionName="Valley", GeofenceId="assembly-1", Geometry={"Polygon": ZONE},
                       GeofenceProperties={"kind": "muster"})

    def update(seconds, longitude, device="team-1"):
        return first.batch_update_device_position(TrackerName="Teams", Updates=[{
            "DeviceId": device, "SampleTime": at(seconds), "Position": [longitude, CENTRE[1]],
            "Accuracy": {"Horizontal": 5.0}}])["Errors"]

    expect(not update(0, 7.52) and not update(60, 7.5), "positions")
    expect(kinds(nodes["first"], "assembly-1") == [], "an event before the association")
    expect(not update(120, 7.52), "positions")
    first.associate_tracker_consumer(TrackerName="Teams", ConsumerArn=collection)
    expect(first.list_tracker_consumers(TrackerName="Teams")["ConsumerArns"] == [collection], "consumers")
    for seconds, longitude, wanted in ((180, 7.52, []), (240, 7.5, ["ENTER"]), (300, 7.52, ["ENTER", "EXIT"])):
        expect(not update(seconds, longitude), "positions")
        expect(kinds(nodes["first"], "assembly-1") == wanted, "events", seconds, kinds(nodes["first"], "assembly-1"))
    wait("both events at the second node", lambda: kinds(nodes["second"], "assembly-1") == ["ENTER", "EXIT"])
    receiver.check()
    seen_by_second(second, first, update)
    first.disassociate_tracker_consumer(TrackerName="Teams", ConsumerArn=collection)
    expect(not update(360, 7.5), "positions")
    expect(kinds(nodes["first"], "assembly-1") == ["ENTER", "EXIT"], "an event after the association")


def seen_by_second(second, first, update):
    """Geofences and positions of the whole operation are readable, and written by their own node only."""
    found = second.get_geofence(CollectionName="Valley", GeofenceId="assembly-1")
    expect(found["Geometry"]["Polygon"] == ZONE and found["Status"] == "ACTIVE", found)
    expect(found["GeofenceProperties"] == {"kind": "muster"}, found)
    names = [entry["CollectionName"] for entry in second.list_geofence_collections()["Entries"]]
    expect("Valley" in names and "fences" in names, names)
    wait("the position at the second node", lambda: "team-1" in [
        entry["DeviceId"] for entry in second.list_device_positions(TrackerName="devices")["Entries"]])
    wait("the newest position at the second node", lambda: second.get_device_position(
        TrackerName="devices", DeviceId="team-1")["Position"] == [7.52, CENTRE[1]])
    for name in ("team-1", "Anna", "Ben"):
        errors = second.batch_update_device_position(TrackerName="devices", Updates=[
            {"DeviceId": name, "SampleTime": at(400), "Position": [7.5, 46.5]}])["Errors"]
        expect([error["Error"]["Code"] for error in errors] == ["AccessDeniedError"], name, errors)
    errors = update(301, 7.52, device="Ben")
    expect([error["Error"]["Code"] for error in errors] == ["AccessDeniedError"], errors)
    history = first.get_device_position_history(
        TrackerName="Teams", DeviceId="team-1", StartTimeInclusive=at(-60), EndTimeExclusive=at(3600))
    expect(len(history["DevicePositions"]) == 6, history)
    pages = first.get_paginator("get_device_position_history").paginate(
        TrackerName="Teams", DeviceId="team-1", StartTimeInclusive=at(-60), EndTimeExclusive=at(3600),
        PaginationConfig={"PageSize": 4})
    expect([len(page["DevicePositions"]) for page in pages] == [4, 2], "pages")


def forecasts(nodes):
    first = client(nodes["first"])
    forecast = first.forecast_geofence_events(
        CollectionName="Valley", DeviceState={"Position": [7.52, 46.5], "Speed": 36}, TimeHorizonMinutes=10)
    event = forecast["ForecastedEvents"][0]
    expect(event["EventType"] == "ENTER" and not event["IsDeviceInGeofence"], event)
    expect(0.7 < event["NearestDistance"] < 0.8, event)
    idle = first.forecast_geofence_events(CollectionName="Valley", DeviceState={"Position": [7.5, 46.5]})
    expect([event["EventType"] for event in idle["ForecastedEvents"]] == ["IDLE"], idle)


def evaluations(nodes):
    """Without a tracker."""
    first = client(nodes["first"])
    for seconds, longitude in ((0, 7.52), (60, 7.5), (120, 7.52)):
        errors = first.batch_evaluate_geofences(CollectionName="Valley", DevicePositionUpdates=[{
            "DeviceId": "drone-1", "SampleTime": at(seconds), "Position": [longitude, CENTRE[1]]}])["Errors"]
        expect(not errors, errors)
    found = [event["type"] for event in events(nodes["first"]) if event["callsign"] == "drone-1"]
    expect(found == ["ENTER", "EXIT"], found)


def known_faults(nodes):
    first = client(nodes["first"])
    for text in ("5 1 0", "1 5 -1", f"1 5 {2**63 - 1}", f"{-2**63} {2**63 - 1} 0", "1 5", "a b c", ""):
        token = base64.b64encode(text.encode()).decode() or "="
        answer = Raw(nodes["first"]).send(
            "POST", "/tracking/v0/trackers/Teams/devices/team-1/list-positions",
            json.dumps({"NextToken": token}).encode())
        expect(answer[0] in (200, 400), text, answer)
    for call, words, kind in (
            (first.create_tracker, {"TrackerName": "Teams"}, "ConflictException"),
            (first.create_geofence_collection, {"CollectionName": "Valley"}, "ConflictException"),
            (first.describe_tracker, {"TrackerName": "Absent"}, "ResourceNotFoundException"),
            (first.get_geofence, {"CollectionName": "Valley", "GeofenceId": "x"}, "ResourceNotFoundException"),
            (first.get_device_position, {"TrackerName": "Teams", "DeviceId": "x"}, "ResourceNotFoundException"),
            (first.delete_tracker, {"TrackerName": "devices"}, "AccessDeniedException"),
            (first.list_geofences, {"CollectionName": "Absent"}, "ResourceNotFoundException")):
        try:
            call(**words)
        except botocore.exceptions.ClientError as error:
            expect(error.response["Error"]["Code"] == kind, words, error)
            expect(isinstance(error, getattr(first.exceptions, kind)), words, error)
        else:
            expect(False, call, words)


def sign_off(nodes):
    """A key is refused while its user is signed off."""
    raw, path = Raw(nodes["first"]), "/tracking/v0/list-trackers"
    key = nodes["signedOff"]
    expect(raw.send("POST", path, key=key)[0] == 200, "a key of an active user")
    body = json.dumps({"reason": "went home", "confirmed": True}).encode()
    api(nodes["first"], "PUT", "/api/v1/users/Ben/signoff", body)
    expect_fault(raw.send("POST", path, key=key), 403, "UnrecognizedClientException", "of a user who signed off")
    expect(raw.send("POST", path)[0] == 200, "a key of another user")
    api(nodes["first"], "DELETE", "/api/v1/users/Ben/signoff")
    expect(raw.send("POST", path, key=key)[0] == 200, "a key of a user who signed on again")


def command_line(nodes):
    """The same, with the unmodified AWS CLI."""
    node = nodes["first"]
    environment = {
        **os.environ, "AWS_ENDPOINT_URL_LOCATION": node["url"], "AWS_DISABLE_HOST_PREFIX_INJECTION": "true",
        "AWS_DEFAULT_REGION": REGION, "AWS_ACCESS_KEY_ID": node["id"], "AWS_SECRET_ACCESS_KEY": node["secret"],
        "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_EC2_METADATA_DISABLED": "true"}

    def aws(*words, fails=False):
        done = subprocess.run(
            [sys.executable, "-m", "awscli", "location", *words, "--output", "json"], env=environment,
            capture_output=True, text=True, timeout=120)
        expect((done.returncode != 0) == fails, words, done.stdout, done.stderr)
        return done.stderr if fails else json.loads(done.stdout or "{}")

    aws("create-geofence-collection", "--collection-name", "Line")
    aws("create-tracker", "--tracker-name", "Line")
    arn = aws("describe-geofence-collection", "--collection-name", "Line")["CollectionArn"]
    aws("associate-tracker-consumer", "--tracker-name", "Line", "--consumer-arn", arn)
    aws("put-geofence", "--collection-name", "Line", "--geofence-id", "line-1", "--geometry",
        json.dumps({"Polygon": ZONE}))
    for seconds, longitude in ((0, 7.52), (60, 7.5), (120, 7.52)):
        update = [{"DeviceId": "cli-1", "SampleTime": at(seconds).isoformat(), "Position": [longitude, CENTRE[1]]}]
        found = aws("batch-update-device-position", "--tracker-name", "Line", "--updates", json.dumps(update))
        expect(found["Errors"] == [], found)
    expect(kinds(node, "line-1") == ["ENTER", "EXIT"], kinds(node, "line-1"))
    expect("ResourceNotFoundException" in aws("describe-tracker", "--tracker-name", "Absent", fails=True), "not found")
    aws("disassociate-tracker-consumer", "--tracker-name", "Line", "--consumer-arn", arn)
    aws("delete-geofence-collection", "--collection-name", "Line")
    aws("delete-tracker", "--tracker-name", "Line")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        nodes = json.load(file)
    raw = Raw(nodes["first"])
    walk_valid(raw)
    count = walk_invalid(raw)
    others(raw)
    count += rights(raw, nodes)
    signatures(raw, nodes)
    unsigned(Raw(nodes["open"]))
    flow(nodes)
    forecasts(nodes)
    evaluations(nodes)
    known_faults(nodes)
    command_line(nodes)
    sign_off(nodes)
    print(f"{len(OURS)} operations, {count} requests that are invalid or by rights: no mismatch")


if __name__ == "__main__":
    main()
