import MusterModel
import MusterReplica
import MusterStore

/// The revocations of a run so far.
struct RevocationRecord {
  var acknowledged: [Revoked] = []
  /// Devices that may have been revoked: the command failed, and may be on the disk.
  var possible: Set<DeviceID> = []
}

/// An acknowledged revocation.
struct Revoked {
  /// Indices in the world's list of nodes.
  let by: Int
  let target: Int
  /// The accepted frames of the target, which its revoker held, by their names in dots: their
  /// positions change if a log turns out to have branches.
  let held: Set<Bytes16>
  /// The last frame of the revoker's control log at that time; nil if a council revoked.
  let frame: FramePlace?
}

/// Revocation of devices.
extension World {
  /// Revokes a device, or votes against a member of the council. Ignored if the revoker is not
  /// running, or may not.
  func revoke(_ target: SimulatedNode, by node: SimulatedNode) throws {
    guard !council.members.contains(target.index) else {
      return try vote(against: target, by: node)
    }
    guard node.isRunning else { return }
    let held = try frames(of: target, heldBy: node)
    let failures = node.failures.values.reduce(0, +)
    let done = try command(node) { replica, clock in
      ((), try replica.revoke(target.credentials.device, now: clock))
    }
    guard done != nil else {
      if !node.isRunning || node.failures.values.reduce(0, +) > failures {
        revocations.possible.insert(target.credentials.device)
      }
      return
    }
    trace.note(.wrote, at: now, node: node.index, [])
    tally.fire(.revocation)
    revocations.acknowledged.append(
      Revoked(
        by: node.index, target: target.index, held: held, frame: try newestControlFrame(of: node)))
  }

  func frames(
    of author: SimulatedNode, heldBy node: SimulatedNode
  ) throws -> Set<Bytes16> {
    var names: Set<Bytes16> = []
    for log in try node.store.logs()
    where log.opening.certificate == author.credentials.certificate {
      for sequence in 0...log.head.sequence {
        let place = FramePlace(log: log.head.log, sequence: sequence)
        if let hash = try node.store.hash(of: place) { names.insert(hash.raw.prefix) }
      }
    }
    return names
  }

  private func newestControlFrame(of node: SimulatedNode) throws -> FramePlace {
    let own = try node.store.logs().first { log in
      log.opening.lane == .control && log.opening.incarnation == node.life?.incarnation
    }
    guard let head = own?.head else { preconditionFailure("\(node.name) wrote nothing") }
    return FramePlace(log: head.log, sequence: head.sequence)
  }

  /// Returns false for revoked devices and clones.
  func isPromisedOthersWork(_ node: SimulatedNode) -> Bool {
    node.isRunning && !isRevoked(node) && !forkers.contains(node.index)
  }

  /// Returns whether it was revoked or may have been, whichever nodes know.
  func isRevoked(_ node: SimulatedNode) -> Bool { isRevoked(node.credentials.device) }

  func isRevoked(_ device: DeviceID) -> Bool {
    revocations.possible.contains(device) || council.usurped.contains(device)
      || revocations.acknowledged.contains { nodes[$0.target].credentials.device == device }
  }
}
