import MusterCrypto
import MusterModel
import MusterSync

@testable import MusterReplica

/// The evaluation of control logs before it became incremental: a complete evaluation for each
/// frame. Kept as the oracle of `ControlDifferenceTests`.
enum Reference {}

extension Reference {
  /// The content of one control log, as far as it is held.
  struct ControlLog: Hashable, Sendable {
    /// The certificate that it was opened with: its author.
    let certificate: CertificateHash
    /// The operations of its frames, in sequence; frames without any are omitted.
    private(set) var statements: [Statement] = []

    /// The operations of one frame.
    struct Statement: Hashable, Sendable {
      let sequence: UInt64
      let hash: FrameHash
      let operations: [Operation]
    }

    init(certificate: CertificateHash) { self.certificate = certificate }

    mutating func add(_ operations: [Operation], sequence: UInt64, hash: FrameHash) {
      guard !operations.isEmpty, statements.last.map({ $0.sequence < sequence }) ?? true else {
        return
      }
      statements.append(Statement(sequence: sequence, hash: hash, operations: operations))
    }
  }

  /// The result of a set of control logs.
  ///
  ///     rank 0 (the root's logs) ─▶ certificates of rank 1, revocations of any device
  ///     rank 1 ─▶ revocations among equals, all at once, even after each other's cut-offs
  ///            ─▶ the rest of their logs ─▶ certificates of rank 2, revocations of juniors
  ///     rank 2 ─▶ …
  ///
  /// - A certificate counts when it is in the valid part of its own issuer's log, has the issuer's
  ///   signature, and the issuer is the root or a `command` device at most
  ///   `Limits.certificateChain` below it.
  /// - A revocation counts when it names a device of its author's rank or of a lower one.
  struct ControlEvaluation: Sendable {
    /// The constants of a node's run.
    struct Rules: Sendable {
      let operation: OperationID
      let rootKey: VerifyingKey
      let ownChain: [SignedCertificate]
    }

    private(set) var admitted: [CertificateHash: ControlPlane.Admission] = [:]
    private(set) var cuts: Cuts
    /// Frames after a cut-off that count nevertheless.
    private(set) var released: Set<Head> = []
    /// The valid revocations, by their frames.
    private(set) var revocations: [FrameHash: [Revocation]] = [:]
    /// The valid announcements of epochs; several may announce one.
    private(set) var epochs = CountingEpochs()
    /// Announcements of epochs by readers, whether they count or not: honest devices may have used
    /// an epoch whose author was revoked, and their data must be readable.
    private(set) var spoken: [EpochID: [EpochAnnouncement]] = [:]
    /// Epochs with any announcement.
    private(set) var announced: Set<EpochID> = []
    private(set) var withheld: Set<EpochID> = []
    private(set) var eligible: [EpochID] = []
    /// The TLS certificates of command posts; those of revoked devices are invalid.
    private(set) var uplinks: [DeviceID: [UplinkCertificate]] = [:]
    /// The lowest rank of each device, as far as evaluated.
    private var ranks: [DeviceID: Int] = [:]
    private let logs: [CertificateHash: [LogID: ControlLog]]
    /// Frames that contain a revocation, valid or not.
    private let received: Set<FrameHash>
    /// Certificates that this device or others presented, with chains up to the root; by their
    /// issuer.
    private let shown: [CertificateHash: [SignedCertificate]]

    /// Devices that only the root and votes revoke.
    private let members: Set<DeviceID>
    /// By device, what each revocation that counts keeps of the certificates that it issued; nil
    /// for one that names none.
    private var keeps: [DeviceID: [Set<CertificateHash>?]] = [:]

