internal import MusterModel

/// The addresses that the engine tries to connect to, and the devices expected behind them.
///
/// An address is *configured* or *proved* (the user named it, or a device authenticated from it):
/// it is kept. Or it is a *hint*, the source of an announce or an address from a peer, and may be
/// forged: few are kept, each with a few attempts, and they make room for others.
///
/// Invariant: at most `Limits.peers` addresses, `Limits.contactHints` of them hints.
struct AddressBook: Sendable {
  private var contacts: [Endpoint: Contact] = [:]

  var count: Int { contacts.count }
  /// The number of hints.
  var hintCount: Int { contacts.values.count { $0.attemptsLeft != nil } }
  var endpoints: [Endpoint] { contacts.keys.sorted() }

  /// The state of an address. An assigned state replaces that of an address in the book; a new
  /// address is not added.
  subscript(endpoint: Endpoint) -> Contact? {
    get { contacts[endpoint] }
    set { if contacts[endpoint] != nil { contacts[endpoint] = newValue } }
  }

  /// Whether a device authenticated from an address, or the user configured it and one did.
  func isProved(_ endpoint: Endpoint) -> Bool {
    guard let contact = contacts[endpoint] else { return false }
    return contact.device != nil && contact.attemptsLeft == nil
  }

  /// Other addresses of a device, in ascending order.
  func others(of device: DeviceID, than endpoint: Endpoint) -> [Endpoint] {
    contacts.filter { $0.value.device == device && $0.key != endpoint }.keys.sorted()
  }

  /// The addresses that are due, those first that were not tried for longest.
  func due(at now: Instant) -> [(endpoint: Endpoint, contact: Contact)] {
    contacts.filter { $0.value.nextAttempt <= now }.sorted { left, right in
      let first = left.value.lastAttempt ?? Instant(microseconds: .min)
      let second = right.value.lastAttempt ?? Instant(microseconds: .min)
      return (first, left.key) < (second, right.key)
    }.map { (endpoint: $0.key, contact: $0.value) }
  }

  /// When the next attempt is due; nil if none is.
  var nextAttempt: Instant? {
    guard let next = contacts.values.map(\.nextAttempt).min(), next != Contact.never else {
      return nil
    }
    return next
  }

  /// Adds an address that the user configured or that was restored. Returns false without room.
  mutating func addConfigured(_ endpoint: Endpoint, now: Instant) -> Bool {
    guard makeRoom(for: endpoint) else { return false }
    contacts[endpoint, default: Contact(nextAttempt: now)].attemptsLeft = nil
    return true
  }

  /// Adds the source address of an announce, or one that a peer reported. It displaces no other
  /// address. Returns whether the address is in the book.
  mutating func addHint(_ endpoint: Endpoint, device: DeviceID?) -> Bool {
    if let contact = contacts[endpoint] {
      if let device, contact.attemptsLeft != nil || contact.device == nil {
        contacts[endpoint]?.device = device
      }
      return true
    }
    guard hintCount < Limits.contactHints, contacts.count < Limits.peers,
      device == nil || hintCount(of: device) < Limits.endpointsPerDevice
    else { return false }
    contacts[endpoint] = Contact(
      device: device, nextAttempt: Contact.never, attemptsLeft: Timing.contactHintAttempts)
    return true
  }

  /// Records which device a hint leads to, as its announce shows: whether it is needed is decided
  /// by the device.
  mutating func name(_ endpoint: Endpoint, as device: DeviceID) {
    guard let contact = contacts[endpoint], contact.device == nil, contact.attemptsLeft != nil
    else { return }
    contacts[endpoint]?.device = device
  }

  private func hintCount(of device: DeviceID?) -> Int {
    contacts.values.count { $0.attemptsLeft != nil && $0.device == device }
  }

  /// Records that a device authenticated from an address.
  mutating func prove(_ endpoint: Endpoint, of device: DeviceID) {
    guard !endpoint.isUplink || contacts[endpoint] != nil, makeRoom(for: endpoint) else { return }
    contacts[endpoint, default: Contact(nextAttempt: Contact.never)].device = device
    contacts[endpoint]?.attemptsLeft = nil
  }

  private mutating func makeRoom(for endpoint: Endpoint) -> Bool {
    guard contacts[endpoint] == nil, contacts.count >= Limits.peers else { return true }
    guard let hint = contacts.filter({ $0.value.attemptsLeft != nil }).keys.min() else {
      return false
    }
    contacts[hint] = nil
    return true
  }

  /// Lets every address of a device be tried at a time, or earlier.
  mutating func hasten(_ device: DeviceID, to moment: Instant) {
    for endpoint in contacts.keys where contacts[endpoint]?.device == device {
      contacts[endpoint]?.hasten(to: moment)
    }
  }

  mutating func hastenAll(to moment: Instant) {
    for endpoint in contacts.keys { contacts[endpoint]?.hasten(to: moment) }
  }

  mutating func forget(_ endpoint: Endpoint) { contacts[endpoint] = nil }
}
