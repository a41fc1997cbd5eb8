public import MusterCrypto
public import MusterModel

/// Membership evidence: a signed statement that decides who is a member, or shows that a key is
/// used twice, and that every node comes to hold whatever the order in which frames arrive.
///
/// Items are reconciled as a set of their own (set 8 of docs/wire.md §11), ahead of data. An item
/// proves itself: it carries the certificates that its signatures need.
public struct EvidenceItem: Hashable, Sendable {
  /// What it states.
  public let statement: Statement
  /// The bytes that are sent and stored.
  public let content: [UInt8]
  /// A hash of what it proves: of two items that prove the same, one is enough.
  public let id: EvidenceID

  /// What an item states, by kind.
  public enum Statement: Hashable, Sendable {
    case forkProof(ForkProof)
    /// The root key or a member signed a council.
    case council(Endorsement)
    /// A member of a council votes to revoke another.
    case vote(SignedVote)
    /// A key signed two records with one order.
    case twins(TwinProof)
  }

  /// The kind of its statement.
  public var kind: EvidenceKind {
    switch statement {
    case .forkProof: .forkProof
    case .council: .council
    case .vote: .vote
    case .twins: .twins
    }
  }

  /// Encodes a proof that a log has more branches than count.
  public init(_ proof: ForkProof, operation: OperationID) {
    statement = .forkProof(proof)
    content = proof.content
    id = EvidenceID(operation: operation, kind: .forkProof, identity: proof.identity)
  }

  /// Encodes a proof that a key signed two records with one order.
  public init(_ proof: TwinProof, operation: OperationID) {
    statement = .twins(proof)
    content = proof.content
    id = EvidenceID(operation: operation, kind: .twins, identity: proof.identity)
  }

  /// Encodes an endorsement of a council.
  public init(_ endorsement: Endorsement) {
    statement = .council(endorsement)
    content = endorsement.content
    id = EvidenceID(
      operation: endorsement.council.operation, kind: .council, identity: endorsement.identity)
  }

  /// Encodes a vote.
  public init(_ vote: SignedVote) {
    statement = .vote(vote)
    content = vote.content
    id = EvidenceID(operation: vote.vote.operation, kind: .vote, identity: vote.identity)
  }

  /// Parses an item. Signatures are not checked here.
  ///
  /// Throws `WireError` for a form that is not the kind's, or of a kind that is not known.
  public init(
    kind: EvidenceKind, content: [UInt8], operation: OperationID
  ) throws(WireError) {
    guard content.count <= Limits.evidenceBytes else { throw .overLimit("evidence") }
    switch kind {
    case .forkProof:
      let proof = try ForkProof(content: content, operation: operation)
      statement = .forkProof(proof)
      id = EvidenceID(operation: operation, kind: kind, identity: proof.identity)
    case .council:
      let endorsement = try Endorsement(content: content)
      statement = .council(endorsement)
      id = EvidenceID(operation: operation, kind: kind, identity: endorsement.identity)
    case .vote:
      let vote = try SignedVote(content: content)
      statement = .vote(vote)
      id = EvidenceID(operation: operation, kind: kind, identity: vote.identity)
    case .twins:
      let proof = try TwinProof(content: content)
      statement = .twins(proof)
      id = EvidenceID(operation: operation, kind: kind, identity: proof.identity)
    }
    self.content = content
  }

  /// How many signatures `holds` verifies, at most.
  var signatureCount: Int {
    switch statement {
    case .forkProof(let proof): proof.chain.count + proof.witnesses.count
    case .council(let endorsement): endorsement.certificates.certificates.count + 1
    case .vote(let vote): vote.certificates.certificates.count + 1
    case .twins(let proof): proof.chain.count + 2
    }
  }

  /// Returns whether all its signatures hold.
  public func holds(operation: OperationID, rootKey: VerifyingKey) -> Bool {
    switch statement {
    case .forkProof(let proof): proof.holds(operation: operation, rootKey: rootKey)
    case .council(let endorsement): endorsement.holds(operation: operation, rootKey: rootKey)
    case .vote(let vote): vote.holds(operation: operation, rootKey: rootKey)
    case .twins(let proof): proof.holds(operation: operation, rootKey: rootKey)
    }
  }
}

/// A request for an item, from one of its bytes on.
struct EvidenceWant: Hashable, Sendable {
  /// The first half of its name.
  var key: Bytes16
  var offset: UInt32

  init(key: Bytes16, offset: UInt32) {
    self.key = key
    self.offset = offset
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(key)
    writer.append(offset)
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws(WireError) {
    var reader = ByteReader(bytes)
    do {
      key = try reader.bytes16()
      offset = try reader.integer(UInt32.self)
      try reader.expectEnd()
    } catch {
      throw .malformed("evidence want")
    }
  }
}

/// A part of an item's content.
struct EvidencePiece: Hashable, Sendable {
  var kind: EvidenceKind
  /// The first half of the item's name.
  var key: Bytes16
  /// The length of the whole content.
  var total: UInt32
  /// Where the piece begins.
  var offset: UInt32
  /// Not empty.
  var part: [UInt8]

  init(kind: EvidenceKind, key: Bytes16, total: UInt32, offset: UInt32, part: [UInt8]) {
    self.kind = kind
    self.key = key
    self.total = total
    self.offset = offset
    self.part = part
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(kind.rawValue)
    writer.append(key)
    writer.append(total)
    writer.append(offset)
    writer.append(fixed: part)
    return writer.bytes
  }

  /// Nil for a kind that a later version may have.
  init?(_ bytes: [UInt8]) throws(WireError) {
    var reader = ByteReader(bytes)
    do {
      let kind = EvidenceKind(rawValue: try reader.integer(UInt8.self))
      key = try reader.bytes16()
      total = try reader.integer(UInt32.self)
      offset = try reader.integer(UInt32.self)
      part = try reader.fixed(reader.remaining)
      guard let kind else { return nil }
      self.kind = kind
    } catch {
      throw .malformed("evidence")
    }
    guard !part.isEmpty, part.count <= Limits.evidencePieceBytes,
      total <= Limits.evidenceBytes, UInt64(offset) + UInt64(part.count) <= UInt64(total)
    else { throw .malformed("evidence") }
  }
}
