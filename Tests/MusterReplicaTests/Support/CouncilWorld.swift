import MusterCrypto
import MusterModel
import MusterSync

@testable import MusterReplica

/// A council of `size` commanders, some of them thieves, and everything that each may sign.
///
/// The honest vote against every thief, cut at the frame before the theft, and endorse one child
/// that replaces the thieves. A thief votes against everybody, for itself, too often, endorses any
/// child, and in its control log revokes an honest member and a commander who is no member, and
/// certifies an accomplice.
struct CouncilWorld {
  enum Item: Hashable {
    case endorsement(Endorsement)
    case vote(SignedVote)
  }

  struct Device {
    let key: SigningKey
    let certificate: SignedCertificate
    let log: LogID
    let opening: Opening
    /// The operations of its control log, a frame each.
    var frames: [MusterSync.Operation] = []

    var device: DeviceID { certificate.certificate.device }
  }

  let operation: OperationID
  let rootKey: VerifyingKey
  private let root: SigningKey
  private var random: DeterministicRandom
  private(set) var members: [Device] = []
  let thieves: [Int]
  /// A commander of the root who is no member.
  private(set) var spare: Device
  /// By thief, the device that it certified before the theft.
  private(set) var juniors: [Int: SignedCertificate] = [:]
  /// By thief, the device that it certified after it.
  private(set) var accomplices: [Int: SignedCertificate] = [:]
  let council: Council
  /// Of the honest members, and the spare commander.
  private(set) var child: Council
  /// Of thieves and accomplices, as far as these suffice, and others.
  private(set) var takeover: Council
  let base: CouncilSet
  let certificates: [CertificateHash: SignedCertificate]
  private let rootFrames: [MusterSync.Operation]
  private let rootOpening: Opening

  /// The frames of a thief's log before the theft.
  static let before = 1

  init?(size: Int, thieves: [Int], seed: UInt8 = 1) {
    var random = DeterministicRandom(seed: [UInt8](repeating: seed, count: 32))
    let root = random.signingKey()
    let operation = OperationID(rootKey: root.publicKey)
    func device(
      _ role: Role, issuer: CertificateHash, _ key: SigningKey
    ) -> Device {
      let own = random.signingKey()
      let signed = SignedCertificate(
        Certificate(
          operation: operation, issuer: issuer,
          user: UserID(operation: operation, firstDeviceKey: own.publicKey),
          signingKey: own.publicKey, agreementKey: random.agreementKey().publicKey, role: role),
        signedBy: key)
      let opening = Opening(
        certificate: signed.hash, incarnation: Incarnation(raw: random.bytes16()), generation: 1,
        lane: .control)
      return Device(
        key: own, certificate: signed, log: LogID(operation: operation, opening: opening),
        opening: opening)
    }
    var members = (0..<size).map { _ in device(.command, issuer: .root, root) }
    let spare = device(.command, issuer: .root, root)
    var (juniors, accomplices) = ([Int: SignedCertificate](), [Int: SignedCertificate]())
    let honest = members.indices.filter { !thieves.contains($0) }
    for thief in thieves {
      let (hash, key) = (members[thief].certificate.hash, members[thief].key)
      let junior = device(.member, issuer: hash, key).certificate
      let accomplice = device(.command, issuer: hash, key).certificate
      (juniors[thief], accomplices[thief]) = (junior, accomplice)
      members[thief].frames = [
        .certificate(junior),
        .revocation(Revocation(device: members[honest[0]].device, cuts: [], keeps: [])),
        .revocation(Revocation(device: spare.device, cuts: [], keeps: [])),
        .certificate(accomplice),
      ]
    }
    let hashes = members.map(\.certificate.hash)
    let takeoverMembers = thieves.map { hashes[$0] } + accomplices.values.map(\.hash).sorted()
    guard
      let council = Council(operation: operation, parent: .root, serial: 1, members: hashes),
      let child = Council(
        operation: operation, parent: council.hash, serial: 1,
        members: honest.map { hashes[$0] } + [spare.certificate.hash]),
      let takeover = Council(
        operation: operation, parent: council.hash, serial: 1,
        members: Array((takeoverMembers + [spare.certificate.hash]).prefix(size)))
    else { return nil }
    var base = CouncilSet()
    let chains = (members + [spare]).map { [$0.certificate] }
    base.restore(Endorsement(council, by: .root, signedBy: root, chains: chains))
    (self.operation, rootKey, self.root, self.random) = (operation, root.publicKey, root, random)
    (self.members, self.thieves, self.spare) = (members, thieves, spare)
    (self.juniors, self.accomplices) = (juniors, accomplices)
    (self.council, self.child, self.takeover, self.base) = (council, child, takeover, base)
    let all = members.map(\.certificate) + [spare.certificate]
    rootFrames = all.map { .certificate($0) }
    let known = all + juniors.values + accomplices.values
    certificates = Dictionary(uniqueKeysWithValues: known.map { ($0.hash, $0) })
    rootOpening = Opening(
      certificate: .root, incarnation: Incarnation(raw: .zero), generation: 1, lane: .control)
  }

  var honest: [Int] { members.indices.filter { !thieves.contains($0) } }

  // MARK: What is signed

  func endorse(_ council: Council, by member: Int) -> Item {
    .endorsement(
      Endorsement(
        council, by: members[member].certificate.hash, signedBy: members[member].key,
        chains: certificates.keys.sorted().map(chain)))
  }

