internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The result of a set of control logs, shown certificates and membership evidence.
///
///     councils' votes (`CouncilDecision`) ─▶ revocations of their members, listed certificates
///     rank 0 (the root's logs) ─▶ certificates of rank 1, revocations of any device
///     rank 1 ─▶ revocations of equal rank, all at once, even past one another's cuts
///            ─▶ remaining parts of their logs ─▶ certificates of rank 2, revocations below them
///     rank 2 ─▶ …
///
/// - A certificate counts if it is in the part that counts of its issuer's log and has the issuer's
///   signature. The issuer is the root or a `command` device at most `Limits.certificateChain`
///   certificates below the root.
/// - A revocation counts if it names a device of its author's rank or of a lower one, and no member
///   of a council: only the root and votes revoke members.
///
/// Most control frames do not affect other frames. `extend` adds such a frame at the cost of one
/// frame. It rejects a frame that may affect others; then everything is evaluated again. Both give
/// the same result in any order of arrival.
struct ControlEvaluation: Sendable {
  /// The inputs that do not change while a node runs.
  struct Rules: Sendable {
    let operation: OperationID
    let rootKey: VerifyingKey
    let ownChain: [SignedCertificate]
  }

  /// The cut-off frames of the revocations that count, and the released frames.
  var named: Set<Head> {
    revocations.values.joined().reduce(into: released) { $0.formUnion($1.cuts) }
  }

  /// The inputs that grow.
  struct Evidence: Sendable {
    var logs: [LogID: ControlLog] = [:]
    /// The logs opened with each certificate.
    var logsOf: [CertificateHash: Set<LogID>] = [:]
    /// The logs with revocations of each device, whether these count or not.
    var namedBy: [DeviceID: Set<LogID>] = [:]
    /// Certificates that arrived in chains up to the root.
    var shown = CertificateSet()
    /// Signed statements besides control frames and certificates.
    var membership = EvidenceSet()
    /// The trees of strands of forked logs, of all lanes.
    var lineage = Lineage()
  }

  private(set) var admitted: [CertificateHash: ControlPlane.Admission] = [:]
  private(set) var cuts: Cuts
  /// The decisions of the councils.
  let councils: CouncilDecision
  /// Certificates that councils list. They count with the rank of their chain.
  let listed: Set<CertificateHash>
  /// Frames past a cut that count because they were released.
  private(set) var released: Set<Head> = []
  /// The revocations that count, by frame.
  private(set) var revocations: [FrameHash: [Revocation]] = [:]
  /// The TLS certificates of command posts that are not revoked.
  private(set) var uplinks: [DeviceID: [UplinkCertificate]] = [:]
  /// The lowest rank of each device among the certificates evaluated so far.
  private(set) var ranks: [DeviceID: Int] = [:]
  /// The standing of each log whose certificate counts.
  private(set) var standings: [LogID: ControlLogStanding] = [:]
  /// The certificates that count of each device.
  private var certificates: [DeviceID: Set<CertificateHash>] = [:]
  /// By rank, the cuts by lower rank numbers, before devices of this rank revoke one another.
  private var cutsBySeniors: [Int: Cuts] = [:]

  init(_ evidence: Evidence, rules: Rules, signatures: inout VerifiedSignatures) {
    cuts = Cuts(evidence.lineage)
    councils = CouncilDecision(evidence.membership.councils, lineage: evidence.lineage)
    let members = evidence.membership.listed
    listed = Set(members.map(\.signed.hash))
    begin(with: members)
    for (log, contents) in evidence.logs(of: .root) {
      take(contents, log, rules: rules, signatures: &signatures)
    }
    admitShown(evidence, rules, issuer: .root, signatures: &signatures)
    for rank in 1...Limits.certificateChain {
      let speakers = admitted.values.filter { $0.rank == rank }.map(\.signed)
        .sorted { $0.hash < $1.hash }
      cutsBySeniors[rank] = cuts
      cuts.join(revocationsAmongEquals(evidence, speakers, rank: rank))
      for signed in speakers {
        for (log, contents) in evidence.logs(of: signed.hash) {
          take(contents, log, rules: rules, signatures: &signatures)
        }
        admitShown(evidence, rules, issuer: signed.hash, signatures: &signatures)
      }
    }
    for device in uplinks.keys where cuts.covers(device) { uplinks[device] = nil }
  }

  /// Admits the members of councils, independently of their issuers, and applies the votes before
  /// any rank.
  private mutating func begin(with listed: [ListedCertificate]) {
    for member in listed where admitted[member.signed.hash] == nil {
      admit(member.signed, rank: member.rank)
    }
    for (device, left) in councils.revoked { cuts.join(left, of: device) }
    for (mark, device) in councils.marks {
      revocations[mark] = [Revocation(device: device, cuts: [], keeps: [])]
    }
  }

