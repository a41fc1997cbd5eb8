internal import MusterModel
internal import MusterSync

/// The councils, with their members, proposals and votes.
struct CouncilList {
  let context: ReadContext

  /// Returns the councils that count and are not replaced, that of the root key first, and then the
  /// proposals.
  func councils() throws -> [CouncilSummary] {
    let set = context.control.councils
    let current = set.current.sorted {
      (set.depth(of: $0.council), $0.hash) < (set.depth(of: $1.council), $1.hash)
    }
    return try (current.map { ($0, true) } + set.proposed.map { ($0, false) })
      .map { try summary(of: $0.0.hash, $0.0.council, counts: $0.1) }
  }

  private func summary(
    of hash: CouncilHash, _ council: Council, counts: Bool
  ) throws -> CouncilSummary {
    let set = context.control.councils
    let parent = set.counting[council.parent]
    return CouncilSummary(
      id: hash, parent: council.parent == .root ? nil : council.parent, serial: council.serial,
      counts: counts, quorum: council.quorum,
      members: try members(of: hash, council),
      cases: try set.targets(in: hash).map { try votes(against: $0, in: hash, council) },
      endorsedBy: try set.endorsers(of: hash, council).compactMap { member in
        try set.listed[member].map { try context.callsign(of: $0.signed.certificate.user) }
      }.sorted(),
      endorsementsNeeded: parent?.quorum ?? 0)
  }

  private func members(
    of hash: CouncilHash, _ council: Council
  ) throws -> [CouncilSummary.Member] {
    let carried = context.control.councils.endorsement(of: hash)?.certificates
    return try council.members.compactMap { carried?[$0]?.certificate }.map { certificate in
      CouncilSummary.Member(
        device: certificate.device, callsign: try context.callsign(of: certificate.user),
        isThisDevice: certificate.device == context.local.device,
        isRevoked: context.control.isRevoked(certificate.device))
    }.sorted { ($0.callsign, $0.device) < ($1.callsign, $1.device) }
  }

  private func votes(
    against device: DeviceID, in hash: CouncilHash, _ council: Council
  ) throws -> CouncilSummary.Case {
    let set = context.control.councils
    let voters = set.voters(against: device, in: hash)
      .compactMap { set.listed[$0]?.signed.certificate.user }
    let user = set.listed.values.map(\.signed.certificate).first { $0.device == device }?.user
    return CouncilSummary.Case(
      device: device, callsign: try user.map { try context.callsign(of: $0) } ?? device.short,
      voters: try voters.map { try context.callsign(of: $0) }.sorted(),
      isDecided: context.control.state.councils.councils[device]?.contains(hash) ?? false)
  }

  /// Members with votes against them, too few so far, by device.
  var disputedMembers: [DeviceSummary] {
    get throws {
      let targets = Set(
        context.control.councils.current.flatMap { context.control.councils.targets(in: $0.hash) }
      )
      .filter { !context.control.isRevoked($0) }
      guard !targets.isEmpty else { return [] }
      return try context.devices().filter { targets.contains($0.id) && $0.isDisputed }
    }
  }
}

extension CouncilSet {
  /// Whether a device is a member of a council that is not replaced, and the votes against it where
  /// they are nearest to a quorum.
  func standing(of device: DeviceID) -> (isMember: Bool, votes: Int, quorum: Int) {
    let tallies = current.filter { _, council in
      lists(device, in: council)
    }.map { hash, council in
      (votes: voters(against: device, in: hash).count, quorum: council.quorum)
    }
    let nearest = tallies.min {
      ($0.quorum - $0.votes, $0.quorum) < ($1.quorum - $1.votes, $1.quorum)
    }
    return (!tallies.isEmpty, nearest?.votes ?? 0, nearest?.quorum ?? 0)
  }
}