  private func chain(of hash: CertificateHash) -> [SignedCertificate] {
    var (chain, next) = ([SignedCertificate](), hash)
    while let signed = certificates[next] {
      chain.append(signed)
      next = signed.certificate.issuer
    }
    return chain
  }

  /// - Parameter end: the last frame of the device's control log that is left; nil for none.
  func vote(
    in council: CouncilHash? = nil, by voter: Device, against device: Device, end: UInt64?,
    keeps: [CertificateHash]
  ) -> Item {
    let cuts = end.map { [Head(log: device.log, sequence: $0, hash: FrameHash(raw: .zero))] }
    let vote = Vote(
      operation: operation, council: council ?? self.council.hash,
      voter: voter.certificate.hash,
      revocation: Revocation(device: device.device, cuts: cuts ?? [], keeps: keeps))
    return .vote(SignedVote(vote, signedBy: voter.key, chain: chain(of: voter.certificate.hash)))
  }

  /// What an honest member votes of a thief.
  func honestVote(by voter: Int, against thief: Int) -> Item {
    vote(
      by: members[voter], against: members[thief], end: UInt64(Self.before),
      keeps: juniors[thief].map { [$0.hash] } ?? [])
  }

  /// A vote that would leave a thief everything.
  func leniency(by voter: Int, towards thief: Int) -> Item {
    vote(
      by: members[voter], against: members[thief], end: 1000,
      keeps: [juniors[thief], accomplices[thief]].compactMap { $0?.hash })
  }

  /// More votes about one device than an honest member casts.
  func flood(by voter: Int, against device: Int) -> [Item] {
    (0...UInt64(Limits.votesPerTarget)).map {
      vote(by: members[voter], against: members[device], end: 500 + $0, keeps: [])
    }
  }

  // MARK: What follows

  /// Adds items until nothing more is accepted.
  func insert(_ items: [Item], into set: inout CouncilSet, waiting: inout [Item]) {
    var left = waiting + items
    while true {
      let before = left.count
      left = left.filter { item in
        let verdict =
          switch item {
          case .endorsement(let signed): set.insert(signed)
          case .vote(let signed): set.insert(signed)
          }
        return verdict == .waits
      }
      if left.count == before { break }
    }
    waiting = left
  }

  /// - Parameter frames: by thief, how many frames of its control log are held.
  func evidence(frames: [Int: Int]) -> ControlEvaluation.Evidence {
    var evidence = ControlEvaluation.Evidence()
    func hold(_ log: LogID, _ certificate: CertificateHash, _ frames: [MusterSync.Operation]) {
      var contents = ControlLog(certificate: certificate)
      for (index, operation) in frames.enumerated() {
        var writer = ByteWriter()
        writer.append(log)
        writer.append(UInt64(index))
        _ = contents.add(
          [operation], sequence: UInt64(index + 1),
          hash: FrameHash(raw: Blake2b.hash256(writer.bytes)))
      }
      evidence.logs[log] = contents
      evidence.logsOf[certificate, default: []].insert(log)
    }
    hold(LogID(operation: operation, opening: rootOpening), .root, rootFrames)
    for (thief, count) in frames {
      let device = members[thief]
      hold(device.log, device.certificate.hash, Array(device.frames.prefix(count)))
    }
    return evidence
  }

  func evaluation(
    _ set: CouncilSet, _ evidence: ControlEvaluation.Evidence,
    signatures: inout VerifiedSignatures
  ) -> ControlEvaluation {
    var evidence = evidence
    evidence.membership = EvidenceSet(councils: set)
    let rules = ControlEvaluation.Rules(operation: operation, rootKey: rootKey, ownChain: [])
    return ControlEvaluation(evidence, rules: rules, signatures: &signatures)
  }

  // MARK: Properties

  /// What is wrong with an outcome; nil where every property holds.
  ///
  /// - Parameter items: all that was signed and has arrived.
  func fault(in state: ControlEvaluation, _ set: CouncilSet, items: Set<Item>) -> String? {
    for member in honest {
      if state.cuts.covers(members[member].device) { return "honest member \(member) is revoked" }
      if state.admitted[members[member].certificate.hash] == nil {
        return "honest member \(member) does not count"
      }
    }
    if set.counting[takeover.hash] != nil { return "the thieves' council counts" }
    let endorsed = honest.count { items.contains(endorse(child, by: $0)) }
    if endorsed >= council.quorum, set.counting[child.hash] == nil {
      return "the honest members' child does not count"
    }
    if set.counting[child.hash] != nil, state.cuts.covers(spare.device) {
      return "a member of the child is revoked by a thief"
    }
    var isSpareThreatened = false
    for thief in thieves {
      let voices = honest.count { items.contains(honestVote(by: $0, against: thief)) }
      let device = members[thief]
      guard voices >= council.quorum else {
        isSpareThreatened = true
        continue
      }
      guard state.cuts.covers(device.device) else { return "thief \(thief) is not revoked" }
      if state.cuts.leave(UInt64(Self.before + 1), of: device.log, by: device.device) {
        return "a frame of thief \(thief) counts past the cut"
      }
      if let accomplice = accomplices[thief], state.admitted[accomplice.hash] != nil {
        return "an accomplice of thief \(thief) counts"
      }
      if let junior = juniors[thief], state.admitted[junior.hash] == nil {
        return "the device that thief \(thief) certified before the theft does not count"
      }
    }
    if !isSpareThreatened, state.cuts.covers(spare.device) {
      return "a commander that the thieves revoked does not return"
    }
    return nil
  }
}