  // MARK: One rank

  /// Returns the revocations of devices of one rank by one another. They take effect together,
  /// before any of them cuts another.
  private mutating func revocationsAmongEquals(
    _ evidence: Evidence, _ speakers: [SignedCertificate], rank: Int
  ) -> [Revocation] {
    var among: [Revocation] = []
    for signed in speakers where signed.certificate.role == .command {
      for (log, contents) in evidence.logs(of: signed.hash) {
        let part = cuts.part(of: log, by: signed.certificate.device)
        for entry in contents.revocations
        where part.holds(entry.sequence) && ranks[entry.value.device] == rank
          && mayRevoke(entry.value.device, rank: rank)
        {
          among.append(entry.value)
          revocations[entry.frame, default: []].append(entry.value)
        }
      }
    }
    return among
  }

  /// Returns the standing of a log; nil if its certificate does not count.
  private func standing(of log: LogID, under certificate: CertificateHash) -> ControlLogStanding? {
    if certificate == .root {
      return ControlLogStanding(
        certificate: .root, rank: 0, isCommand: true, servesUplinks: false, reads: true,
        part: cuts.part(of: log, by: nil))
    }
    guard let admission = admitted[certificate] else { return nil }
    let author = admission.signed.certificate.author
    #if Canary
      let isCommand = author.role == .command || Canary.anybodyCertifies.isPlanted
    #else
      let isCommand = author.role == .command
    #endif
    return ControlLogStanding(
      certificate: certificate, rank: admission.rank, isCommand: isCommand,
      servesUplinks: author.role.servesUplinks, reads: author.role.reads,
      part: cuts.part(of: log, by: author.device))
  }

  private mutating func take(
    _ contents: ControlLog, _ log: LogID, rules: Rules, signatures: inout VerifiedSignatures
  ) {
    guard let standing = standing(of: log, under: contents.certificate) else { return }
    standings[log] = standing
    if standing.servesUplinks {
      for entry in contents.uplinks where standing.part.holds(entry.sequence) {
        name(entry.value, by: contents.certificate)
      }
    }
    guard standing.isCommand else { return }
    let author = admitted[contents.certificate]?.signed.certificate.device
    for entry in contents.certificates
    where cuts.leave(
      entry.value.hash, issuedBy: author, stands: standing.part.holds(entry.sequence))
    {
      admit(entry.value, rules: rules, signatures: &signatures)
    }
    for entry in contents.revocations where standing.part.holds(entry.sequence) {
      // Lower ranks cannot be revoked, and revocations of equal rank are already applied.
      guard ranks[entry.value.device].map({ $0 > standing.rank }) ?? true,
        mayRevoke(entry.value.device, rank: standing.rank)
      else { continue }
      cuts.join(entry.value)
      revocations[entry.frame, default: []].append(entry.value)
    }
    for entry in contents.releases where standing.part.holds(entry.sequence) {
      released.formUnion(entry.value.frames)
    }
  }

  /// Whether a rank may revoke a device: only the root revokes a member of a council.
  private func mayRevoke(_ device: DeviceID, rank: Int) -> Bool {
    #if Canary
      if Canary.rankRevokesMembers.isPlanted { return true }
    #endif
    return rank == 0 || !councils.members.contains(device)
  }

  private mutating func name(_ uplink: UplinkCertificate, by issuer: CertificateHash) {
    guard let device = admitted[issuer]?.signed.certificate.device,
      uplinks[device]?.contains(uplink) != true,
      uplinks[device]?.count ?? 0 < Limits.uplinkCertificatesPerDevice
    else { return }
    uplinks[device, default: []].append(uplink)
  }

  /// Returns the rank of a certificate; nil if it does not count.
  private func rank(
    of signed: SignedCertificate, rules: Rules, signatures: inout VerifiedSignatures
  ) -> Int? {
    let certificate = signed.certificate
    guard certificate.operation == rules.operation else { return nil }
    if certificate.issuer == .root {
      return signatures.holds(signed, by: rules.rootKey) ? 1 : nil
    }
    guard let issuer = admitted[certificate.issuer] else { return nil }
    let rank = issuer.rank + 1
    #if Canary
      if Canary.anybodyCertifies.isPlanted { return rank }
    #endif
    guard issuer.signed.certificate.role == .command, rank <= Limits.certificateChain,
      signatures.holds(signed, by: issuer.signed.certificate.signingKey)
    else { return nil }
    return rank
  }

  private mutating func admit(
    _ signed: SignedCertificate, rules: Rules, signatures: inout VerifiedSignatures
  ) {
    guard admitted[signed.hash] == nil,
      let rank = rank(of: signed, rules: rules, signatures: &signatures)
    else { return }
    admit(signed, rank: rank)
  }

