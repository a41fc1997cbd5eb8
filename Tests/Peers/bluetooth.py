"""Bluetooth by Bumble: two virtual controllers on a virtual link, no hardware.

One advertises the identifier of a node, as `muster proximity own` gives it. The other scans, and
prints what it received as the JSON lines that `muster run --proximity` reads."""

import asyncio
import glob
import json
import os

from row import Row, lab, wait

# The service of Exposure Notification.
SERVICE = bytes.fromhex("6ffd")
DAYS_AGO = 3


def device(link, address):
    from bumble.controller import Controller
    from bumble.device import Device
    from bumble.hci import Address
    from bumble.host import Host
    from bumble.transport import AsyncPipeSink

    controller = Controller(address, link=link, public_address=address)
    return Device(address=Address(address), host=Host(controller, AsyncPipeSink(controller)))


async def scanned(service_data, name, count):
    """Advertises service data; returns the first lines of a scanner beside the advertiser."""
    from bumble.core import AdvertisingData
    from bumble.link import LocalLink

    link = LocalLink()
    advertiser, scanner = (
        device(link, address) for address in ("F0:F1:F2:F3:F4:F5", "F5:F4:F3:F2:F1:F0"))
    await advertiser.power_on()
    await scanner.power_on()
    advertiser.advertising_data = bytes(AdvertisingData([
        (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, SERVICE),
        (AdvertisingData.SERVICE_DATA_16_BIT_UUID, SERVICE + service_data)]))
    lines, done = [], asyncio.get_running_loop().create_future()

    @scanner.on("advertisement")
    def received(advertisement):
        found = advertisement.data.get_all(AdvertisingData.SERVICE_DATA_16_BIT_UUID, raw=True)
        # Bumble 0.0.211 lists service data twice.
        for data in set(found):
            if data.startswith(SERVICE) and len(data) == 22 and len(lines) < count:
                lines.append({
                    "uuid": data[2:18].hex(), "name": name, "rssi": advertisement.rssi})
        if len(lines) == count and not done.done():
            done.set_result(lines)

    await advertiser.start_advertising(auto_restart=True)
    await scanner.start_scanning()
    return await asyncio.wait_for(done, 30)


def start(made, lines):
    """Starts the nodes; the last one records the devices of a scanner."""
    for node in made.nodes[:-1]:
        node.start()
    made.nodes[-1].start("--proximity", lines)
    made.until_in_step()


def some_days_ago():
    """Sets the clock of programs that are started from now on."""
    library = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not library:
        raise SystemExit("libfaketime is missing: apt-get install faketime")
    os.environ.update(
        LD_PRELOAD=library[0], FAKETIME=f"-{DAYS_AGO}d", FAKETIME_DONT_FAKE_MONOTONIC="1")


def today():
    for name in ("LD_PRELOAD", "FAKETIME", "FAKETIME_DONT_FAKE_MONOTONIC"):
        del os.environ[name]


def bluetooth(muster, result):
    lab.run("ip", "link", "set", "lo", "up")
    made = lab.Lab(muster, 3)
    made.on_bridge()
    command, person, witness = made.nodes
    path = witness.home + ".lines"
    os.mkfifo(path)

    # The person was near the witness three days ago.
    some_days_ago()
    start(made, path)
    own = person.call("GET", "proximity/own")
    today()
    lines = asyncio.run(scanned(bytes.fromhex(own["serviceData"]), "N1", 5))
    with open(path, "w", encoding="ascii") as pipe:
        pipe.writelines(json.dumps(line) + "\n" for line in lines)
        wait("the witness counts", lambda: witness.call("GET", "proximity")["counted"] == 5)
    devices = witness.call("GET", "proximity/devices")["items"]
    result.equal("the device nearby", [(one["identifier"], one["name"], one["rssi"])
                                       for one in devices], [(own["identifier"], "N1", -50)])
    for node in made.nodes:
        node.stop()

    # Today the person reports, and command publishes.
    start(made, path)
    result.equal("laptops of command", person.call(
        "PUT", "proximity/report", {"kind": "contamination", "text": "I am N1"}), {"recipients": 1})

    def items():
        return command.call("GET", "proximity/review")["items"]

    wait("the report arrives", items)
    report = items()[0]
    result.equal("the report", (report["callsign"], report["state"], len(report["days"])),
                 ("N1", "reported", 1))
    command.call("PUT", f"proximity/notices/{report['id']}", {"text": "Shower"})

    def notices(node):
        return node.call("GET", "proximity")["notices"]

    wait("the notice arrives", lambda: notices(witness))
    notice = notices(witness)[0]
    result.equal("the notice", (notice["kind"], notice["text"], notice["days"][0]["minutes"]),
                 ("contamination", "Shower", 1))
    result.check("N1" not in json.dumps(notice), "the notice names the person")
    for node in (command, person):
        result.equal(f"notices of N{node.index}", notices(node), [])
    witness.call("PUT", "proximity", {"sharesCount": True})
    wait("command counts one person", lambda: items()[0]["people"] == 1)

    person.call("DELETE", "proximity/report")
    wait("the withdrawal arrives", lambda: items()[0]["state"] == "withdrawn")
    command.call("DELETE", f"proximity/notices/{report['id']}")
    wait("the notice is gone", lambda: not notices(witness))
    result.figure("an identifier by two virtual controllers, a notice three days later on 1 of 3 "
                  "nodes, withdrawn")


ROWS = [Row("bluetooth", "Bumble advertises and scans", ("faketime", "iproute2"), bluetooth)]
