internal import CDBus

/// A message of D-Bus, received or to be sent.
final class BusMessage {
  let pointer: OpaquePointer

  /// Takes over a message of libdbus.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  /// Creates a call. Traps if memory is exhausted or a name is invalid: names are constants or come
  /// from validated messages.
  convenience init(
    calling method: String, of interface: String, at path: String, on destination: String,
    _ values: [BusValue] = []
  ) {
    guard let pointer = dbus_message_new_method_call(destination, path, interface, method) else {
      preconditionFailure("libdbus creates no call of \(interface).\(method)")
    }
    self.init(owning: pointer)
    append(values)
  }

  deinit { dbus_message_unref(pointer) }

  func append(_ values: [BusValue]) {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(pointer, &iterator)
    for value in values { value.append(to: &iterator) }
  }

  // MARK: Answers

  /// Creates a reply to a received call.
  func reply(_ values: [BusValue] = []) -> BusMessage? {
    guard let pointer = dbus_message_new_method_return(pointer) else { return nil }
    let message = BusMessage(owning: pointer)
    message.append(values)
    return message
  }

  /// Creates the reply that a method is not known.
  func unknownMethod() -> BusMessage? {
    dbus_message_new_error(pointer, "org.freedesktop.DBus.Error.UnknownMethod", "not here")
      .map { BusMessage(owning: $0) }
  }

  // MARK: Content

  enum Kind { case call, reply, error, signal, other }

  var kind: Kind {
    switch dbus_message_get_type(pointer) {
    case 1: .call
    case 2: .reply
    case 3: .error
    case 4: .signal
    default: .other
    }
  }

  var values: [BusValue] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(pointer, &iterator) != 0 else { return [] }
    return BusValue.all(&iterator)
  }

  /// The method or signal.
  var member: String { Self.text(dbus_message_get_member(pointer)) }
  var path: String { Self.text(dbus_message_get_path(pointer)) }
  /// The unique name of the sender, which the bus sets.
  var sender: String { Self.text(dbus_message_get_sender(pointer)) }
  var errorName: String { Self.text(dbus_message_get_error_name(pointer)) }
  /// The serial of the call that this replies to; 0 for none.
  var replySerial: UInt32 { dbus_message_get_reply_serial(pointer) }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    pointer.map { String(cString: $0) } ?? ""
  }
}
