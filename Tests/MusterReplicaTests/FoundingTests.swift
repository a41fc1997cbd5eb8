import MusterModel
import MusterReplica
import Testing

@Suite("Founding and joining")
struct FoundingTests {
  @Test func `a founder sees itself, without problems`() throws {
    var valley = Valley()
    try valley.found("Ada", operation: "Fire at the ridge")

    let status = try valley.ask("Ada") { try $0.status(now: $1) }
    let users = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    let devices = try valley.ask("Ada") { replica, _ in try replica.queries.devices() }
    let report = try valley.ask("Ada") { replica, _ in try replica.verify() }

    #expect(status.operationName == "Fire at the ridge")
    #expect(status.callsign == "Ada")
    #expect(status.role == .command)
    #expect(status.users == 1)
    #expect(!status.stateIsIncomplete)
    #expect(users.map(\.callsign) == ["Ada"])
    #expect(users.map(\.safety) == [.unknown])
    #expect(users.map(\.reason) == ["no usable position"])
    #expect(devices.map(\.rank) == [1])
    #expect(devices.map(\.isThisDevice) == [true])
    #expect(report.problems == [])
    #expect(report.frames == status.frames)
    #expect(report.logs == 3)
    #expect(report.stateHash == status.stateHash)
  }

  @Test func `devices that joined over the network agree with the founder byte for byte`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")

    #expect(Set(try valley.hashes()).count == 1)
    for name in ["Ada", "Ben", "Cleo"] {
      let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
      #expect(Set(users.map(\.callsign)) == ["Ada", "Ben", "Cleo"])
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
      let devices = try valley.ask(name) { replica, _ in try replica.queries.devices() }
      #expect(devices.map(\.rank).sorted() == [1, 2, 2])
    }
  }
}
