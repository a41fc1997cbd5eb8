internal import MusterModel
internal import MusterSync

/// What still counts of the logs of revoked devices. Several revocations of one device join: only
/// what all of them leave counts.
struct Cuts: Hashable, Sendable {
  /// By device: for each of its logs, or strands of them, that every revocation names or leaves,
  /// the last sequence that counts.
  private var last: [DeviceID: [LogID: UInt64]] = [:]
  private let lineage: Lineage

  init(_ lineage: Lineage) { self.lineage = lineage }

  /// Whether the device has been revoked.
  func covers(_ device: DeviceID) -> Bool { last[device] != nil }

  var revoked: Set<DeviceID> { Set(last.keys) }

  /// Whether a frame of a device's log still counts.
  func leave(_ sequence: UInt64, of log: LogID, by device: DeviceID) -> Bool {
    if lineage.lost.contains(log) { return false }
    guard let logs = last[device] else { return true }
    guard let cut = logs[log] else { return false }
    return sequence <= cut
  }

  /// How far a log counts that does not count in full.
  struct Bound: Hashable, Sendable {
    /// The last sequence that counts, held or not; nil where none does.
    var end: UInt64?
  }

  /// The last sequence that counts of each log or strand that some does of, held or not.
  var ends: [LogID: UInt64] {
    last.values.reduce(into: [:]) { $0.merge($1) { min($0, $1) } }
  }

  /// Nil where no cut concerns a log or a strand.
  func bound(of log: LogSummary, by device: DeviceID) -> Bound? {
    if lineage.lost.contains(log.head.log) { return Bound(end: nil) }
    guard let logs = last[device] else { return nil }
    guard let cut = logs[log.head.log], cut >= log.first else { return Bound(end: nil) }
    return Bound(end: cut)
  }

  /// How many frames of a log no longer count.
  func past(_ log: LogSummary, by device: DeviceID) -> UInt64 {
    guard let bound = bound(of: log, by: device) else { return 0 }
    guard let end = bound.end else { return log.head.sequence + 1 - log.first }
    return log.head.sequence > end ? log.head.sequence - end : 0
  }

  /// Whether frames of some log do not count whose author is not revoked.
  var loseBranches: Bool { !lineage.lost.isEmpty }

  mutating func join(_ revocation: Revocation) {
    let named = lineage.reach(of: revocation.cuts)
    guard let known = last[revocation.device] else {
      last[revocation.device] = named
      return
    }
    last[revocation.device] = known.reduce(into: [:]) { joined, cut in
      if let other = named[cut.key] { joined[cut.key] = min(cut.value, other) }
    }
  }

  mutating func join(_ revocations: [Revocation]) {
    for revocation in revocations { join(revocation) }
  }
}
