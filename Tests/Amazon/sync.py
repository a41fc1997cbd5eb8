#!/usr/bin/env python3
"""Drives running nodes with boto3 and signed requests, as a program for Cognito Sync would, and fails at the first
answer that is not the service's.

    python3 Tests/Amazon/sync.py nodes.json check      every operation, and the flow of a program
    python3 Tests/Amazon/sync.py nodes.json load N NODE   5 clients write N records at once at that node
    python3 Tests/Amazon/sync.py nodes.json compare       both nodes show the same
    python3 Tests/Amazon/sync.py nodes.json begin         two devices of Anna: one record, which both nodes show
    python3 Tests/Amazon/sync.py nodes.json apart NODE VALUE   while they are apart, each writes another value of it
    python3 Tests/Amazon/sync.py nodes.json merged N      afterwards, both have both values and what was loaded

`nodes.json` has `first` and `second`, each with `url` and `token` of its HTTP API, and with `id`, `secret`, `pool` and
`identity` of an access key of Anna, whose device the first node is; and `observer` and `ben`, with the same of keys at
the first node."""

import base64
import concurrent.futures
import http.server
import itertools
import json
import sys
import threading
import time
import urllib.parse
import urllib.request

import boto3
import botocore.config
import botocore.exceptions
import botocore.session

from generate import FOREIGN, invalid, missing_outputs, valid
from walk import BAD_BODIES, REGION, Raw, expect, expect_fault, serialized, unknown_paths, walk_signatures

OURS = """ListIdentityPoolUsage DescribeIdentityPoolUsage DescribeIdentityUsage ListRecords UpdateRecords ListDatasets
    DescribeDataset RegisterDevice SubscribeToDataset UnsubscribeFromDataset DeleteDataset""".split()
MODEL = botocore.session.get_session().get_service_model("cognito-sync")
CONFIG = botocore.config.Config(retries={"max_attempts": 0})
CLIENTS = 5
BATCH = 25


class Client:
    """boto3 as a user of one data set after the other."""

    def __init__(self, node):
        self.node = node
        self.boto = boto3.client(
            "cognito-sync", endpoint_url=node["url"], region_name=REGION, aws_access_key_id=node["id"],
            aws_secret_access_key=node["secret"], config=CONFIG)
        self.place = {"IdentityPoolId": node["pool"], "IdentityId": node["identity"]}

    def records(self, dataset, after=0):
        """Returns the records that changed after a count by key, and the last page."""
        found, words = {}, {}
        while True:
            page = self.boto.list_records(**self.place, DatasetName=dataset, LastSyncCount=after, **words)
            found.update({record["Key"]: record for record in page["Records"]})
            expect(page["Count"] == len(page["Records"]), page)
            if "NextToken" not in page:
                return found, page
            words = {"NextToken": page["NextToken"]}

    def update(self, dataset, token, patches):
        answer = self.boto.update_records(
            **self.place, DatasetName=dataset, SyncSessionToken=token, RecordPatches=patches)
        return {record["Key"]: record for record in answer["Records"]}

    def refused(self, kind, call, **words):
        try:
            getattr(self.boto, call)(**{**self.place, **words})
        except botocore.exceptions.ClientError as error:
            expect(error.response["Error"]["Code"] == kind, call, words, error)
            return
        expect(False, call, words, "was not refused")


def put(key, value, count=0):
    return {"Op": "replace", "Key": key, "Value": value, "SyncCount": count}


# MARK: Every operation of the model


