#!/usr/bin/env python3
"""100 photos of 300 KB from one node to seven others, each behind a link of 10 Mbit/s (tbf), beside
syncthing in namespaces of the same form: seconds until all have all, bytes sent by all, and how late
an evacuation report is that is filed meanwhile. Needs root, `syncthing` and `nft`.

The limit of the time is that of the link: the author sends each photo once, the others share.

    python3 Benchmarks/photos/sharing.py --muster .build/release/muster [--loss 1]
"""

import base64
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "network"))
import lab  # noqa: E402

PER_REPORT = 50
THUMBNAIL = 12_000


def shape(mesh, options):
    """Limits what each node sends, and drops some of what it receives."""
    for node in mesh.nodes:
        inside = ["ip", "netns", "exec", node.namespace]
        lab.run(*inside, "tc", "qdisc", "replace", "dev", "radio", "root", "tbf", "rate",
                options.rate, "burst", "15000", "latency", "50ms")
        if options.loss:
            share = int(options.loss * 10)
            lab.run(*inside, "nft", "add table inet air; add chain inet air in { type filter hook "
                    "input priority 0; }; add rule inet air in numgen random mod 1000 < "
                    f"{share} drop")


def carried(mesh):
    """What the links carried, with all headers: the counter of the shaper, since that of the interface
    counts one header for up to 64 KiB that TCP passes on at once."""
    return sum(
        json.loads(lab.run("ip", "netns", "exec", node.namespace, "tc", "-s", "-j", "qdisc", "show",
                           "dev", "radio"))[0]["bytes"]
        for node in mesh.nodes)


def add_photo(node, report, seed, size):
    """Adds a picture as the intake delivers it."""
    drawn = random.Random(seed)
    picture = lambda count, width, height: {
        "bytes": base64.b64encode(drawn.randbytes(count)).decode(), "type": 1, "width": width,
        "height": height}
    draft = {"original": picture(size, 2048, 1536), "thumbnail": picture(THUMBNAIL, 320, 240)}
    answer = node.ask({"addPhoto": {"_0": draft, "to": report}})
    if "photoAdded" not in answer:
        raise SystemExit(f"node {node.index} refused a photo: {answer!r}")


def complete(node, reports):
    """How many photos a node has whole."""
    count = 0
    for report in reports:
        answer = node.ask({"photos": {"_0": report}})
        for photo in answer.get("photos", {}).get("_0", []):
            count += photo["original"]["percent"] == 100
    return count


def with_muster(options):
    mesh = lab.Lab(options.muster, options.nodes)
    mesh.on_bridge()
    author, others = mesh.nodes[0], mesh.nodes[1:]
    author.start()
    reports = []
    for number in range(options.photos):
        if number % PER_REPORT == 0:
            reports.append(author.add_report(f"Photos {number}", ""))
        add_photo(author, reports[-1], number, options.bytes)
    author.stop()
    shape(mesh, options)
    before, began = carried(mesh), time.perf_counter()
    for node in mesh.nodes:
        node.start()
    lab.wait("the first photo", lambda: complete(others[0], reports), 600, poll=0.2)
    late = mesh.until_all_have(author.add_report("Dam breaks", "", evacuate=True), 60)
    waiting = list(others)
    while waiting:
        waiting = [node for node in waiting if complete(node, reports) < options.photos]
        if time.perf_counter() - began > options.most:
            raise SystemExit(f"{len(waiting)} nodes are not complete after {options.most} s")
        time.sleep(0.2)
    seconds = time.perf_counter() - began
    sent = carried(mesh) - before
    mesh.close()
    return seconds, sent, late


