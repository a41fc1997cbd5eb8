internal import MusterModel
internal import MusterSync

/// What control logs announce of epochs: which are written under, and of which the key may be
/// handed on.
///
///     announcement ─▶ excluded revocations ─▶ all held?      ─▶ the key may be handed on
///        │ base                            ─▶ all that count? ─▶ fit to be written under
///        ▼
///     the announcement that stands for the base (`resolved`), at most `Limits.epochBases` deep
///
/// An epoch excludes what its announcement names and what its bases do. Nothing is united into
/// sets: epochs and the frames that they name have numbers, each announcement counts how many of
/// its frames are not held and lists those that count, and a chain is looked at once. One more
/// announcement costs its own names and the chains that lead through its epoch.
struct EpochLedger: Sendable {
  /// Those that count.
  private(set) var counting = CountingEpochs()
  /// Frames that revoke somebody and are held, whether they count or not.
  private(set) var held: Set<FrameHash> = []
  private var announcements: [Announcement] = []
  private var numbers: [EpochID: Int] = [:]
  private var epochs: [Epoch] = []
  private var frameNumbers: [FrameHash: Int] = [:]
  private var frames: [NamedFrame] = []
  /// Revocations that count and that no announcement names: while there are any, no epoch is fit.
  private var unnamed: Set<FrameHash> = []
  /// Frames with revocations that count and are named.
  private var namedCounting: Set<Int> = []
  /// By number of the epoch; empty after one has come to stand for another.
  private var chains: [Chain?] = []
  private(set) var withheld: Set<EpochID> = []
  private var areResolvedStale = false
  private var areChainsStale = false
  private(set) var bestFitting: CountingEpoch?
  private var isBestStale = false
  /// Epochs whose keys may be handed on now and could not, or the other way round.
  private var changed: Set<EpochID> = []

  private struct Announcement: Sendable {
    let value: EpochAnnouncement
    let place: AnnouncementPlace
    let base: Int?
    /// How many of the frames that it names are not held.
    var missing: Int
    /// Those of the frames that it names whose revocations count.
    var covered: [Int] = []
    /// Nil where it does not count.
    var counting: CountingEpoch?
  }

  private struct Epoch: Sendable {
    let id: EpochID
    var announcements: [Int] = []
    /// The one that stands for it where others build on it: the best that counts, else the first.
    var resolved: Int?
    /// Epochs with an announcement that builds on it.
    var dependents: [Int] = []
  }

  private struct NamedFrame: Sendable {
    var isHeld: Bool
    var namedBy: [Int] = []
  }

  /// What an epoch builds on.
  private struct Chain: Sendable {
    /// Announcements, its own included; nil where one is not here, or where they are too many.
    let length: Int?
    /// Whether all frames that they name are held.
    let isHeld: Bool
  }

  /// Up to so many announcements are judged one by one, of more all at once.
  private static let fewAnnouncements = 64
  /// So many epochs are considered as the base of a new one.
  private static let basesTried = 256

  init() {}

  /// Begins anew with nothing announced.
  ///
  /// - Parameter announced: what another ledger had, about which the caller has to hear again.
  init(held: Set<FrameHash>, forgetting announced: Set<EpochID>) {
    self.held = held
    changed = announced
  }

  /// Epochs of which anything was said.
  var announced: Set<EpochID> {
    Set(epochs.lazy.filter { !$0.announcements.isEmpty }.map(\.id))
  }

  func isAnnounced(_ id: EpochID) -> Bool {
    numbers[id].map { !epochs[$0].announcements.isEmpty } ?? false
  }

  /// Takes which epochs have changed since it was last asked for.
  mutating func takeChanged() -> Set<EpochID> {
    defer { changed = [] }
    return changed
  }

  // MARK: Adding

  /// Prepares for so many announcements: of more than a few all is judged at the end.
  mutating func expect(_ count: Int) {
    guard count > Self.fewAnnouncements else { return }
    (areResolvedStale, areChainsStale, isBestStale) = (true, true, true)
  }

  /// Adds what one log announces, in its place.
  mutating func add(
    _ entry: ControlLog.Entry<EpochAnnouncement>, index: Int, of log: LogID,
    standing: ControlLogStanding
  ) {
    guard standing.announces else { return }
    let announcement = entry.value
    let place = AnnouncementPlace(
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
      isBestStale = true
      if counting.hasRepeated { (areResolvedStale, areChainsStale) = (true, true) }
    }
    if !areResolvedStale, stands(own, for: epoch) { resolve(epoch, to: own) }
    if !areChainsStale { judge(epoch, by: own) }
    changed.insert(epochs[epoch].id)
    promote(own)
  }