class Walk:
    """Valid and invalid inputs of each operation, generated from botocore's model."""

    def __init__(self, node):
        self.raw = Raw(node, "cognito-sync")
        client = Client(node)
        self.device = client.boto.register_device(**client.place, Platform="GCM", Token="walker")["DeviceId"]
        self.client = client
        self.keys = 0

    def names(self):
        """Values that fit the state, and None for members to leave out."""
        self.keys += 1
        token = self.client.records("walk")[1]["SyncSessionToken"]
        return {**self.client.place, "DatasetName": "walk", "DeviceId": self.device, "SyncSessionToken": token,
                "NextToken": None, "LastSyncCount": 0, "SyncCount": 0, "Key": f"key {self.keys}", "Value": "é"}

    def valid(self):
        """Each operation with the required members, and with all."""
        for every in (False, True):
            for operation in OURS:
                model = MODEL.operation_model(operation)
                parameters = valid(model.input_shape, self.names(), every)
                if operation == "UpdateRecords":
                    parameters["RecordPatches"] = [put(f"key {self.keys}", "x")]
                answer = self.raw.send(*serialized(MODEL, operation, parameters))
                expect(answer[0] == 200, operation, parameters, answer[0], answer[2])
                missing = list(missing_outputs(model.output_shape, answer[2]))
                expect(not missing and set(answer[2]) <= set(model.output_shape.members), operation, missing, answer[2])

    def invalid(self):
        """Each operation with one fault at a time: the service's error, and nothing written."""
        count, before = 0, self.everything()
        for operation in OURS:
            shape = MODEL.operation_model(operation).input_shape
            parameters = valid(shape, self.names(), True)
            method, path, body = serialized(MODEL, operation, parameters)
            inside = {name: value for name, value in parameters.items()
                      if not shape.members[name].serialization.get("location")}
            bodies = [(what, json.dumps(bad).encode()) for what, bad in invalid(shape, inside)] if body else []
            bodies += [(repr(bad[:20]), bad) for bad in BAD_BODIES] if body else []
            for what, bad in bodies:
                expect_fault(self.raw.send(method, path, bad), 400, "InvalidParameterException", operation, what)
            queries = list(self.bad_queries(operation, shape, parameters))
            for bad_path in queries:
                answer = self.raw.send(method, bad_path, body)
                expect_fault(answer, 400, "InvalidParameterException", operation, bad_path)
            paths = list(self.bad_paths(operation, shape, parameters)) + self.near_paths(operation, path)
            for bad_path in paths:
                answer = self.raw.send(method, bad_path, body)
                kind = {400: "InvalidParameterException", 403: "NotAuthorizedException"}.get(answer[0])
                if answer[0] == 404:
                    kind = answer[1]["x-amzn-errortype"]
                    expect(kind in ("ResourceNotFoundException", "UnknownOperationException"), bad_path, kind)
                expect(kind, operation, bad_path, answer[0], answer[2])
                expect_fault(answer, answer[0], kind, operation, bad_path)
            count += len(bodies) + len(queries) + len(paths) + walk_signatures(self.raw, method, path, body)
        expect(self.everything() == before, "something was written:", before, self.everything())
        return count

    def bad_queries(self, operation, shape, parameters):
        numbers = ["x", "-1", "1.5", "", "1e3", "9" * 30, " 1", "0x1"]
        values = {"MaxResults": numbers + ["0"], "LastSyncCount": numbers, "NextToken": ["x", "", "AAAA", "eA=="],
                  "SyncSessionToken": ["x", "", "AAAA", base64.b64encode(b"session a b c").decode()]}
        for name, member in shape.members.items():
            if member.serialization.get("location") == "querystring":
                for bad in values[name]:
                    yield serialized(MODEL, operation, {**parameters, name: bad})[1]

    def bad_paths(self, operation, shape, parameters):
        for name, member in shape.members.items():
            if member.serialization.get("location") != "uri":
                continue
            for letter in FOREIGN + ["é", "北"]:
                if name != "DatasetName" or letter != ":":
                    yield serialized(MODEL, operation, {**parameters, name: f"a{letter}b"})[1]
            yield serialized(MODEL, operation, {**parameters, name: "x" * 1700})[1]
            good = serialized(MODEL, operation, {**parameters, name: "QQQ"})[1]
            yield from (good.replace("QQQ", bad) for bad in ("%", "%zz", "%ff"))

    def near_paths(self, operation, path):
        """Only paths below the pools are those of the service. A data set may have nearly any name."""
        if operation in ("ListIdentityPoolUsage", "DescribeDataset", "DeleteDataset", "UpdateRecords"):
            return []
        return [near for near in unknown_paths(path) if near.startswith("/identitypools/")]

    def everything(self):
        datasets = self.client.boto.list_datasets(**self.client.place)["Datasets"]
        names = [dataset["DatasetName"] for dataset in datasets]
        return datasets, {name: self.client.records(name)[0] for name in names}

    def others(self):
        """Every operation that is not performed here is unknown."""
        for operation in MODEL.operation_names:
            if operation not in OURS:
                method, path, body = serialized(MODEL, operation, {"IdentityPoolId": self.client.node["pool"]})
                expect_fault(self.raw.send(method, path, body), 404, "UnknownOperationException", operation)


