import MusterModel
import Testing

@testable import MusterAmazon

/// The ids of devices.
@Suite struct `Devices of the service` {
  private static let hexadecimal = String(repeating: "0b", count: 16)

  private static func user(_ hex: String) throws -> UserID { try #require(UserID(hex: hex)) }

  private static func person(_ id: UserID, _ callsign: String) throws -> UserSummary {
    let position = try #require(Coordinate(latitude: 46, longitude: 7))
    return UserSummary(
      id: id, callsign: callsign, role: .member, status: .ok, severity: .neutral,
      reason: "in contact",
      fix: Fix(position: position, sampleTime: Timestamp(milliseconds: 1000)),
      reportedAt: nil, fixAgeSeconds: nil, team: "", trackerOwner: nil, selfReport: nil,
      override: nil)
  }

  @Test func `no callsign is the id of another person`() throws {
    let victim = try Self.user(Self.hexadecimal)
    let attacker = try Self.user(String(repeating: "0a", count: 16))
    let directory = DeviceDirectory(
      own: [:],
      people: [
        try Self.person(victim, "Ben Smith"), try Self.person(attacker, Self.hexadecimal),
      ])
    #expect(directory.located.map(\.id) == ["\(attacker)", Self.hexadecimal])
    #expect(directory.person(Self.hexadecimal)?.id == victim)
    #expect(directory.person("\(attacker)")?.id == attacker)
  }

  @Test func `no tracker of this node is written by the id of a person`() throws {
    let victim = try Self.user(Self.hexadecimal)
    let tracker = try Self.user(String(repeating: "0c", count: 16))
    let directory = DeviceDirectory(
      own: [Self.hexadecimal: tracker],
      people: [
        try Self.person(victim, "Ben"), try Self.person(tracker, Self.hexadecimal),
      ])
    #expect(directory.ownName(Self.hexadecimal) == nil && directory.isTaken(Self.hexadecimal))
    #expect(directory.ownName("\(tracker)") == Self.hexadecimal)
    #expect(directory.located.map(\.id) == ["\(tracker)", "Ben"])
  }

  @Test func `a name that is equal as Unicode is that of the stored tracker`() throws {
    let tracker = try Self.user(Self.hexadecimal)
    let directory = DeviceDirectory(own: ["\u{C5}": tracker], people: [])
    #expect(directory.ownName("\u{212B}")?.utf8.elementsEqual("\u{C5}".utf8) == true)
  }
}
