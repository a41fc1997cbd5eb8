internal import MusterModel

/// The warnings that command put aside at this node, which no other node knows of (ISA-18.2,
/// shelving).
///
///     shelved ─▶ its time is over, or command takes it back         ─▶ raised again
///             ─▶ more urgent, a further member, people come near it ─▶ raised again
///             ─▶ its matter is over                                 ─▶ cleared
///
/// It belongs to one occurrence: the same matter at another time is a new alert. All of them are
/// active, so there are at most `Limits.alerts`.
struct ShelvedAlerts: Sendable, Equatable {
  static let key = "shelvedAlerts"

  private struct Entry: Sendable, Equatable {
    let shelving: AlertShelving
    /// When the alert was raised.
    let since: Timestamp
    let members: Set<AlertID>
    /// Whether a report concerned people.
    let concernsPeople: Bool

    /// Whether an alert is what was shelved, and the time is not over. A clock that was set back
    /// does not extend it.
    func covers(_ alert: Alert, at now: Timestamp) -> Bool {
      let left = shelving.until.milliseconds(since: now)
      return left > 0 && left <= Int64(AlertShelving.minutes.upperBound) * 60_000
        && alert.since == since && alert.priority <= .warning
        && members.isSuperset(of: alert.members)
        && (concernsPeople || alert.report?.place.concernsPeople != true)
    }
  }

  private var entries: [AlertID: Entry] = [:]

  init() {}

  /// Returns alerts with those that are shelved marked and last.
  func marking(_ alerts: [Alert]) -> [Alert] {
    guard !entries.isEmpty else { return alerts }
    return AlertPlace.inOrder(
      alerts.map { alert in
        var alert = alert
        alert.shelving = entries[alert.id]?.shelving
        return alert
      })
  }

  /// Puts a warning aside, from now.
  mutating func shelve(
    _ alert: Alert, _ order: ShelvingOrder, by name: String, now: Timestamp
  ) throws(Refusal) {
    guard alert.rule?.isShelvable == true else { throw Self.refusal(of: alert) }
    guard AlertShelving.minutes.contains(order.minutes) else {
      throw Refusal(
        "a warning is shelved for 1 to 60 minutes: shelve it again if it is still in the way then")
    }
    if let fault = TextRule.line.fault(in: order.reason) {
      throw Refusal("the reason \(fault): state in a few words why nothing is to be done now")
    }
    if let fault = TextRule.line.fault(in: name) { throw Refusal("the name \(fault)") }
    entries[alert.id] = Entry(
      shelving: AlertShelving(
        name: name, reason: order.reason,
        until: Timestamp(milliseconds: now.milliseconds + Int64(order.minutes) * 60_000)),
      since: alert.since, members: Set(alert.members),
      concernsPeople: alert.report?.place.concernsPeople == true)
  }

  private static func refusal(of alert: Alert) -> Refusal {
    let why =
      switch alert.priority {
      case .life, .danger: "an alarm is never shelved, because people may be in danger"
      case .warning: "this warning is never shelved, because someone waits for the response"
      case .message: "only warnings are shelved, and this is a message"
      }
    let response = alert.rule.map { " What to do: \($0.response)" } ?? ""
    return Refusal("\(why): acknowledge it instead.\(response)", .notAllowed)
  }

  /// Takes it back. Returns false if the alert was not shelved.
  mutating func remove(_ id: AlertID) -> Bool { entries.removeValue(forKey: id) != nil }

  /// Ends what is over. Returns those whose alert is active.
  mutating func end(among alerts: @autoclosure () -> [Alert], now: Timestamp) -> [AlertID] {
    guard !entries.isEmpty else { return [] }
    let active = Dictionary(alerts().map { ($0.id, $0) }) { $1 }
    let ended = entries.filter { id, entry in
      active[id].map { !entry.covers($0, at: now) } ?? true
    }.keys.sorted()
    for id in ended { entries[id] = nil }
    return ended.filter { active[$0] != nil }
  }

  // MARK: Stored form

  /// The stored form, which is local: the number of entries, then for each the alert, when it ends,
  /// when the alert was raised, name, reason, whether it concerned people, and its members.
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt32(entries.count))
    for (id, entry) in entries.sorted(by: { $0.key < $1.key }) {
      writer.append(id)
      writer.append(entry.shelving.until.milliseconds)
      writer.append(entry.since.milliseconds)
      writer.append(entry.shelving.name)
      writer.append(entry.shelving.reason)
      writer.append(UInt8(entry.concernsPeople ? 1 : 0))
      writer.append(UInt32(entry.members.count))
      for member in entry.members.sorted() { writer.append(member) }
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    for _ in 0..<(try reader.count(ofAtLeast: 38)) {
      let id = try reader.alert()
      let until = Timestamp(milliseconds: try reader.integer(Int64.self))
      let since = Timestamp(milliseconds: try reader.integer(Int64.self))
      let (name, reason) = (try reader.text(), try reader.text())
      let concernsPeople = try reader.integer(UInt8.self) == 1
      var members: Set<AlertID> = []
      for _ in 0..<(try reader.count(ofAtLeast: 17)) { members.insert(try reader.alert()) }
      entries[id] = Entry(
        shelving: AlertShelving(name: name, reason: reason, until: until), since: since,
        members: members, concernsPeople: concernsPeople)
    }
    try reader.expectEnd()
  }
}