def configure(home, identities, index):
    """All devices by address, and nothing from outside."""
    path = home / "config.xml"
    root = xml.parse(path).getroot()
    for device in root.findall("device"):
        root.remove(device)
    folder = xml.SubElement(root, "folder", id="photos", path=str(home / "photos"),
                            type="sendreceive", rescanIntervalS="3600", fsWatcherEnabled="false")
    xml.SubElement(folder, "filesystemType").text = "basic"
    for other, identity in enumerate(identities):
        xml.SubElement(folder, "device", id=identity)
        device = xml.SubElement(root, "device", id=identity, compression="metadata")
        xml.SubElement(device, "address").text = f"tcp://10.9.0.{other + 1}:22000"
    values = {
        "listenAddress": f"tcp://10.9.0.{index + 1}:22000", "globalAnnounceEnabled": "false",
        "localAnnounceEnabled": "false", "relaysEnabled": "false", "natEnabled": "false",
        "startBrowser": "false", "urAccepted": "-1", "crashReportingEnabled": "false",
        "reconnectionIntervalS": "1", "autoUpgradeIntervalH": "0"}
    options = root.find("options")
    for name, value in values.items():
        element = options.find(name)
        (xml.SubElement(options, name) if element is None else element).text = value
    root.find("gui").set("enabled", "false")
    xml.ElementTree(root).write(path)


def with_syncthing(options):
    mesh = lab.Lab(options.muster, options.nodes)
    mesh.on_bridge()
    homes = [pathlib.Path(mesh.folder) / f"s{node.index}" for node in mesh.nodes]
    identities = []
    for home in homes:
        lab.run("syncthing", "generate", "--home", str(home), "--no-default-folder")
        identities.append(lab.run("syncthing", "--home", str(home), "--device-id").strip())
    for index, home in enumerate(homes):
        (home / "photos" / ".stfolder").mkdir(parents=True)
        configure(home, identities, index)
    for number in range(options.photos):
        drawn = random.Random(number)
        for name, count in ((f"{number}.jpg", options.bytes), (f"{number}.thumb", THUMBNAIL)):
            (homes[0] / "photos" / name).write_bytes(drawn.randbytes(count))
    shape(mesh, options)
    before, began = carried(mesh), time.perf_counter()
    running = [
        subprocess.Popen(
            ["ip", "netns", "exec", node.namespace, "syncthing", "serve", "--home", str(home),
             "--no-browser", "--no-restart"], stdout=open(home / "log", "w"),
            stderr=subprocess.STDOUT, env={**os.environ, "STNOUPGRADE": "1"})
        for node, home in zip(mesh.nodes, homes)]
    try:
        while True:
            counts = [len(list((home / "photos").glob("[0-9]*"))) for home in homes]
            if min(counts) == 2 * options.photos:
                break
            if time.perf_counter() - began > options.most:
                raise SystemExit(f"syncthing has {counts} files after {options.most} s")
            time.sleep(0.2)
        seconds = time.perf_counter() - began
        return seconds, carried(mesh) - before
    finally:
        for process in running:
            process.kill()
            process.wait()
        mesh.close()


def main():
    parser = lab.arguments(__doc__.split("\n\n")[0])
    parser.add_argument("--nodes", type=int, default=8)
    parser.add_argument("--photos", type=int, default=100)
    parser.add_argument("--bytes", type=int, default=300_000)
    parser.add_argument("--rate", default="10mbit")
    parser.add_argument("--loss", type=float, default=0, help="percent")
    parser.add_argument("--most", type=int, default=1800, help="seconds")
    parser.add_argument("--only", choices=["muster", "syncthing"])
    options = parser.parse_args()
    size = options.photos * (options.bytes + THUMBNAIL)
    megabits = float(options.rate.removesuffix("mbit"))
    link = size * 8 / megabits / 1e6
    what = f"{options.photos} photos, {options.nodes} nodes, {options.rate}, {options.loss:g} % loss"
    if options.only != "syncthing":
        seconds, sent, late = with_muster(options)
        lab.emit("photos-muster", seconds, "s", link, what)
        lab.emit("photos-muster-sent", sent / 1e6, "MB", size * (options.nodes - 1) / 1e6, what)
        arrived = [moment for moment in late if moment is not None]
        lab.emit("photos-hazard", max(arrived), "s", 1,
                 f"{len(arrived)} of {options.nodes} nodes have it; {what}", digits=3)
    if options.only != "muster":
        seconds, sent = with_syncthing(options)
        lab.emit("photos-syncthing", seconds, "s", link, what)
        lab.emit("photos-syncthing-sent", sent / 1e6, "MB", size * (options.nodes - 1) / 1e6, what)


if __name__ == "__main__":
    main()
