import MusterModel
import MusterProximity
import Testing

@Suite struct SightingTests {
  private static let arrival = Timestamp(milliseconds: 1_585_785_600_000)
  private static let uuid = "8be6cd37-1c5c-8916-04bf-be49df845096"

  private func read(_ line: String) throws(Sighting.Fault) -> Sighting {
    try Sighting(line: Array(line.utf8), arrival: Self.arrival)
  }

  @Test func `a line of a scanner is read`() throws {
    let sighting = try read(
      #"{"uuid":"\#(Self.uuid)","name":"Ben","rssi":-61,"timestamp":1585785601.5}"#)
    #expect(sighting.identifier == Bytes16(high: 0x8be6_cd37_1c5c_8916, low: 0x04bf_be49_df84_5096))
    #expect(sighting.name == "Ben")
    #expect(sighting.rssi == -61)
    #expect(sighting.time == Timestamp(milliseconds: 1_585_785_601_500))
  }

  @Test(
    "a time may have three forms, or be missing",
    arguments: [
      (#","timestamp":1585785661"#, 61_000), (#","timestamp":1585785661000"#, 61_000),
      (#","timestamp":"2020-04-02T00:01:01Z""#, 61_000), ("", 0),
    ])
  func times(field: String, offset: Int64) throws {
    let sighting = try read(#"{"uuid":"\#(Self.uuid)","rssi":-61\#(field)}"#)
    #expect(sighting.time.milliseconds - Self.arrival.milliseconds == offset)
  }

  @Test(
    "a hostile line is refused with its reason",
    arguments: [
      ("", Sighting.Fault.malformed), ("[]", .malformed), (#"{"uuid":7,"rssi":1}"#, .malformed),
      (#"{"uuid":"8be6","rssi":-60}"#, .identifier),
      (#"{"uuid":"+be6cd371c5c8916+4bfbe49df845096","rssi":-60}"#, .identifier),
      (#"{"uuid":"8be6cd371c5c891604bfbe49df845096","rssi":-128}"#, .signal),
      (#"{"uuid":"8be6cd371c5c891604bfbe49df845096","rssi":1e300}"#, .signal),
      (#"{"uuid":"8be6cd371c5c891604bfbe49df845096","rssi":1,"timestamp":1e300}"#, .time),
      (#"{"uuid":"8be6cd371c5c891604bfbe49df845096","rssi":1,"timestamp":"noon"}"#, .time),
    ])
  func refused(line: String, fault: Sighting.Fault) {
    #expect(throws: fault) { try read(line) }
  }

  @Test func `a long line is refused before it is parsed`() {
    #expect(throws: Sighting.Fault.tooLong) {
      try read(String(repeating: " ", count: ProximityLimits.lineBytes + 1))
    }
  }

  @Test func `a name is cut between characters, and has no control characters`() {
    let sighting = Sighting(
      identifier: .zero, name: "\u{1B}[1m" + String(repeating: "é", count: 40), rssi: 0,
      time: Self.arrival)
    #expect(sighting.name == "[1m" + String(repeating: "é", count: 14))
  }
}
