internal import MusterModel

/// Logs and strands whose frames cannot be stored yet: something that they depend on is missing.
///
/// Invariants: at most `Limits.unverifiableLogs` unverifiable logs, and `Limits.begunStrands`
/// begun and orphaned strands each.
struct PendingStrands: Sendable {
  /// Advertised logs whose certificate is not in the roster yet.
  private var unverifiable: Set<LogID> = []
  /// Strands of forked logs whose download has begun.
  private var begun: [LogID: StrandDownload] = [:]
  /// Strands that arrived before the frames they branch off from.
  private var orphans: Set<LogID> = []

  // MARK: Logs of unknown authors

  var hasUnverifiable: Bool { !unverifiable.isEmpty }

  func isUnverifiable(_ log: LogID) -> Bool { unverifiable.contains(log) }

  mutating func noteUnverifiable(_ log: LogID) {
    if unverifiable.count < Limits.unverifiableLogs { unverifiable.insert(log) }
  }

  /// Lets all be requested again, after the roster changed.
  mutating func retryUnverifiable() { unverifiable = [] }

  // MARK: Strands

  var hasRoom: Bool { begun.count < Limits.begunStrands }

  subscript(strand: LogID) -> StrandDownload? { begun[strand] }

  mutating func begin(_ strand: LogID, _ state: StrandDownload) { begun[strand] = state }

  /// Ends the download of a strand. Returns its state if it had begun.
  @discardableResult
  mutating func end(_ strand: LogID) -> StrandDownload? { begun.removeValue(forKey: strand) }

  mutating func endAll(of device: DeviceID) {
    begun = begun.filter { $0.value.device != device }
  }

  mutating func noteOrphan(_ strand: LogID) {
    if orphans.count < Limits.begunStrands { orphans.insert(strand) }
  }

  /// Removes and returns the orphans, in ascending order.
  mutating func takeOrphans() -> [LogID] {
    defer { orphans = [] }
    return orphans.sorted()
  }

  func checkInvariants() {
    precondition(begun.count <= Limits.begunStrands, "\(begun.count) strands begin")
    precondition(orphans.count <= Limits.begunStrands, "\(orphans.count) orphaned strands")
    precondition(
      unverifiable.count <= Limits.unverifiableLogs, "\(unverifiable.count) unverifiable logs")
  }
}

/// A strand of a forked log whose download from one peer has begun.
struct StrandDownload: Sendable {
  let device: DeviceID
  /// The log that is forked.
  let log: LogID
  /// The frame that the strand follows, according to the peer.
  let before: Head
  let began: Instant
  /// Whether the peer advertised a strand of this name. A search returns strands under a name that
  /// only this device uses.
  let isKnown: Bool
}
