import MusterModel
import MusterReplica

/// A council of commanders, and thieves of their laptops.
///
/// A thief revokes all other devices by rank and votes against all other members. The honest
/// members vote against the thief when the scenario orders so, at the latest at the heal. Then only
/// the thief is revoked.
extension World {
  /// The root key signs a council. Ignored if the founder is not running.
  func makeCouncil(of names: [String]) throws {
    let members = names.map(node)
    council.members = members.map(\.index)
    let devices = members.map(\.credentials.device)
    let done = try command(nodes[0]) { [rootKey = council.rootKey] replica, clock in
      ((), try replica.proposeCouncil(of: devices, by: rootKey, now: clock))
    }
    guard done != nil else { return }
    trace.note(.wrote, at: now, node: 0, [])
    tally.fire(.council)
  }

  /// A thief with a commander's laptop acts against all others. Ignored if it is not running.
  func usurp(_ thief: SimulatedNode) throws {
    guard thief.isRunning, !isRevoked(thief) else { return }
    tally.fire(.usurpation)
    council.usurpers.insert(thief.index)
    let devices = Set(nodes.map(\.credentials.device)).subtracting([thief.credentials.device])
    let members = try devices.filter { try isMember($0, shownBy: thief) }.sorted()
    // What a thief does before it acts against a member stays.
    for target in members {
      try command(thief) { ((), try $0.revoke(target, now: $1)) }
      try command(thief) { ((), try $0.revokeByRank(target, now: $1)) }
    }
    for target in devices.subtracting(members).sorted() {
      council.usurped.insert(target)
      try command(thief) { ((), try $0.revokeByRank(target, now: $1)) }
    }
    trace.note(.wrote, at: now, node: thief.index, [])
  }

  /// A member votes against another. Ignored if it is not running, or does not hold the council.
  func vote(against target: SimulatedNode, by node: SimulatedNode) throws {
    let device = target.credentials.device
    guard node.isRunning, council.members.contains(node.index), try isMember(device, shownBy: node)
    else {
      return
    }
    let held = try frames(of: target, heldBy: node)
    guard try command(node, { ((), try $0.revoke(device, now: $1)) }) != nil else { return }
    trace.note(.wrote, at: now, node: node.index, [])
    var cast = council.votes[target.index] ?? Votes()
    cast.voters.insert(node.index)
    cast.held.formUnion(held)
    council.votes[target.index] = cast
    guard cast.voters.count == council.members.count / 2 + 1 else { return }
    tally.fire(.revocation)
    council.usurpers.remove(target.index)
    if council.usurpers.isEmpty { council.usurped = [] }
    revocations.acknowledged.append(
      Revoked(by: node.index, target: target.index, held: cast.held, frame: nil))
  }

  /// Returns whether no thief is left that the council has not revoked. The honest members vote
  /// once they hold the council.
  func haveUsurpersBeenRevoked() throws -> Bool {
    for thief in council.usurpers.sorted() {
      for member in council.members where !council.usurpers.contains(member) {
        guard council.votes[thief]?.voters.contains(member) != true else { continue }
        try vote(against: nodes[thief], by: nodes[member])
      }
    }
    return council.usurpers.isEmpty
  }

  private func isMember(_ device: DeviceID, shownBy node: SimulatedNode) throws -> Bool {
    try node.change { try $0.devices() }?.contains { $0.id == device && $0.isCouncilMember }
      ?? false
  }
}

/// The council of a run, and what became of its members.
struct CouncilRecord {
  /// The root key, which signs councils.
  var rootKey: RootKey?
  /// Indices in the world's list of nodes.
  var members: [Int] = []
  /// Thieves with a member's laptop that the council has not revoked.
  var usurpers: Set<Int> = []
  /// Devices that these revoked: they return once the council has voted.
  var usurped: Set<DeviceID> = []
  /// By target, the votes that honest members cast.
  var votes: [Int: Votes] = [:]
}

/// The votes against one member.
struct Votes {
  /// Indices in the world's list of nodes.
  var voters: Set<Int> = []
  /// The frames of the member that any voter held, by their names in dots.
  var held: Set<Bytes16> = []
}
