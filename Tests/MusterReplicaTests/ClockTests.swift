import MusterModel
import MusterReplica
import Testing

@Suite("Clocks that are wrong")
struct ClockTests {
  private static let day: Int64 = 86_400_000

  private func lead(_ name: String, in valley: inout Valley) throws -> ClockLead? {
    try valley.ask(name) { try $0.status(now: $1) }.clockLead
  }

  private func alerts(_ name: String, in valley: inout Valley) throws -> [String] {
    try valley.ask(name) { try $0.alerts(now: $1) }.filter { $0.id.kind == .clock }.map(\.text)
  }

  @Test func `a wrong clock raises an alert on its own device, and on no other`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.run(milliseconds: 10_000)
    for name in valley.names {
      #expect(try lead(name, in: &valley)?.isSuspect == false, "at \(name)")
    }
    // Given a device whose clock jumps, then all detect it at once
    valley.setClock("Ben", aheadMilliseconds: 10 * Self.day)
    try valley.run(milliseconds: 90_000)
    #expect(try lead("Ben", in: &valley) == ClockLead(seconds: 864_000))
    #expect(
      try alerts("Ben", in: &valley)
        == ["this device's clock is 10 d ahead of the others: correct it"])
    // of two that differ, the one that agrees with the median is correct
    for name in ["Ada", "Cleo"] {
      #expect(try lead(name, in: &valley)?.seconds == 0, "at \(name)")
      #expect(try alerts(name, in: &valley) == [])
    }
    // When it is behind, and after a restart, it is no different
    valley.setClock("Ben", aheadMilliseconds: -3 * 3_600_000)
    try valley.restart("Ben")
    try valley.run(milliseconds: 90_000)
    #expect(try lead("Ben", in: &valley)?.words == "3 h behind")
    // and when it is corrected, the alert ends
    valley.setClock("Ben", aheadMilliseconds: 0)
    try valley.run(milliseconds: 5000)
    #expect(try alerts("Ben", in: &valley) == [])
  }

  @Test func `between two it is undecidable, so both raise an alert`() throws {
    var valley = try Valley.with("Ada", "Ben")
    valley.setClock("Ben", aheadMilliseconds: 600_000)
    try valley.run(milliseconds: 90_000)
    #expect(try lead("Ada", in: &valley)?.words == "10 min behind")
    #expect(try lead("Ben", in: &valley)?.words == "10 min ahead")
  }

  @Test func `a clock that is off by a quarter of a minute raises no alert`() throws {
    var valley = try Valley.with("Ada", "Ben")
    valley.setClock("Ben", aheadMilliseconds: 15_000)
    try valley.restart("Ben")
    try valley.run(milliseconds: 90_000)
    #expect(try lead("Ada", in: &valley) == ClockLead(seconds: -15))
    for name in valley.names { #expect(try alerts(name, in: &valley) == []) }
  }
}
