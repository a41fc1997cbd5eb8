"""Unmodified programs for Amazon Location at one end of a row of three nodes: what they report is an event at the
other end, two hops away. Run as a program, it is the one with boto3."""

import datetime
import json
import os
import subprocess
import sys
import time

# Seconds from a position to its event two hops away.
LIMIT = 1
OUTSIDE, INSIDE = (7.52, 46.5), (7.5, 46.5)
ZONE = [[[7.49, 46.49], [7.51, 46.49], [7.51, 46.51], [7.49, 46.51], [7.49, 46.49]]]


class Boto3:
    """boto3 in the network namespace of a node."""

    def __init__(self, node, environment):
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", node.namespace, sys.executable, os.path.abspath(__file__)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def call(self, operation, **parameters):
        """Returns the answer, and when the request began."""
        began = time.monotonic()
        print(json.dumps([operation, parameters]), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline()), began

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)


class CommandLine:
    """The AWS CLI in the network namespace of a node. Its start is not counted."""

    def __init__(self, node, environment):
        self.words = ["ip", "netns", "exec", node.namespace, sys.executable, "-m", "awscli", "location"]
        self.environment = environment

    def call(self, operation, **parameters):
        """Returns the answer, and when it arrived."""
        from botocore import xform_name
        done = subprocess.run(
            [*self.words, xform_name(operation, "-"), "--output", "json", "--cli-input-json", json.dumps(parameters)],
            env=self.environment, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise SystemExit(f"the AWS CLI failed: {operation}: {done.stderr}")
        return json.loads(done.stdout or "{}"), time.monotonic()

    def end(self):
        pass


def location(muster, result):
    lab.run("ip", "link", "set", "lo", "up")
    made = lab.Lab(muster, 3)
    made.in_a_row()
    port = free_port()
    first, last = made.nodes[0], made.nodes[-1]
    first.start("--http", f"127.0.0.1:{port}")
    for node in made.nodes[1:]:
        node.start()
    made.until_in_step()
    key = json.loads(first.muster("access-key", "create", "--rights", "command", "--user", "N0", "--json"))
    environment = {
        **os.environ, "AWS_ENDPOINT_URL_LOCATION": f"http://127.0.0.1:{port}", "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_DISABLE_HOST_PREFIX_INJECTION": "true", "AWS_ACCESS_KEY_ID": key["id"],
        "AWS_SECRET_ACCESS_KEY": key["secret"], "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    for name, kind in (("boto3", Boto3), ("awscli", CommandLine)):
        program = kind(first, environment)
        delays = mission(program, name, first, last, result)
        program.end()
        here, there = (", ".join(f"{1000 * delay:.0f}" for delay in of_node) for of_node in zip(*delays, strict=True))
        result.figure(f"{name}: ENTER, EXIT after {here} ms, two hops away after {there} ms")
    result.equal("neighbours of the first node", len(first.call("GET", "peers")["items"]), 1)


def mission(program, name, first, last, result):
    """Returns for ENTER and EXIT the seconds until the first and the last node show it."""
    program.call("CreateGeofenceCollection", CollectionName=name)
    program.call("CreateTracker", TrackerName=name)
    described, _ = program.call("DescribeGeofenceCollection", CollectionName=name)
    program.call("AssociateTrackerConsumer", TrackerName=name, ConsumerArn=described["CollectionArn"])
    program.call("PutGeofence", CollectionName=name, GeofenceId=name, Geometry={"Polygon": ZONE})
    begin, delays, wanted = datetime.datetime.now(datetime.timezone.utc), [], []
    for minute, (kind, place) in enumerate(((None, OUTSIDE), ("ENTER", INSIDE), ("EXIT", OUTSIDE))):
        sampled = begin - datetime.timedelta(minutes=10 - minute)
        answer, since = program.call("BatchUpdateDevicePosition", TrackerName=name, Updates=[
            {"DeviceId": f"team-{name}", "SampleTime": sampled.isoformat(), "Position": list(place)}])
        result.equal(f"{name}: errors of a position", answer["Errors"], [])
        if not kind:
            continue
        wanted.append(kind)
        delays.append([until(node, name, wanted) - since for node in (first, last)])
        result.check(max(delays[-1]) <= LIMIT, f"{name}: {kind} took {max(delays[-1]):.2f} s, not {LIMIT} s")
    return delays


def until(node, zone, wanted):
    """When a node shows these events of a zone, and no others."""
    wait(f"{wanted} at node {node.index}",
         lambda: [one["type"] for one in items(node, "events") if one["fenceName"] == zone] == wanted, poll=0.002)
    return time.monotonic()


def serve():
    import boto3
    from botocore import xform_name
    client = boto3.client("location")
    for line in sys.stdin:
        operation, parameters = json.loads(line)
        answer = getattr(client, xform_name(operation))(**parameters)
        del answer["ResponseMetadata"]
        print(json.dumps(answer, default=str), flush=True)


if __name__ == "__main__":
    serve()
else:
    from row import Row, free_port, items, lab, wait
    ROWS = [Row("amazon", "boto3 and the AWS CLI: a geofence event two hops away", ("iproute2",), location)]