# MARK: The flow of a program


def records_of_a_user(client, nodes):
    found, page = client.records("notes")
    expect(found == {} and page["DatasetExists"] is False and page["DatasetSyncCount"] == 0, page)
    token = page["SyncSessionToken"]
    written = client.update("notes", token, [put("gate", "shut"), put("door", "open")])
    expect({key: (r["Value"], r["SyncCount"]) for key, r in written.items()} == {
        "gate": ("shut", 1), "door": ("open", 1)}, written)
    # A device that knows an older count of the record must not overwrite it.
    client.update("notes", token, [put("gate", "ajar", 1)])
    stale = {"DatasetName": "notes", "SyncSessionToken": token}
    client.refused("ResourceConflictException", "update_records", **stale,
                   RecordPatches=[put("gate", "open", 1), put("new", "x")])
    client.refused("ResourceConflictException", "update_records", **stale, RecordPatches=[put("gate", "open")])
    # A device that was offline lists only what it has not seen, and nothing if it is not behind.
    behind, page = client.records("notes", after=1)
    expect({key: (r["Value"], r["SyncCount"]) for key, r in behind.items()} == {"gate": ("ajar", 2)}, behind)
    expect(page["DatasetSyncCount"] == 2 and page["DatasetExists"], page)
    expect(client.records("notes", after=2)[0] == {}, "a device that is not behind")
    expect(len(client.records("notes", after=900)[0]) == 2, "a count of another node")
    removed = client.update("notes", token, [{"Op": "remove", "Key": "door", "SyncCount": 1}])
    expect("Value" not in removed["door"] and removed["door"]["SyncCount"] == 3, removed)
    dataset = client.boto.describe_dataset(**client.place, DatasetName="notes")["Dataset"]
    expect((dataset["NumRecords"], dataset["DataStorage"]) == (1, len("gateajar")), dataset)
    usage = client.boto.describe_identity_usage(**client.place)["IdentityUsage"]
    expect(usage["DatasetCount"] == 2 and usage["DataStorage"] > 8, usage)
    expect([u["IdentityPoolId"] for u in client.boto.list_identity_pool_usage()["IdentityPoolUsages"]]
           == [client.node["pool"]], "the pools")
    refusals(client, nodes, token)
    client.boto.delete_dataset(**client.place, DatasetName="notes")
    client.refused("ResourceNotFoundException", "describe_dataset", DatasetName="notes")
    client.refused("ResourceNotFoundException", "delete_dataset", DatasetName="notes")
    gone, page = client.records("notes", after=3)
    expect("Value" not in gone["gate"] and page["DatasetDeletedAfterRequestedSyncCount"], gone, page)
    again = client.update("notes", page["SyncSessionToken"], [put("gate", "shut", gone["gate"]["SyncCount"])])
    expect(again["gate"]["SyncCount"] == 5, again)


