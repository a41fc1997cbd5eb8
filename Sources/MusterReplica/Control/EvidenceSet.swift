internal import MusterModel
internal import MusterSync

/// The membership evidence that is held: a join semilattice. Nodes that have exchanged their items
/// hold the same ones, independently of the order.
///
/// - Of the fork proofs of one log the one with the lowest fork is held.
/// - Of one certificate those of the `Limits.overforkedLogs + 1` logs with the lowest ids are held:
///   then the certificate has `overflowed`, and nothing of any of its logs counts but the openings.
/// - Of the proofs that a certificate's key signed two records with one order, one is held.
struct EvidenceSet: Sendable {
  private var proofs: [LogID: EvidenceItem] = [:]
  private var proofsOf: [CertificateHash: Set<LogID>] = [:]
  private var twins: [CertificateHash: EvidenceItem] = [:]
  /// Endorsements of councils, and votes.
  private(set) var councils: CouncilSet

  init(councils: CouncilSet = CouncilSet()) { self.councils = councils }

  /// What an item changed.
  struct Change: Hashable, Sendable {
    /// Nil if it is not held: what is held is as strong.
    var added: EvidenceItem?
    var removed: [EvidenceID] = []
  }

  /// All items, by id.
  var items: [EvidenceItem] { ordered.sorted { $0.id < $1.id } }

  /// All items, each council before its children and the votes in it: a node that adds them in this
  /// order holds them all.
  var ordered: [EvidenceItem] {
    let endorsements = councils.allEndorsements
      .map { (depth: councils.depth(of: $0.council), item: EvidenceItem($0)) }
      .sorted { ($0.depth, $0.item.id) < ($1.depth, $1.item.id) }
    return (Array(proofs.values) + twins.values).sorted { $0.id < $1.id }
      + endorsements.map(\.item) + councils.allVotes.map(EvidenceItem.init)
  }

  /// The proofs that a key signed two records with one order, by certificate.
  var twinProofs: [TwinProof] {
    twins.sorted { $0.key < $1.key }.compactMap {
      guard case .twins(let proof) = $0.value.statement else { return nil }
      return proof
    }
  }

  /// The proof that a log has more branches than count.
  func forkProof(of log: LogID) -> ForkProof? {
    guard case .forkProof(let proof)? = proofs[log]?.statement else { return nil }
    return proof
  }

  /// The last sequence that counts of each log that is proved to have more branches than count.
  var forkEnds: [LogID: UInt64] {
    proofs.mapValues { item in
      guard case .forkProof(let proof) = item.statement else { return .max }
      return proof.lowestFork - 1
    }
  }

  /// Certificates with too many such logs.
  var overflowed: Set<CertificateHash> {
    Set(proofsOf.filter { $0.value.count > Limits.overforkedLogs }.keys)
  }

  /// The members of the councils that count and are not replaced.
  var listed: [ListedCertificate] {
    councils.current.flatMap(\.council.members).compactMap { councils.listed[$0] }
  }

  /// Adds an item, unless something as strong is held.
  ///
  /// - Parameter item: the caller MUST have verified its signatures.
  mutating func insert(_ item: EvidenceItem) -> Change {
    switch item.statement {
    case .forkProof(let proof): insert(proof, of: item)
    case .council(let endorsement): change(by: councils.insert(endorsement), of: item)
    case .vote(let vote): change(by: councils.insert(vote), of: item)
    case .twins(let proof): insert(proof, of: item)
    }
  }

  private func change(by verdict: CouncilSet.Verdict, of item: EvidenceItem) -> Change {
    switch verdict {
    case .added(let evicted):
      Change(added: item, removed: evicted.map { [$0.id] } ?? [])
    case .known, .waits, .refused: Change()
    }
  }

  /// Adds what was held before, in any order.
  mutating func restore(_ items: [EvidenceItem]) {
    for item in items {
      switch item.statement {
      case .forkProof(let proof): _ = insert(proof, of: item)
      case .council(let endorsement): councils.restore(endorsement)
      case .vote(let vote): councils.restore(vote)
      case .twins(let proof): _ = insert(proof, of: item)
      }
    }
  }

  private mutating func insert(_ proof: TwinProof, of item: EvidenceItem) -> Change {
    guard twins[proof.certificate] == nil else { return Change() }
    twins[proof.certificate] = item
    return Change(added: item)
  }

  private mutating func insert(_ proof: ForkProof, of item: EvidenceItem) -> Change {
    var change = Change()
    if let known = forkProof(of: proof.log), let old = proofs[proof.log] {
      guard proof.lowestFork < known.lowestFork else { return change }
      change.removed.append(old.id)
    }
    let certificate = proof.opening.certificate
    var logs = proofsOf[certificate] ?? []
    logs.insert(proof.log)
    if logs.count > Limits.overforkedLogs + 1, let last = logs.max() {
      guard last != proof.log else { return change }
      logs.remove(last)
      if let evicted = proofs.removeValue(forKey: last) { change.removed.append(evicted.id) }
    }
    proofsOf[certificate] = logs
    proofs[proof.log] = item
    change.added = item
    return change
  }
}
