internal import MusterModel

/// The calls under duress that this command device received, by the author's device. Local: it is
/// never sent, and no part of the state hash.
///
/// A call stays open until it is cleared here; a later check-in without a call does not end it.
///
/// - Invariant: at most one entry for each device, and `knownCalls` dots in an entry. A device has
///   a certificate that counted when its call was read, so the table is bounded by certificates.
struct DuressLedger: Sendable, Equatable {
  static let key = "duress"
  /// The newest calls of a device that are not opened again when the view is derived again. The
  /// oldest is forgotten first.
  static let knownCalls = 16

  private struct Entry: Sendable, Equatable {
    let user: UserID
    var isOpen: Bool
    var calls: [Dot]
  }

  private var entries: [DeviceID: Entry] = [:]

  init() {}

  /// The people who called and were not cleared.
  var people: Set<UserID> { Set(entries.values.filter(\.isOpen).map(\.user)) }

  /// Adds calls; those that are known change nothing. Returns whose status may change; nil if
  /// nothing is new.
  mutating func add(_ calls: [DuressCall]) -> Set<UserID>? {
    var changed: Set<UserID> = []
    for call in calls {
      let (device, user) = (call.author.device, call.author.user)
      var entry = entries[device] ?? Entry(user: user, isOpen: false, calls: [])
      guard !entry.calls.contains(call.dot) else { continue }
      entry.calls.append(call.dot)
      entry.calls.removeFirst(max(0, entry.calls.count - Self.knownCalls))
      entry.isOpen = true
      entries[device] = entry
      changed.insert(user)
    }
    return changed.isEmpty ? nil : changed
  }

  /// Closes the calls of a person until the next one. Returns whether any was open.
  mutating func clear(_ user: UserID) -> Bool {
    let devices = entries.filter { $0.value.user == user && $0.value.isOpen }.keys
    for device in devices { entries[device]?.isOpen = false }
    return !devices.isEmpty
  }

  // MARK: Stored form

  /// The stored form: the number of entries, then for each the device, the user, whether it is
  /// open, and its dots.
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt32(entries.count))
    for (device, entry) in entries.sorted(by: { $0.key < $1.key }) {
      writer.append(device)
      writer.append(entry.user)
      writer.append(UInt8(entry.isOpen ? 1 : 0))
      writer.append(UInt32(entry.calls.count))
      for call in entry.calls { writer.append(call) }
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    for _ in 0..<(try reader.count(ofAtLeast: 37)) {
      let device = try reader.identifier(DeviceID.self)
      let user = try reader.identifier(UserID.self)
      let isOpen = try reader.integer(UInt8.self) == 1
      var calls: [Dot] = []
      for _ in 0..<(try reader.count(ofAtLeast: 18)) { calls.append(try reader.dot()) }
      entries[device] = Entry(user: user, isOpen: isOpen, calls: calls)
    }
    try reader.expectEnd()
  }
}