def refusals(client, nodes, token):
    """Nothing of these is written."""
    before = client.records("notes")[0]
    here = {"DatasetName": "notes", "SyncSessionToken": token}
    client.refused("NotAuthorizedException", "list_records", DatasetName="notes", IdentityId=nodes["ben"]["identity"])
    client.refused("NotAuthorizedException", "list_datasets", IdentityPoolId="eu-west-1:0")
    Client(nodes["observer"]).refused("NotAuthorizedException", "update_records", **here, RecordPatches=[put("a", "x")])
    expect(Client(nodes["observer"]).records("notes")[0] == before, "an observer reads")
    # Ben's records are written at his own device.
    ben = Client(nodes["ben"])
    own = ben.records("notes")[1]["SyncSessionToken"]
    ben.refused("NotAuthorizedException", "update_records", DatasetName="notes", SyncSessionToken=own,
                RecordPatches=[put("a", "x")])
    for foreign in (own, client.records("other")[1]["SyncSessionToken"], "x"):
        client.refused("InvalidParameterException", "update_records", DatasetName="notes", SyncSessionToken=foreign,
                       RecordPatches=[put("a", "x")])
    for patches, kind in (
            ([put("a", "x" * 16_385)], "LimitExceededException"),
            ([put("a", "x" * 1_000_000)], "LimitExceededException"),
            ([put("a", "x" * 1_048_576)], "InvalidParameterException"),
            ([put("k" * 1025, "x")], "InvalidParameterException"),
            ([put("a", "x"), put("a", "y")], "InvalidParameterException"),
            ([put(f"{index}", "x") for index in range(1024)], "LimitExceededException"),
            ([put("a", "x", -1)], "InvalidParameterException"),
            ([{"Op": "replace", "Key": "a", "SyncCount": 0}], "InvalidParameterException")):
        client.refused(kind, "update_records", **here, RecordPatches=patches)
    expect(client.records("notes")[0] == before, "something was written")


class Pushes:
    """Reads the push notices of an event stream."""

    def __init__(self, node, query):
        self.notices = []
        request = urllib.request.Request(
            f"{node['url']}/api/v1/stream?{query}", headers={"Authorization": "Bearer " + node["token"]})
        self.stream = urllib.request.urlopen(request, timeout=120)
        # The stream has begun.
        while self.stream.readline().strip() != b"event: counts":
            pass
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        name = None
        for line in self.stream:
            if line.startswith(b"event: "):
                name = line[7:].strip()
            elif line.startswith(b"data: ") and name == b"push":
                self.notices.append(json.loads(line[6:]))

    def names(self):
        return [notice["datasetName"] for notice in self.notices]


