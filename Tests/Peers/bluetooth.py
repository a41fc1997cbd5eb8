"""Bluetooth by Bumble: two virtual controllers on a virtual link, no hardware.

One advertises the identifier of a node, as `muster proximity own` gives it. The other scans, and
prints what it received as the JSON lines that `muster run --proximity` reads."""

import asyncio
import json
import os

from row import Row, lab, output, wait

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


# Only the wall clock of a node is earlier: its timers follow other clocks.
CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec -= DAYS_AGO * 86400;
  return result;
}
"""
DAYS_AGO = 3


def earlier_clock(folder):
    """Returns a library for LD_PRELOAD with a wall clock of some days ago."""
    path = os.path.join(folder, "clock.so")
    output("cc", "-shared", "-fPIC", f"-DDAYS_AGO={DAYS_AGO}", "-x", "c", "-o", path, "-",
           input=CLOCK.encode())
    return path


def bluetooth(muster, result):
    lab.run("ip", "link", "set", "lo", "up")
    made = lab.Lab(muster, 3)
    made.on_bridge()
    command, person, witness = made.nodes
    path = witness.home + ".lines"
    os.mkfifo(path)

    # The person was near the witness three days ago.
    os.environ["LD_PRELOAD"] = earlier_clock(made.folder)
    person.start()
    witness.start("--proximity", path)
    del os.environ["LD_PRELOAD"]
    own = person.call("GET", "proximity/own")
    lines = asyncio.run(scanned(bytes.fromhex(own["serviceData"]), "N1", 5))
    with open(path, "w", encoding="ascii") as pipe:
        pipe.writelines(json.dumps(line) + "\n" for line in lines)
        pipe.flush()
        wait("the witness counts", lambda: witness.call("GET", "proximity")["counted"] == 5)
    devices = witness.call("GET", "proximity/devices")["items"]
    result.equal("the devices nearby", [(one["identifier"], one["name"], one["rssi"])
                                        for one in devices], [(own["identifier"], "N1", -50)])
    person.stop()
    witness.stop()

    # Today the person reports, and command publishes.
    for node in made.nodes:
        node.start()
    made.until_in_step()

    def review(part):
        return command.call("GET", "proximity/review")[part]

    def notices(node):
        return node.call("GET", "proximity")["notices"]

    result.equal("laptops of command", person.call(
        "PUT", "proximity/report", {"kind": "contamination", "text": "I am N1"}), {"recipients": 1})
    wait("the report arrives", lambda: review("items"))
    report = review("items")[0]
    result.equal("the report", (report["callsign"], report["state"], len(report["days"])),
                 ("N1", "reported", 1))
    command.call("PUT", f"proximity/notices/{report['id']}", {"text": "Shower"})
    wait("the notice arrives", lambda: notices(witness))
    notice = notices(witness)[0]
    result.equal("the notice", (notice["kind"], notice["text"], notice["days"][0]["minutes"]),
                 ("contamination", "Shower", 1))
    result.check("N1" not in json.dumps(notice), "the notice names the person")
    for node in (command, person):
        result.equal(f"notices of N{node.index}", notices(node), [])

    result.equal("what command has without consent", (
        review("senders"), review("items")[0]["people"]), ([], 0))
    witness.call("PUT", "proximity", {"sharesCount": True, "sendsSessions": True})
    wait("command counts one person", lambda: review("items")[0]["people"] == 1)
    sender = review("senders")[0]
    result.equal("the session", (sender["callsign"], sender["sessions"][0]["identifiers"],
                                 sender["sessions"][0]["names"]), ("N2", 1, ["N1"]))

    person.call("DELETE", "proximity/report")
    wait("the withdrawal arrives", lambda: review("items")[0]["state"] == "withdrawn")
    command.call("DELETE", f"proximity/notices/{report['id']}")
    wait("the notice is gone", lambda: not notices(witness))
    result.figure("an identifier by two virtual controllers; three days later a notice on 1 of 3 "
                  "nodes, a count and a session at command, a withdrawal")


ROWS = [Row("bluetooth", "Bumble advertises and scans", ("gcc", "iproute2"), bluetooth)]
