import Foundation
import MusterGeo
import MusterInterchange
import MusterModel
import Testing

@testable import muster

@Suite struct `Text output` {
  private let plain = Screen(isTerminal: false, showsColours: false, columns: nil)
  private let coloured = Screen(isTerminal: true, showsColours: true, columns: 80)

  @Test func `a table has aligned columns and no spaces at the end of a line`() {
    var table = Table(["ID", "NAME", ""])
    table.add([.init("0a1b"), .init("Zoë 火事"), .init("x")])
    table.add([.init("2"), .init("B", .bad), .init("")])
    #expect(table.text(on: plain) == "ID    NAME\n0a1b  Zoë 火事  x\n2     B")
  }

  @Test(arguments: [
    ([String](), "47.37690,8.54170"), (["--coordinates", "decimal"], "47.37690,8.54170"),
    (["--coordinates", "dms"], "47°22'36.8\"N 8°32'30.1\"E"),
    (["--coordinates", "utm"], "32T 465403 5247151"),
    (["--coordinates", "mgrs"], "32T MT 65403 47150"),
  ])
  func `positions have the chosen format`(arguments: [String], text: String) throws {
    let format = try CoordinateOptions.parse(arguments).format
    let position = try #require(Coordinate(latitude: 47.3769, longitude: 8.5417))
    let fix = Fix(position: position, accuracyDecimetres: 120, sampleTime: .now)
    #expect(ValueText.place(position, as: format) == text)
    #expect(ValueText.fix(fix, as: format) == text + " ±12 m")
    #expect(
      ValueText.shape(.circle(center: position, radiusCentimetres: 25_000), as: format)
        == "circle of 250 m around \(text)")
    #expect(ValueText.place(nil, as: format).isEmpty)
  }

  @Test func `delivery is a short figure in tables`() {
    #expect(Delivery(devices: 2, total: 3, commandPost: true).shortText == "2/3 post ✓")
    #expect(Delivery(devices: 1, total: 3, commandPost: false).shortText == "1/3")
  }

  @Test func `an unknown format of positions is refused`() {
    #expect(throws: (any Error).self) { try CoordinateOptions.parse(["--coordinates", "feet"]) }
  }

  @Test func `colours come only where they are wanted, and never alone`() {
    #expect(Paint.bad.apply("✖ unsafe", on: plain) == "✖ unsafe")
    #expect(Paint.bad.apply("✖ unsafe", on: coloured) == "\u{1B}[1;31m✖ unsafe\u{1B}[0m")
    for status in PersonStatus.allCases {
      let user = UserSummary(
        id: UserID(raw: .zero), callsign: "Ben", role: .member, status: status,
        severity: status.severity, reason: "", fix: nil, reportedAt: nil, fixAgeSeconds: nil,
        team: "", trackerOwner: nil, selfReport: nil, override: nil)
      #expect(user.statusCell.text.contains(status.label))
    }
  }

  @Test func `a laptop with other rules is shown as one that needs an update`() throws {
    let endpoint = try #require(Endpoint(address: [10, 0, 0, 2], port: 7474))
    var peer = PeerSummary(
      callsign: "Ben", device: DeviceID(raw: .zero), state: .discovered, endpoint: endpoint,
      link: .unknown, interface: "", lastHeardSeconds: 1, connectedSeconds: nil,
      roundTripMicroseconds: nil, behindFrames: 3, sentBytes: nil, receivedBytes: nil)
    #expect(PeerView.update([peer]) == nil)
    #expect(peer.json.text.contains(#""needsUpdate":null"#))
    for (need, words, name) in [
      (UpdateNeed.peer, "needs an update", "peer"),
      (.thisLaptop, "this laptop needs an update", "self"),
    ] {
      peer.needsUpdate = need
      for table in [PeerView.summary(of: [peer]), PeerView.details(of: [peer])] {
        let text = table.text(on: plain)
        #expect(text.contains("✖ \(words)") && text.contains("not synchronized"))
      }
      #expect(PeerView.update([peer])?.contains("needs an update") == true)
      #expect(peer.json.text.contains(#""needsUpdate":"\#(name)""#))
    }
  }

  @Test func `a revoked laptop that is still connected is shown as revoked, and not counted`()
    throws
  {
    let endpoint = try #require(Endpoint(address: [10, 0, 0, 2], port: 7474))
    var peer = PeerSummary(
      callsign: "Ben", device: DeviceID(raw: .zero), state: .connected, endpoint: endpoint,
      link: .unknown, interface: "", lastHeardSeconds: 1, connectedSeconds: 5,
      roundTripMicroseconds: nil, behindFrames: 0, sentBytes: nil, receivedBytes: nil)
    #expect(PeerView.summary(of: [peer]).text(on: plain).contains("✔ connected"))
    #expect(NodeConnection.reach(of: [peer]).hasPrefix("sent to 1 device "))
    peer.isRevoked = true
    #expect(NodeConnection.reach(of: [peer]).hasPrefix("saved; not sent yet"))
    for table in [PeerView.summary(of: [peer]), PeerView.details(of: [peer])] {
      #expect(table.text(on: plain).contains("✖ revoked, connected"))
    }
    #expect(peer.json.text.contains(#""isRevoked":true"#))
  }

  @Test func `two people with one callsign are listed with their ids`() {
    func person(_ low: UInt64, _ callsign: String) -> UserSummary {
      UserSummary(
        id: UserID(raw: Bytes16(high: low, low: low)), callsign: callsign, role: .member,
        status: .ok, severity: .neutral, reason: "", fix: nil, reportedAt: nil,
        fixAgeSeconds: nil, team: "", trackerOwner: nil, selfReport: nil, override: nil)
    }
    let people = [person(1 << 60, "Anna"), person(2 << 60, "Ben"), person(3 << 60, "Anna")]
    let found = StatusCommand.duplicates(among: people)
    #expect(found.map(\.callsign) == ["Anna"])
    #expect(found.first?.ids == ["10000000", "30000000"])
    #expect(StatusCommand.duplicates(among: Array(people.prefix(2))).isEmpty)
  }

  @Test func `a message on a terminal is wrapped between words, and an address is not split`() {
    let text = "muster: Ben is named by an open order, rollcall 81c2: close it or answer it first"
    let lines = Standard.wrapped(text, to: 40).split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { DisplayWidth.of(String($0)) <= 40 })
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") })
    #expect(Standard.wrapped(text, to: nil) == text && Standard.wrapped(text, to: 100) == text)
    let address = "muster: dashboard: http://127.0.0.1:7480/?token=0123456789abcdef0123456789abcdef"
    #expect(Standard.wrapped(address, to: 60) == address)
  }

  @Test func `text of other users cannot move the cursor of the terminal`() {
    #expect(SafeText.line("a\u{1B}[2Jb\u{202E}c\nd\te") == "a\u{FFFD}[2Jb\u{FFFD}c d e")
    #expect(SafeText.paragraphs("a\r\nb\u{9B}c\td") == "a\u{FFFD}\nb\u{FFFD}c\td")
    #expect(SafeText.line("Zoë 🚒 火事") == "Zoë 🚒 火事")
  }

  @Test(
    arguments: [(-3, "0 s"), (59, "59 s"), (60, "1 min"), (7200, "2 h"), (90_000, "1 d")]
      as [(Int64, String)])
  func `an age is shown in its largest unit`(seconds: Int64, text: String) {
    #expect(ValueText.age(seconds) == text)
  }
}