class Receiver:
    """Receives the push notices of a webhook."""

    def __init__(self, node, name):
        receiver = self
        self.notices = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if event["type"] == "muster.push.v1":
                    receiver.notices.append(event["data"])
                self.send_response(204)
                self.end_headers()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        body = {"url": f"http://127.0.0.1:{self.server.server_address[1]}/", "datasets": ["records"]}
        request = urllib.request.Request(
            f"{node['url']}/api/v1/webhooks/{name}", data=json.dumps(body).encode(), method="PUT",
            headers={"Authorization": "Bearer " + node["token"], "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            expect(answer.status == 200, "a webhook")


def wait(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, "never:", what)
        time.sleep(0.05)


def notices(client):
    """A device receives those of the data sets that it follows: one, more, none."""
    node = client.node
    device = client.boto.register_device(**client.place, Platform="APNS", Token="phone-7")["DeviceId"]
    again = client.boto.register_device(**client.place, Platform="APNS", Token="phone-7")["DeviceId"]
    expect(device == again, "a device is registered once")
    client.refused("ResourceNotFoundException", "subscribe_to_dataset", DatasetName="notes", DeviceId="absent")
    client.boto.subscribe_to_dataset(**client.place, DatasetName="lists", DeviceId=device)
    own, every = Pushes(node, f"subscription={device}"), Pushes(node, "datasets=records")
    phone, other = Receiver(node, "phone-7"), Receiver(node, "everything")

    def write(dataset, key):
        found, page = client.records(dataset)
        count = found[key]["SyncCount"] if key in found else 0
        return client.update(dataset, page["SyncSessionToken"], [put(key, "x", count)])[key]["SyncCount"]

    def at_phone(*names):
        # What was written just before the device followed a data set may still be posted to it.
        return [name for name, _ in itertools.groupby(notice["datasetName"] for notice in phone.notices)] == list(names)

    count = write("lists", "a")
    wait("a push notice of the data set", lambda: own.names() == ["lists"] and every.names() == ["lists"])
    wait("a push notice at the webhook of the device", lambda: at_phone("lists"))
    expect(own.notices[0] == {
        "source": "cognito-sync", "identityPoolId": node["pool"], "identityId": node["identity"],
        "datasetName": "lists", "syncCount": count}, own.notices)
    # A device that was offline resynchronizes only if its count is behind that of the notice.
    expect(client.records("lists", after=own.notices[0]["syncCount"])[0] == {}, "not behind")
    write("prefs", "a")
    wait("a push notice of another data set", lambda: every.names() == ["lists", "prefs"])
    client.boto.subscribe_to_dataset(**client.place, DatasetName="prefs", DeviceId=device)
    write("prefs", "a")
    wait("a push notice of both", lambda: own.names() == ["lists", "prefs"])
    wait("a push notice of both at the webhook", lambda: at_phone("lists", "prefs"))
    client.boto.unsubscribe_from_dataset(**client.place, DatasetName="prefs", DeviceId=device)
    client.boto.unsubscribe_from_dataset(**client.place, DatasetName="lists", DeviceId=device)
    write("lists", "a")
    wait("a push notice to all", lambda: every.names() == ["lists", "prefs", "prefs", "lists"])
    expect(own.names() == ["lists", "prefs"], own.names())
    wait("the newest push notice at a webhook", lambda: other.notices[-1:] == every.notices[-1:])
    expect(at_phone("lists", "prefs"), phone.notices)


# MARK: Many clients


def loaded(total):
    """The data sets, and how many records each client writes to each. Two nodes may load the same ones."""
    names = [f"load{number}" for number in range(max(2, total // 500))]
    return names, total // CLIENTS // len(names)


def load(nodes, total, place):
    """Each client writes keys of its own and counts up one shared record, which all of them at this node change."""
    names, each = loaded(total)

    def work(number):
        client, seen, tries = Client(nodes[place]), {}, 0
        for name in names:
            first, shared = 0, {"Value": "0", "SyncCount": 0}
            while first < each:
                found, page = client.records(name, after=seen.get(name, 0))
                expect(page["DatasetSyncCount"] >= seen.get(name, 0), "a count went back:", seen, page)
                seen[name] = page["DatasetSyncCount"]
                shared = found.get(f"{place}-shared", shared)
                patches = [put(f"{place}-{number}-{key}", f"{key}") for key in range(first, min(first + BATCH, each))]
                total = int(shared["Value"]) + len(patches)
                try:
                    written = client.update(
                        name, page["SyncSessionToken"],
                        patches + [put(f"{place}-shared", str(total), shared["SyncCount"])])
                except client.boto.exceptions.ResourceConflictException:
                    tries += 1
                    continue
                expect(all(record["SyncCount"] > seen[name] for record in written.values()), "a count did not grow")
                first += BATCH
        return tries

    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        conflicts = sum(pool.map(work, range(CLIENTS)))
    seconds = time.monotonic() - began
    check_load(nodes[place], total, [place])
    print(f"{CLIENTS * each * len(names)} records by {CLIENTS} clients in {seconds:.1f} s, {conflicts} conflicts")


def check_load(node, total, places):
    names, each = loaded(total)
    for name in names:
        found, _ = Client(node).records(name)
        expected = {f"{place}-{number}-{key}": f"{key}"
                    for place in places for number in range(CLIENTS) for key in range(each)}
        expected |= {f"{place}-shared": str(CLIENTS * each) for place in places}
        values = {key: record["Value"] for key, record in found.items()}
        expect(values == expected, name, len(found), len(expected))


# MARK: Two devices of one user


def both(nodes):
    return [Client(nodes[place]) for place in ("first", "second")]


def begin(nodes):
    first, second = both(nodes)
    first.update("notes", first.records("notes")[1]["SyncSessionToken"], [put("gate", "open")])
    wait("the record at the second device", lambda: "gate" in second.records("notes")[0])


def apart(nodes, place, value):
    client = Client(nodes[place])
    found, page = client.records("notes")
    written = client.update("notes", page["SyncSessionToken"], [put("gate", value, found["gate"]["SyncCount"])])
    expect(written["gate"]["SyncCount"] == 2, written)


def values(node):
    """All concurrent values of the record, by delta sync, which shows them."""
    found, token = [], ""
    while token is not None:
        request = urllib.request.Request(
            node["url"] + "/api/v1/sync/records" + (token and "?" + urllib.parse.urlencode({"nextToken": token})),
            headers={"Authorization": "Bearer " + node["token"]})
        with urllib.request.urlopen(request, timeout=30) as answer:
            page = json.load(answer)
        token = page["nextToken"]
        for item in page["items"]:
            if (item["dataset"], item["key"]) == ("notes", "gate"):
                found += [item["value"]] + item["otherValues"]
    return sorted(found)


def merged(nodes, total):
    clients = both(nodes)
    for place, client in zip(("first", "second"), clients):
        wait(f"both values at the {place} device", lambda: values(nodes[place]) == ["blue", "red"])
        token = client.records("notes")[1]["SyncSessionToken"]
        # Each program saw its own write only: its count does not supersede the other value.
        client.refused("ResourceConflictException", "update_records", DatasetName="notes", SyncSessionToken=token,
                       RecordPatches=[put("gate", "x", 2)])
        changed, page = client.records("notes", after=2)
        expect("gate" in changed and page["DatasetSyncCount"] > 2, "a device that was away is behind:", changed, page)
    names, _ = loaded(total)
    expected = 2 * (total // CLIENTS // len(names) * CLIENTS + 1)
    for client in clients:
        wait("all records at both devices", lambda: all(len(client.records(name)[0]) == expected for name in names))
        check_load(client.node, total, ["first", "second"])
    # One of them decides, and both have that.
    found, page = clients[1].records("notes")
    clients[1].update("notes", page["SyncSessionToken"], [put("gate", "shut", found["gate"]["SyncCount"])])
    for place in ("first", "second"):
        wait(f"the decision at the {place} device", lambda: values(nodes[place]) == ["shut"])
    print(f"{expected * len(names)} records of two devices that were apart, and a conflict: nothing lost")


def compare(nodes):
    """The second node has the same values and may not write them."""
    first, second = Client(nodes["first"]), Client(nodes["second"])

    def state(client):
        names = [dataset["DatasetName"] for dataset in client.boto.list_datasets(**client.place)["Datasets"]]
        return {name: {key: record.get("Value") for key, record in client.records(name)[0].items()} for name in names}

    expected = state(first)
    wait("the records at the second node", lambda: state(second) == expected)
    name = next(iter(expected))
    second.refused("NotAuthorizedException", "update_records", DatasetName=name,
                   SyncSessionToken=second.records(name)[1]["SyncSessionToken"], RecordPatches=[put("a", "x")])
    print(f"{sum(map(len, expected.values()))} records of {len(expected)} data sets are the same at both nodes")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        nodes = json.load(file)
    stories = {"compare": compare, "begin": begin,
               "apart": lambda nodes: apart(nodes, *sys.argv[3:]),
               "merged": lambda nodes: merged(nodes, int(sys.argv[3])),
               "load": lambda nodes: load(nodes, int(sys.argv[3]), sys.argv[4])}
    if sys.argv[2] in stories:
        return stories[sys.argv[2]](nodes)
    walk = Walk(nodes["first"])
    walk.valid()
    count = walk.invalid()
    walk.others()
    client = Client(nodes["first"])
    client.update("kept", client.records("kept")[1]["SyncSessionToken"], [put("a", "b")])
    records_of_a_user(client, nodes)
    notices(client)
    print(f"{len(OURS)} operations, {count} invalid requests: no mismatch")


if __name__ == "__main__":
    main()