    init(
      _ logs: [LogID: ControlLog], rules: Rules, shown certificates: [SignedCertificate],
      received: Set<FrameHash>, lineage: Lineage, council: Reference.Councils? = nil,
      signatures: inout VerifiedSignatures
    ) {
      cuts = Cuts(lineage)
      let decided = council?.decision(lineage) ?? Reference.Councils.Decision()
      members = decided.members
      self.received = received.union(decided.revocations.keys)
      shown = Dictionary(grouping: rules.ownChain + certificates, by: \.certificate.issuer)
      self.logs = logs.reduce(into: [:]) {
        $0[$1.value.certificate, default: [:]][$1.key] = $1.value
      }
      for signed in decided.listed {
        admitted[signed.signed.hash] = ControlPlane.Admission(
          signed: signed.signed, rank: signed.rank)
        let device = signed.signed.certificate.device
        ranks[device] = min(ranks[device] ?? signed.rank, signed.rank)
      }
      for (device, left) in decided.left {
        cuts.join(left, of: device)
        keeps[device, default: []].append(left.kept)
      }
      revocations = decided.revocations
      for (log, contents) in (self.logs[.root] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let part = cuts.part(of: log, by: nil)
        for statement in contents.statements where part.holds(statement.sequence) {
          take(statement, by: .root, rank: 0, rules: rules, signatures: &signatures)
        }
      }
      admitShown(rules, issuer: .root, rank: 1, signatures: &signatures)
      for rank in 1...Limits.certificateChain {
        let speakers = admitted.values.filter { $0.rank == rank }.map(\.signed)
          .sorted { $0.hash < $1.hash }
        for revocation in revocationsAmongEquals(speakers, rank: rank) { join(revocation) }
        for signed in speakers {
          for statement in (self.logs[signed.hash] ?? [:]).values.flatMap(\.statements) {
            for case .certificate(let issued) in statement.operations
            where issued.certificate.issuer == signed.hash && isKept(issued, stands: false) {
              admit(issued, rank: rank + 1, rules: rules, signatures: &signatures)
            }
          }
          for statement in counting(of: signed) {
            take(statement, by: signed.hash, rank: rank, rules: rules, signatures: &signatures)
          }
          admitShown(rules, issuer: signed.hash, rank: rank + 1, signatures: &signatures)
        }
      }
      for device in uplinks.keys where cuts.covers(device) { uplinks[device] = nil }
      spoken = spokenEpochs()
      announced = Set(spoken.keys)
      withheld = withheldEpochs()
      eligible = eligibleEpochs()
    }

    private mutating func join(_ revocation: Revocation) {
      cuts.join(revocation)
      keeps[revocation.device, default: []].append(revocation.keeps.map(Set.init))
    }

    private func isKept(_ issued: SignedCertificate, stands: Bool) -> Bool {
      let device = admitted[issued.certificate.issuer]?.signed.certificate.device
      guard let keeps = device.flatMap({ keeps[$0] }), keeps.contains(where: { $0 != nil }) else {
        return stands
      }
      return keeps.allSatisfy { $0?.contains(issued.hash) ?? stands }
    }

    // MARK: One rank

    /// Returns the frames within all cut-offs so far, of the logs opened with a certificate.
    private func counting(of signed: SignedCertificate) -> [ControlLog.Statement] {
      let device = signed.certificate.device
      return (logs[signed.hash] ?? [:]).sorted { $0.key < $1.key }.flatMap { log, contents in
        contents.statements.filter { cuts.leave($0.sequence, of: log, by: device) }
      }
    }

    /// They count together, before any of them cuts another off.
    private mutating func revocationsAmongEquals(
      _ speakers: [SignedCertificate], rank: Int
    ) -> [Revocation] {
      var among: [Revocation] = []
      for signed in speakers where signed.certificate.role == .command {
        for statement in counting(of: signed) {
          for case .revocation(let revocation) in statement.operations
          where ranks[revocation.device] == rank && !members.contains(revocation.device) {
            among.append(revocation)
            revocations[statement.hash, default: []].append(revocation)
          }
        }
      }
      return among
    }

    private mutating func take(
      _ statement: ControlLog.Statement, by issuer: CertificateHash, rank: Int, rules: Rules,
      signatures: inout VerifiedSignatures
    ) {
      let entitled = issuer == .root || admitted[issuer]?.signed.certificate.role == .command
      for operation in statement.operations {
        switch operation {
        case .certificate(let signed)
        where signed.certificate.issuer == issuer && isKept(signed, stands: true):
          admit(signed, rank: rank + 1, rules: rules, signatures: &signatures)
        case .revocation(let revocation) where entitled:
          // Seniors cannot be revoked, and equals were processed.
          guard ranks[revocation.device].map({ $0 > rank }) ?? true,
            rank == 0 || !members.contains(revocation.device)
          else { continue }
          join(revocation)
          revocations[statement.hash, default: []].append(revocation)
        case .epoch(let announcement):
          // A member announces one only to exclude a device that no announcement excludes yet.
          let reads = admitted[issuer]?.signed.certificate.role.reads == true
          guard entitled || (reads && !announcement.excludes.isEmpty) else { continue }
          epochs.add(
            CountingEpoch(
              announcement: announcement, rank: rank, certificate: issuer, isCommand: entitled))
        case .release(let release) where entitled: released.formUnion(release.frames)
        case .uplink(let certificate) where entitled: name(certificate, by: issuer)
        default: break
        }
      }
    }

