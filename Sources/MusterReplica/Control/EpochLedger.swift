internal import MusterModel
internal import MusterSync

/// The announced epochs: which are eligible for new frames, and whose keys may be passed on.
///
///     announcement ─▶ excluded revocations ─▶ all held?      ─▶ the key may be passed on
///        │ base                            ─▶ all that count? ─▶ eligible for new frames
///        ▼
///     the announcement that represents the base (`resolved`), at most `Limits.epochBases` deep
///
/// An epoch excludes the revocations that its announcement and its bases name. No sets are merged:
/// epochs and named frames have numbers. Each announcement stores the number of its named frames
/// that are missing, and lists those whose revocations count. Each chain is computed once. Another
/// announcement costs its own names and the chains that contain its epoch.
struct EpochLedger: Sendable {
  /// The epochs that count.
  private(set) var counting = CountingEpochs()
  /// If a revocation that counts has no name, no epoch is eligible.
  private var revocations = RevocationFrames()
  private var announcements: [Announcement] = []
  private var numbers: [EpochID: Int] = [:]
  private var epochs: [Epoch] = []
  /// The chain of each epoch, by number; nil until computed again after a change.
  private var chains: [Chain?] = []
  private(set) var withheld: Set<EpochID> = []
  private(set) var bestEligible: CountingEpoch?
  private var stale = Staleness()
  /// New epochs, and those whose keys became or ceased to be withheld.
  private var changed: Set<EpochID> = []

  private struct Announcement: Sendable {
    let value: EpochAnnouncement
    let place: AnnouncementPosition
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
    /// The announcement that represents the epoch as a base: the best that counts, else the first.
    var resolved: Int?
    /// Epochs with an announcement that builds on it.
    var dependents: [Int] = []
  }

  /// What is computed again before it is read.
  private struct Staleness: Sendable {
    var resolved = false
    var chains = false
    var best = false

    static let everything = Staleness(resolved: true, chains: true, best: true)
  }

  /// An epoch with the bases that it builds on.
  private struct Chain: Sendable {
    /// The number of announcements, its own included; nil if one is missing or they are too many.
    let length: Int?
    /// Whether all named frames are held.
    let isHeld: Bool
  }

  /// The largest number of announcements that are judged one by one.
  private static let fewAnnouncements = 64
  /// The number of epochs that are considered as the base of a new one.
  private static let basesTried = 256

  init() {}

  /// Creates a ledger without announcements.
  ///
  /// - Parameters:
  ///   - held: frames with revocations that this node holds.
  ///   - announced: the epochs of the previous ledger; `takeChanged` returns them once.
  init(held: Set<FrameHash>, forgetting announced: Set<EpochID>) {
    revocations = RevocationFrames(held: held)
    changed = announced
  }

  /// Frames with revocations that this node holds, whether they count or not.
  var held: Set<FrameHash> { revocations.held }