  /// Logs that announce epochs count for more or less than before: which of the epochs count is
  /// found out again.
  mutating func judge(by standings: [LogID: ControlLogStanding]) {
    counting = CountingEpochs()
    for index in announcements.indices {
      let (value, place) = (announcements[index].value, announcements[index].place)
      announcements[index].counting = standings[place.log].flatMap {
        CountingEpoch(value, at: place, $0)
      }
      if let counted = announcements[index].counting { counting.add(counted) }
    }
    (areResolvedStale, areChainsStale, isBestStale) = (true, true, true)
  }

  private mutating func number(of id: EpochID) -> Int {
    if let known = numbers[id] { return known }
    numbers[id] = epochs.count
    epochs.append(Epoch(id: id))
    chains.append(nil)
    return epochs.count - 1
  }

  private mutating func name(_ frame: FrameHash, by announcement: Int) {
    let number: Int
    if let known = frameNumbers[frame] {
      number = known
    } else {
      number = frames.count
      frameNumbers[frame] = number
      frames.append(NamedFrame(isHeld: held.contains(frame)))
      if unnamed.remove(frame) != nil {
        namedCounting.insert(number)
        if unnamed.isEmpty { isBestStale = true }
      }
    }
    frames[number].namedBy.append(announcement)
    if !frames[number].isHeld { announcements[announcement].missing += 1 }
    if namedCounting.contains(number) { announcements[announcement].covered.append(number) }
  }

  /// A frame that revokes somebody is held.
  mutating func hold(_ frame: FrameHash) {
    guard held.insert(frame).inserted, let number = frameNumbers[frame] else { return }
    frames[number].isHeld = true
    var complete: [Int] = []
    for own in frames[number].namedBy {
      announcements[own].missing -= 1
      if announcements[own].missing == 0 { complete.append(own) }
    }
    guard !areChainsStale else { return }
    areChainsStale = complete.count > Self.fewAnnouncements
    guard !areChainsStale else { return }
    for own in complete {
      guard let epoch = numbers[announcements[own].value.id] else { continue }
      judge(epoch, by: own)
      if epochs[epoch].resolved == own { _ = judgeDependents(of: epoch) }
    }
  }

  /// A revocation counts from now on.
  mutating func count(_ frame: FrameHash) {
    guard let number = frameNumbers[frame] else {
      if unnamed.insert(frame).inserted { isBestStale = true }
      return
    }
    guard namedCounting.insert(number).inserted else { return }
    for announcement in frames[number].namedBy {
      announcements[announcement].covered.append(number)
    }
    isBestStale = true
  }

  /// These revocations count, and no others.
  mutating func count(only counted: Dictionary<FrameHash, [Revocation]>.Keys) {
    for number in namedCounting {
      for announcement in frames[number].namedBy { announcements[announcement].covered = [] }
    }
    (namedCounting, unnamed, isBestStale) = ([], [], true)
    for frame in counted { count(frame) }
  }

  /// Whether an announcement stands for its epoch in place of the one that did.
  private func stands(_ own: Int, for epoch: Int) -> Bool {
    guard let resolved = epochs[epoch].resolved else { return true }
    guard let known = announcements[resolved].counting else {
      return announcements[own].counting != nil
        || announcements[own].place < announcements[resolved].place
    }
    return announcements[own].counting.map { counting.precedes($0, known) } ?? false
  }

  /// Finds out again what stands for an epoch.
  private mutating func resolve(_ epoch: Int) {
    epochs[epoch].resolved = nil
    for own in epochs[epoch].announcements where stands(own, for: epoch) {
      epochs[epoch].resolved = own
    }
  }

  /// An announcement stands for an epoch from now on.
  private mutating func resolve(_ epoch: Int, to own: Int) {
    epochs[epoch].resolved = own
    guard !areChainsStale else {
      if !epochs[epoch].dependents.isEmpty { isBestStale = true }
      return
    }
    let dependents = judgeDependents(of: epoch)
    guard !isBestStale else { return }
    if let best = bestFitting, numbers[best.announcement.id].map(dependents.contains) ?? false {
      isBestStale = true
    } else {
      for own in dependents.flatMap({ epochs[$0].announcements }) { promote(own) }
    }
  }

