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
struct CountingEpochs: Hashable, Sendable {
  private var announced: [EpochID: [CountingEpoch]] = [:]
  private var commandGenerations: Set<UInt32> = []

  mutating func add(_ epoch: CountingEpoch) {
    if epoch.isCommand { commandGenerations.insert(epoch.announcement.generation) }
    announced[epoch.announcement.id, default: []].append(epoch)
  }

  /// The best announcement of an epoch; nil where none counts.
  func best(_ id: EpochID) -> CountingEpoch? {
    guard let announcements = announced[id] else { return nil }
    let reach = reach
    return announcements.min { precedes($0, $1, reach: reach) }
  }

  subscript(id: EpochID) -> EpochAnnouncement? { best(id)?.announcement }

  var count: Int { announced.count }

  /// Ids in ascending order.
  var ids: [EpochID] { announced.keys.sorted() }

  /// The greatest generation of a commander that is reachable; 0 where there is none.
  var reach: UInt32 {
    var reach: UInt32 = 0
    for generation in commandGenerations.sorted() {
      guard generation - reach <= Limits.epochStep else { break }
      reach = generation
    }
    return reach
  }

  /// The epochs of which some announcement satisfies a condition, the best one first.
  func ordered(where condition: (EpochAnnouncement) -> Bool) -> [EpochID] {
    let reach = reach
    let best = announced.values.compactMap { announcements in
      announcements.filter { condition($0.announcement) }
        .min { precedes($0, $1, reach: reach) }
    }
    return best.sorted { precedes($0, $1, reach: reach) }.map(\.announcement.id)
  }

  private func precedes(_ left: CountingEpoch, _ right: CountingEpoch, reach: UInt32) -> Bool {
    #if Canary
      if Canary.greatestGenerationWins.isPlanted {
        return (right.announcement.generation, left.announcement.id)
          < (left.announcement.generation, right.announcement.id)
      }
    #endif
    if left.isCommand != right.isCommand { return left.isCommand }
    let (leftReached, rightReached) = (isReachable(left, reach), isReachable(right, reach))
    if leftReached != rightReached { return leftReached }
    let (ours, theirs) = (left.announcement, right.announcement)
    if ours.generation != theirs.generation { return ours.generation > theirs.generation }
    if left.rank != right.rank { return left.rank < right.rank }
    return (left.certificate, ours.id) < (right.certificate, theirs.id)
  }

  private func isReachable(_ epoch: CountingEpoch, _ reach: UInt32) -> Bool {
    let most = epoch.isCommand ? UInt64(reach) : UInt64(reach) + UInt64(Limits.epochStep)
    return UInt64(epoch.announcement.generation) <= most
  }
}