  private mutating func admit(_ signed: SignedCertificate, rank: Int) {
    admitted[signed.hash] = ControlPlane.Admission(signed: signed, rank: rank)
    let device = signed.certificate.device
    ranks[device] = min(ranks[device] ?? rank, rank)
    certificates[device, default: []].insert(signed.hash)
  }

  /// Admits the shown certificates of an issuer before the frames that carry them arrive. If the
  /// issuer is revoked, only its revocations state which of its certificates still count, or the
  /// frames before its cuts.
  private mutating func admitShown(
    _ evidence: Evidence, _ rules: Rules, issuer: CertificateHash,
    signatures: inout VerifiedSignatures
  ) {
    for signed in rules.ownChain where signed.certificate.issuer == issuer && countsShown(signed) {
      admit(signed, rules: rules, signatures: &signatures)
    }
    for signed in evidence.shown[issuer] where countsShown(signed) {
      admit(signed, rules: rules, signatures: &signatures)
    }
  }

  private func countsShown(_ signed: SignedCertificate) -> Bool {
    guard let issuer = admitted[signed.certificate.issuer]?.signed.certificate.device else {
      return true
    }
    return cuts.leave(signed.hash, issuedBy: issuer, stands: !cuts.covers(issuer))
  }

  /// Returns a certificate of a device that counts, of several the one with the lowest hash.
  func certificate(of device: DeviceID) -> SignedCertificate? {
    certificates[device]?.min().flatMap { admitted[$0]?.signed }
  }

  /// Returns the cuts past which a control log is no input to any rule; nil if its certificate does
  /// not count. Revocations in a commander's log past the cut of an equal rank are an input.
  func cutsOfControl(under certificate: CertificateHash) -> Cuts? {
    guard let admission = admitted[certificate] else { return nil }
    return admission.signed.certificate.role == .command ? cutsBySeniors[admission.rank] : cuts
  }

  /// The certificates whose control logs are only partly an input to the rules, and the last
  /// sequence of each log that is.
  var controlEnds: (certificates: Set<CertificateHash>, ends: [LogID: UInt64]) {
    var found: (certificates: Set<CertificateHash>, ends: [LogID: UInt64]) = ([], [:])
    for device in cuts.revoked {
      for certificate in certificates[device] ?? [] {
        guard let cuts = cutsOfControl(under: certificate), cuts.covers(device) else { continue }
        found.certificates.insert(certificate)
        found.ends.merge(cuts.ends(of: device)) { max($0, $1) }
      }
    }
    found.ends.merge(cuts.forkEnds) { cut, _ in cut }
    return found
  }

  // MARK: Adding one frame

  /// The effects of one more frame.
  struct Extension: Sendable {
    var admitted: [SignedCertificate] = []
    /// Revoked devices without a certificate that counts.
    var revoked: [DeviceID] = []
    /// Whether a certificate of a revoked device was admitted: its logs count in part.
    var admitsRevoked = false
    var haveCutsChanged = false
    var haveReleasesChanged = false
    var haveUplinksChanged = false
    /// Frames whose revocations count.
    var revocations: Set<FrameHash> = []
  }

  /// Adds the statements of a frame. Returns false if they may affect other frames, so that
  /// everything has to be evaluated again.
  mutating func extend(
    by frame: PendingStatement, _ evidence: Evidence, rules: Rules,
    signatures: inout VerifiedSignatures, noting changes: inout Extension
  ) -> Bool {
    guard let standing = standing(of: frame.log, under: frame.certificate) else { return true }
    standings[frame.log] = standing
    guard standing.isCommand || standing.servesUplinks else { return true }
    let counts = standing.part.holds(frame.sequence)
    for operation in frame.operations {
      let isDone: Bool
      switch operation {
      case .uplink where counts && standing.servesUplinks:
        // If a device has several logs, their order decides which of them names the first few.
        isDone = evidence.logsOf[frame.certificate]?.count == 1 && ownsOneCertificate(frame)
        if case .uplink(let uplink) = operation, isDone {
          let before = uplinks
          name(uplink, by: frame.certificate)
          if let device = admitted[frame.certificate]?.signed.certificate.device,
            cuts.covers(device)
          {
            uplinks[device] = nil
          }
          if uplinks != before { changes.haveUplinksChanged = true }
        }
      case _ where !standing.isCommand: isDone = true
      case .certificate(let signed) where signed.certificate.issuer == frame.certificate:
        let issuer = admitted[frame.certificate]?.signed.certificate.device
        isDone =
          !cuts.leave(signed.hash, issuedBy: issuer, stands: counts)
          || extend(
            by: signed, evidence, rules: rules, signatures: &signatures, noting: &changes)
      case .revocation(let revocation):
        isDone = extend(
          by: revocation, in: frame, standing, counts: counts, evidence, noting: &changes)
      case .release(let release) where counts:
        for head in release.frames where released.insert(head).inserted {
          changes.haveReleasesChanged = true
        }
        isDone = true
      default: isDone = true
      }
      guard isDone else { return false }
    }
    return true
  }