  /// Judges again what builds on an epoch that leads to something else now, and returns it. Further
  /// than a chain may be long nothing changes.
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

  /// To be called after a change, before `withheld` and `bestFitting` are read.
  mutating func settle() {
    counting.settle()
    if areResolvedStale {
      areResolvedStale = false
      for epoch in epochs.indices { resolve(epoch) }
    }
    if areChainsStale {
      areChainsStale = false
      for epoch in chains.indices { chains[epoch] = nil }
      for epoch in epochs.indices { judge(epoch) }
    }
    if isBestStale {
      isBestStale = false
      bestFitting = unnamed.isEmpty ? counting.first { isFit($0) } : nil
    }
  }

  /// An epoch's key may not be handed on while none of its announcements is fulfilled: they name a
  /// revocation that is not here, so that somebody whom they exclude may still be taken for a
  /// member. One is enough: whoever lies about an epoch has its key as well.
  private mutating func judge(_ epoch: Int) {
    guard !epochs[epoch].announcements.isEmpty else { return }
    var isAnyFulfilled = false
    for own in epochs[epoch].announcements where !isAnyFulfilled {
      isAnyFulfilled = isFulfilled(own)
    }
    withhold(epoch, unless: isAnyFulfilled)
  }

  /// The same where one announcement is new, or what it names has come.
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
    // Down to what is known, or is not here, or closes a circle; then up again.
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

  /// Makes an announcement the best fit one if it is.
  private mutating func promote(_ own: Int) {
    guard !isBestStale, let counted = announcements[own].counting,
      bestFitting.map({ counting.precedes(counted, $0) }) ?? true, isFit(counted)
    else { return }
    bestFitting = counted
  }

  /// Whether an epoch excludes every revocation that counts.
  private func isFit(_ epoch: CountingEpoch) -> Bool {
    isFit(excludes: epoch.announcement.excludes, base: epoch.announcement.base)
  }

  private func isFit(excludes: [FrameHash], base: EpochID?) -> Bool {
    guard unnamed.isEmpty else { return false }
    guard !namedCounting.isEmpty else { return true }
    var covered: Set<Int> = []
    for frame in excludes {
      if let number = frameNumbers[frame], namedCounting.contains(number) { covered.insert(number) }
    }
    _ = cover(&covered, from: base.flatMap { numbers[$0] })
    return covered.count == namedCounting.count
  }

  /// Adds the revocations that count and that an epoch and its bases name. Returns whether the
  /// chain ends within its bound.
  ///
  /// - Parameter isWhole: whether to go on to its end when all are covered.
  private func cover(_ covered: inout Set<Int>, from epoch: Int?, isWhole: Bool = false) -> Bool {
    var next = epoch
    for _ in 0..<Limits.epochBases where isWhole || covered.count < namedCounting.count {
      guard let epoch = next else { return true }
      guard let resolved = epochs[epoch].resolved else { return false }
      covered.formUnion(announcements[resolved].covered)
      next = announcements[resolved].base
    }
    return next == nil
  }

  /// The epochs that may be written under, best first: those that exclude every revocation that
  /// counts here.
  var fitting: [EpochID] {
    guard unnamed.isEmpty else { return [] }
    return counting.ordered { isFit(excludes: $0.excludes, base: $0.base) }
  }

  /// The first fit epoch of some.
  func firstFitting(among ids: some Sequence<EpochID>) -> EpochID? {
    guard unnamed.isEmpty else { return nil }
    return counting.first(among: ids) { isFit($0) }?.announcement.id
  }

  /// What a new epoch builds on where more revocations count than it can name: of the first
  /// epochs in order the one that, with its bases, excludes most; and the revocations that are
  /// left.
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
      counted.filter { frameNumbers[$0].map { !best.covered.contains($0) } ?? true }
    )
  }
}

extension CountingEpoch {
  /// Nil where the announcement does not count by what its log counts for.
  fileprivate init?(
    _ announcement: EpochAnnouncement, at place: AnnouncementPlace,
    _ standing: ControlLogStanding
  ) {
    guard standing.counts(announcement, at: place.sequence) else { return nil }
    self.init(
      announcement: announcement, rank: standing.rank, certificate: standing.certificate,
      isCommand: standing.isCommand, place: place)
  }
}
