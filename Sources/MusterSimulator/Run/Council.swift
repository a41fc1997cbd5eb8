import MusterModel

/// A council of commanders, the thieves of their laptops, and the votes against these.
///
/// A thief revokes all other devices by rank and votes against all other members. The honest
/// members vote against the thief when the scenario orders so, at the latest at the heal. Then only
/// the thief is revoked. Nodes are identified by their index.
struct Council {
  var members: [Int] = []
  /// Thieves with a member's laptop that the council has not revoked.
  private(set) var usurpers: Set<Int> = []
  /// Devices that these revoked: they return once the council has voted.
  private(set) var usurped: Set<DeviceID> = []
  /// By target, the votes that honest members cast.
  private var votes: [Int: Votes] = [:]

  /// The votes against one member.
  private struct Votes {
    var voters: Set<Int> = []
    /// The frames of the member that any voter held, by their names in dots.
    var held: Set<Bytes16> = []
  }

  mutating func add(usurper: Int) { usurpers.insert(usurper) }

  mutating func noteUsurped(_ device: DeviceID) { usurped.insert(device) }

  func hasVoted(_ member: Int, against target: Int) -> Bool {
    votes[target]?.voters.contains(member) == true
  }

  /// Counts a vote. Returns the frames that any voter held if it completes a majority, by which
  /// the target is revoked.
  mutating func vote(
    against target: Int, by member: Int, held: Set<Bytes16>
  ) -> Set<Bytes16>? {
    var cast = votes[target] ?? Votes()
    cast.voters.insert(member)
    cast.held.formUnion(held)
    votes[target] = cast
    guard cast.voters.count == members.count / 2 + 1 else { return nil }
    usurpers.remove(target)
    if usurpers.isEmpty { usurped = [] }
    return cast.held
  }
}
