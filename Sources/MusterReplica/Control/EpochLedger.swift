internal import MusterModel
internal import MusterSync

/// The announced epochs: whose keys may be used and passed on, and which are eligible for new
/// frames.
///
///     announcement ─▶ excluded revocations, base ─▶ all held and fulfilled? ─▶ fulfilled: the key
///        │ base                                                                is used, passed on
///        ▼                                     ─▶ all that count are named? ─▶ eligible
///     the announcement that represents the base (`resolved`), at most `Limits.epochBases` deep
///
/// *Fulfilled* depends on held frames alone, not on who still counts, and once it is true it stays
/// true: every node that holds the same frames uses the same keys, whatever the order of arrival.
///
/// An epoch excludes the revocations that its announcement and its bases name. No sets are merged:
/// epochs and named frames have numbers. Each announcement stores the number of its named frames
/// that are missing, and lists those whose revocations count. Another announcement costs its own
/// names, and what it fulfils.
struct EpochLedger: Sendable {
  /// The epochs that count.
  private(set) var counting = CountingEpochs()
  /// If a revocation that counts has no name, no epoch is eligible.
  private var revocations = RevocationFrames()
  private var announcements: [Announcement] = []
  private var numbers: [EpochID: Int] = [:]
  private var epochs: [Epoch] = []
  /// Announced epochs that are not fulfilled.
  private(set) var withheld: Set<EpochID> = []
  private(set) var bestEligible: CountingEpoch?
  private var stale = Staleness()
  /// New epochs, and those that were fulfilled.
  private var changed: Set<EpochID> = []

  private struct Announcement: Sendable {
    let value: EpochAnnouncement
    let place: AnnouncementPosition
    let epoch: Int
    let base: Int?
    /// The number of named frames that are missing.
    var missing: Int
    /// The named frames whose revocations count, by number.
    var covered: [Int] = []
    /// Nil if the announcement does not count.
    var counting: CountingEpoch?
  }

  private struct Epoch: Sendable {
    let id: EpochID
    var announcements: [Int] = []
    /// Whether one of them is: all that it names is held, and its base is fulfilled.
    var isFulfilled = false
    /// Whether an announcement by a commander counts.
    var isCommanders = false
    /// The announcement that represents the epoch as a base: the best that counts, else the first.
    var resolved: Int?
    /// The announcements that build on it.
    var builders: [Int] = []
  }

  /// What is computed again before it is read.
  private struct Staleness: Sendable {
    var resolved = false
    var best = false

    static let everything = Staleness(resolved: true, best: true)
  }

  /// The largest number of announcements that are judged one by one.
  private static let fewAnnouncements = 64
  /// The number of epochs that are considered as the base of a new one.
  private static let basesTried = 256

  init() {}

  /// The announced epochs.
  var announced: Set<EpochID> {
    Set(epochs.lazy.filter { !$0.announcements.isEmpty }.map(\.id))
  }

  /// Whether the key of an epoch may be passed on, and new data be sealed with it.
  func isFulfilled(_ epoch: EpochID) -> Bool {
    numbers[epoch].map { epochs[$0].isFulfilled } ?? false
  }

  /// Whether the key of an epoch may be used: it is fulfilled, or a commander's announcement
  /// counts. What a commander's epoch excludes may never arrive, such as a frame past a fork, and
  /// what honest devices wrote under it must not wait for that. Its key is passed on once
  /// fulfilled.
  func isUsable(_ epoch: EpochID) -> Bool {
    numbers[epoch].map { epochs[$0].isFulfilled || epochs[$0].isCommanders } ?? false
  }

  /// Returns the epochs that changed since the previous call.
  mutating func takeChanged() -> Set<EpochID> {
    defer { changed = [] }
    return changed
  }

  // MARK: Adding

  /// Prepares for a number of announcements; more than a few are judged together at the end.
  mutating func expect(_ count: Int) {
    guard count > Self.fewAnnouncements else { return }
    stale = .everything
  }

  /// Adds the announcement of a log at a position.
  ///
  /// - Parameter standing: nil for a log that does not count. Its announcements are held all the
  ///   same: others have written under these epochs.
  mutating func add(
    _ entry: ControlLog.Entry<EpochAnnouncement>, index: Int, of log: LogID,
    by certificate: CertificateHash, standing: ControlLogStanding?
  ) {
    let announcement = entry.value
    let place = AnnouncementPosition(
      certificate: certificate, log: log, sequence: entry.sequence, index: index)
    let epoch = number(of: announcement.id)
    let base = announcement.base.map { number(of: $0) }
    let own = announcements.count
    if let base { epochs[base].builders.append(own) }
    announcements.append(
      Announcement(
        value: announcement, place: place, epoch: epoch, base: base, missing: 0,
        counting: standing.flatMap { CountingEpoch(announcement, at: place, $0) }))
    for frame in announcement.excludes { name(frame, by: own) }
    epochs[epoch].announcements.append(own)
    file(own, of: epoch)
  }

