import MusterModel
import Testing

@testable import MusterReplica

@Suite("Connecting to neighbours")
struct ContactTests {
  @Test func `hundreds of unreachable remembered addresses delay no neighbour in range`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    valley.checksInvariants = false
    for name in ["Ada", "Ben"] { try valley.restart(name) }
    valley.cut(["Ada"], ["Ben"])
    let away = (0..<300).map { Valley.endpoint(1000 + $0) }
    for name in ["Ada", "Ben"] { try valley.at(name) { try $0.contact(away, now: $1) } }
    try valley.run(milliseconds: 100)
    valley.heal()
    let took = try valley.wait(upTo: 30_000) { valley in
      try valley.ask("Ada") { try $0.status(now: $1) }.peers.contains(where: \.isConnected)
    }
    let milliseconds = try #require(took, "they are in range and did not connect")
    #expect(milliseconds <= 5000)
  }
}
