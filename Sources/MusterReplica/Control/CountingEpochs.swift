internal import MusterModel
internal import MusterSync

/// One announcement of an epoch that counts, and who made it.
struct CountingEpoch: Hashable, Sendable {
  let announcement: EpochAnnouncement
  /// Certificates between its maker and the root.
  let rank: Int
  /// The maker's.
  let certificate: CertificateHash
  /// Whether the maker is a `command` device or the root.
  let isCommand: Bool
  /// Where it was announced.
  let place: AnnouncementPlace
}

/// Where an epoch was announced, in the order in which control logs are evaluated: decides between
/// two announcements of one epoch by one maker.
struct AnnouncementPlace: Hashable, Comparable, Sendable {
  let certificate: CertificateHash
  let log: LogID
  let sequence: UInt64
  /// Among the epochs of its log.
  let index: Int

  static func < (left: AnnouncementPlace, right: AnnouncementPlace) -> Bool {
    (left.certificate, left.log, left.index) < (right.certificate, right.log, right.index)
  }
}

/// The epochs that count, and which of them is written under.
///
/// Of those that exclude every revocation the best is, in this order:
///
/// 1. one by a commander, before one by a member;
/// 2. one whose generation is *reachable*, before one whose generation is not;
/// 3. the greatest generation;
/// 4. the maker nearest to the root, then the one with the lowest certificate hash, then the
///    lowest epoch id.
///
/// A commander's generation is reachable if the commanders' generations up to it, and zero, leave
/// no gap of more than `Limits.epochStep`; a member's if it is at most `Limits.epochStep` above the
/// greatest reachable one of a commander. So nobody wins with one far generation for ever: a
/// commander who rotates takes the greatest reachable generation plus one, and comes first. An
/// epoch id can be ground by whoever makes the key, so it decides only between epochs of one maker.
/// Unreachable generations are last, not void: an honest epoch whose predecessors were cut off is
/// still written under where there is no better one.
///
/// Kept in order, so that an epoch more costs a search: what is reachable of a list sorted by
/// generation is a suffix of it.
struct CountingEpochs: Hashable, Sendable {
  private var epochs: [CountingEpoch] = []
  /// Where those of each id are.
  private var places: [EpochID: [Int]] = [:]
  /// The best announcement of each id.
  private var bests: [EpochID: Int] = [:]
  /// Epochs that count by several announcements.
  private var repeated: Set<EpochID> = []
  /// By generation, the greatest first; then by maker.
  private var commanders: [Int] = []
  /// The same.
  private var members: [Int] = []
  /// How many of `epochs` are in these.
  private var sortedCount = 0
  /// Of commanders, each once, ascending.
  private var commandGenerations: [UInt32] = []
  /// The greatest generation of a commander that is reachable; 0 where there is none.
  private(set) var reach: UInt32 = 0

  /// Whether an epoch counts by several announcements.
  var hasRepeated: Bool { !repeated.isEmpty }

  /// All announcements that count, in no order.
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

  /// Sorts what was added; without it, each reading does.
  mutating func settle() {
    (commanders, members) = lists
    sortedCount = epochs.count
  }

  /// A few are inserted, many sorted with the rest.
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

  /// The best announcement of an epoch; nil where none counts.
  func best(_ id: EpochID) -> CountingEpoch? {
    bests[id].map { epochs[$0] }
  }

  subscript(id: EpochID) -> EpochAnnouncement? { best(id)?.announcement }

  var count: Int { places.count }

  /// Ids in ascending order.
  var ids: [EpochID] { places.keys.sorted() }

  /// The first epochs that satisfy a condition, the best one first, each once.
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

  /// The epochs of which some announcement satisfies a condition, the best one first.
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

  /// The first announcement in order that satisfies a condition.
  func first(where condition: (CountingEpoch) -> Bool) -> CountingEpoch? {
    for part in inOrder {
      if let place = part.first(where: { condition(epochs[$0]) }) { return epochs[place] }
    }
    return nil
  }

  /// The first announcement in order, among those of some epochs, that satisfies a condition.
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

  /// All of them, the best one first: of commanders those that are reachable, the others, and then
  /// of members the same.
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

  /// The order of announcements that are alike by maker's role and reach.
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

extension Array {
  /// The first index whose element satisfies a condition that all elements after it satisfy too;
  /// the end where none does.
  fileprivate func firstPlace(where condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
