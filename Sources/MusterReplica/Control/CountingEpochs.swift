internal import MusterModel
internal import MusterSync

/// An announcement of an epoch that counts, and its author.
struct CountingEpoch: Hashable, Sendable {
  let announcement: EpochAnnouncement
  /// The number of certificates between the author and the root.
  let rank: Int
  /// The author's certificate.
  let certificate: CertificateHash
  /// Whether the author is a `command` device or the root.
  let isCommand: Bool
  /// The position of the announcement.
  let place: AnnouncementPosition
}

/// The position of an announcement in the order in which control logs are evaluated. It decides
/// between two announcements of one epoch by one author.
struct AnnouncementPosition: Hashable, Comparable, Sendable {
  let certificate: CertificateHash
  let log: LogID
  let sequence: UInt64
  /// The index among the epochs of the log.
  let index: Int

  static func < (left: AnnouncementPosition, right: AnnouncementPosition) -> Bool {
    (left.certificate, left.log, left.index) < (right.certificate, right.log, right.index)
  }
}

/// The epochs that count, in the order of preference for new frames.
///
/// Of the epochs that exclude every revocation, the best is:
///
/// 1. an epoch by a commander before one by a member;
/// 2. an epoch with a *reachable* generation before one without;
/// 3. the one with the greatest generation;
/// 4. the one whose author is nearest to the root, then has the lowest certificate hash, then the
///    one with the lowest epoch id.
///
/// A commander's generation is reachable if there is no gap of more than `Limits.epochStep` among
/// zero and the commanders' generations up to it. A member's generation is reachable if it is at
/// most `Limits.epochStep` above the greatest reachable one of a commander. A single epoch with a
/// very large generation therefore does not win forever: a commander who rotates the key takes the
/// greatest reachable generation plus one, which is preferred. The author of an epoch can search
/// for a low id, so the id decides only between epochs of one author. Unreachable generations come
/// last but stay valid: an honest epoch whose predecessors were cut off is used if there is no
/// better one.
///
/// The lists are sorted by generation, so another epoch costs one search, and the reachable epochs
/// are a suffix.
struct CountingEpochs: Hashable, Sendable {
  private var epochs: [CountingEpoch] = []
  /// Indices into `epochs`, by id.
  private var places: [EpochID: [Int]] = [:]
  /// The index of the best announcement of each id.
  private var bests: [EpochID: Int] = [:]
  /// Epochs with several announcements that count.
  private var repeated: Set<EpochID> = []
  /// Indices of the commanders' announcements, best first.
  private var commanders: [Int] = []
  /// Indices of the members' announcements, best first.
  private var members: [Int] = []
  /// The number of epochs that these two lists contain.
  private var sortedCount = 0
  /// The distinct generations of commanders, in ascending order.
  private var commandGenerations: [UInt32] = []
  /// The greatest reachable generation of a commander; 0 if there is none.
  private(set) var reach: UInt32 = 0

  /// Whether an epoch has several announcements that count.
  var hasRepeated: Bool { !repeated.isEmpty }

  /// All announcements that count, in no particular order.
  var announcements: [CountingEpoch] { epochs }

  mutating func add(_ epoch: CountingEpoch) {
    let (id, own) = (epoch.announcement.id, epochs.count)
    places[id, default: []].append(own)
    epochs.append(epoch)
    let before = reach
    if epoch.isCommand || Self.ignoresMakers { extendReach(by: epoch.announcement.generation) }
    if reach != before {
      for id in repeated { bests[id] = firstInOrder(of: id) }
    }
    guard let known = bests[id] else {
      bests[id] = own
      return
    }
    repeated.insert(id)
    if precedes(epoch, epochs[known]) { bests[id] = own }
  }

  private func firstInOrder(of id: EpochID) -> Int? {
    places[id]?.min { precedes(epochs[$0], epochs[$1]) }
  }

  /// Sorts the additions; without this call, each query sorts them.
  mutating func settle() {
    (commanders, members) = lists
    sortedCount = epochs.count
  }

  /// Both lists with the additions: a few are inserted, many are sorted with the rest.
  private var lists: (commanders: [Int], members: [Int]) {
    var (commanders, members) = (commanders, members)
    let isMany = epochs.count - sortedCount > 16
    for place in sortedCount..<epochs.count {
      if epochs[place].isCommand || Self.ignoresMakers {
        insert(place, into: &commanders, isMany: isMany)
      } else {
        insert(place, into: &members, isMany: isMany)
      }
    }
    guard isMany else { return (commanders, members) }
    return (
      commanders.sorted { Self.isBefore(epochs[$0], epochs[$1]) },
      members.sorted { Self.isBefore(epochs[$0], epochs[$1]) }
    )
  }

  private func insert(_ place: Int, into list: inout [Int], isMany: Bool) {
    guard !isMany else { return list.append(place) }
    list.insert(
      place, at: list.firstPlace { Self.isBefore(epochs[place], epochs[$0]) })
  }

