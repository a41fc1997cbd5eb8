internal import CDBus

/// A value of a D-Bus message, as far as the interfaces of BlueZ need it.
enum BusValue: Hashable {
  case bool(Bool)
  /// An integer of any width.
  case integer(Int)
  case text(String)
  case path(String)
  case bytes([UInt8])
  case list([BusValue])
  /// A dictionary whose keys are strings or paths.
  case table([String: BusValue])
  case variant([BusValue])
  /// A value of a type that is not read.
  case other

  /// The value itself, without the variants around it.
  var content: BusValue {
    if case .variant(let inner) = self, let first = inner.first { return first.content }
    return self
  }

  var bool: Bool? { if case .bool(let value) = content { value } else { nil } }
  var integer: Int? { if case .integer(let value) = content { value } else { nil } }
  var text: String? { if case .text(let value) = content { value } else { nil } }
  var path: String? { if case .path(let value) = content { value } else { nil } }
  var bytes: [UInt8]? { if case .bytes(let value) = content { value } else { nil } }
  var table: [String: BusValue]? { if case .table(let value) = content { value } else { nil } }
}

/// The codes of the types, which the header defines as casts of characters.
private enum TypeCode {
  static let byte = code("y")
  static let bool = code("b")
  static let int16 = code("n")
  static let uint16 = code("q")
  static let int32 = code("i")
  static let uint32 = code("u")
  static let int64 = code("x")
  static let uint64 = code("t")
  static let text = code("s")
  static let path = code("o")
  static let array = code("a")
  static let variant = code("v")
  static let entry = code("e")

  private static func code(_ character: Character) -> Int32 {
    Int32(character.asciiValue ?? 0)
  }
}

// MARK: - Reading

extension BusValue {
  /// Reads the values up to the end of a message or container. libdbus has validated the message:
  /// containers are nested at most 64 times.
  static func all(_ iterator: inout DBusMessageIter) -> [BusValue] {
    var values: [BusValue] = []
    while dbus_message_iter_get_arg_type(&iterator) != 0 {
      values.append(one(&iterator))
      dbus_message_iter_next(&iterator)
    }
    return values
  }

  private static func one(_ iterator: inout DBusMessageIter) -> BusValue {
    switch dbus_message_iter_get_arg_type(&iterator) {
    case TypeCode.byte: .integer(Int(basic(UInt8(0), &iterator)))
    case TypeCode.bool: .bool(basic(UInt32(0), &iterator) != 0)
    case TypeCode.int16: .integer(Int(basic(Int16(0), &iterator)))
    case TypeCode.uint16: .integer(Int(basic(UInt16(0), &iterator)))
    case TypeCode.int32: .integer(Int(basic(Int32(0), &iterator)))
    case TypeCode.uint32: .integer(Int(basic(UInt32(0), &iterator)))
    case TypeCode.int64: .integer(Int(basic(Int64(0), &iterator)))
    case TypeCode.uint64: .integer(Int(clamping: basic(UInt64(0), &iterator)))
    case TypeCode.text: .text(string(&iterator))
    case TypeCode.path: .path(string(&iterator))
    case TypeCode.array: array(&iterator)
    case TypeCode.variant: .variant(inside(&iterator))
    default: .other
    }
  }

  private static func basic<Number: BitwiseCopyable>(
    _ empty: Number, _ iterator: inout DBusMessageIter
  ) -> Number {
    var number = empty
    dbus_message_iter_get_basic(&iterator, &number)
    return number
  }

  private static func string(_ iterator: inout DBusMessageIter) -> String {
    var pointer: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &pointer)
    return pointer.map { String(cString: $0) } ?? ""
  }

  private static func inside(_ iterator: inout DBusMessageIter) -> [BusValue] {
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    return all(&inner)
  }

  private static func array(_ iterator: inout DBusMessageIter) -> BusValue {
    switch dbus_message_iter_get_element_type(&iterator) {
    case TypeCode.byte:
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &inner)
      var start: UnsafePointer<UInt8>?
      var count: Int32 = 0
      dbus_message_iter_get_fixed_array(&inner, &start, &count)
      return .bytes(Array(UnsafeBufferPointer(start: start, count: Int(count))))
    case TypeCode.entry:
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &inner)
      var table: [String: BusValue] = [:]
      while dbus_message_iter_get_arg_type(&inner) != 0 {
        let entry = inside(&inner)
        if entry.count == 2, let key = entry[0].text ?? entry[0].path { table[key] = entry[1] }
        dbus_message_iter_next(&inner)
      }
      return .table(table)
    default: return .list(inside(&iterator))
    }
  }
}

// MARK: - Writing

extension BusValue {
  /// Appends a value. Dictionaries are written as `a{sv}`, lists as `as`: BlueZ expects no other.
  func append(to iterator: inout DBusMessageIter) {
    switch self {
    case .bool(let value):
      var number: UInt32 = value ? 1 : 0
      dbus_message_iter_append_basic(&iterator, TypeCode.bool, &number)
    case .integer(let value):
      var number = Int32(clamping: value)
      dbus_message_iter_append_basic(&iterator, TypeCode.int32, &number)
    case .text(let text): Self.append(text, TypeCode.text, to: &iterator)
    case .path(let path): Self.append(path, TypeCode.path, to: &iterator)
    case .bytes(let bytes):
      Self.container(TypeCode.array, "y", in: &iterator) { inner in
        bytes.withUnsafeBufferPointer { buffer in
          var start = buffer.baseAddress
          _ = dbus_message_iter_append_fixed_array(
            &inner, TypeCode.byte, &start, Int32(buffer.count))
        }
      }
    case .list(let values):
      Self.container(TypeCode.array, "s", in: &iterator) { inner in
        for value in values { value.append(to: &inner) }
      }
    case .table(let table):
      Self.container(TypeCode.array, "{sv}", in: &iterator) { inner in
        for (key, value) in table.sorted(by: { $0.key < $1.key }) {
          Self.container(TypeCode.entry, nil, in: &inner) { entry in
            Self.append(key, TypeCode.text, to: &entry)
            Self.container(TypeCode.variant, value.content.signature, in: &entry) {
              value.content.append(to: &$0)
            }
          }
        }
      }
    case .variant(let values): values.first?.append(to: &iterator)
    case .other: break
    }
  }

  private var signature: String {
    switch self {
    case .bool: "b"
    case .integer: "i"
    case .text, .other: "s"
    case .path: "o"
    case .bytes: "ay"
    case .list: "as"
    case .table: "a{sv}"
    case .variant: content.signature
    }
  }

  private static func append(_ text: String, _ code: Int32, to iterator: inout DBusMessageIter) {
    text.withCString { pointer in
      var start: UnsafePointer<CChar>? = pointer
      _ = dbus_message_iter_append_basic(&iterator, code, &start)
    }
  }

  private static func container(
    _ code: Int32, _ signature: String?, in iterator: inout DBusMessageIter,
    _ fill: (inout DBusMessageIter) -> Void
  ) {
    var inner = DBusMessageIter()
    dbus_message_iter_open_container(&iterator, code, signature, &inner)
    fill(&inner)
    dbus_message_iter_close_container(&iterator, &inner)
  }
}
