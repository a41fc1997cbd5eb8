import MusterInterchange
import MusterModel
import Testing

@testable import muster

@Suite struct `Values on the command line` {
  @Test func `a place is a latitude and a longitude`() throws {
    let place = try PlaceArgument(parsing: "47.3769,-8.5417")
    #expect(place.given == Coordinate(latitudeE7: 473_769_000, longitudeE7: -85_417_000))
  }

  @Test(arguments: [
    "", "47", "47,", ",8", "47,8,9", "47, east", "nan,8", "inf,8", "0x10,8", "1e1,8",
    "91,181", "-91,-200", "0,180.1", "--1,0",
  ])
  func `what is no place is refused with a reason`(text: String) {
    #expect {
      try PlaceArgument(parsing: text)
    } throws: { "\($0)".count > 10 }
  }

  @Test(arguments: ["32T MT 65403 47150", "32T 465403 5247151", "47°22'36.84\"N 8°32'30.12\"E"])
  func `a place is read in the formats of paper maps`(text: String) throws {
    let place = try #require(try PlaceArgument(parsing: text).given)
    #expect(abs(place.latitude - 47.3769) < 0.0001 && abs(place.longitude - 8.5417) < 0.0001)
  }

  @Test func `the poles and the antimeridian are places`() throws {
    for text in ["90,180", "-90,-180", "+0,-0"] { _ = try PlaceArgument(parsing: text) }
  }

  @Test func `the next command names the same home`() throws {
    func flags(_ words: [String]) throws -> String? {
      (try Muster.parseAsRoot(["init", "Flood", "--callsign", "Anna"] + words) as? InitCommand)?
        .home.folder.flags
    }
    #expect(try flags([]) == "")
    #expect(try flags(["--home", "~/flood"]) == " --home ~/flood")
    let both = try flags(["--home", "/media/my stick", "--keys", "/k'"])
    #expect(both == " --home '/media/my stick' --keys '/k'\\'''")
  }

  @Test func `a circle has a radius in metres`() throws {
    let circle = try CircleArgument(parsing: "1,2,0.255")
    #expect(try circle.center == PlaceArgument(parsing: "1,2"))
    #expect(circle.radiusCentimetres == 26)
    for text in ["1, 2, 0.255", "1; 2; 0.255", "1,0 2,0; 0.255", "(1, 2), 0.255"] {
      #expect(try CircleArgument(parsing: text) == circle, "\(text)")
    }
    let onMap = try CircleArgument(parsing: "1°N 2°E,0.255")
    #expect(onMap.center.given == circle.center.given)
  }

  @Test(arguments: [
    "", "1", "1,2", "1,2,3,4", "1,2,", "1,2,0", "1,2,-5", "1,2,0.004", "1,2,20000001", "1,2,nan",
    "91,181,5",
  ])
  func `what is no circle is refused`(text: String) {
    #expect(throws: BadArgument.self) { try CircleArgument(parsing: text) }
  }

  @Test(
    arguments: [
      ("64kbit", 8000), ("64kbit/s", 8000), ("1Mbit", 125_000), ("1.5mbit", 187_500),
      ("8kB", 8000), ("8000B/s", 8000), ("960bit", 120), ("10Gbit", 1_250_000_000),
    ] as [(String, Int)])
  func `a link's rate is in bits or bytes a second`(text: String, bytes: Int) throws {
    #expect(try LinkRateArgument(parsing: text).rate.bytesPerSecond == bytes)
  }

  @Test(arguments: [
    "", "64", "kbit", "64k", "0kbit", "-1kbit", "959bit", "11Gbit", "nankbit", "infkbit",
    "8Kb", "8kb/s", "1e400bit", "64 furlongs",
  ])
  func `what is no rate is refused with a reason`(text: String) {
    #expect {
      try LinkRateArgument(parsing: text)
    } throws: { "\($0)".count > 10 }
  }

  @Test(
    arguments: [("90s", 90), ("15m", 900), ("24h", 86_400), ("7d", 604_800)] as [(String, Int64)])
  func `a length of time has a unit`(text: String, seconds: Int64) throws {
    let duration = try DurationArgument(parsing: text)
    #expect(duration.seconds == seconds)
  }

  @Test(arguments: [
    "", "s", "90", "-1s", "0s", "1.5h", "1w", "3651d", "9999999999999999999s", "١s",
  ])
  func `what is no length of time is refused`(text: String) {
    #expect(throws: BadArgument.self) { try DurationArgument(parsing: text) }
  }

  @Test func `an id is its first four digits or more, in any case`() throws {
    let whole = String(repeating: "0a", count: 16)
    let parsed = try ["0A1B", "0a1b2", whole].map { try RowArgument(parsing: $0).prefix }
    #expect(parsed == ["0a1b", "0a1b2", whole])
    for text in ["", "0a1", "0a1g", whole + "0", "０a1b"] {
      #expect(throws: BadArgument.self) { try RowArgument(parsing: text) }
    }
  }

  @Test func `a severity is one to five`() throws {
    let values = try ["1", "5"].map { try SeverityArgument(parsing: $0).value }
    #expect(values == [1, 5])
    for text in ["0", "6", "256", "-1", "3.5", ""] {
      #expect(throws: BadArgument.self) { try SeverityArgument(parsing: text) }
    }
  }

  @Test func `an address is a host and a port`() throws {
    for text in ["192.0.2.1:7474", "[2001:db8::1]:7474", "post.example:0"] {
      let address = try AddressArgument(parsing: text)
      #expect(address.text == text)
    }
    for text in ["192.0.2.1", ":7474", "a:b:1", "host:", "host:65536", "host:+1", "[]:1", "a b:1"] {
      #expect(throws: BadArgument.self) { try AddressArgument(parsing: text) }
    }
  }

  @Test func `a place in the south is not taken for an option`() throws {
    for text in [
      "-33.8,151.2", "-.5,-1", "-1,2,300", "-33.8688, 151.2093", "-33.8688 151.2093",
      "-33.8688°, 151.2093°", "-33°52'7.7\" 151°12'33.5\"", "-33,8688; 151,2093",
    ] {
      #expect(CoordinateArguments.shielded(text) == " " + text)
    }
    for text in ["-h", "--at", "-5", "47,8", "-", "-5,five"] {
      #expect(CoordinateArguments.shielded(text) == text)
    }
    let place = try PlaceArgument(parsing: CoordinateArguments.shielded("-33.8,151.2"))
    #expect(place.given?.latitudeE7 == -338_000_000)
  }

  @Test func `a position without quotes is one argument`() {
    for words in [
      ["--at", "-33.8,", "151.2"], ["--circle", "-33.8,", "151.2,", "300"],
      ["--at", "-33.8", "151.2"],
      ["set", "-33.8°,", "151.2°"], ["--at", "−33.8;", "-151.2"],
    ] {
      let rest = words.dropFirst().joined(separator: " ")
      #expect(CoordinateArguments.joined(words + ["--json"]) == [words[0], rest, "--json"])
    }
    for words in [
      ["comment", "3f9a", "5,", "six"], ["--severity", "5", "-1"], ["sos", "at", "5"],
      ["--at", "46,7", "--severity", "4"], ["--title", "-,", "5"],
      ["--at", "46.5,7.5", "12345678"],
    ] { #expect(CoordinateArguments.joined(words) == words) }
  }

  @Test func `two numbers are also read with the longitude first`() throws {
    let sydney = Coordinate(latitudeE7: -338_688_000, longitudeE7: 1_512_093_000)
    let place = try PlaceArgument(parsing: "151.2093, -33.8688")
    #expect(place.given == nil && place.exchanged == sydney)
    #expect(try PlaceArgument(parsing: "-33.8688 151.2093").exchanged == nil)
    let both = try PlaceArgument(parsing: "46.5,7.5")
    #expect(both.exchanged == Coordinate(latitudeE7: 75_000_000, longitudeE7: 465_000_000))
    for text in ["7°30'E 46°30'N", "32T MT 65403 47150", "https://osm.org/?mlat=46.5&mlon=7.5"] {
      #expect(try PlaceArgument(parsing: text).exchanged == nil, "\(text)")
    }
  }

  @Test func `a position takes no wait, and the message gives the reason`() throws {
    let words = ["position", "set", "47.3,8.5"]
    _ = try Muster.parseAsRoot(words)
    for more in [["--wait"], ["--wait", "60"]] {
      let error = #expect(throws: (any Error).self) {
        try Muster.parseAsRoot(words + more)
      }
      let text = error.map(Muster.message(for:)) ?? ""
      #expect(text.contains("nodes keep the newest only"), "\(text)")
    }
  }

  @Test func `a report is edited only with something to change`() throws {
    #expect(throws: (any Error).self) {
      try ReportCommand.Edit.parse(["0a1b"])
    }
    let edit = try ReportCommand.Edit.parse(["0a1b", "--no-evacuate", "--status", "resolved"])
    #expect(edit.evacuate == false)
    #expect(edit.status?.value == .resolved)
  }

  @Test func `words that may not be signed are refused, and the field named`() {
    for (arguments, name) in [
      (["--title", " "], "title"), (["--title", "a\u{1B}[31m"], "title"),
      (["--title", "a", "--description", "\u{7}"], "description"),
    ] {
      #expect {
        try ReportCommand.Add.parse(arguments)
      } throws: { ReportCommand.Add.message(for: $0).contains("the \(name) ") }
    }
  }

  @Test func `joining is by one way at a time`() throws {
    let url = InvitationURL([1, 2, 3]).text
    for arguments in [
      [], [url], ["--callsign", "Ben"], ["--request", "f"], ["--grant", "f", "--callsign", "Ben"],
      [url, "--callsign", "Ben", "--request", "f"], ["--request", "f", "--timeout", "5s"],
    ] {
      #expect(throws: (any Error).self) { try JoinCommand.parse(arguments) }
    }
    _ = try JoinCommand.parse([url, "--callsign", "Ben", "--timeout", "5s"])
    _ = try JoinCommand.parse(["-", "--callsign", "Ben", "--timeout", "5s"])
    _ = try JoinCommand.parse(["--request", "f", "--callsign", "Ben"])
    _ = try JoinCommand.parse(["--grant", "f"])
    _ = try JoinCommand.parse(["--grant", "f", "--operation", "00112233445566aa"])
    for bad in ["00112233", "0011223344556677x", String(repeating: "0", count: 33)] {
      #expect(throws: (any Error).self) {
        try JoinCommand.parse(["--grant", "f", "--operation", bad])
      }
    }
    #expect(throws: (any Error).self) { try JoinCommand.parse([url, "--callsign", "B", "--yes"]) }
  }

  @Test func `the id of an operation is compared by at least half of its digits`() throws {
    let operation = OperationID(raw: Bytes16(high: 0x0011_2233_4455_6677, low: 1))
    #expect(try OperationArgument(parsing: "0011 2233 4455 6677").matches(operation))
    #expect(try OperationArgument(parsing: "00112233445566770000000000000001").matches(operation))
    #expect(try !OperationArgument(parsing: "0011223344556678").matches(operation))
    let question = OperationCheck.question(name: "Ridge", operation: operation)
    #expect(question.contains("0011 2233 4455 6677 0000 0000 0000 0001"))
    #expect(OperationCheck.accepts(" Yes ") && !OperationCheck.accepts("y"))
    #expect(!OperationCheck.accepts(nil))
  }

  @Test func `a login's passphrase comes from a file, or is asked for`() throws {
    let maria = try LoginCommand.Add.parse(
      ["Maria", "--rights", "command", "--passphrase-file", "-", "--home", "h"])
    #expect(maria.name == "Maria" && maria.passphraseFile == "-")
    #expect(try LoginCommand.Add.parse(["Otto"]).passphraseFile == nil)
  }
}