    private mutating func name(_ uplink: UplinkCertificate, by issuer: CertificateHash) {
      guard let device = admitted[issuer]?.signed.certificate.device,
        uplinks[device]?.contains(uplink) != true,
        uplinks[device]?.count ?? 0 < Limits.uplinkCertificatesPerDevice
      else { return }
      uplinks[device, default: []].append(uplink)
    }

    private mutating func admit(
      _ signed: SignedCertificate, rank: Int, rules: Rules, signatures: inout VerifiedSignatures
    ) {
      let certificate = signed.certificate
      guard admitted[signed.hash] == nil, certificate.operation == rules.operation else { return }
      let key: VerifyingKey
      if certificate.issuer == .root {
        key = rules.rootKey
      } else {
        guard let issuer = admitted[certificate.issuer] else { return }
        guard issuer.signed.certificate.role == .command, rank <= Limits.certificateChain else {
          return
        }
        key = issuer.signed.certificate.signingKey
      }
      guard signatures.holds(signed, by: key) else { return }
      admitted[signed.hash] = ControlPlane.Admission(signed: signed, rank: rank)
      ranks[certificate.device] = min(ranks[certificate.device] ?? rank, rank)
    }

    /// Accepts a presented chain before the frames with it have arrived, unless its issuer was cut
    /// off: then only the frames show which of its certificates remain valid.
    private mutating func admitShown(
      _ rules: Rules, issuer: CertificateHash, rank: Int, signatures: inout VerifiedSignatures
    ) {
      let isCut = admitted[issuer].map { cuts.covers($0.signed.certificate.device) } ?? false
      for signed in shown[issuer] ?? [] where isKept(signed, stands: !isCut) {
        admit(signed, rank: rank, rules: rules, signatures: &signatures)
      }
    }

    // MARK: Epochs

    private func spokenEpochs() -> [EpochID: [EpochAnnouncement]] {
      var spoken: [EpochID: [EpochAnnouncement]] = [:]
      var known = shown.values.flatMap(\.self) + admitted.values.map(\.signed)
      for (issuer, logs) in logs {
        for operation in logs.values.flatMap(\.statements).flatMap(\.operations) {
          guard case .certificate(let signed) = operation, signed.certificate.issuer == issuer
          else { continue }
          known.append(signed)
        }
      }
      let readers = Set(known.filter(\.certificate.role.reads).map(\.hash))
      for (certificate, logs) in logs.sorted(by: { $0.key < $1.key })
      where certificate == .root || readers.contains(certificate) {
        for (_, contents) in logs.sorted(by: { $0.key < $1.key }) {
          for operation in contents.statements.flatMap(\.operations) {
            if case .epoch(let epoch) = operation { spoken[epoch.id, default: []].append(epoch) }
          }
        }
      }
      return spoken
    }

    /// Returns the epochs whose key must not be used nor sent yet: each of their announcements names
    /// a revocation that is not held here, so that an excluded device may still be taken for a
    /// member, or a base of which that is so. Of several, one that is fulfilled suffices: an author
    /// of a false one has the key as well.
    private func withheldEpochs() -> Set<EpochID> {
      var withheld = Set(spoken.keys)
      while true {
        let fulfilled = withheld.filter { id in
          spoken[id]?.contains { epoch in
            received.isSuperset(of: epoch.excludes)
              && epoch.base.map { spoken[$0] != nil && !withheld.contains($0) } ?? true
          } ?? false
        }
        guard !fulfilled.isEmpty else { return withheld }
        withheld.subtract(fulfilled)
      }
    }

    /// Returns the epochs that may be used for writing, best first (`CountingEpochs`): those that
    /// exclude every valid revocation.
    private func eligibleEpochs() -> [EpochID] {
      let counting = Set(revocations.keys)
      return epochs.ordered { counting.isSubset(of: excluded(by: $0).frames) }
    }

