import MusterAttackers
import MusterModel
import MusterReplica
import MusterStore

/// An acknowledged revocation.
struct Revoked {
  /// Indices in the world's list of nodes.
  let by: Int
  let target: Int
  /// The target's device.
  let device: DeviceID
  /// The accepted frames of the target, which its revoker held, by their names in dots: their
  /// positions change if a log turns out to have branches.
  let held: Set<Bytes16>
  /// The last frame of the revoker's control log at that time; nil if a council revoked.
  let frame: FramePosition?
}

/// Who was revoked in a run so far, by commanders and by the council.
///
/// A class, since a revocation is a command of a node, and checkers ask during that command.
final class Revocations {
  private(set) var acknowledged: [Revoked] = []
  /// Devices that may have been revoked: the command failed, and may be on the disk.
  private var possible: Set<DeviceID> = []
  private(set) var council = Council()
  private let rootKey: RootKey

  /// - Parameter rootKey: signs the council.
  init(rootKey: RootKey) { self.rootKey = rootKey }

  /// Returns whether it was revoked or may have been, whichever nodes know.
  func isRevoked(_ device: DeviceID) -> Bool {
    possible.contains(device) || council.usurped.contains(device)
      || acknowledged.contains { $0.device == device }
  }

  // MARK: Commanders

  /// Revokes a device, or votes against a member of the council. Ignored if the revoker is not
  /// running, or may not.
  func revoke(_ target: SimulatedNode, by node: SimulatedNode, in world: World) throws {
    guard !council.members.contains(target.index) else {
      return try vote(against: target, by: node, in: world)
    }
    guard node.isRunning else { return }
    let device = target.credentials.device
    let held = try frames(of: target, heldBy: node)
    let failures = node.counters.failureCount
    let done = try world.command(node) { ((), try $0.revoke(device, now: $1)) }
    guard done != nil else {
      if !node.isRunning || node.counters.failureCount > failures { possible.insert(device) }
      return
    }
    world.note(.wrote, at: node)
    world.record.fire(.revocation)
    acknowledged.append(
      Revoked(
        by: node.index, target: target.index, device: device, held: held,
        frame: try newestControlFrame(of: node)))
  }

  private func frames(
    of author: SimulatedNode, heldBy node: SimulatedNode
  ) throws -> Set<Bytes16> {
    var names: Set<Bytes16> = []
    for log in try node.store.logs()
    where log.opening.certificate == author.credentials.certificate {
      for sequence in 0...log.head.sequence {
        let place = FramePosition(log: log.head.log, sequence: sequence)
        if let hash = try node.store.hash(of: place) { names.insert(hash.raw.prefix) }
      }
    }
    return names
  }

  private func newestControlFrame(of node: SimulatedNode) throws -> FramePosition {
    let own = try node.store.logs().first { log in
      log.opening.lane == .control && log.opening.incarnation == node.incarnationState?.incarnation
    }
    guard let head = own?.head else { preconditionFailure("\(node.name) wrote nothing") }
    return FramePosition(log: head.log, sequence: head.sequence)
  }

  // MARK: The council

  /// The root key signs a council. Ignored if the founder is not running.
  func found(_ members: [SimulatedNode], in world: World) throws {
    council.members = members.map(\.index)
    let devices = members.map(\.credentials.device)
    let done = try world.command(world.nodes[0]) { [rootKey] replica, clock in
      ((), try replica.proposeCouncil(of: devices, by: rootKey, now: clock))
    }
    guard done != nil else { return }
    world.note(.wrote, at: world.nodes[0])
    world.record.fire(.council)
  }

  /// A thief with a commander's laptop acts against all others. Ignored if it is not running.
  func usurp(_ thief: SimulatedNode, in world: World) throws {
    let own = thief.credentials.device
    guard thief.isRunning, !isRevoked(own) else { return }
    world.record.fire(.usurpation)
    council.add(usurper: thief.index)
    let devices = Set(world.nodes.map(\.credentials.device)).subtracting([own])
    let members = try devices.filter { try isMember($0, shownBy: thief) }.sorted()
    // What a thief does before it acts against a member stays.
    for target in members {
      try world.command(thief) { ((), try $0.revoke(target, now: $1)) }
      try world.command(thief) { ((), try MaliciousMember.revokeByRank(&$0, target, now: $1)) }
    }
    for target in devices.subtracting(members).sorted() {
      council.noteUsurped(target)
      try world.command(thief) { ((), try MaliciousMember.revokeByRank(&$0, target, now: $1)) }
    }
    world.note(.wrote, at: thief)
  }

  /// A member votes against another. Ignored if it is not running, or does not hold the council.
  private func vote(
    against target: SimulatedNode, by node: SimulatedNode, in world: World
  ) throws {
    let device = target.credentials.device
    guard node.isRunning, council.members.contains(node.index), try isMember(device, shownBy: node)
    else {
      return
    }
    let held = try frames(of: target, heldBy: node)
    let before = try evidence(heldBy: [node])
    guard try world.command(node, { ((), try $0.revoke(device, now: $1)) }) != nil else { return }
    world.note(.wrote, at: node)
    let vote = Council.Vote(
      evidence: try evidence(heldBy: [node]).subtracting(before), held: held)
    guard let union = council.count(vote, against: target.index, by: node.index) else { return }
    world.record.fire(.revocation)
    acknowledged.append(
      Revoked(by: node.index, target: target.index, device: device, held: union, frame: nil))
  }

  /// Returns whether no thief is left that the council has not revoked. The honest members vote
  /// once they hold the council.
  func haveUsurpersBeenRevoked(in world: World) throws -> Bool {
    for thief in council.usurpers.sorted() {
      for member in council.members where !council.usurpers.contains(member) {
        guard !council.hasVoted(member, against: thief) else { continue }
        try vote(against: world.nodes[thief], by: world.nodes[member], in: world)
      }
    }
    return council.usurpers.isEmpty
  }

  /// After a restore: votes that no device but a thief's holds any more are not cast, and what they
  /// decided is open again.
  func forgetLostVotes(in world: World) throws {
    let honest = world.nodes.filter { !council.usurpers.contains($0.index) }
    let undecided = council.keepVotes(in: try evidence(heldBy: honest))
    acknowledged.removeAll { $0.frame == nil && undecided.contains($0.target) }
  }

  private func evidence(heldBy nodes: [SimulatedNode]) throws -> Set<EvidenceID> {
    try nodes.reduce(into: []) { $0.formUnion(try $1.store.evidence().map(\.id)) }
  }

  private func isMember(_ device: DeviceID, shownBy node: SimulatedNode) throws -> Bool {
    try node.change { try $0.queries.devices() }?.contains { $0.id == device && $0.isCouncilMember }
      ?? false
  }
}
