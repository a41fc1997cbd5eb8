internal import MusterModel
internal import MusterSync

/// What still counts of the logs of revoked devices. Several revocations of one device join: only
/// what all of them leave counts.
struct Cuts: Hashable, Sendable {
  /// By device: for each of its logs, or strands of them, that every revocation names or leaves,
  /// the last sequence that counts.
  private var last: [DeviceID: [LogID: UInt64]] = [:]
  /// Of the certificates that a device issued, those that every revocation keeps which names some.
  private var kept: [DeviceID: Set<CertificateHash>] = [:]
  /// Devices with a revocation that names no certificates: what its cuts leave counts.
  private var keepingByFrame: Set<DeviceID> = []
  private let lineage: Lineage

  init(_ lineage: Lineage) { self.lineage = lineage }

  /// Whether the device has been revoked.
  func covers(_ device: DeviceID) -> Bool { last[device] != nil }

  var revoked: Set<DeviceID> { Set(last.keys) }

  /// Whether a frame of a device's log still counts.
  func leave(_ sequence: UInt64, of log: LogID, by device: DeviceID) -> Bool {
    part(of: log, by: device).holds(sequence)
  }

  /// How much counts of a log.
  enum Part: Hashable, Sendable {
    case all
    case through(UInt64)
    case nothing

    func holds(_ sequence: UInt64) -> Bool {
      switch self {
      case .all: true
      case .through(let last): sequence <= last
      case .nothing: false
      }
    }
  }

  /// - Parameter device: nil for the root, of whose logs only those with too many branches do not
  ///   count in full.
  func part(of log: LogID, by device: DeviceID?) -> Part {
    let end = lineage.ends[log]
    guard let logs = device.flatMap({ last[$0] }) else {
      return end.map { .through($0) } ?? .all
    }
    return logs[log].map { .through(min($0, end ?? .max)) } ?? .nothing
  }

  /// How far a log counts that does not count in full.
  struct Bound: Hashable, Sendable {
    /// The last sequence that counts, held or not; nil where none does.
    var end: UInt64?
  }

  /// The last sequence that counts of each log or strand that some does of, held or not.
  var ends: [LogID: UInt64] {
    last.values.reduce(into: lineage.ends) { $0.merge($1) { min($0, $1) } }
  }

  /// The same by proofs of too many branches alone.
  var forkEnds: [LogID: UInt64] { lineage.ends }

  /// The same of one device's logs; of others of it nothing counts.
  func ends(of device: DeviceID) -> [LogID: UInt64] {
    (last[device] ?? [:]).reduce(into: [:]) { ends, cut in
      ends[cut.key] = min(cut.value, lineage.ends[cut.key] ?? .max)
    }
  }

  /// Nil where no cut concerns a log or a strand.
  func bound(of log: LogSummary, by device: DeviceID) -> Bound? {
    let fork = forkBound(of: log)
    guard let logs = last[device], fork.map({ $0.end != nil }) ?? true else { return fork }
    guard let cut = logs[log.head.log], cut >= log.first else { return Bound(end: nil) }
    return Bound(end: min(cut, fork?.end ?? .max))
  }

  /// Nil where the log is not proved to have more branches than count.
  func forkBound(of log: LogSummary) -> Bound? {
    lineage.ends[log.head.log].map { Bound(end: $0 >= log.first ? $0 : nil) }
  }

  /// How many frames of a log no longer count.
  func past(_ log: LogSummary, by device: DeviceID) -> UInt64 {
    guard let bound = bound(of: log, by: device) else { return 0 }
    guard let end = bound.end else { return log.head.sequence + 1 - log.first }
    return log.head.sequence > end ? log.head.sequence - end : 0
  }

  /// Whether frames of some log do not count whose author is not revoked.
  var loseBranches: Bool { !lineage.ends.isEmpty }

  mutating func join(_ revocation: Revocation) {
    let device = revocation.device
    join(lineage.reach(of: revocation.cuts), of: device)
    if let keeps = revocation.keeps {
      join(kept: Set(keeps), of: device)
    } else {
      keepingByFrame.insert(device)
    }
  }

  /// Joins what a council decided.
  mutating func join(_ left: CouncilDecision.Remainder, of device: DeviceID) {
    join(left.last, of: device)
    join(kept: left.kept, of: device)
  }

  private mutating func join(_ named: [LogID: UInt64], of device: DeviceID) {
    guard let known = last[device] else {
      last[device] = named
      return
    }
    last[device] = known.reduce(into: [:]) { joined, cut in
      if let other = named[cut.key] { joined[cut.key] = min(cut.value, other) }
    }
  }

  private mutating func join(kept named: Set<CertificateHash>, of device: DeviceID) {
    kept[device] = kept[device]?.intersection(named) ?? named
  }

  /// Whether a certificate that a device issued counts.
  ///
  /// - Parameter stands: whether it stands in a frame that counts of the issuer's control log.
  func leave(_ certificate: CertificateHash, issuedBy device: DeviceID?, stands: Bool) -> Bool {
    guard let device, let kept = kept[device] else { return stands }
    return kept.contains(certificate) && (stands || !keepingByFrame.contains(device))
  }

  mutating func join(_ revocations: [Revocation]) {
    for revocation in revocations { join(revocation) }
  }

  /// Whether other frames count than by other cuts, of some devices.
  func differ(from other: Cuts, of isConcerned: (DeviceID) -> Bool) -> Bool {
    if lineage.isWidened(from: other.lineage) { return true }
    return last.contains { isConcerned($0.key) && other.last[$0.key] != $0.value }
      || other.last.contains { isConcerned($0.key) && last[$0.key] == nil }
  }

  /// Sequences that proofs of too many branches leave out, and did not before.
  func narrowed(from other: Cuts) -> [LogID: ClosedRange<UInt64>] {
    lineage.narrowed(from: other.lineage)
  }

  /// Whether a revocation leaves less of a device's logs than those before.
  func isNarrowed(by revocation: Revocation) -> Bool {
    var joined = Cuts(lineage)
    joined.last[revocation.device] = last[revocation.device]
    joined.kept[revocation.device] = kept[revocation.device]
    if keepingByFrame.contains(revocation.device) {
      joined.keepingByFrame.insert(revocation.device)
    }
    let before = joined
    joined.join(revocation)
    return joined != before
  }
}
