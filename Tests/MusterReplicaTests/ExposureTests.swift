import MusterAttackers
import MusterCrypto
import MusterModel
import MusterSync
import Testing

@testable import MusterReplica

/// Exposure reports and notices on real nodes (decision 0060): Ada and Dora are command, Ben and
/// Cleo are members, Olga is an observer.
@Suite("Exposures")
struct ExposureTests {
  private static let day: UInt32 = 2_642_976

  private static func notice(
    _ number: UInt64 = 1, text: String = "hall 3", day: UInt32 = day
  ) -> ExposureNotice {
    ExposureNotice(
      id: ExposureID(raw: Bytes16(high: number, low: 2)), kind: .contamination, text: text,
      keys: [ExposureKey(day: day, key: Bytes16(high: 7, low: number))])
  }

  private static func note(_ report: ExposureNotice? = notice()) -> ProximityNote {
    ProximityNote(report: report)
  }

  private func valley() throws -> Valley {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.join("Dora", invitedBy: "Ada", role: .command)
    try valley.join("Olga", invitedBy: "Ada", role: .observer)
    try valley.converge()
    return valley
  }

  @discardableResult
  private func send(
    _ note: ProximityNote, by name: String = "Ben", in valley: inout Valley
  ) throws -> Int {
    let count = try valley.at(name) { try $0.write(ExposureRequests.send(note), now: $1) }
    try valley.converge()
    return count
  }

  private func publish(
    _ notice: ExposureNotice, by name: String = "Ada", oldest: UInt32 = 0,
    in valley: inout Valley
  ) throws {
    try valley.at(name) {
      try $0.write(ExposureRequests.publish(notice, oldest: oldest), now: $1)
    }
  }

  private func received(at name: String, in valley: inout Valley) throws -> [ReceivedNote] {
    try valley.ask(name) { replica, _ in try replica.queries.proximityNotes() }
  }

  private func notices(at name: String, in valley: inout Valley) throws -> [ExposureNotice] {
    try valley.ask(name) { replica, _ in try replica.queries.exposureNotices().map(\.notice) }
  }

  private func device(_ name: String, in valley: inout Valley) throws -> DeviceID {
    try valley.ask(name) { replica, _ in replica.core.local.device }
  }

  private func sealed(by device: DeviceID, at name: String, in valley: inout Valley) throws
    -> [UInt8]?
  {
    try valley.ask(name) { replica, _ in
      let row = try replica.core.store.row(ExposureList.key(device))
      guard case .bytes(let bytes)? = row?.shown(.exposureNote)?.value else { return nil }
      return bytes
    }
  }

  // MARK: Notes

  @Test func `a note is at command once a commander acknowledged its frame`() throws {
    var valley = try valley()
    func own(in valley: inout Valley) throws -> (frame: Bytes16, isAtCommand: Bool)? {
      try valley.ask("Ben") { try $0.queries.ownProximityNote(now: $1) }
    }
    #expect(try own(in: &valley) == nil)
    valley.cut(["Ben", "Cleo"], ["Ada", "Dora", "Olga"])
    try valley.at("Ben") { try $0.write(ExposureRequests.send(Self.note()), now: $1) }
    let first = try #require(try own(in: &valley))
    // A member who holds it is not command.
    try valley.run(milliseconds: 30_000)
    #expect(!first.isAtCommand)
    #expect(try own(in: &valley)?.isAtCommand == false)
    valley.heal()
    let elapsed = try valley.wait(upTo: 60_000) { try own(in: &$0)?.isAtCommand == true }
    #expect(elapsed != nil, "seed \(valley.seed)")
    #expect(try own(in: &valley)?.frame == first.frame)
    // The next note is another frame, which command does not have yet.
    valley.cut(["Ben", "Cleo"], ["Ada", "Dora", "Olga"])
    try valley.at("Ben") { try $0.write(ExposureRequests.send(Self.note(nil)), now: $1) }
    let second = try #require(try own(in: &valley))
    #expect(second.frame != first.frame && !second.isAtCommand)
  }

