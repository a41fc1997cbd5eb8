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
/// its frames are not held, and a chain is looked at once. An announcement more costs its own
/// names, unless others build on its epoch.
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
  /// Revocations that count and are named.
  private var namedCount = 0
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
    let excludes: [Int]
    /// How many of these are not held.
    var missing: Int
    /// Nil where it does not count.
    var counting: CountingEpoch?
  }

  private struct Epoch: Sendable {
    let id: EpochID
    var announcements: [Int] = []
    /// The one that stands for it where others build on it: the best that counts, else the first.
    var resolved: Int?
    var isBase = false
  }

  private struct NamedFrame: Sendable {
    var isHeld: Bool
    var counts: Bool
    var namedBy: [Int] = []
  }

  /// What an epoch builds on.
  private struct Chain: Sendable {
    /// Announcements, its own included; nil where one is not here, or where they are too many.
    let length: Int?
    /// Whether all frames that they name are held.
    let isHeld: Bool
  }

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
    if let base { epochs[base].isBase = true }
    let own = announcements.count
    let excludes = announcement.excludes.map { name($0, by: own) }
    announcements.append(
      Announcement(
        value: announcement, place: place, base: base, excludes: excludes,
        missing: excludes.count { !frames[$0].isHeld },
        counting: CountingEpoch(announcement, at: place, standing)))
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
    if !areResolvedStale { resolve(epoch) }
    if !areChainsStale { judge(epoch) }
    changed.insert(epochs[epoch].id)
    guard !isBestStale, let counted, isFit(counted) else { return }
    if bestFitting.map({ counting.precedes(counted, $0) }) ?? true { bestFitting = counted }
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

  private mutating func name(_ frame: FrameHash, by announcement: Int) -> Int {
    let number: Int
    if let known = frameNumbers[frame] {
      number = known
    } else {
      number = frames.count
      frameNumbers[frame] = number
      let counts = unnamed.remove(frame) != nil
      if counts {
        namedCount += 1
        if unnamed.isEmpty { isBestStale = true }
      }
      frames.append(NamedFrame(isHeld: held.contains(frame), counts: counts))
    }
    frames[number].namedBy.append(announcement)
    return number
  }

  /// A frame that revokes somebody is held.
  mutating func hold(_ frame: FrameHash) {
    guard held.insert(frame).inserted, let number = frameNumbers[frame] else { return }
    frames[number].isHeld = true
    for announcement in frames[number].namedBy { announcements[announcement].missing -= 1 }
    areChainsStale = true
  }

  /// A revocation counts from now on.
  mutating func count(_ frame: FrameHash) {
    guard let number = frameNumbers[frame] else {
      if unnamed.insert(frame).inserted { isBestStale = true }
      return
    }
    guard !frames[number].counts else { return }
    frames[number].counts = true
    namedCount += 1
    isBestStale = true
  }

  /// These revocations count, and no others.
  mutating func count(only counted: Dictionary<FrameHash, [Revocation]>.Keys) {
    for number in frames.indices { frames[number].counts = false }
    (namedCount, unnamed, isBestStale) = (0, [], true)
    for frame in counted { count(frame) }
  }

  /// Finds out again what stands for an epoch.
  private mutating func resolve(_ epoch: Int) {
    let ofEpoch = epochs[epoch].announcements
    var best: Int?
    for candidate in ofEpoch {
      guard let counted = announcements[candidate].counting else { continue }
      guard let known = best.flatMap({ announcements[$0].counting }) else {
        best = candidate
        continue
      }
      if counting.precedes(counted, known) { best = candidate }
    }
    let resolved =
      best ?? ofEpoch.min { announcements[$0].place < announcements[$1].place }
    guard resolved != epochs[epoch].resolved else { return }
    epochs[epoch].resolved = resolved
    guard epochs[epoch].isBase else {
      chains[epoch] = nil
      return
    }
    areChainsStale = true
    isBestStale = true
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
    let id = epochs[epoch].id
    var isWithheld = true
    for own in epochs[epoch].announcements where announcements[own].missing == 0 {
      if let base = announcements[own].base {
        let chain = chain(of: base)
        guard chain.isHeld, chain.length != nil else { continue }
      }
      isWithheld = false
      break
    }
    if isWithheld ? withheld.insert(id).inserted : withheld.remove(id) != nil {
      changed.insert(id)
    }
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

  /// Whether an epoch excludes every revocation that counts.
  private func isFit(_ epoch: CountingEpoch) -> Bool {
    isFit(excludes: epoch.announcement.excludes, base: epoch.announcement.base)
  }

  private func isFit(excludes: [FrameHash], base: EpochID?) -> Bool {
    guard unnamed.isEmpty else { return false }
    guard namedCount > 0 else { return true }
    var covered: Set<Int> = []
    for frame in excludes {
      if let number = frameNumbers[frame], frames[number].counts { covered.insert(number) }
    }
    var next = base.flatMap { numbers[$0] }
    for _ in 0..<Limits.epochBases where covered.count < namedCount {
      guard let epoch = next, let resolved = epochs[epoch].resolved else { break }
      for number in announcements[resolved].excludes where frames[number].counts {
        covered.insert(number)
      }
      next = announcements[resolved].base
    }
    return covered.count == namedCount
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
    return counting.ordered(among: ids).first { isFit($0) }?.announcement.id
  }

  /// The revocations that an epoch excludes, its own and those of the epochs that it builds on;
  /// whole where all of these are known.
  func excluded(by epoch: EpochAnnouncement) -> (frames: Set<FrameHash>, isWhole: Bool) {
    var frames = Set(epoch.excludes)
    var base = epoch.base
    for _ in 0..<Limits.epochBases {
      guard let next = base else { return (frames, true) }
      guard let resolved = numbers[next].flatMap({ epochs[$0].resolved }) else {
        return (frames, false)
      }
      let below = announcements[resolved].value
      frames.formUnion(below.excludes)
      base = below.base
    }
    return (frames, base == nil)
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
