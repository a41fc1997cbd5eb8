internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Proposals of councils, endorsements and votes, signed by this device or by the root key.
struct CouncilDraft {
  let local: LocalDevice
  let control: ControlPlane

  /// Returns the first endorsement of a council of some devices.
  func proposal(of devices: [DeviceID], by rootKey: RootKey?) throws -> Endorsement {
    let members = try devices.map { try councilMember($0) }
    guard Set(members.map(\.certificate.user)).count == members.count else {
      throw Refusal("a council has one device of each user: name each user once")
    }
    guard Limits.councilMembers.contains(members.count) else {
      throw Refusal(
        "a council has \(Limits.councilMembers.lowerBound) to "
          + "\(Limits.councilMembers.upperBound) members: \(members.count) are named")
    }
    return try rootKey.map { try rootCouncil(of: members, by: $0) } ?? childCouncil(of: members)
  }

  /// Returns this device's endorsement of a proposal.
  func endorsement(of reference: String?) throws -> Endorsement {
    let proposal = try proposal(named: reference)
    guard let parent = control.councils.counting[proposal.council.parent],
      parent.members.contains(local.certificate.hash)
    else {
      throw Refusal(
        "this device is not a member of the council that decides about the proposal", .notAllowed)
    }
    guard
      !control.councils.endorsers(of: proposal.hash, proposal.council)
        .contains(local.certificate.hash)
    else { throw Refusal("this device has endorsed the proposal already") }
    let chains = proposal.council.members.compactMap { proposal.certificates.chain(of: $0) }
    return Endorsement(
      proposal.council, by: local.certificate.hash, signedBy: local.signingKey,
      chains: chains + [local.chain.certificates])
  }

  /// Rejects an endorsement that others would not count.
  func check(_ endorsement: Endorsement) throws(Refusal) {
    // One more would count as an endorsement of every child.
    guard
      endorsement.signer == .root
        || control.councils.endorsements(by: endorsement.signer, under: endorsement.council.parent)
          < Limits.endorsementsPerMember
    else {
      throw Refusal(
        "this device has endorsed \(Limits.endorsementsPerMember) councils, which is the most: let "
          + "another member propose one, or use the root key", .notAllowed)
    }
    guard endorsement.holds(operation: local.operation, rootKey: local.rootKey) else {
      throw Refusal("the certificates of the members cannot be proved to others from here")
    }
  }

  /// Returns this device's votes to revoke a member, in each council that lists both.
  func votes(
    against device: DeviceID, _ revocation: () throws -> Revocation
  ) throws -> [SignedVote] {
    let councils = control.councils.current.filter { _, council in
      council.members.contains(local.certificate.hash)
        && control.councils.lists(device, in: council)
    }
    guard !councils.isEmpty else {
      throw Refusal(
        "device \(device.short) is a member of a council that does not list this device: only its "
          + "members, or a new council by the root key, can revoke it", .notAllowed)
    }
    let open = councils.filter { hash, _ in
      let seat = CouncilSet.Seat(council: hash, member: local.certificate.hash)
      return control.councils.voice(on: .init(seat: seat, device: device)) == nil
    }
    guard !open.isEmpty else {
      throw Refusal(
        "this device has already voted to revoke \(device.short): the votes of other members are "
          + "needed", .unfit)
    }
    let revocation = try revocation()
    return open.map { hash, _ in
      SignedVote(
        Vote(
          operation: local.operation, council: hash, voter: local.certificate.hash,
          revocation: revocation),
        signedBy: local.signingKey, chain: local.chain.certificates)
    }
  }

  private func councilMember(_ device: DeviceID) throws -> SignedCertificate {
    let admitted = control.admissions.filter { $0.signed.certificate.device == device }
    guard let best = admitted.min(by: { ($0.rank, $0.signed.hash) < ($1.rank, $1.signed.hash) })
    else {
      throw Refusal("no device \(device.short) is known here: see muster device list", .unknown)
    }
    guard best.signed.certificate.role == .command else {
      throw Refusal(
        "device \(device.short) is not a command device: only commanders are in a council")
    }
    guard !control.isRevoked(device) else {
      throw Refusal("device \(device.short) is revoked: it cannot be in a council")
    }
    return best.signed
  }

  private func rootCouncil(
    of members: [SignedCertificate], by rootKey: RootKey
  ) throws -> Endorsement {
    guard rootKey.signingKey.publicKey == local.rootKey else {
      throw Refusal("this is the root key of another operation")
    }
    let stays = control.state.councils.revoked.keys.sorted()
    let last = control.councils.serial ?? 0
    guard last < .max, stays.count <= Limits.councilStays,
      let council = Council(
        operation: local.operation, parent: .root, serial: last + 1,
        members: members.map(\.hash), stays: stays)
    else {
      throw Refusal(
        "more than \(Limits.councilStays) devices are revoked by votes, too many for a new council")
    }
    return Endorsement(
      council, by: .root, signedBy: rootKey.signingKey,
      chains: members.compactMap { control.chain(of: $0) })
  }

  private func childCouncil(of members: [SignedCertificate]) throws -> Endorsement {
    guard let parent = ownCouncil else {
      throw Refusal(
        control.councils.current.isEmpty
          ? "there is no council yet: the first one needs the root key (--root-key)"
          : "this device is not a member of a council: let a member propose, or use --root-key",
        .notAllowed)
    }
    guard
      let council = Council(
        operation: local.operation, parent: parent.hash, serial: parent.council.serial,
        members: members.map(\.hash))
    else { throw Refusal("the council cannot be made of these members") }
    return Endorsement(
      council, by: local.certificate.hash, signedBy: local.signingKey,
      chains: members.compactMap { control.chain(of: $0) } + [local.chain.certificates])
  }

  /// Of the councils that count and list this device, the one furthest from the root's.
  private var ownCouncil: (hash: CouncilHash, council: Council)? {
    control.councils.current.filter { $0.council.members.contains(local.certificate.hash) }
      .max {
        (control.councils.depth(of: $0.council), $1.hash)
          < (control.councils.depth(of: $1.council), $0.hash)
      }
  }

  private func proposal(named reference: String?) throws -> Endorsement {
    let waiting = control.councils.proposed.filter { proposal in
      reference.map { IdentifierPrefix($0)?.begins(proposal.hash) ?? false } ?? true
    }
    guard let only = waiting.first, let signed = control.councils.endorsement(of: only.hash) else {
      throw Refusal(
        reference.map { "no proposal here has an id that begins with \($0)" }
          ?? "no proposal waits for endorsements", .unknown)
    }
    guard waiting.count == 1 else {
      let ids = waiting.prefix(8).map { String($0.hash.description.prefix(8)) }
        .joined(separator: ", ")
      throw Refusal("\(waiting.count) proposals wait: name one of \(ids)", .unknown)
    }
    return signed
  }
}