  private mutating func file(_ own: Int, of epoch: Int) {
    let reach = counting.reach
    let counted = announcements[own].counting
    if let counted {
      counting.add(counted)
      if counted.isCommand { epochs[epoch].isCommanders = true }
    }
    if counting.reach != reach {
      stale.best = true
      if counting.hasRepeated { stale.resolved = true }
    }
    if !stale.resolved, stands(own, for: epoch) { resolve(epoch, to: own) }
    if !epochs[epoch].isFulfilled { withheld.insert(epochs[epoch].id) }
    changed.insert(epochs[epoch].id)
    fulfil([own])
    promote(own)
  }

  /// Determines again which epochs count, after the standing of logs that announce epochs changed.
  mutating func judge(by standings: [LogID: ControlLogStanding]) {
    counting = CountingEpochs()
    for epoch in epochs.indices { epochs[epoch].isCommanders = false }
    for index in announcements.indices {
      let (value, place) = (announcements[index].value, announcements[index].place)
      announcements[index].counting = standings[place.log].flatMap {
        CountingEpoch(value, at: place, $0)
      }
      guard let counted = announcements[index].counting else { continue }
      counting.add(counted)
      if counted.isCommand { epochs[announcements[index].epoch].isCommanders = true }
    }
    stale = .everything
  }

  private mutating func number(of id: EpochID) -> Int {
    if let known = numbers[id] { return known }
    numbers[id] = epochs.count
    epochs.append(Epoch(id: id))
    return epochs.count - 1
  }

  private mutating func name(_ frame: FrameHash, by announcement: Int) {
    let naming = revocations.name(frame, by: announcement)
    if naming.completesNames { stale.best = true }
    if !naming.isHeld { announcements[announcement].missing += 1 }
    if naming.counts { announcements[announcement].covered.append(naming.number) }
  }

  /// Records that this node holds a frame with a revocation.
  mutating func hold(_ frame: FrameHash) {
    var complete: [Int] = []
    for own in revocations.hold(frame) {
      announcements[own].missing -= 1
      if announcements[own].missing == 0 { complete.append(own) }
    }
    fulfil(complete)
  }

  /// Records that a revocation counts.
  mutating func count(_ frame: FrameHash) {
    guard let (number, namedBy) = revocations.count(frame) else { return }
    if let number {
      for announcement in namedBy { announcements[announcement].covered.append(number) }
    }
    stale.best = true
  }

  /// Records that exactly these revocations count.
  mutating func count(only counted: Dictionary<FrameHash, [Revocation]>.Keys) {
    for announcement in revocations.countNone() { announcements[announcement].covered = [] }
    stale.best = true
    for frame in counted { count(frame) }
  }

  /// Whether an announcement represents its epoch instead of the present one.
  private func stands(_ own: Int, for epoch: Int) -> Bool {
    guard let resolved = epochs[epoch].resolved else { return true }
    guard let known = announcements[resolved].counting else {
      return announcements[own].counting != nil
        || announcements[own].place < announcements[resolved].place
    }
    return announcements[own].counting.map { counting.precedes($0, known) } ?? false
  }

  /// Determines again which announcement represents an epoch.
  private mutating func resolve(_ epoch: Int) {
    epochs[epoch].resolved = nil
    for own in epochs[epoch].announcements where stands(own, for: epoch) {
      epochs[epoch].resolved = own
    }
  }

  /// Makes an announcement represent an epoch.
  private mutating func resolve(_ epoch: Int, to own: Int) {
    epochs[epoch].resolved = own
    guard !stale.best, !epochs[epoch].builders.isEmpty else { return }
    let dependents = dependents(of: epoch)
    if let best = bestEligible, numbers[best.announcement.id].map(dependents.contains) ?? false {
      stale.best = true
    } else {
      for own in dependents.flatMap({ epochs[$0].announcements }) { promote(own) }
    }
  }

  /// The epochs that build on an epoch, as far as chains may reach.
  private func dependents(of epoch: Int) -> Set<Int> {
    var (level, reached) = ([epoch], Set([epoch]))
    for _ in 0..<Limits.epochBases where !level.isEmpty {
      level = level.flatMap { epochs[$0].builders.map { announcements[$0].epoch } }
        .filter { reached.insert($0).inserted }
    }
    reached.remove(epoch)
    return reached
  }