  /// The announced epochs.
  var announced: Set<EpochID> {
    Set(epochs.lazy.filter { !$0.announcements.isEmpty }.map(\.id))
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
  mutating func add(
    _ entry: ControlLog.Entry<EpochAnnouncement>, index: Int, of log: LogID,
    standing: ControlLogStanding
  ) {
    guard standing.announces else { return }
    let announcement = entry.value
    let place = AnnouncementPosition(
      certificate: standing.certificate, log: log, sequence: entry.sequence, index: index)
    let epoch = number(of: announcement.id)
    let base = announcement.base.map { number(of: $0) }
    if let base, epochs[base].dependents.last != epoch { epochs[base].dependents.append(epoch) }
    let own = announcements.count
    announcements.append(
      Announcement(
        value: announcement, place: place, base: base, missing: 0,
        counting: CountingEpoch(announcement, at: place, standing)))
    for frame in announcement.excludes { name(frame, by: own) }
    epochs[epoch].announcements.append(own)
    file(own, of: epoch)
  }

  private mutating func file(_ own: Int, of epoch: Int) {
    let reach = counting.reach
    let counted = announcements[own].counting
    if let counted { counting.add(counted) }
    if counting.reach != reach {
      stale.best = true
      if counting.hasRepeated { (stale.resolved, stale.chains) = (true, true) }
    }
    if !stale.resolved, stands(own, for: epoch) { resolve(epoch, to: own) }
    if !stale.chains { judge(epoch, by: own) }
    changed.insert(epochs[epoch].id)
    promote(own)
  }

  /// Determines again which epochs count, after the standing of logs that announce epochs changed.
  mutating func judge(by standings: [LogID: ControlLogStanding]) {
    counting = CountingEpochs()
    for index in announcements.indices {
      let (value, place) = (announcements[index].value, announcements[index].place)
      announcements[index].counting = standings[place.log].flatMap {
        CountingEpoch(value, at: place, $0)
      }
      if let counted = announcements[index].counting { counting.add(counted) }
    }
    stale = .everything
  }

  private mutating func number(of id: EpochID) -> Int {
    if let known = numbers[id] { return known }
    numbers[id] = epochs.count
    epochs.append(Epoch(id: id))
    chains.append(nil)
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
    guard !stale.chains else { return }
    stale.chains = complete.count > Self.fewAnnouncements
    guard !stale.chains else { return }
    for own in complete {
      guard let epoch = numbers[announcements[own].value.id] else { continue }
      judge(epoch, by: own)
      if epochs[epoch].resolved == own { _ = judgeDependents(of: epoch) }
    }
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
    guard !stale.chains else {
      if !epochs[epoch].dependents.isEmpty { stale.best = true }
      return
    }
    let dependents = judgeDependents(of: epoch)
    guard !stale.best else { return }
    if let best = bestEligible, numbers[best.announcement.id].map(dependents.contains) ?? false {
      stale.best = true
    } else {
      for own in dependents.flatMap({ epochs[$0].announcements }) { promote(own) }
    }
  }

  /// Judges again the epochs that build on an epoch whose chain changed, and returns them. The
  /// largest length of a chain bounds the search.
  private mutating func judgeDependents(of epoch: Int) -> Set<Int> {
    var (level, reached) = ([epoch], Set([epoch]))
    chains[epoch] = nil
    for _ in 0..<Limits.epochBases where !level.isEmpty {
      level = level.flatMap { epochs[$0].dependents }.filter { reached.insert($0).inserted }
      for dependent in level { chains[dependent] = nil }
    }
    reached.remove(epoch)
    for dependent in reached { judge(dependent) }
    return reached
  }

  // MARK: Judging

  /// Applies the changes. Call this before reading `withheld` and `bestEligible`.
  mutating func settle() {
    counting.settle()
    if stale.resolved {
      stale.resolved = false
      for epoch in epochs.indices { resolve(epoch) }
    }
    if stale.chains {
      stale.chains = false
      for epoch in chains.indices { chains[epoch] = nil }
      for epoch in epochs.indices { judge(epoch) }
    }
    if stale.best {
      stale.best = false
      bestEligible = revocations.areAllNamed ? counting.first { isEligible($0) } : nil
    }
  }

  /// Withholds an epoch's key until one of its announcements is fulfilled. An unfulfilled one names
  /// a missing revocation, so this node may still take an excluded device for a member. One is
  /// enough: a device that announces an epoch falsely has its key anyway.
  private mutating func judge(_ epoch: Int) {
    guard !epochs[epoch].announcements.isEmpty else { return }
    var isAnyFulfilled = false
    for own in epochs[epoch].announcements where !isAnyFulfilled {
      isAnyFulfilled = isFulfilled(own)
    }
    withhold(epoch, unless: isAnyFulfilled)
  }

  /// Does the same after one announcement, or the last frame that it names, has arrived.
  private mutating func judge(_ epoch: Int, by own: Int) {
    let isFirst = epochs[epoch].announcements.count == 1
    guard isFirst || withheld.contains(epochs[epoch].id) else { return }
    withhold(epoch, unless: isFulfilled(own))
  }

  private mutating func withhold(_ epoch: Int, unless isFulfilled: Bool) {
    let id = epochs[epoch].id
    if isFulfilled ? withheld.remove(id) != nil : withheld.insert(id).inserted {
      changed.insert(id)
    }
  }

  private mutating func isFulfilled(_ own: Int) -> Bool {
    guard announcements[own].missing == 0 else { return false }
    guard let base = announcements[own].base else { return true }
    let chain = chain(of: base)
    return chain.isHeld && chain.length != nil
  }

  private mutating func chain(of epoch: Int) -> Chain {
    if let known = chains[epoch] { return known }
    // Walk down to a known chain, a missing base or a cycle, then compute upwards.
    var path: [Int] = []
    var onPath: Set<Int> = []
    var below = Chain(length: 0, isHeld: true)
    var next: Int? = epoch
    while let current = next {
      if let known = chains[current] {
        below = known
        break
      }
      guard let resolved = epochs[current].resolved, onPath.insert(current).inserted else {
        below = Chain(length: nil, isHeld: false)
        break
      }
      path.append(current)
      next = announcements[resolved].base
    }
    for current in path.reversed() {
      guard let resolved = epochs[current].resolved else { continue }
      let length = below.length.map { $0 + 1 }.flatMap { $0 <= Limits.epochBases ? $0 : nil }
      below = Chain(
        length: length, isHeld: below.isHeld && announcements[resolved].missing == 0)
      chains[current] = below
    }
    return chains[epoch] ?? below
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
