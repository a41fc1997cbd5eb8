import MusterModel

/// A council of commanders, the thieves of their laptops, and the votes against these.
///
/// A thief revokes all other devices by rank and votes against all other members. The honest
/// members vote against the thief when the scenario orders so, at the latest at the heal. Then only
/// the thief is revoked. A vote that a restore took from the last device is cast again. Nodes are
/// identified by their index.
struct Council {
  var members: [Int] = []
  /// Members whose laptops were stolen.
  private var thieves: Set<Int> = []
  private var revokedByThieves: Set<DeviceID> = []
  /// By target and voter, the votes that honest members cast.
  private var votes: [Int: [Int: Vote]] = [:]

  /// A member's vote against another.
  struct Vote {
    /// The evidence that states it: one item each time the member voted.
    let evidence: Set<EvidenceID>
    /// The frames of the target that the member held, by their names in dots.
    let held: Set<Bytes16>
  }

  /// Thieves with a member's laptop that the council has not revoked.
  var usurpers: Set<Int> { thieves.filter { !hasRevoked($0) } }

  /// Devices that these revoked: they return once the council has voted.
  var usurped: Set<DeviceID> { usurpers.isEmpty ? [] : revokedByThieves }

  mutating func add(usurper: Int) { thieves.insert(usurper) }

  mutating func noteUsurped(_ device: DeviceID) { revokedByThieves.insert(device) }

  func hasVoted(_ member: Int, against target: Int) -> Bool { votes[target]?[member] != nil }

  /// Whether a majority voted against a member.
  private func hasRevoked(_ target: Int) -> Bool { votes[target]?.count ?? 0 >= quorum }

  private var quorum: Int { members.count / 2 + 1 }

  /// Counts a vote. Returns the frames that any voter held if it completes a majority, by which
  /// the target is revoked.
  mutating func count(_ vote: Vote, against target: Int, by member: Int) -> Set<Bytes16>? {
    let isFirst = !hasVoted(member, against: target)
    votes[target, default: [:]][member] = votes[target]?[member]?.joined(with: vote) ?? vote
    guard isFirst, let cast = votes[target], cast.count == quorum else { return nil }
    return cast.values.reduce(into: []) { $0.formUnion($1.held) }
  }

  /// Forgets the votes that no device holds any more.
  ///
  /// - Returns: the targets that a majority revoked before, and does not now.
  mutating func keepVotes(in held: Set<EvidenceID>) -> Set<Int> {
    let revoked = votes.keys.filter(hasRevoked)
    votes = votes.mapValues { cast in
      cast.filter { !$0.value.evidence.isDisjoint(with: held) }
    }
    return Set(revoked.filter { !hasRevoked($0) })
  }
}

extension Council.Vote {
  fileprivate func joined(with other: Self) -> Self {
    Self(evidence: evidence.union(other.evidence), held: held.union(other.held))
  }
}