  // MARK: Judging

  /// Applies the changes. Call this before reading `bestEligible`.
  mutating func settle() {
    counting.settle()
    if stale.resolved {
      stale.resolved = false
      for epoch in epochs.indices { resolve(epoch) }
    }
    if stale.best {
      stale.best = false
      bestEligible = revocations.areAllNamed ? counting.first { isEligible($0) } : nil
    }
  }

  /// Determines which epochs these announcements fulfil, and those that build on them. An
  /// announcement that is not fulfilled names a missing revocation, so this node may still take an
  /// excluded device for a member. One is enough: a device that announces an epoch falsely has its
  /// key anyway. No later announcement takes it back.
  private mutating func fulfil(_ candidates: [Int]) {
    var candidates = candidates
    while let own = candidates.popLast() {
      let (epoch, base) = (announcements[own].epoch, announcements[own].base)
      guard announcements[own].missing == 0, !epochs[epoch].isFulfilled,
        base.map({ epochs[$0].isFulfilled }) ?? true
      else { continue }
      epochs[epoch].isFulfilled = true
      withheld.remove(epochs[epoch].id)
      changed.insert(epochs[epoch].id)
      candidates += epochs[epoch].builders
    }
  }

  /// Makes an announcement the best eligible one if it precedes the present one.
  private mutating func promote(_ own: Int) {
    guard !stale.best, let counted = announcements[own].counting,
      bestEligible.map({ counting.precedes(counted, $0) }) ?? true, isEligible(counted)
    else { return }
    bestEligible = counted
  }

  /// Whether an epoch excludes every revocation that counts.
  private func isEligible(_ epoch: CountingEpoch) -> Bool {
    isEligible(excludes: epoch.announcement.excludes, base: epoch.announcement.base)
  }

  private func isEligible(excludes: [FrameHash], base: EpochID?) -> Bool {
    guard revocations.areAllNamed else { return false }
    guard revocations.namedCount > 0 else { return true }
    var covered = revocations.counting(among: excludes)
    _ = cover(&covered, from: base.flatMap { numbers[$0] })
    return covered.count == revocations.namedCount
  }

  /// Adds the revocations that count and that an epoch and its bases name. Returns whether the
  /// chain ends within its bound.
  ///
  /// - Parameter isWhole: whether to continue to the end after all are covered.
  private func cover(_ covered: inout Set<Int>, from epoch: Int?, isWhole: Bool = false) -> Bool {
    var next = epoch
    for _ in 0..<Limits.epochBases where isWhole || covered.count < revocations.namedCount {
      guard let epoch = next else { return true }
      guard let resolved = epochs[epoch].resolved else { return false }
      covered.formUnion(announcements[resolved].covered)
      next = announcements[resolved].base
    }
    return next == nil
  }

  /// The eligible epochs, best first: those that exclude every revocation that counts here.
  var eligible: [EpochID] {
    guard revocations.areAllNamed else { return [] }
    return counting.ordered { isEligible(excludes: $0.excludes, base: $0.base) }
  }

  /// Returns the best eligible epoch among some.
  func firstEligible(among ids: some Sequence<EpochID>) -> EpochID? {
    guard revocations.areAllNamed else { return nil }
    return counting.first(among: ids) { isEligible($0) }?.announcement.id
  }

  /// Returns the base of a new epoch if more revocations count than it can name, and the
  /// revocations that remain. Of the first epochs in order, the base is the one that excludes most.
  func base(excluding counted: Set<FrameHash>) -> (epoch: EpochID?, left: Set<FrameHash>) {
    var best: (epoch: EpochID, covered: Set<Int>)?
    for id in counting.ordered(first: Self.basesTried, where: { _ in true }) {
      var covered: Set<Int> = []
      guard cover(&covered, from: numbers[id], isWhole: true),
        covered.count > best?.covered.count ?? 0
      else { continue }
      best = (id, covered)
    }
    guard let best else { return (nil, counted) }
    return (
      best.epoch,
      counted.filter { revocations.number(of: $0).map { !best.covered.contains($0) } ?? true }
    )
  }
}

extension CountingEpoch {
  /// Returns nil if the announcement does not count because of the standing of its log.
  fileprivate init?(
    _ announcement: EpochAnnouncement, at place: AnnouncementPosition,
    _ standing: ControlLogStanding
  ) {
    guard standing.counts(announcement, at: place.sequence) else { return nil }
    self.init(
      announcement: announcement, rank: standing.rank, certificate: standing.certificate,
      isCommand: standing.isCommand, place: place)
  }
}
