"""bluetoothd as python3-dbusmock imitates it, on the system bus of DBUS_SYSTEM_BUS_ADDRESS.

dbusmock's template has adapters and devices, which tests add by its interface `org.bluez.Mock`. This
program adds the advertising manager: like bluetoothd, it reads an advertisement before it replies,
and prints it as a line of JSON. The call `org.muster.Test.Report` changes properties of any type.

    mock_bluez.py [ADAPTER [no-advertising|refuse-advertising]]"""

import json
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
from dbusmock import mockobject
from gi.repository import GLib

MANAGER = "org.bluez.LEAdvertisingManager1"
ADVERTISEMENT = "org.bluez.LEAdvertisement1"
HANDLED, NOT_YET_HANDLED = 0, 1


def show(event, **more):
    print(json.dumps({"event": event, **more}), flush=True)


def plain(value):
    """Returns a value of D-Bus as JSON; bytes as hexadecimal digits."""
    if isinstance(value, dbus.Dictionary):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, dbus.Array):
        if value.signature == "y":
            return bytes(value).hex()
        return [plain(one) for one in value]
    return value


def report(connection, message):
    """Sets properties of an object, and reports them as bluetoothd does."""
    interface, properties = message.get_args_list()
    mockobject.objects[message.get_path()].props[interface].update(properties)
    signal = dbus.lowlevel.SignalMessage(
        message.get_path(), dbus.PROPERTIES_IFACE, "PropertiesChanged")
    signal.append(interface, properties, [], signature="sa{sv}as")
    connection.send_message(signal)
    connection.send_message(dbus.lowlevel.MethodReturnMessage(message))


def answering(refuses):
    """Returns a filter for the calls of the advertising manager."""
    def filtered(connection, message):
        if message.get_interface() == "org.bluez.Adapter1":
            show(message.get_member(), values=[plain(one) for one in message.get_args_list()])
        if message.get_interface() == "org.muster.Test":
            report(connection, message)
            return HANDLED
        if message.get_interface() != MANAGER:
            return NOT_YET_HANDLED
        if message.get_member() == "UnregisterAdvertisement":
            show("unregistered")
            connection.send_message(dbus.lowlevel.MethodReturnMessage(message))
            return HANDLED
        if refuses:
            connection.send_message(dbus.lowlevel.ErrorMessage(
                message, "org.bluez.Error.NotPermitted", "Maximum advertisements reached"))
            return HANDLED

        def read(properties):
            show("registered", properties=plain(properties))
            connection.send_message(dbus.lowlevel.MethodReturnMessage(message))

        def failed(error):
            connection.send_message(dbus.lowlevel.ErrorMessage(
                message, "org.bluez.Error.Failed", str(error)))

        connection.call_async(
            message.get_sender(), message.get_args_list()[0], dbus.PROPERTIES_IFACE, "GetAll", "s",
            (ADVERTISEMENT,), read, failed)
        return HANDLED
    return filtered


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(dbus.bus.BusConnection.TYPE_SYSTEM)
    name = dbus.service.BusName("org.bluez", bus, do_not_queue=True)
    root = mockobject.DBusMockObject(name, "/", "org.bluez.Mock", {})
    mockobject.objects["/"] = root
    root.AddTemplate("bluez5", {})
    if len(sys.argv) > 1:
        root.AddAdapter(sys.argv[1], "laptop")
        adapter = mockobject.objects["/org/bluez/" + sys.argv[1]]
        if "no-advertising" not in sys.argv:
            adapter.AddProperties(MANAGER, {"SupportedInstances": dbus.Byte(5)})
    bus.add_message_filter(answering("refuse-advertising" in sys.argv))
    show("ready")
    GLib.MainLoop().run()


main()