  @Test func `command opens a note, and no one else does`() throws {
    var valley = try valley()
    #expect(try send(Self.note(), in: &valley) == 2)
    for name in ["Ada", "Dora"] {
      let notes = try received(at: name, in: &valley)
      #expect(notes.map(\.callsign) == ["Ben"] && notes.map(\.note) == [Self.note()])
    }
    let ben = try device("Ben", in: &valley)
    for name in ["Ben", "Cleo", "Olga"] {
      #expect(throws: Refusal.self) { try received(at: name, in: &valley) }
      let bytes = try #require(try sealed(by: ben, at: name, in: &valley))
      let key = try valley.ask(name) { replica, _ in replica.core.local.agreementKey }
      let operation = try valley.ask(name) { replica, _ in replica.core.local.operation }
      let seal = CommandSeal(operation: operation, row: RowID(raw: ben.raw))
      #expect(seal.open(bytes, with: key) == nil, "at \(name)")
    }
  }

  @Test func `a report, a withdrawal and sessions look alike to all others`() throws {
    var valley = try valley()
    let ben = try device("Ben", in: &valley)
    var withdrawal = Self.note(nil)
    withdrawal.withdrawn = [WithdrawalKey(raw: Self.notice().id.raw)]
    var sessions = Self.note(nil)
    sessions.sessions = [NoteSession(first: 1, end: 2, identifiers: 3, names: ["Cleo"])]
    var seen: Set<[UInt8]> = []
    for note in [Self.note(), withdrawal, sessions, Self.note(nil), Self.note(nil)] {
      try send(note, in: &valley)
      let bytes = try #require(try sealed(by: ben, at: "Cleo", in: &valley))
      #expect(bytes.count == 1 + 2 * ProximityNote.boxBytes + ProximityNote.bodyBytes)
      #expect(seen.insert(bytes).inserted, "equal notes have different bytes")
      #expect(try received(at: "Dora", in: &valley).map(\.note) == [note])
    }
  }

