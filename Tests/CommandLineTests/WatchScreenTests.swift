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

  private func lines(
    _ watchScreen: WatchScreen, columns: Int = 80, rows: Int = 24, _ keys: WatchKey...
  ) -> [String] {
    var scroll = WatchScroll()
    func draw() -> [String] {
      watchScreen.lines(columns: columns, rows: rows, &scroll, now: now, on: screen)
    }
    _ = draw()
    for key in keys { scroll.press(key) }
    return draw()
  }

  private func alert(_ kind: AlertKind, _ level: AlertLevel, _ text: String, age: Int64) -> Alert {
    Alert(
      id: AlertID(kind: kind, row: RowID(raw: Bytes16(high: UInt64(age), low: 0))), level: level,
      text: text, since: Timestamp(milliseconds: now.milliseconds - age * 1000))
  }

  @Test func `it fills the screen exactly, whatever its size`() {
    for (columns, rows) in [(80, 24), (200, 60), (40, 10), (20, 5), (1, 1), (80, 2)] {
      let lines = lines(watchScreen(people: 40), columns: columns, rows: rows)
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
    let lines = lines(watchScreen)
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
    let lines = lines(watchScreen, columns: 200, rows: 40)
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
    let lines = lines(watchScreen, columns: 200, rows: 40)
    let first = try #require(lines.firstIndex { $0.hasPrefix("ALERTS") })
    #expect(lines[first] == "ALERTS  1")
    #expect(lines[first + 1].hasSuffix("Ben: leg"))
    let words = "Hospital: 15, 2.1 km north-east (47°)"
    #expect(
      lines[first + 2] == String(repeating: " ", count: 19) + "call \(words) · \(words)")
    #expect(lines[first + 3].hasPrefix("PEOPLE"))
    // Below the screen, the contacts are not counted either.
    watchScreen.alerts = Array(repeating: alert, count: 20)
    let cut = self.lines(watchScreen, columns: 200)
    let shown = cut.count { $0.hasSuffix("Ben: leg") }
    #expect(cut.last?.hasPrefix("▼ \(20 - shown) alerts, 3 people ") == true, "\(cut)")
  }

  @Test func `shelved warnings stand apart, with who shelved them, how long and why`() throws {
    var watchScreen = watchScreen()
    var shelved = alert(.battery, .warning, "Battery low", age: 300)
    shelved.shelving = AlertShelving(
      name: "Eva", reason: "spare is on its way",
      until: Timestamp(milliseconds: now.milliseconds + 601_000))
    watchScreen.alerts = [shelved, alert(.hazard, .danger, "Dam", age: 9)]
    let lines = lines(watchScreen)
    #expect(lines.contains("ALERTS  1") && lines.contains("SHELVED  1"))
    let first = try #require(lines.firstIndex(of: "SHELVED  1"))
    #expect(
      lines[first + 1] == "  ! warning 5 min  Eva, 11 min left, spare is on its way: Battery low")
  }

  @Test func `the most urgent alert is first, and stays in view when the screen is scrolled`() {
    var watchScreen = watchScreen(people: 40)
    watchScreen.alerts = [
      alert(.battery, .warning, "Battery low", age: 5),
      alert(.hazard, .danger, "Rui reports: evacuate. Dam overtopping", age: 9),
      alert(.help, .danger, "Ben calls for help", age: 600),
    ]
    let top = lines(watchScreen)
    #expect(top[1] == "ALERTS  3")
    #expect(top[2] == "  ✖ MAYDAY  10 min Ben calls for help")
    #expect(top[3].contains("Dam overtopping") && top[4].contains("Battery low"))
    let end = lines(watchScreen, .end)
    #expect(end[1] == top[2])
    #expect(end[22].contains("Person 9 "))
    #expect(end[23].hasPrefix("▲ 3 alerts, 19 people "), "\(end[23])")
    #expect(end[23].hasSuffix("? keys  q quit") && !end[23].contains("▼"))
  }

  @Test func `the last line states what is above and below`() {
    let watchScreen = watchScreen(people: 40)
    let top = lines(watchScreen)
    #expect(top.count { $0.contains("Person") } == 20)
    #expect(top[23].hasPrefix("▼ 20 people "))
    let middle = lines(watchScreen, .down, .down, .down)
    #expect(middle[23].hasPrefix("▲ 1 person  ▼ 17 people "), "\(middle[23])")
    #expect(lines(self.watchScreen(), .end)[23].hasPrefix("  "), "nothing is above or below")
  }

  @Test func `a key shows all keys`() {
    let help = lines(watchScreen(people: 40), .help)
    #expect(help.contains { $0.contains("PgDn") } && !help.contains { $0.contains("Person") })
    #expect(!lines(watchScreen(people: 40), .help, .help).contains { $0.contains("PgDn") })
  }

  @Test func `the text of an alarm is whole, and that of a warning is on one line`() {
    var watchScreen = watchScreen()
    let words = "asks for help: trapped on the second floor of the mill, the stairs are gone, smoke"
    watchScreen.alerts = [
      alert(.help, .danger, "Ben " + words, age: 5), alert(.clock, .warning, words, age: 5),
    ]
    let shown = lines(watchScreen)
    #expect(shown[2].hasSuffix("Ben asks for help: trapped on the second floor of the mill,"))
    #expect(shown[3] == String(repeating: " ", count: 19) + "the stairs are gone, smoke")
    #expect(shown[4].contains("! warning") && shown[4].hasSuffix("…"))
    #expect(shown[1] == "ALERTS  2")
  }

  @Test func `into a pipe goes everything, and nothing is cut`() {
    var watchScreen = watchScreen(people: 90)
    watchScreen.alerts = [
      alert(.clock, .warning, String(repeating: "long ", count: 60) + "end", age: 5)
    ]
    let pipe = Screen(isTerminal: false, showsColours: false, columns: nil)
    let text = watchScreen.print(now: now, on: pipe)
    #expect(text.contains("long end\n") && text.contains("Person 89"))
    #expect(!text.contains("…") && !text.contains("q quit"))
  }

  @Test func `text of other users cannot control the terminal`() {
    var watchScreen = watchScreen(people: 0)
    watchScreen.users = [user("\u{1B}[2J", .safe, "\u{9B}31m")]
    let text = lines(watchScreen).joined()
    #expect(!text.unicodeScalars.contains { $0.value < 32 || (0x7F...0x9F).contains($0.value) })
  }
}
