internal import MusterCrypto
internal import MusterModel

/// Replay protection for announces. Counters may arrive out of order, since pushes and announces
/// take different paths.
struct AnnounceReplayWindow: Sendable {
  private struct KnownIncarnation: Sendable {
    let incarnation: UInt64
    var window = ReplayWindow()
    /// Each start of the process uses another block of counters.
    var block: UInt64
  }

  /// The last few incarnations of each device, newest first.
  private var incarnations: [UInt64: [KnownIncarnation]] = [:]
  /// When each device was last received, counted in announces.
  private var lastReceived: [UInt64: UInt64] = [:]
  private var clock: UInt64 = 0

  var count: Int { incarnations.values.reduce(0) { $0 + $1.count } }

  func isNew(_ announce: Announce) -> Bool {
    let known = incarnations[announce.certificate] ?? []
    guard let entry = known.first(where: { $0.incarnation == announce.incarnation }) else {
      return true
    }
    var window = entry.window
    return window.accept(announce.counter)
  }

  /// Records a new announce with a valid signature. Returns whether the sender's process restarted
  /// since the last one.
  mutating func accept(_ announce: Announce) -> Bool {
    let block = announce.counter >> 32
    clock += 1
    if incarnations[announce.certificate] == nil, incarnations.count >= Limits.announcers {
      forgetOldest()
    }
    lastReceived[announce.certificate] = clock
    var known = incarnations.removeValue(forKey: announce.certificate) ?? []
    defer { incarnations[announce.certificate] = known }
    guard let index = known.firstIndex(where: { $0.incarnation == announce.incarnation }) else {
      var entry = KnownIncarnation(incarnation: announce.incarnation, block: block)
      _ = entry.window.accept(announce.counter)
      known.insert(entry, at: 0)
      if known.count > Limits.incarnationsPerAnnouncer { known.removeLast() }
      return known.count > 1
    }
    _ = known[index].window.accept(announce.counter)
    guard block > known[index].block else { return false }
    known[index].block = block
    return true
  }

  private mutating func forgetOldest() {
    guard let oldest = lastReceived.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key else {
      return
    }
    lastReceived[oldest] = nil
    incarnations[oldest] = nil
  }
}