    /// Returns the revocations that an epoch and its bases exclude; complete if all of these are
    /// known.
    func excluded(
      by epoch: EpochAnnouncement
    ) -> (frames: Set<FrameHash>, isWhole: Bool) {
      var frames = Set(epoch.excludes)
      var base = epoch.base
      for _ in 0..<Limits.epochBases {
        guard let next = base else { return (frames, true) }
        guard let below = epochs[next] ?? spoken[next]?.first else { return (frames, false) }
        frames.formUnion(below.excludes)
        base = below.base
      }
      return (frames, base == nil)
    }
  }

  /// A valid announcement of an epoch, and its author.
  struct CountingEpoch: Hashable, Sendable {
    let announcement: EpochAnnouncement
    /// The number of certificates between its author and the root.
    let rank: Int
    /// The author's certificate.
    let certificate: CertificateHash
    /// Whether the author is a `command` device or the root.
    let isCommand: Bool
  }

  /// The valid epochs, and the choice of the one for writing.
  ///
  /// Of those that exclude every revocation the best is, in this order:
  ///
  /// 1. one by a commander, before one by a member;
  /// 2. one whose generation is *reachable*, before one whose generation is not;
  /// 3. the greatest generation;
  /// 4. the author nearest to the root, then the one with the lowest certificate hash, then the
  ///    lowest epoch id.
  ///
  /// A commander's generation is reachable if the commanders' generations up to it, and zero, leave
  /// no gap of more than `Limits.epochStep`; a member's if it is at most `Limits.epochStep` above
  /// the greatest reachable one of a commander. Therefore one far generation does not win for ever:
  /// a rotating commander takes the greatest reachable generation plus one, and comes first. The
  /// author of a key can grind its epoch id, so the id decides only between epochs of one author.
  /// Unreachable generations are last, not void: an honest epoch whose bases were cut off is still
  /// used for writing if there is no better one.
  struct CountingEpochs: Hashable, Sendable {
    private var announced: [EpochID: [CountingEpoch]] = [:]
    private var commandGenerations: Set<UInt32> = []

    mutating func add(_ epoch: CountingEpoch) {
      if epoch.isCommand { commandGenerations.insert(epoch.announcement.generation) }
      announced[epoch.announcement.id, default: []].append(epoch)
    }

    /// Returns the best announcement of an epoch; nil without a valid one.
    func best(_ id: EpochID) -> CountingEpoch? {
      guard let announcements = announced[id] else { return nil }
      let reach = reach
      return announcements.min { precedes($0, $1, reach: reach) }
    }

    subscript(id: EpochID) -> EpochAnnouncement? { best(id)?.announcement }

    var count: Int { announced.count }

    /// Ids in ascending order.
    var ids: [EpochID] { announced.keys.sorted() }

    /// The greatest reachable generation of a commander; 0 without one.
    var reach: UInt32 {
      var reach: UInt32 = 0
      for generation in commandGenerations.sorted() {
        guard generation - reach <= Limits.epochStep else { break }
        reach = generation
      }
      return reach
    }

    /// Returns the epochs with an announcement that satisfies a condition, the best first.
    func ordered(where condition: (EpochAnnouncement) -> Bool) -> [EpochID] {
      let reach = reach
      let best = announced.values.compactMap { announcements in
        announcements.filter { condition($0.announcement) }
          .min { precedes($0, $1, reach: reach) }
      }
      return best.sorted { precedes($0, $1, reach: reach) }.map(\.announcement.id)
    }

    private func precedes(_ left: CountingEpoch, _ right: CountingEpoch, reach: UInt32) -> Bool {
      if left.isCommand != right.isCommand { return left.isCommand }
      let (leftReached, rightReached) = (isReachable(left, reach), isReachable(right, reach))
      if leftReached != rightReached { return leftReached }
      let (ours, theirs) = (left.announcement, right.announcement)
      if ours.generation != theirs.generation { return ours.generation > theirs.generation }
      if left.rank != right.rank { return left.rank < right.rank }
      return (left.certificate, ours.id) < (right.certificate, theirs.id)
    }

    private func isReachable(_ epoch: CountingEpoch, _ reach: UInt32) -> Bool {
      let most = epoch.isCommand ? UInt64(reach) : UInt64(reach) + UInt64(Limits.epochStep)
      return UInt64(epoch.announcement.generation) <= most
    }
  }
}
