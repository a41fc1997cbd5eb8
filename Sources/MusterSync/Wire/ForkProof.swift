public import MusterModel

internal import MusterCrypto

/// A proof that a log has more branches than count, and of the lowest place at which it forks.
///
/// A *witness* shows that one frame is the author's: its header and those after it, up to one that
/// the author signed. Witnesses of several frames after one frame are branches. A tree of frames in
/// which frames have `n₁, n₂, …` children has at least `1 + Σ(nᵢ − 1)` tips, whatever else it
/// contains; so groups of witnesses with `Σ(nᵢ − 1) = Limits.branchesPerLog` prove one tip more
/// than count, and need no frames between the groups.
///
/// Nothing counts of the log from `lowestFork` on. Of two proofs the lower fork decides.
public struct ForkProof: Hashable, Sendable {
  /// The certificate that the log was opened with, and those of its issuers, leaf first; empty for
  /// a log of the root.
  public let chain: [SignedCertificate]
  /// Makes the log's id.
  public let opening: Opening
  /// The log.
  public let log: LogID
  /// By place, the frame before and hash: each of a group of two or more.
  public let witnesses: [Witness]

  /// The lowest sequence of which two frames are proved.
  public var lowestFork: UInt64 { witnesses[0].first }

  /// A proof that a frame is its author's.
  public struct Witness: Hashable, Sendable {
    /// The sequence of the frame.
    public let first: UInt64
    /// The hash of the frame before.
    public let previous: FrameHash
    /// The hash of the frame.
    public let hash: FrameHash
    /// The frame's and those after it.
    let headers: [Header]
    /// Over the hash of the last of them.
    let signature: [UInt8]
    /// The hash of the last of them.
    let signed: FrameHash

    /// What differs from header to header.
    struct Header: Hashable, Sendable {
      let epoch: EpochID?
      let blobList: Bytes32
      let body: Bytes32
    }

    /// Nil unless the last of consecutive frames is signed and these are no more than a run between
    /// two mandatory signatures.
    public init?(_ frames: [Frame]) {
      guard let first = frames.first, let last = frames.last, let signature = last.signature,
        first.sequence > 0, frames.count <= Int(Limits.signatureInterval)
      else { return nil }
      self.first = first.sequence
      previous = first.previous
      hash = first.hash
      headers = frames.map {
        Header(
          epoch: $0.epoch, blobList: BlobListing.hash($0.blobs), body: Blake2b.hash256($0.body))
      }
      self.signature = signature
      signed = last.hash
    }

    init(
      first: UInt64, previous: FrameHash, headers: [Header], signature: [UInt8], log: LogID,
      operation: OperationID
    ) {
      self.first = first
      self.previous = previous
      self.headers = headers
      self.signature = signature
      var hashes: [FrameHash] = []
      for (index, header) in headers.enumerated() {
        hashes.append(
          FrameHeader(
            log: log, sequence: first + UInt64(index), previous: hashes.last ?? previous,
            epoch: header.epoch, blobList: header.blobList
          ).hash(operation: operation, bodyHash: header.body))
      }
      hash = hashes[0]
      signed = hashes[hashes.count - 1]
    }

    /// Whether a frame has a blob list: then each header contains the list's hash.
    var hasBlobs: Bool { headers.contains { $0.blobList != .zero } }

    /// Witnesses of frames after one frame are of one group.
    fileprivate var group: Group { Group(first: first, previous: previous) }
  }

  fileprivate struct Group: Hashable, Comparable {
    let first: UInt64
    let previous: FrameHash

    static func < (left: Group, right: Group) -> Bool {
      (left.first, left.previous) < (right.first, right.previous)
    }
  }

  /// Chooses from witnesses what proves the lowest fork and enough tips; nil where they prove fewer
  /// branches.
  ///
  /// - Parameter chain: of the certificate that the log was opened with, leaf first; empty for the
  ///   root.
  public init?(
    opening: Opening, chain: [SignedCertificate], witnesses: [Witness], operation: OperationID
  ) {
    let groups = Dictionary(grouping: witnesses, by: \.group).sorted { $0.key < $1.key }
    var chosen: [Witness] = []
    var missing = Limits.branchesPerLog
    for (_, members) in groups where missing > 0 {
      var distinct: [FrameHash: Witness] = [:]
      for witness in members {
        // The shortest of several proofs of one frame.
        if let known = distinct[witness.hash], known.headers.count <= witness.headers.count {
          continue
        }
        distinct[witness.hash] = witness
      }
      guard distinct.count > 1 else { continue }
      let taken = distinct.values.sorted { $0.hash < $1.hash }.prefix(missing + 1)
      missing -= taken.count - 1
      chosen += taken
    }
    guard missing == 0 else { return nil }
    self.chain = chain
    self.opening = opening
    log = LogID(operation: operation, opening: opening)
    self.witnesses = chosen
  }

