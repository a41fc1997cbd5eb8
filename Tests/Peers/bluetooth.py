"""Bluetooth by Bumble: virtual controllers on a virtual link, no hardware.

In `bluetooth` one advertises the identifier of a node, as `muster proximity own` gives it. The other
scans, and prints what it received as the JSON lines that `muster run --proximity` reads.

In `bluez` each node has a system bus of its own, on which python3-dbusmock imitates bluetoothd. What a
node registers there is advertised by its controller; what its controller receives is reported there."""

import asyncio
import json
import os
import subprocess
import tempfile

from row import ROOT, Row, lab, output, wait

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


class Bus:
    """A system bus with an imitated bluetoothd, for one node."""

    CONFIGURATION = """<!DOCTYPE busconfig PUBLIC
     "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig><type>session</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/>
    <allow own="*"/></policy></busconfig>"""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="muster-bus-")
        path = os.path.join(self.folder, "bus")
        self.address = "unix:path=" + path
        with open(path + ".conf", "w", encoding="ascii") as file:
            file.write(self.CONFIGURATION.format(path=path))
        self.processes = [subprocess.Popen(
            ["dbus-daemon", f"--config-file={path}.conf", "--nofork"], stderr=subprocess.DEVNULL)]
        wait("the bus listens", lambda: os.path.exists(path))
        self.known = set()

    def start(self):
        """Starts bluetoothd with one adapter."""
        output = open(os.path.join(self.folder, "bluez.out"), "w", encoding="utf-8")
        self.processes.append(subprocess.Popen(
            ["/usr/bin/python3", "-u", os.path.join(ROOT, "Tests/Bluetooth/mock_bluez.py"), "hci0"],
            env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.address}, stdout=output))
        wait("bluetoothd is ready", lambda: self.events("ready"))

    def events(self, kind):
        with open(os.path.join(self.folder, "bluez.out"), encoding="utf-8") as file:
            found = [json.loads(line) for line in file if line.startswith("{") and line[-1] == "\n"]
        return [event for event in found if event["event"] == kind]

    def call(self, path, interface, method, *words):
        output("busctl", f"--address={self.address}", "call", "--", "org.bluez", path, interface,
               method, *words)

    def report(self, address, name, rssi, data):
        """Reports a received advertisement as bluetoothd does."""
        path = "/org/bluez/hci0/dev_" + address.replace(":", "_")
        if path not in self.known:
            self.known.add(path)
            self.call("/", "org.bluez.Mock", "AddDevice", "sss", "hci0", address, name)
        self.call(path, "org.muster.Test", "Report", "sa{sv}", "org.bluez.Device1", "2",
                  "RSSI", "n", str(rssi), "ServiceData", "a{sv}", "1",
                  "0000fd6f-0000-1000-8000-00805f9b34fb", "ay", str(len(data)), *map(str, data))

    def stop(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


async def on_air(buses):
    """Each controller advertises what its node registered, and reports what it receives, at the same
    time; ends once each has received each other."""
    from bumble.core import AdvertisingData
    from bumble.link import LocalLink

    link = LocalLink()
    received = {}
    for number, bus in enumerate(buses):
        radio = device(link, ":".join([f"C{number}"] * 6))
        await radio.power_on()
        properties = bus.events("registered")[-1]["properties"]
        (data,) = properties["ServiceData"].values()
        # bluetoothd puts a name into the scan response, which virtual controllers do not send: it
        # takes the place of the list of services.
        first = ((AdvertisingData.COMPLETE_LOCAL_NAME, properties["LocalName"].encode())
                 if "LocalName" in properties
                 else (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, SERVICE))
        radio.advertising_data = bytes(AdvertisingData([
            first, (AdvertisingData.SERVICE_DATA_16_BIT_UUID, SERVICE + bytes.fromhex(data))]))
        radio.on("advertisement", lambda one, number=number: received.setdefault(
            (number, str(one.address)), []).append(one))
        await radio.start_advertising(auto_restart=True)
        await radio.start_scanning()
    pairs = len(buses) * (len(buses) - 1)
    for _ in range(300):
        await asyncio.sleep(0.1)
        if len(received) == pairs and all(len(ones) > 3 for ones in received.values()):
            break
    for (number, address), ones in sorted(received.items()):
        names = [name for one in ones
                 if (name := one.data.get(AdvertisingData.COMPLETE_LOCAL_NAME))]
        for one in ones[:3]:
            data = set(one.data.get_all(AdvertisingData.SERVICE_DATA_16_BIT_UUID, raw=True))
            for part in data:
                buses[number].report(
                    address.split("/")[0], names[0] if names else "", one.rssi, part[2:])
    return len(received)


def bluez(muster, result):
    lab.run("ip", "link", "set", "lo", "up")
    made = lab.Lab(muster, 3)
    made.on_bridge()
    command, one, other = made.nodes
    buses = [Bus(), Bus()]
    try:
        for node, bus in zip((one, other), buses, strict=True):
            os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
            node.start()
        del os.environ["DBUS_SYSTEM_BUS_ADDRESS"]
        story(command, one, other, buses, result)
    finally:
        for bus in buses:
            bus.stop()


def story(command, one, other, buses, result):
    def state(node):
        return node.call("GET", "proximity")

    result.equal("before it is switched on", (
        state(one)["scanning"], state(one)["adapter"]), ("off", ""))
    one.call("PUT", "proximity", {"on": True})
    wait("the user reads what is missing",
         lambda: state(one)["problem"].startswith("bluetoothd does not run: install bluez"))
    for bus in buses:
        bus.start()
    other.call("PUT", "proximity", {"on": True, "showsName": True})
    for node in (one, other):
        wait("both parts are on", lambda node=node: (
            state(node)["scanning"], state(node)["advertising"], state(node)["adapter"],
            state(node)["problem"]) == ("on", "on", "hci0", ""))
    result.equal("pairs on the air", asyncio.run(on_air(buses)), 2)

    for node, peer, name in ((one, other, "N2"), (other, one, "")):
        wait("the other is received", lambda node=node: state(node)["counted"] >= 3)
        result.equal("devices nearby", [
            (found["identifier"], found["name"])
            for found in node.call("GET", "proximity/devices")["items"]],
            [(peer.call("GET", "proximity/own")["identifier"], name)])

    # A session is synced once command acknowledged it.
    def session():
        (found,) = one.call("GET", "proximity/sessions")["items"]
        return found["isSent"], found["isSynced"]

    result.equal("a session before it is sent", session(), (False, False))
    one.call("POST", "proximity/send")
    result.equal("a session while command is out of reach", session(), (True, False))
    command.start()
    wait("command acknowledges the session", lambda: session() == (True, True))
    (sender,) = command.call("GET", "proximity/review")["senders"]
    result.equal("the session at command", (
        sender["callsign"], sender["sessions"][0]["identifiers"], sender["sessions"][0]["names"]),
        ("N1", 1, ["N2"]))

    other.call("PUT", "proximity", {"on": False})
    result.equal("switched off", (state(other)["scanning"], state(other)["advertising"]),
                 ("off", "off"))
    buses[0].stop()
    wait("the user reads that the bus is gone", lambda: state(one)["problem"])
    result.figure("two nodes advertise and scan through BlueZ's interfaces, one with a name; a "
                  "session is synced once command has it")


ROWS = [Row("bluez", "BlueZ on D-Bus, Bumble on the air",
            ("iproute2", "dbus-daemon", "systemd", "python3-dbusmock"), bluez),
        Row("bluetooth", "Bumble advertises and scans", ("gcc", "iproute2"), bluetooth)]
