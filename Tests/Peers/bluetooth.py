"""Bluetooth by Bumble: two virtual controllers on a virtual link, no hardware.

One advertises the identifier of a node, as `muster proximity own` gives it. The other scans, and
prints what it received as the JSON lines that `muster run --proximity` reads."""

import asyncio
import json
import os

from row import Row, lab, wait

# The service of Exposure Notification.
SERVICE = bytes.fromhex("6ffd")


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


def bluetooth(muster, result):
    lab.run("ip", "link", "set", "lo", "up")
    made = lab.Lab(muster, 3)
    made.on_bridge()
    command, person, witness = made.nodes
    path = witness.home + ".lines"
    os.mkfifo(path)
    command.start()
    person.start()
    witness.start("--proximity", path)
    made.until_in_step()

    own = person.call("GET", "proximity/own")
    lines = asyncio.run(scanned(bytes.fromhex(own["serviceData"]), "N1", 5))
    with open(path, "w", encoding="ascii") as pipe:
        pipe.writelines(json.dumps(line) + "\n" for line in lines)
        pipe.flush()
        wait("the witness counts", lambda: witness.call("GET", "proximity")["counted"] == 5)
    devices = witness.call("GET", "proximity/devices")["items"]
    result.equal("the devices nearby", [(one["identifier"], one["name"], one["rssi"])
                                        for one in devices], [(own["identifier"], "N1", -50)])

    def senders():
        return command.call("GET", "proximity/review")["senders"]

    result.equal("what command has without consent", senders(), [])
    witness.call("PUT", "proximity", {"sendsSessions": True})
    wait("the session arrives", senders)
    sender = senders()[0]
    result.equal("the session", (sender["callsign"], sender["sessions"][0]["identifiers"],
                                 sender["sessions"][0]["names"]), ("N2", 1, ["N1"]))
    witness.call("PUT", "proximity", {"sendsSessions": False})
    wait("the session is gone", lambda: not senders())
    result.figure("an identifier by two virtual controllers, in the log of one node, and in a "
                  "session at command")


ROWS = [Row("bluetooth", "Bumble advertises and scans", ("iproute2",), bluetooth)]