  // MARK: Verifying

  /// Whether every signature holds, up to the root key.
  func holds(operation: OperationID, rootKey: VerifyingKey) -> Bool {
    let key: VerifyingKey
    if opening.certificate == .root {
      guard chain.isEmpty, opening.lane == .control else { return false }
      key = rootKey
    } else {
      guard let proved = CertificateChain(chain, operation: operation, rootKey: rootKey),
        proved.leaf.hash == opening.certificate
      else { return false }
      key = proved.leaf.certificate.signingKey
    }
    return witnesses.allSatisfy { witness in
      Signature(bytes: witness.signature).map { key.isValid($0, for: witness.signed.bytes) }
        ?? false
    }
  }

  // MARK: Encoding

  /// What it proves: the log and its lowest fork. How it proves that does not matter.
  var identity: [UInt8] {
    var writer = ByteWriter()
    writer.append(log)
    writer.append(lowestFork)
    return writer.bytes
  }

  /// Set in the number of a witness's headers if they contain the hashes of blob lists.
  private static let blobFlag: UInt8 = 0x80

  /// chain ‖ certificate ‖ incarnation ‖ generation ‖ lane ‖ witnesses
  var content: [UInt8] {
    var writer = ByteWriter()
    writer.append(chain: chain)
    writer.append(opening.certificate)
    writer.append(opening.incarnation)
    writer.append(opening.generation)
    writer.append(opening.lane.rawValue)
    writer.append(UInt8(witnesses.count))
    for witness in witnesses {
      writer.append(UInt32(witness.first))
      writer.append(witness.previous)
      let hasBlobs = witness.hasBlobs
      writer.append(UInt8(witness.headers.count) | (hasBlobs ? Self.blobFlag : 0))
      for header in witness.headers {
        writer.append(header.epoch?.raw ?? .zero)
        if hasBlobs { writer.append(header.blobList) }
        writer.append(header.body)
      }
      writer.append(fixed: witness.signature)
    }
    return writer.bytes
  }

  init(content: [UInt8], operation: OperationID) throws(WireError) {
    do {
      var reader = ByteReader(content)
      let chain = try reader.chain()
      let certificate = CertificateHash(raw: try reader.bytes32())
      let incarnation = try reader.identifier(Incarnation.self)
      let generation = try reader.integer(UInt32.self)
      guard (1...Limits.lastGeneration).contains(generation),
        let lane = Lane(rawValue: try reader.integer(UInt8.self))
      else { throw WireError.malformed("fork proof") }
      let opening = Opening(
        certificate: certificate, incarnation: incarnation, generation: generation, lane: lane)
      let log = LogID(operation: operation, opening: opening)
      var witnesses: [Witness] = []
      for _ in 0..<(try reader.integer(UInt8.self)) {
        witnesses.append(try Self.witness(from: &reader, of: log, operation: operation))
      }
      try reader.expectEnd()
      guard
        let proof = ForkProof(
          opening: opening, chain: chain, witnesses: witnesses, operation: operation),
        proof.witnesses == witnesses
      else { throw WireError.malformed("fork proof") }
      self = proof
    } catch let error as WireError {
      throw error
    } catch {
      throw .malformed("fork proof")
    }
  }

  private static func witness(
    from reader: inout ByteReader, of log: LogID, operation: OperationID
  ) throws -> Witness {
    let first = UInt64(try reader.integer(UInt32.self))
    let previous = FrameHash(raw: try reader.bytes32())
    let code = try reader.integer(UInt8.self)
    let (count, hasBlobs) = (code & ~blobFlag, code & blobFlag != 0)
    guard first > 0, count > 0, count <= Limits.signatureInterval,
      first + UInt64(count) - 1 <= Limits.lastSequence
    else { throw WireError.malformed("fork proof") }
    var headers: [Witness.Header] = []
    for _ in 0..<count {
      let epoch = try reader.bytes16()
      let list = hasBlobs ? try reader.bytes32() : .zero
      headers.append(
        Witness.Header(
          epoch: epoch == .zero ? nil : EpochID(raw: epoch), blobList: list,
          body: try reader.bytes32()))
    }
    // Each proof has one encoding.
    guard hasBlobs == headers.contains(where: { $0.blobList != .zero }) else {
      throw WireError.malformed("fork proof")
    }
    return Witness(
      first: first, previous: previous, headers: headers,
      signature: try reader.fixed(Signature.byteCount), log: log, operation: operation)
  }
}
