import ArgumentParser
import MusterAttackers
import MusterModel
import MusterReplica

/// What a member's hostile control frames cost others (row I6 of the threat model's volumes).
struct ControlBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "control",
    abstract: "A member floods its control log; the cost of further frames and of a start.",
    discussion: "Processor time of the receiver. For each kind of hostile frame: per frame while "
      + "they arrive, of one further frame by the commander, and of a start, less one before.")

  private static let frameLimitMilliseconds = 5.0
  private static let startLimitMilliseconds = 1000.0
  private static let bytesPerFrame = 850
  private static let furtherFrames = 20

  @Option(help: "Bytes of hostile control frames, of each kind.")
  var bytes = 10_000_000

  @Option(help: "A kind of hostile frames; all by default.")
  var kind: String?

  func run() throws {
    let kinds = MaliciousMember.HostileControl.allCases
    for kind in kinds where self.kind.map({ $0 == "\(kind)" }) ?? true {
      try withScratchFolder { try run(kind, folder: $0) }
    }
  }

  private func run(_ kind: MaliciousMember.HostileControl, folder: String) throws {
    var mesh = try Mesh(seed: 9, founderAt: folder + "/bench.sqlite")
    try mesh.join(at: nil, callsign: "Mallory", role: .member)
    try mesh.synchronise(0, 1)
    let startBefore = try start(&mesh)
    try mesh.synchronise(0, 1)
    let (busyBefore, frames) = (mesh.busy[0].processorSeconds, max(1, bytes / Self.bytesPerFrame))
    var left = frames
    while left > 0 {
      let piece = min(left, 512)
      _ = try mesh.at(1) { try MaliciousMember.floodControl(&$0, kind, count: piece, now: $1) }
      try mesh.synchronise(0, 1)
      left -= piece
      progress("control: \(kind), \(frames - left) of \(frames) frames")
    }
    let each = (mesh.busy[0].processorSeconds - busyBefore) * 1000 / Double(frames)
    let further = try (0..<Self.furtherFrames).map { _ in
      try timed { _ = try mesh.at(0) { try $0.rotateEpoch(now: $1) } }
        .elapsed.processorSeconds * 1000
    }
    try Measurement(
      bench: "control \(kind)", value: further.max() ?? 0, unit: "ms",
      limit: Self.frameLimitMilliseconds,
      note: "one further frame, the most of \(further.count) (\(further.median) ms the median, "
        + "\(further.first ?? 0) ms the first), after \(frames) frames of a member, which took "
        + "\(each) ms each"
    ).print()
    try Measurement(
      bench: "control \(kind), start", value: try start(&mesh) - startBefore, unit: "ms",
      limit: Self.startLimitMilliseconds,
      note: "what a start takes longer than before these frames (\(startBefore) ms)"
    ).print()
  }

  /// Milliseconds of the founder's start.
  private func start(_ mesh: inout Mesh) throws -> Double {
    try timed { try mesh.startIncarnation(0) }.elapsed.processorSeconds * 1000
  }
}
