internal import CDBus

/// A private connection to a message bus. Used by one task at a time; its calls block.
///
/// No callbacks of libdbus are used: replies, signals and calls are received in order by `next`.
final class BusConnection {
  /// An error that the bus, or the called program, returned.
  struct Fault: Error {
    /// Such as `org.freedesktop.DBus.Error.AccessDenied`.
    let name: String
    let text: String
  }

  /// Messages of BlueZ are smaller.
  private static let mostMessageBytes = 1 << 20
  private static let mostQueuedBytes = 4 << 20
  private static let replyMilliseconds: Int32 = 5000

  private let pointer: OpaquePointer

  /// Connects.
  ///
  /// - Parameter address: that of a bus, such as `unix:path=/run/bus`; nil for the system bus,
  ///   whose address `DBUS_SYSTEM_BUS_ADDRESS` can set.
  init(_ address: String?) throws(Fault) {
    pointer = try Self.checked { error in
      guard let address else { return dbus_bus_get_private(DBUS_BUS_SYSTEM, &error) }
      guard let opened = dbus_connection_open_private(address, &error) else { return nil }
      guard dbus_bus_register(opened, &error) == 0 else { return opened }
      dbus_connection_close(opened)
      dbus_connection_unref(opened)
      return nil
    }
    // Without this, the process ends when the bus does.
    dbus_connection_set_exit_on_disconnect(pointer, 0)
    dbus_connection_set_max_message_size(pointer, Self.mostMessageBytes)
    dbus_connection_set_max_received_size(pointer, Self.mostQueuedBytes)
  }

  deinit {
    dbus_connection_close(pointer)
    dbus_connection_unref(pointer)
  }

  /// Subscribes to signals.
  func subscribe(_ rule: String) throws(Fault) {
    _ = try Self.checked { error in
      dbus_bus_add_match(pointer, rule, &error)
      return dbus_error_is_set(&error) == 0 ? pointer : nil
    }
  }

  /// Calls a method, and waits for its reply. Messages that arrive meanwhile are queued.
  func call(_ message: BusMessage) throws(Fault) -> BusMessage {
    BusMessage(
      owning: try Self.checked { error in
        dbus_connection_send_with_reply_and_block(
          pointer, message.pointer, Self.replyMilliseconds, &error)
      })
  }

  /// Sends a message. Returns its serial.
  @discardableResult
  func send(_ message: BusMessage) -> UInt32 {
    var serial: UInt32 = 0
    dbus_connection_send(pointer, message.pointer, &serial)
    dbus_connection_flush(pointer)
    return serial
  }

  /// Returns the next message; nil if none arrives in some milliseconds.
  func next(waiting milliseconds: Int32) -> BusMessage? {
    if let message = dbus_connection_pop_message(pointer) { return BusMessage(owning: message) }
    dbus_connection_read_write(pointer, milliseconds)
    return dbus_connection_pop_message(pointer).map { BusMessage(owning: $0) }
  }

  var isConnected: Bool { dbus_connection_get_is_connected(pointer) != 0 }

  private static func checked(
    _ work: (inout DBusError) -> OpaquePointer?
  ) throws(Fault) -> OpaquePointer {
    var error = DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    if let result = work(&error) { return result }
    throw Fault(
      name: error.name.map { String(cString: $0) } ?? "",
      text: error.message.map { String(cString: $0) } ?? "no memory")
  }
}