@Suite struct `The mesh topology as text` {
  private let anna = DeviceID(raw: Bytes16(high: 0, low: 1))
  private let ben = DeviceID(raw: Bytes16(high: 0, low: 2))
  private let cleo = DeviceID(raw: Bytes16(high: 0, low: 3))

  private func link(
    _ from: DeviceID, _ to: DeviceID, reportedAt: Int64, isMutual: Bool, isCurrent: Bool = true,
    behind: UInt64? = nil
  ) -> MeshLink {
    let names = [anna: "Anna", ben: "Ben", cleo: "Cleo"]
    return MeshLink(
      from: from, fromCallsign: names[from] ?? "", to: to, toCallsign: names[to] ?? "",
      path: .unicast, since: Timestamp(milliseconds: 0),
      reportedAt: Timestamp(milliseconds: reportedAt * 1000), isMutual: isMutual,
      isCurrent: isCurrent,
      behindFrames: behind)
  }

  @Test func `there is one line for each pair, this laptop's own first`() {
    let mesh = MeshSummary(links: [
      link(ben, anna, reportedAt: 500, isMutual: true),
      link(ben, cleo, reportedAt: 300, isMutual: true),
      link(cleo, ben, reportedAt: 480, isMutual: true),
      link(cleo, anna, reportedAt: 0, isMutual: false, isCurrent: false),
      link(anna, ben, reportedAt: 400, isMutual: true, behind: 3),
    ])
    let table = MeshView.table(of: mesh, now: Timestamp(milliseconds: 600_000))
    let lines = table.text(on: Screen(isTerminal: false, showsColours: false, columns: nil))
      .split(separator: "\n").map { $0.split(separator: "  ", omittingEmptySubsequences: true) }
    let words = lines.map { $0.map { $0.trimmingCharacters(in: .whitespaces) } }
    #expect(
      words == [
        ["FROM", "TO", "PATH", "SINCE", "UPDATED", "MISSING"],
        ["Anna", "⇄ both ways", "Ben", "unicast", "10 min", "now", "3 frames"],
        [
          "Cleo", "→ one way", "Anna", "unicast", "10 min", "10 min ago, out of reach", "unknown",
        ],
        ["Cleo", "⇄ both ways", "Ben", "unicast", "10 min", "2 min ago", "unknown"],
      ])
  }
}