  @Test func `each device has one note: the newest`() throws {
    var valley = try valley()
    for number in UInt64(1)...5 {
      try send(Self.note(Self.notice(number)), in: &valley)
      try send(Self.note(Self.notice(number + 10)), by: "Olga", in: &valley)
    }
    let notes = try received(at: "Ada", in: &valley)
    #expect(
      Set(notes.map { [$0.callsign, "\($0.note.report?.id.raw.high ?? 0)"] })
        == [["Ben", "5"], ["Olga", "15"]])
    let rows = try valley.ask("Cleo") { replica, _ in
      try replica.core.store.rows(.exposure).map { $0.values(of: .exposureNote).count }
    }
    #expect(rows == [1, 1])
  }

  @Test func `a copied or forged note opens nowhere, and harms no other`() throws {
    var valley = try valley()
    try send(Self.note(), in: &valley)
    let (ben, cleo) = (try device("Ben", in: &valley), try device("Cleo", in: &valley))
    let bytes = try #require(try sealed(by: ben, at: "Cleo", in: &valley))
    // In her own row, which she may write; in Ben's, and in one of no device, which she may not.
    let unknown = DeviceID(raw: Bytes16(high: 9, low: 9))
    for device in [cleo, ben, unknown] {
      try valley.at("Cleo") { replica, now in
        try MaliciousMember.author(
          &replica,
          unchecked: [
            .write(
              Write(
                row: RowID(raw: device.raw), field: .exposureNote, value: .bytes(bytes)))
          ], lane: .state, now: now)
      }
    }
    try valley.converge()
    let notes = try received(at: "Ada", in: &valley)
    #expect(notes.map(\.callsign) == ["Ben"] && notes.map(\.note) == [Self.note()])
    #expect(try sealed(by: unknown, at: "Ada", in: &valley) == nil)
    #expect(try sealed(by: cleo, at: "Ada", in: &valley) == bytes)
    let values = try valley.ask("Ada") { replica, _ in
      try replica.core.store.row(ExposureList.key(ben))?.values(of: .exposureNote).count
    }
    #expect(values == 1)
  }

  @Test func `a note of a revoked device is not reviewed`() throws {
    var valley = try valley()
    try send(Self.note(), in: &valley)
    let ben = try device("Ben", in: &valley)
    try valley.at("Ada") { try $0.revoke(ben, now: $1) }
    try valley.converge()
    #expect(try received(at: "Dora", in: &valley).isEmpty)
  }

  // MARK: Notices

  @Test func `a notice reaches all, without a name, and is withdrawn everywhere`() throws {
    var valley = try valley()
    try send(Self.note(), in: &valley)
    try publish(Self.notice(text: "shower"), in: &valley)
    try valley.converge()
    for name in valley.names {
      #expect(try notices(at: name, in: &valley) == [Self.notice(text: "shower")])
    }
    let ben = try valley.ask("Ben") { replica, _ in replica.core.local.author.user }
    let authors = try valley.ask("Cleo") { replica, _ in
      try replica.core.store.row(ExposureList.key(replica.core.local.operation))?
        .values(of: .exposureNotices).map(\.author) ?? []
    }
    #expect(authors.count == 1 && authors != [ben], "only command signs it")
    try valley.at("Dora") { try $0.write(ExposureRequests.withdraw(Self.notice().id), now: $1) }
    try valley.converge()
    for name in valley.names { #expect(try notices(at: name, in: &valley).isEmpty) }
    #expect(throws: Refusal.self) {
      try valley.at("Ada") { try $0.write(ExposureRequests.withdraw(Self.notice().id), now: $1) }
    }
  }

  @Test func `only command publishes and withdraws, also with a modified program`() throws {
    var valley = try valley()
    try publish(Self.notice(), in: &valley)
    try valley.converge()
    for name in ["Ben", "Olga"] {
      #expect(throws: Refusal.self) { try publish(Self.notice(2), by: name, in: &valley) }
      #expect(throws: Refusal.self) {
        try valley.at(name) { try $0.write(ExposureRequests.withdraw(Self.notice().id), now: $1) }
      }
    }
    let (row, dots) = try valley.ask("Ben") { replica, _ in
      let key = ExposureList.key(replica.core.local.operation)
      return (key.id, try replica.core.store.row(key)?.dots(of: .exposureNotices) ?? [])
    }
    let forged: [Write] = [
      Write(row: row, field: .exposureNotices, value: .bytes(Self.notice(3).encoded())),
      Write(row: row, field: .exposureNotices, value: nil, supersedes: dots),
    ]
    for write in forged {
      try valley.at("Ben") { replica, now in
        try MaliciousMember.author(&replica, unchecked: [.write(write)], lane: .state, now: now)
      }
    }
    try valley.converge()
    for name in valley.names {
      #expect(try notices(at: name, in: &valley) == [Self.notice()], "at \(name)")
    }
  }

  @Test func `two commanders who publish one report publish one notice`() throws {
    var valley = try valley()
    valley.cut(["Ada", "Ben", "Cleo", "Olga"], ["Dora"])
    try publish(Self.notice(text: "shower"), in: &valley)
    try publish(Self.notice(text: "call"), by: "Dora", in: &valley)
    valley.heal()
    try valley.converge()
    let shown = try notices(at: "Ben", in: &valley)
    #expect(shown.count == 1)
    for name in valley.names { #expect(try notices(at: name, in: &valley) == shown) }
    try valley.at("Ada") { try $0.write(ExposureRequests.withdraw(Self.notice().id), now: $1) }
    try valley.converge()
    #expect(try notices(at: "Dora", in: &valley).isEmpty, "both elements are withdrawn")
  }

  @Test func `notices are bounded, and those of old days make room`() throws {
    var valley = try valley()
    for number in 1...UInt64(Limits.exposureNotices) {
      try publish(Self.notice(number), in: &valley)
    }
    #expect(throws: Refusal.self) { try publish(Self.notice(99), in: &valley) }
    try publish(Self.notice(5, text: "again"), in: &valley)
    #expect(try notices(at: "Ada", in: &valley).count == Limits.exposureNotices)
    try publish(Self.notice(99, day: Self.day + 144), oldest: Self.day + 144, in: &valley)
    #expect(try notices(at: "Ada", in: &valley).map(\.id.raw.high) == [99])
    try valley.converge()
    #expect(try notices(at: "Olga", in: &valley).count == 1)
  }

  @Test func `a notice with a fault is refused before it is signed`() throws {
    var valley = try valley()
    let unfit = [
      Self.notice(text: "two\nlines"), Self.notice(day: Self.day + 1),
      Self.notice().changed(text: "", keys: []),
    ]
    for notice in unfit {
      #expect(throws: Refusal.self) { try publish(notice, in: &valley) }
      #expect(throws: Refusal.self) { try send(Self.note(notice), in: &valley) }
    }
    #expect(try notices(at: "Ada", in: &valley).isEmpty)
  }
}