  private mutating func extendReach(by generation: UInt32) {
    let place = commandGenerations.firstPlace { generation <= $0 }
    if place < commandGenerations.count, commandGenerations[place] == generation { return }
    commandGenerations.insert(generation, at: place)
    if Self.ignoresMakers { reach = .max }
    guard generation > reach else { return }
    for next in commandGenerations[place...] {
      guard next - reach <= Limits.epochStep else { break }
      reach = next
    }
  }

  /// Returns the best announcement of an epoch; nil if none counts.
  func best(_ id: EpochID) -> CountingEpoch? {
    bests[id].map { epochs[$0] }
  }

  subscript(id: EpochID) -> EpochAnnouncement? { best(id)?.announcement }

  var count: Int { places.count }

  /// Returns the first epochs that satisfy a condition, best first, without repetition.
  func ordered(
    first count: Int, where condition: (EpochID) throws -> Bool
  ) rethrows -> [EpochID] {
    var ids: [EpochID] = []
    for place in inOrder.joined() {
      guard ids.count < count else { break }
      let id = epochs[place].announcement.id
      if bests[id] == place, try condition(id) { ids.append(id) }
    }
    return ids
  }

  /// Returns the first of some epochs that count and satisfy a condition, best first.
  func ordered(
    first count: Int, among ids: Set<EpochID>, where condition: (EpochID) throws -> Bool
  ) rethrows -> [EpochID] {
    var ordered: [EpochID] = []
    for epoch in ids.compactMap(best).sorted(by: precedes) where ordered.count < count {
      let id = epoch.announcement.id
      if try condition(id) { ordered.append(id) }
    }
    return ordered
  }

  /// Returns the epochs with an announcement that satisfies a condition, best first.
  func ordered(where condition: (EpochAnnouncement) -> Bool) -> [EpochID] {
    var known: Set<EpochID> = []
    var ids: [EpochID] = []
    for part in inOrder {
      for place in part where !known.contains(epochs[place].announcement.id) {
        let announcement = epochs[place].announcement
        guard condition(announcement) else { continue }
        known.insert(announcement.id)
        ids.append(announcement.id)
      }
    }
    return ids
  }

  /// Returns the best announcement that satisfies a condition.
  func first(where condition: (CountingEpoch) -> Bool) -> CountingEpoch? {
    for part in inOrder {
      if let place = part.first(where: { condition(epochs[$0]) }) { return epochs[place] }
    }
    return nil
  }

  /// Returns the best announcement of some epochs that satisfies a condition.
  func first(
    among ids: some Sequence<EpochID>, where condition: (CountingEpoch) -> Bool
  ) -> CountingEpoch? {
    var found: CountingEpoch?
    for place in ids.lazy.flatMap({ places[$0] ?? [] }) {
      let epoch = epochs[place]
      guard found.map({ precedes(epoch, $0) }) ?? true, condition(epoch) else { continue }
      found = epoch
    }
    return found
  }

  /// Indices of all announcements, best first: the reachable ones of commanders, their others, and
  /// then the same of members.
  private var inOrder: [ArraySlice<Int>] {
    let lists = sortedCount == epochs.count ? (commanders, members) : lists
    return [(lists.0, UInt64(reach)), (lists.1, UInt64(reach) + UInt64(Limits.epochStep))].flatMap {
      list, most in
      let first = list.firstPlace { UInt64(epochs[$0].announcement.generation) <= most }
      return [list[first...], list[..<first]]
    }
  }

  func precedes(_ left: CountingEpoch, _ right: CountingEpoch) -> Bool {
    if !Self.ignoresMakers {
      if left.isCommand != right.isCommand { return left.isCommand }
      let (leftReached, rightReached) = (isReachable(left), isReachable(right))
      if leftReached != rightReached { return leftReached }
    }
    return Self.isBefore(left, right)
  }

  private func isReachable(_ epoch: CountingEpoch) -> Bool {
    let most = epoch.isCommand ? UInt64(reach) : UInt64(reach) + UInt64(Limits.epochStep)
    return UInt64(epoch.announcement.generation) <= most
  }

  /// Orders announcements whose authors' roles and reachability are equal.
  private static func isBefore(_ left: CountingEpoch, _ right: CountingEpoch) -> Bool {
    let (ours, theirs) = (left.announcement, right.announcement)
    if ours.generation != theirs.generation { return ours.generation > theirs.generation }
    if !ignoresMakers {
      if left.rank != right.rank { return left.rank < right.rank }
      if left.certificate != right.certificate { return left.certificate < right.certificate }
    }
    if ours.id != theirs.id { return ours.id < theirs.id }
    return left.place < right.place
  }

  private static var ignoresMakers: Bool {
    #if Canary
      return Canary.greatestGenerationWins.isPlanted
    #else
      return false
    #endif
  }
}
