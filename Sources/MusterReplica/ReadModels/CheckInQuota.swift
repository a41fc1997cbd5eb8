internal import MusterModel

/// Which timers are held in memory: a bounded number of each author for people of one owner, those
/// with the least ids, and a bounded number of each author.
///
/// Invariants: a share has at most `Limits.checkInsPerShare` ids in order, and an author at most
/// `Limits.checkInsPerAuthor`.
struct CheckInQuota: Sendable {
  /// The timers that one author started for people of one owner.
  struct Share: Hashable, Sendable {
    let owner: UserID
    let author: UserID
  }

  /// Whether a timer is held.
  struct Admission {
    var isHeld: Bool
    /// The timer that is held no more.
    var displaced: RowID?
  }

  private var held: [Share: [RowID]] = [:]
  private var counts: [UserID: Int] = [:]
  /// Shares and authors with timers in the store that are not held.
  private var crowded: Set<UserID> = []
  /// By device, how many timers were not held since the last reading.
  private(set) var excess: [DeviceID: UInt64] = [:]
  private var wantsReload = false
  private var reloadedAt: Int64 = .min

  private static let reloadMilliseconds: Int64 = 60_000

  /// Admits a timer, or rejects it.
  ///
  /// - Parameter device: of the author; nil if unknown.
  mutating func admit(_ id: RowID, to share: Share, by device: DeviceID?) -> Admission {
    var ids = held[share] ?? []
    let place = ids.firstPlace { $0 >= id }
    let isShareFull = ids.count >= Limits.checkInsPerShare
    let isFull = isShareFull || counts[share.author, default: 0] >= Limits.checkInsPerAuthor
    guard !isFull || (isShareFull && place < ids.count) else {
      noteExcess(of: share.author, by: device)
      return Admission(isHeld: false)
    }
    var admission = Admission(isHeld: true)
    if isFull {
      admission.displaced = ids.removeLast()
      noteExcess(of: share.author, by: device)
    } else {
      counts[share.author, default: 0] += 1
    }
    ids.insert(id, at: place)
    held[share] = ids
    return admission
  }

  private mutating func noteExcess(of author: UserID, by device: DeviceID?) {
    crowded.insert(author)
    if let device { excess[device, default: 0] += 1 }
  }

  /// Removes a held timer, which may be admitted again.
  mutating func remove(_ id: RowID, from share: Share) {
    guard var ids = held[share] else { return }
    let place = ids.firstPlace { $0 >= id }
    guard place < ids.count, ids[place] == id else { return }
    ids.remove(at: place)
    held[share] = ids.isEmpty ? nil : ids
    counts[share.author, default: 1] -= 1
    if counts[share.author] == 0 { counts[share.author] = nil }
  }

  /// Records that a held timer has ended: another one of its author may take its place.
  mutating func noteEnd(in share: Share) {
    if crowded.contains(share.author) { wantsReload = true }
  }

  /// Whether all timers are to be read again, at most once a minute.
  mutating func takeReload(at time: Int64) -> Bool {
    guard wantsReload, reloadedAt == .min || time - reloadedAt >= Self.reloadMilliseconds
    else { return false }
    (wantsReload, reloadedAt) = (false, time)
    return true
  }

  /// Begins again, for a reading of all timers.
  mutating func removeAll() { (held, counts, crowded, excess) = ([:], [:], [], [:]) }
}