  private func ownsOneCertificate(_ frame: PendingStatement) -> Bool {
    guard let device = admitted[frame.certificate]?.signed.certificate.device else { return false }
    return certificates[device]?.count == 1
  }

  /// Adds a certificate without logs or issued certificates. Returns false if it may change which
  /// revocations of its device count.
  mutating func extend(
    by signed: SignedCertificate, _ evidence: Evidence, rules: Rules,
    signatures: inout VerifiedSignatures, noting changes: inout Extension
  ) -> Bool {
    guard admitted[signed.hash] == nil,
      let rank = rank(of: signed, rules: rules, signatures: &signatures)
    else { return true }
    let device = signed.certificate.device
    let isRankNew = ranks[device].map { rank < $0 } ?? true
    let isBelowRevokers = (evidence.namedBy[device] ?? []).allSatisfy { log in
      standings[log].map { $0.rank < rank || !$0.isCommand } ?? true
    }
    guard !isRankNew || isBelowRevokers, evidence.logsOf[signed.hash] == nil,
      evidence.shown[signed.hash].isEmpty,
      !rules.ownChain.contains(where: { $0.certificate.issuer == signed.hash })
    else { return false }
    admit(signed, rules: rules, signatures: &signatures)
    changes.admitted.append(signed)
    if cuts.covers(device) { changes.admitsRevoked = true }
    return true
  }

  /// Adds a shown certificate, like one in its issuer's log if the issuer is not revoked.
  mutating func extend(
    byShown signed: SignedCertificate, _ evidence: Evidence, rules: Rules,
    signatures: inout VerifiedSignatures, noting changes: inout Extension
  ) -> Bool {
    guard countsShown(signed) else { return true }
    return extend(by: signed, evidence, rules: rules, signatures: &signatures, noting: &changes)
  }

  private mutating func extend(
    by revocation: Revocation, in frame: PendingStatement, _ standing: ControlLogStanding,
    counts: Bool, _ evidence: Evidence, noting changes: inout Extension
  ) -> Bool {
    let device = revocation.device
    guard mayRevoke(device, rank: standing.rank) else { return true }
    var counts = counts
    if let rank = ranks[device] {
      guard rank >= standing.rank else { return true }
      if rank == standing.rank, !counts {
        // It may count past its author's cut if that cut is by an equal rank.
        let author = admitted[frame.certificate]?.signed.certificate.device
        guard let seniors = cutsBySeniors[rank] else { return false }
        counts = seniors.part(of: frame.log, by: author).holds(frame.sequence)
      }
    }
    guard counts else { return true }
    if let rank = ranks[device], rank > standing.rank,
      cutsBySeniors[rank]?.isNarrowed(by: revocation) != false, hasPower(device, evidence)
    {
      // The device's revocations of equal rank may no longer count.
      return false
    }
    if cuts.isNarrowed(by: revocation) {
      if ranks[device] != nil {
        guard !hasPower(device, evidence) else { return false }
        changes.haveCutsChanged = true
      } else {
        changes.revoked.append(device)
      }
      cuts.join(revocation)
    }
    for rank in 1...Limits.certificateChain where rank > standing.rank {
      cutsBySeniors[rank]?.join(revocation)
    }
    revocations[frame.frame, default: []].append(revocation)
    changes.revocations.insert(frame.frame)
    return true
  }

  /// Whether the logs of a device affect other logs or announce epochs.
  private func hasPower(_ device: DeviceID, _ evidence: Evidence) -> Bool {
    (certificates[device] ?? []).contains { certificate in
      evidence.logsOf[certificate] != nil
        || admitted[certificate]?.signed.certificate.role == .command
    }
  }
}

/// The operations of a control frame that is not evaluated yet.
struct PendingStatement: Sendable {
  let log: LogID
  let certificate: CertificateHash
  let sequence: UInt64
  let frame: FrameHash
  let operations: [Operation]
}

extension ControlEvaluation.Evidence {
  /// Returns the control logs opened with a certificate, in ascending order of log id.
  func logs(of certificate: CertificateHash) -> [(LogID, ControlLog)] {
    (logsOf[certificate] ?? []).sorted().compactMap { log in logs[log].map { (log, $0) } }
  }
}
