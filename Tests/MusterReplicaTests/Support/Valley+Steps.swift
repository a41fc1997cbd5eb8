import MusterModel
import MusterReplica

/// Steps of drawn histories.
extension Valley {
  mutating func claim(_ claim: SafetyClaim, by name: String) throws {
    try at(name) { try $0.write(PersonRequests.claim(claim, note: ""), now: $1) }
  }

  /// Ada issues an order to all.
  mutating func order(_ kind: DirectiveKind, seconds: UInt32) throws {
    try at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: kind, durationSeconds: seconds)), now: $1
      ).outcome
    }
  }

  /// Ada draws a zone around a fire.
  mutating func drawFire(_ kind: FenceKind, metresNorth: Int64) throws {
    try at("Ada") {
      try $0.write(
        FenceRequests.add(
          FenceDraft(
            name: "Fire", kind: kind, geometry: circle(metres: 100, metresNorth: metresNorth))),
        now: $1
      ).outcome
    }
  }
}