@Suite struct `JSON output` {
  @Test func `a document has its keys in order and null for what is not known`() throws {
    let json = JSON.object([
      "b": .null, "a": .array([.real(-8.5417), .unsigned(.max), .bool(false)]),
      "c": .string("a/\"\n\u{1}é"),
    ])
    let text = json.text
    #expect(
      text == #"{"a":[-8.5417,18446744073709551615,false],"b":null,"c":"a/\"\n\u0001é"}"#)
  }

  @Test func `an alert that command shelved states who did it, why and until when`() {
    var alert = Alert(
      id: AlertID(kind: .battery, row: RowID(raw: Bytes16(high: 0, low: 10))), level: .warning,
      phrase: Phrase(.lowBattery, ["name": .text("Ben"), "percent": .number(9)]),
      since: Timestamp(milliseconds: 0), batteryPercent: 9)
    let head = #"""
      {"acknowledgedAt":null,"acknowledgedBy":null,"acknowledgements":[],"battery":9,\#
      "happenedAt":null,"id":"battery:0000000000000000000000000000000a","kind":"battery",\#
      "level":"warning","members":[],"person":null,\#
      "phrase":{"key":"lowBattery","values":{"name":"Ben","percent":9}},"priority":"warning",\#
      "row":"0000000000000000000000000000000a",
      """#
    let tail = #""since":"1970-01-01T00:00:00Z","text":"Ben: battery low (9 %)"}"#
    #expect(alert.json.text == head + tail, "no key without a shelving")
    alert.shelving = AlertShelving(
      name: "Anna", reason: "spare comes", until: Timestamp(milliseconds: 900_000))
    let shelved =
      #""shelved":{"by":"Anna","reason":"spare comes","until":"1970-01-01T00:15:00Z"},"#
    #expect(alert.json.text == head + shelved + tail)
  }

  @Test func `a position keeps its seven decimals`() throws {
    for (latitude, longitude) in [
      (473_768_999, -1_799_999_999), (1, -1), (-900_000_000, 0),
    ] as [(Int64, Int64)] {
      let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude)
      let text = JSON.object(JSON.place(place)).text
      let read = try JSONDecoder().decode([String: Double].self, from: Data(text.utf8))
      #expect(Int64(((read["lat"] ?? .nan) * 1e7).rounded()) == latitude)
      #expect(Int64(((read["lon"] ?? .nan) * 1e7).rounded()) == longitude)
    }
  }

  @Test func `a report has every key that scripts rely on`() throws {
    var report = ReportSummary(
      id: RowID(raw: Bytes16(high: 0, low: 10)), title: "Smoke", details: "", category: .fire,
      severity: nil, position: nil, toEvacuate: true, status: .open,
      owner: UserID(raw: Bytes16(high: 0, low: 11)), ownerCallsign: "Anna",
      confirmations: ["Ben"], comments: [],
      conflicts: [
        FieldConflict(
          field: .reportTitle,
          values: [
            ConflictingValue(
              text: "Smoke", callsign: "Anna", writtenAt: Timestamp(milliseconds: 1500))
          ])
      ], delivery: Delivery(devices: 4, total: 5, commandPost: true, ageSeconds: 40),
      createdAt: Timestamp(milliseconds: 0), updatedAt: Timestamp(milliseconds: 1500))
    report.confirmedBy = [
      ReportConfirmation(
        user: UserID(raw: Bytes16(high: 0, low: 12)), authorship: "Ben", role: .member,
        standing: .counts),
      ReportConfirmation(
        user: nil, authorship: Authorship("Eva", through: "Anna"), role: .command,
        standing: .ofEarlierContent),
    ]
    let text = report.json.text
    #expect(
      text == #"""
        {"category":"fire","comments":[],"confirmations":["Ben"],"confirmedBy":[{\#
        "beforeChange":false,"counts":true,"name":"Ben","ofOwnReport":false,"role":"member",\#
        "through":null,"user":"0000000000000000000000000000000c"},{\#
        "beforeChange":true,"counts":false,"name":"Eva","ofOwnReport":false,"role":"command",\#
        "through":"Anna","user":null}],"conflicts":[{"field":"title",\#
        "values":[{"callsign":"Anna","value":"Smoke","writtenAt":"1970-01-01T00:00:01.500Z"}]}],\#
        "content":"","createdAt":"1970-01-01T00:00:00Z",\#
        "delivery":{"ageSeconds":40,"archive":false,"commandPost":true,"devices":4,\#
        "text":"on 4 of 5 devices · command post ✓ · 40 s ago","total":5},\#
        "description":"",\#
        "id":"0000000000000000000000000000000a","lat":null,"lon":null,\#
        "moreComments":0,"owner":"0000000000000000000000000000000b","ownerCallsign":"Anna",\#
        "photos":0,"severity":null,"status":"open","title":"Smoke","toEvacuate":true,\#
        "updatedAt":"1970-01-01T00:00:01.500Z"}
        """#)
  }

  @Test func `an event has every key that scripts rely on`() throws {
    let event = CrossingSummary(
      id: CrossingID(raw: .zero), arrival: 1, type: .exit, fence: RowID(raw: .zero),
      fenceName: "Pool", subject: DeviceID(raw: .zero), callsign: "Anna",
      sampleTime: Timestamp(milliseconds: 0),
      position: try #require(try PlaceArgument(parsing: "1,2").given), isBaseline: false)
    guard case .object(let members) = event.json else { throw Refusal("no object") }
    #expect(
      members.keys.sorted() == [
        "baseline", "callsign", "fence", "fenceName", "id", "lat", "lon", "sampleTime", "subject",
        "type",
      ])
    #expect(members["type"] == .string("EXIT"))
  }
}

@Suite struct `A QR code` {
  @Test func `has the three finder patterns of its standard`() throws {
    let code = try #require(QRCode("muster://join/AAAA"))
    let last = code.modules.count - 7
    for (top, left) in [(0, 0), (0, last), (last, 0)] {
      let corner = (0..<7).map { row in
        (0..<7).map { code.modules[top + row][left + $0] ? "#" : "." }.joined()
      }
      #expect(
        corner == ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"])
    }
  }

  @Test func `has a light margin of four modules on all sides`() throws {
    let code = try #require(QRCode("muster://join/AAAA"))
    let lines = code.lines.map {
      $0.replacing("\u{1B}[38;5;16;48;5;231m", with: "").replacing("\u{1B}[0m", with: "")
    }
    #expect(lines.allSatisfy { $0.count == code.modules.count + 8 })
    #expect(lines.count == (code.modules.count + 8 + 1) / 2)
    #expect(lines[0...1].allSatisfy { $0.allSatisfy { $0 == " " } })
    #expect(lines.allSatisfy { $0.hasPrefix("    ") && $0.hasSuffix("    ") })
    // The top finder pattern: its first two rows of modules are one line.
    #expect(lines[2].dropFirst(4).hasPrefix("█▀▀▀▀▀█"))
  }

  @Test func `holds an invitation on an ordinary terminal, and not a book`() throws {
    let code = try #require(QRCode(InvitationURL([UInt8](repeating: 7, count: 150)).text))
    #expect(code.columns <= 80)
    #expect(QRCode(String(repeating: "x", count: 3000)) == nil)
    #expect(QRCode("") == nil)
  }
}

@Suite struct `Confirmation of what cannot be undone` {
  @Test func `a terminal is asked for the name, and --yes answers for it`() throws {
    let asked = try ConfirmationOptions.question(
      "This deletes the zone", name: "School", isConfirmed: false, isTerminal: true)
    #expect(asked == "This deletes the zone. Type School to confirm: ")
    let silent = try ConfirmationOptions.question(
      "This deletes the zone", name: "School", isConfirmed: true, isTerminal: false)
    #expect(silent == nil)
  }

  @Test func `without a terminal and without --yes there is an error that names --yes`() {
    #expect {
      try ConfirmationOptions.question(
        "This deletes the zone", name: "School", isConfirmed: false, isTerminal: false)
    } throws: {
      "\($0)".contains("--yes")
    }
  }

  @Test func `only the name confirms`() {
    #expect(ConfirmationOptions.accepts(" School ", name: "School"))
    for typed in ["school", "", "y", "yes", nil] {
      #expect(!ConfirmationOptions.accepts(typed, name: "School"))
    }
  }
}
