import Foundation
import MusterAttackers
import MusterModel
import MusterTestKit
import Testing

@testable import MusterReplica

/// I6: what an insider writes into its control log costs neither others' frames nor a start.
/// `MUSTER_VOLUME=1000` writes 10 MB of each kind and prints processor times.
@Suite("Control frames at volume")
struct ControlVolumeTests {
  private static let thousandths = Volume.orUsual(2)
  private static let bytesPerFrame = 850

  private static func frames(ofBytes whole: Int) -> Int {
    max(24, whole * thousandths / 1000 / bytesPerFrame)
  }

  /// Who writes, and whether it was revoked before.
  struct Insider: Sendable, CustomTestStringConvertible {
    let role: Role
    let isRevoked: Bool
    let kind: MaliciousMember.HostileControl

    var testDescription: String { "\(isRevoked ? "revoked " : "")\(role), \(kind)" }
  }

  private static let insiders: [Insider] =
    MaliciousMember.HostileControl.allCases.flatMap { kind in
      [
        Insider(role: .member, isRevoked: false, kind: kind),
        Insider(role: .observer, isRevoked: false, kind: kind),
        Insider(role: .member, isRevoked: true, kind: kind),
        Insider(role: .command, isRevoked: true, kind: kind),
      ]
    }

  private func processorMilliseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }

  private func timed(_ work: () throws -> Void) rethrows -> Double {
    let start = processorMilliseconds()
    try work()
    return processorMilliseconds() - start
  }

  @Test(arguments: insiders)
  func `I6: hostile control frames cost no further frame and no start`(
    insider: Insider
  ) throws {
    var valley = Valley(seed: 6)
    try valley.found("Ada")
    try valley.join("Ben", invitedBy: "Ada")
    try valley.join("Mallory", invitedBy: "Ada", role: insider.role)
    try valley.converge()
    valley.checksInvariants = false
    let mallory = valley.laptops[valley.index("Mallory")].credentials
    if insider.isRevoked {
      valley.cut(["Ada", "Ben"], ["Mallory"])
      try valley.at("Ada") { try $0.revoke(mallory.device, now: $1) }
      try valley.run(milliseconds: 5000)
    }
    let startBefore = try timed { try valley.restart("Ada") }
    let before = try valley.ask("Ada") { replica, _ in
      (replica.core.control.completeEvaluations, replica.viewRebuilds)
    }
    var left = Self.frames(ofBytes: 10_000_000)
    let frames = left
    while left > 0 {
      let piece = min(left, 256)
      try valley.at("Mallory") {
        try MaliciousMember.floodControl(&$0, insider.kind, count: piece, now: $1)
      }
      left -= piece
      guard !insider.isRevoked else { continue }
      try valley.run(milliseconds: 3000)
    }
    valley.heal()
    try valley.run(milliseconds: 20_000)
    let after = try valley.ask("Ada") { replica, _ in
      (replica.core.control.completeEvaluations, replica.viewRebuilds)
    }
    // Nothing was evaluated again but what Ada's own frames required.
    #expect(after.0 - before.0 <= 1, "\(after.0 - before.0) complete evaluations")
    #expect(after.1 == before.1)
    let held = try valley.laptops[valley.index("Ada")].store.logs().filter {
      $0.opening.certificate == mallory.certificate && $0.opening.lane == .control
    }.reduce(0) { $0 + Int($1.head.sequence) }
    if !insider.isRevoked { #expect(held >= frames) }
    // Everybody works as before.
    var most = 0.0
    for number in 0..<5 {
      let ada = try timed { try valley.at("Ada") { try $0.rotateEpoch(now: $1) } }
      let ben = try timed {
        try valley.at("Ben") {
          try MaliciousMember.floodControl(&$0, .certificates, count: 1, now: $1)
        }
      }
      let id = try valley.at("Ben") {
        try $0.write(ReportRequests.add(ReportDraft(title: "Report \(number)")), now: $1)
      }
      let took = try valley.wait(upTo: 10_000) { valley in
        try valley.ask("Ada") { replica, _ in try replica.queries.reports() }.contains {
          $0.id == id
        }
      }
      #expect(took != nil)
      most = max(most, ada, ben)
    }
    let status = try timed { _ = try valley.ask("Ada") { replica, _ in try replica.stateHash() } }
    let start = try timed { try valley.restart("Ada") }
    #expect(
      try valley.ask("Ada") { replica, _ in try replica.shownMembership() }
        == valley.ask("Ben") { replica, _ in try replica.shownMembership() })
    guard Self.thousandths >= 1000 else { return }
    print(
      "\(insider.testDescription): \(frames) frames written, \(held) held; further frame "
        + "\(most) ms at most, state hash \(status) ms, start \(start) ms instead of \(startBefore)"
    )
  }

  @Test func `control frames of a revoked member are held up to the bound of its certificate`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben", "Mallory")
    valley.checksInvariants = false
    let mallory = valley.laptops[valley.index("Mallory")].credentials
    valley.cut(["Ada", "Ben"], ["Mallory"])
    try valley.at("Ada") { try $0.revoke(mallory.device, now: $1) }
    for _ in 0..<10 {
      try valley.at("Mallory") {
        try MaliciousMember.floodControl(
          &$0, .certificates, count: Limits.quarantinedFrames / 8, now: $1)
      }
    }
    valley.heal()
    try valley.run(milliseconds: 60_000)
    for name in ["Ada", "Ben"] {
      let held = try valley.laptops[valley.index(name)].store.logs().filter {
        $0.opening.certificate == mallory.certificate && $0.opening.lane == .control
      }.reduce(0) { $0 + Int($1.head.sequence) }
      #expect(held <= Limits.quarantinedFrames + Int(Limits.signatureInterval))
      #expect(held > 0)
    }
    let hashes = try ["Ada", "Ben"].map { name in
      try valley.ask(name) { replica, _ in try replica.stateHash() }
    }
    #expect(hashes[0] == hashes[1])
  }
}
