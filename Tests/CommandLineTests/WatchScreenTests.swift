import MusterModel
import Testing

@testable import muster

@Suite struct WatchScreenTests {
  private let screen = Screen(isTerminal: true, showsColours: false, columns: nil)
  private let now = Timestamp(milliseconds: 1_750_000_000_000)

  private func user(_ callsign: String, _ safety: SafetyState, _ reason: String) -> UserSummary {
    UserSummary(
      id: UserID(raw: Bytes16(high: UInt64(callsign.utf8.count), low: 1)), callsign: callsign,
      role: .member,
      status: safety == .unsafe ? .mayday : safety == .safe ? .reportedSafe : .noPosition,
      severity: safety == .unsafe ? .danger : safety == .safe ? .safe : .neutral, reason: reason,
      fix: nil, reportedAt: nil,
      fixAgeSeconds: 61, team: "", trackerOwner: nil, selfReport: nil, override: nil)
  }

  private func watchScreen(people: Int = 3) -> WatchScreen {
    let users = (0..<people).map { user("Person \($0)", .safe, "reported safe") }
    return WatchScreen(
      status: StatusSummary(
        operation: OperationID(raw: .zero), operationName: "River flood", callsign: "Anna",
        device: DeviceID(raw: .zero), role: .command,
        stateHash: StateHash(raw: Bytes32(prefix: .zero, suffix: .zero)),
        stateIsIncomplete: false, root: [], logs: 0, frames: 0, waitingFrames: 0,
        quarantinedFrames: 0, missingFrames: 0, users: people, reports: 0, fences: 0, crossings: 0,
        peers: [],
        fix: nil, rejected: [:], droppedForLackOfRoom: 0, forks: [], diskFreeBytes: nil),
      users: users)
  }

  @Test func `it fills the screen exactly, whatever its size`() {
    for (columns, rows) in [(80, 24), (200, 60), (40, 10), (20, 5), (1, 1), (80, 2)] {
      let lines = watchScreen(people: 40).lines(columns: columns, rows: rows, now: now, on: screen)
      #expect(lines.count == rows)
      #expect(lines.allSatisfy { DisplayWidth.of($0) <= columns }, "\(columns) x \(rows)")
    }
  }

  @Test func `the unsafe come first, then the unknown, then the safe, each by a word`() throws {
    var watchScreen = watchScreen(people: 0)
    watchScreen.users = [
      user("Zoe", .safe, "reported safe"), user("Ben", .unknown, "no position yet"),
      user("Cleo", .unsafe, "asked for help: leg"),
    ]
    let lines = watchScreen.lines(columns: 80, rows: 24, now: now, on: screen)
    let people = lines.filter { line in ["Zoe", "Ben", "Cleo"].contains { line.contains($0) } }
    #expect(
      people == [
        "  ✖ MAYDAY          Cleo                  asked for help: leg",
        "  · no position     Ben                   no position yet",
        "  ✔ reported safe   Zoe                   reported safe",
      ])
  }

  @Test func `stalled peers and missing data are shown before everything else`() throws {
    var watchScreen = watchScreen()
    watchScreen.status.withholding = [
      StallSummary(
        device: DeviceID(raw: .zero), callsign: "Wilma", kind: .keepsToItself, seconds: 540)
    ]
    watchScreen.status.stale = (1...8).map {
      SilenceSummary(device: DeviceID(raw: .zero), callsign: "Crew \($0)", seconds: 840)
    }
    let lines = watchScreen.lines(columns: 200, rows: 40, now: now, on: screen)
    let first = try #require(lines.firstIndex { $0.hasPrefix("ALERTS") })
    #expect(
      lines[first + 1]
        == "  ✖ Wilma advertises data but does not deliver it, for 9 min: "
        + "check its disk, its link and its user")
    #expect(lines[first + 2].hasPrefix("  ? stale: no new data of Crew 1 (14 min), Crew 2"))
    #expect(lines[first + 2].hasSuffix("Crew 6 (14 min), and 2 more"))
  }

  @Test func `below a danger are the services to call, which are not counted as alerts`() throws {
    var watchScreen = watchScreen()
    var contact = AlertContact(
      ContactSummary(
        contact: EmergencyContact(id: ContactID(raw: .zero), name: "Hospital", phone: "15"),
        callsign: "Anna", writtenAt: now))
    (contact.distanceMetres, contact.bearingDegrees) = (2140, 47)
    var alert = Alert(
      id: AlertID(kind: .help, row: RowID(raw: .zero)), level: .danger, text: "Ben: leg",
      since: now)
    alert.contacts = [contact, contact]
    watchScreen.alerts = [alert]
    let lines = watchScreen.lines(columns: 200, rows: 40, now: now, on: screen)
    let first = try #require(lines.firstIndex { $0.hasPrefix("ALERTS") })
    #expect(lines[first] == "ALERTS  1")
    #expect(lines[first + 1].hasSuffix("Ben: leg"))
    let words = "Hospital: 15, 2.1 km north-east (47°)"
    #expect(
      lines[first + 2] == String(repeating: " ", count: 19) + "call \(words) · \(words)")
    #expect(lines[first + 3].hasPrefix("PEOPLE"))
    // Of alerts without room, the contacts are not counted either.
    watchScreen.alerts = Array(repeating: alert, count: 20)
    let cut = watchScreen.lines(columns: 200, rows: 24, now: now, on: screen)
    let shown = cut.count { $0.hasSuffix("Ben: leg") }
    #expect(cut.contains("  … \(20 - shown) more"))
  }

  @Test func `what finds no room is counted`() {
    let lines = watchScreen(people: 40).lines(columns: 80, rows: 24, now: now, on: screen)
    let shown = lines.count { $0.contains("Person") }
    #expect(lines.contains("  … \(40 - shown) more"))
    #expect(shown >= 5)
  }

  @Test func `text of other users cannot control the terminal`() {
    var watchScreen = watchScreen(people: 0)
    watchScreen.users = [user("\u{1B}[2J", .safe, "\u{9B}31m")]
    let text = watchScreen.lines(columns: 80, rows: 24, now: now, on: screen).joined()
    #expect(!text.unicodeScalars.contains { $0.value < 32 || (0x7F...0x9F).contains($0.value) })
  }
}
