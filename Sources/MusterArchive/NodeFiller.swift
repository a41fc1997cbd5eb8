internal import Foundation
internal import MusterModel

/// Gives a node what only the archive has, in bounded steps: archived logs and blobs ─▶ a bundle ─▶
/// the node, which verifies it like a memory stick.
struct NodeFiller {
  let archive: Archive
  let post: ArchivePost
  /// Returns 32 bytes from the operating system.
  let seed: () -> [UInt8]

  /// What a step gave.
  struct Step {
    /// Frames that were new to the node.
    var merged = 0
    var refused: [BundleRefusal: Int] = [:]
    /// Logs of which the node accepted nothing, with what is archived of them: it has a bound, or
    /// rows were written to the database without verification.
    var stuck: [LogID: BranchHeads] = [:]
    /// Blobs of which the node accepted nothing.
    var stuckBlobs: Set<BlobID> = []
    /// Whether more is missing, besides what is stuck.
    var hasMore = false
  }

  private static let mergeBytes = 512 * 1024
  private static let framesInStep: UInt64 = 8192
  /// 16 KiB each.
  private static let unitsInStep = 256

  private var operation: OperationID { post.local.operation }

  /// Gives the node all archived logs that it does not hold. Throws `ArchiveFault` if it rejects
  /// some, except for a bound: then they count nowhere.
  ///
  /// - Returns: how many frames were new to it.
  func mergeMissing() async throws -> Int {
    var (merged, stuck): (Int, [LogID: BranchHeads]) = (0, [:])
    while true {
      let step = try await step(try await states(), skipping: stuck)
      merged += step.merged
      stuck.merge(step.stuck) { $1 }
      let faults = step.refused.filter { $0.key != .overLimit }
      if let (reason, count) = faults.min(by: { $0.key < $1.key }) {
        throw ArchiveFault(
          "the node rejects \(count) archived frames (\(reason.name)): import from the device that "
            + "wrote them, then project again")
      }
      guard step.hasMore else { return merged }
    }
  }

  private func states() async throws -> [LogState] {
    guard case .logStates(let states) = try await post.ask(.logStates) else {
      throw ArchivePost.unexpectedReply
    }
    return states
  }

  // MARK: Logs

  /// Gives the node some of the archived logs that it does not hold.
  ///
  /// - Parameters:
  ///   - states: what the node holds; what is newer there MAY be missing in the archive.
  ///   - skipped: logs of which it accepted nothing before. They are skipped until more of them is
  ///     archived.
  func step(
    _ states: [LogState], skipping skipped: [LogID: BranchHeads]
  ) async throws -> Step {
    let heads = try archive.heads(of: operation)
    let missing = Self.missing(of: states, in: heads).filter { log, _ in
      skipped[log].map { $0 != heads[log] } ?? true
    }
    guard !missing.isEmpty else { return Step() }
    // Of a log with branches, any may be missing.
    let held = Set(states.map(\.log))
    let whole = missing.filter { $0.value == 0 && held.contains($0.key) }
    let (tally, sent) = try await merge(
      ExportSelection(
        starts: missing, mostFrames: Self.framesInStep, whole: Set(whole.keys), units: .none))
    let left = Self.missing(of: try await self.states(), in: heads)
    let stuck = sent.filter { left[$0] == missing[$0] }
    var step = Step(merged: tally.frames.new, refused: tally.frames.refused)
    for log in stuck { step.stuck[log] = heads[log] }
    step.hasMore = missing.keys.contains { left[$0] != nil && !stuck.contains($0) }
    return step
  }

  /// Returns the logs that a node does not hold as far as the archive, with the first sequence that
  /// it lacks. Of a log that has forked, it may lack any.
  static func missing(
    of states: [LogState], in archived: [LogID: BranchHeads]
  ) -> [LogID: UInt64] {
    let held = Dictionary(grouping: states, by: \.log)
    return archived.reduce(into: [:]) { missing, item in
      let (log, heads) = item
      let states = held[log] ?? []
      let hashes = Set(states.map(\.hash))
      guard let newest = heads.tips.values.max(), !heads.tips.keys.allSatisfy(hashes.contains)
      else { return }
      guard heads.forks.isEmpty, states.count == 1, let last = states.first?.last else {
        missing[log] = 0
        return
      }
      if newest > last { missing[log] = last + 1 }
    }
  }

  // MARK: Photos

  /// Gives the node all that is archived of some blobs.
  func merge(blobs: Set<BlobID>) async throws {
    _ = try await merge(ExportSelection(starts: [:], units: .blobs(blobs)))
  }

  /// Gives the node some of the archived pieces of photos that it does not hold.
  ///
  /// - Parameters:
  ///   - wanted: what the node fetches, the most important first, with the units that it holds.
  ///   - skipped: blobs of which it accepted nothing before.
  func step(
    _ wanted: [(id: BlobID, held: UnitSet)], skipping skipped: Set<BlobID>
  ) async throws -> Step {
    let archived = wanted.isEmpty ? [:] : try archive.heldUnits(of: operation)
    var (chosen, room, step) = ([BlobID: [Int]](), Self.unitsInStep, Step())
    for (id, held) in wanted where archived[id] != nil && !skipped.contains(id) {
      guard room > 0 else {
        step.hasMore = true
        break
      }
      let lacking = try archive.unitNumbers(of: id, in: operation).filter {
        (0..<held.units).contains($0) && !held.contains($0)
      }
      chosen[id] = Array(lacking.prefix(room))
      room -= min(room, lacking.count)
      if lacking.isEmpty { step.stuckBlobs.insert(id) }
      step.hasMore = step.hasMore || room == 0
    }
    chosen = chosen.filter { !$0.value.isEmpty }
    guard !chosen.isEmpty else { return step }
    let (tally, _) = try await merge(ExportSelection(starts: [:], units: .numbers(chosen)))
    step.refused = tally.photoUnits.refused
    if tally.photoUnits.new == 0 { step.stuckBlobs.formUnion(chosen.keys) }
    return step
  }

  // MARK: Bundles

  /// - Returns: what became of it at the node, and the logs of which something was sent.
  private func merge(
    _ selection: ExportSelection
  ) async throws -> (tally: BundleTally, logs: Set<LogID>) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "muster-archive-\(UUID().uuidString)")
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else {
      throw ArchiveFault("cannot write \(file.path): \(String(cString: strerror(errno)))")
    }
    // Without a name, so that a program that is killed leaves no file.
    unlink(file.path)
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let (_, logs) = try archive.export(
      selection, of: post.local, seed: seed(),
      write: { try handle.write(contentsOf: Data($0)) })
    try handle.seek(toOffset: 0)
    return (try await merge(handle), logs)
  }

  private func merge(_ handle: FileHandle) async throws -> BundleTally {
    var (rest, place, tally) = ([UInt8](), [UInt8](), BundleTally())
    while true {
      let bytes = try handle.read(upToCount: Self.mergeBytes).map(Array.init) ?? []
      rest += bytes
      guard
        case .bundleProgress(let step) = try await post.ask(
          .mergeBundle(ByteString(rest), at: ByteString(place), isLast: bytes.isEmpty))
      else { throw ArchivePost.unexpectedReply }
      rest.removeFirst(step.consumed)
      place = step.next
      tally.add(step.tally)
      if step.end != nil || bytes.isEmpty { return tally }
    }
  }
}
