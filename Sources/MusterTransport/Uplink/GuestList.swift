internal import MusterModel

/// Who has an incoming uplink of a listener, and who makes room when there is none.
///
///     admit ─▶ stranger ─ its first datagram ─▶ of an operation ─ handshake ─▶ member
///
/// - *Strangers* have not authenticated. If there is no room for another one, the oldest stranger
///   of the address that has the most makes room: a flood displaces itself, and a handshake needs
///   less time than a flood needs to fill the list again.
/// - *Members* are displaced by no stranger. A device has `mostOfADevice` uplinks at most, and its
///   newest replaces its oldest: it may have reconnected. If there is no room for another member,
///   the newest uplink of the operation that has the most ends, so that no operation displaces
///   another one.
///
/// Numbers increase with time.
struct GuestList: Sendable {
  /// The most uplinks of each kind.
  struct Bounds: Sendable {
    let members: Int
    let strangers: Int
    /// Members and strangers together.
    let all: Int
    let fromAnAddress: Int
  }

  /// Several addresses of a listener in the settings of a laptop may lead to one program.
  static let mostOfADevice = 4

  private struct Guest {
    let address: String
    /// The place of its operation among the routes; 0 on a listener for one.
    var operation = 0
    var device: DeviceID?
  }

  private let bounds: Bounds
  private var guests: [UInt64: Guest] = [:]
  private var strangers: Set<UInt64> = []
  private var addresses: [String: Int] = [:]
  private var latest: UInt64 = 0

  init(_ bounds: Bounds) { self.bounds = bounds }

  private var memberCount: Int { guests.count - strangers.count }

  /// Admits a stranger.
  ///
  /// - Returns: its number, and that of the one that makes room; nil if there is no room.
  mutating func admit(from address: String) -> (number: UInt64, displaced: UInt64?)? {
    var displaced: UInt64?
    if addresses[address] ?? 0 >= bounds.fromAnAddress {
      displaced = oldestStranger(from: address)
      guard displaced != nil else { return nil }
    } else if strangers.count >= bounds.strangers || guests.count >= bounds.all {
      displaced = mostCommonAddressOfStrangers.flatMap(oldestStranger)
      guard displaced != nil else { return nil }
    }
    if let displaced { remove(displaced) }
    latest += 1
    guests[latest] = Guest(address: address)
    strangers.insert(latest)
    addresses[address, default: 0] += 1
    return (latest, displaced)
  }

  private func oldestStranger(from address: String) -> UInt64? {
    strangers.filter { guests[$0]?.address == address }.min()
  }

  private var mostCommonAddressOfStrangers: String? {
    let counts = Dictionary(grouping: strangers) { guests[$0]?.address ?? "" }
    return counts.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.key
  }

  /// Records the operation of a stranger, by its first datagram.
  mutating func assign(_ number: UInt64, to operation: Int) {
    guests[number]?.operation = operation
  }

  /// Records that a device has authenticated.
  ///
  /// - Returns: the uplinks that end in return.
  mutating func prove(_ number: UInt64, as device: DeviceID) -> [UInt64] {
    guard strangers.remove(number) != nil, let guest = guests[number] else { return [] }
    guests[number]?.device = device
    var ended: [UInt64] = []
    let own = guests.filter { $0.value.device == device && $0.value.operation == guest.operation }
    if own.count > Self.mostOfADevice, let oldest = own.keys.min() { ended.append(oldest) }
    for oldest in ended { remove(oldest) }
    if memberCount > bounds.members, let newest = newestOfLargest(preferring: guest.operation) {
      ended.append(newest)
      remove(newest)
    }
    return ended
  }

  /// Makes strangers of a device's uplinks: its last session has ended.
  ///
  /// - Returns: these uplinks.
  mutating func doubt(_ device: DeviceID, of operation: Int) -> [UInt64] {
    let own = guests.filter { $0.value.device == device && $0.value.operation == operation }.keys
    for number in own {
      guests[number]?.device = nil
      strangers.insert(number)
    }
    return own.sorted()
  }

  /// Returns the newest member of the operation that has the most.
  private func newestOfLargest(preferring operation: Int) -> UInt64? {
    let members = guests.filter { $0.value.device != nil }
    let groups = Dictionary(grouping: members) { $0.value.operation }
    let largest = groups.max {
      ($0.value.count, $0.key == operation ? 1 : 0, $0.key)
        < ($1.value.count, $1.key == operation ? 1 : 0, $1.key)
    }
    return largest?.value.map(\.key).max()
  }

  /// Removes a guest that is in the list.
  mutating func remove(_ number: UInt64) {
    guard let guest = guests.removeValue(forKey: number) else { return }
    strangers.remove(number)
    let left = (addresses[guest.address] ?? 1) - 1
    addresses[guest.address] = left == 0 ? nil : left
  }
}
