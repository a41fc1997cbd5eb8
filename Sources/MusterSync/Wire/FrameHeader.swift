public import MusterCrypto
public import MusterModel

/// The fixed-width bytes that a frame's author signs (design §4):
///
///     tag ‖ operation ‖ log ‖ sequence ‖ previous hash ‖ epoch ‖ blob list hash ‖ body hash
///      14 ‖    16     ‖ 16  ‖    8     ‖      32       ‖  16   ‖       32       ‖    32
///
/// Its BLAKE2b-256 is the frame hash. Without the body hash it is the additional data under which
/// the body is sealed. A clear body has an epoch of zeros; a frame without blobs has a blob list
/// hash of zeros.
struct FrameHeader {
  let log: LogID
  let sequence: UInt64
  let previous: FrameHash
  let epoch: EpochID?

  func additionalData(operation: OperationID) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(fixed: Tag.frame)
    writer.append(operation)
    writer.append(log)
    writer.append(sequence)
    writer.append(previous)
    writer.append(epoch?.raw ?? .zero)
    writer.append(Bytes32.zero)
    return writer.bytes
  }

  func hash(operation: OperationID, body: [UInt8]) -> FrameHash {
    hash(operation: operation, bodyHash: Blake2b.hash256(body))
  }

  func hash(operation: OperationID, bodyHash: Bytes32) -> FrameHash {
    var header = additionalData(operation: operation)
    header.append(contentsOf: bodyHash.bytes)
    return FrameHash(raw: Blake2b.hash256(header))
  }
}

extension Frame {
  var header: FrameHeader {
    FrameHeader(log: log, sequence: sequence, previous: previous, epoch: epoch)
  }

  /// The hash that the frame's own contents give, whatever `hash` says.
  public func computedHash(operation: OperationID) -> FrameHash {
    header.hash(operation: operation, body: body)
  }

  /// Checks the signature over `hash`: the caller MUST have checked `hash` itself. False for a
  /// frame that a later one of its run proves.
  public func isSigned(by key: VerifyingKey) -> Bool { isSigned(by: key, sharing: nil) }

  func isSigned(by key: VerifyingKey, sharing findings: SharedFindings?) -> Bool {
    guard let signature, let parsed = Signature(bytes: signature) else { return false }
    return key.isValid(parsed, for: hash.bytes, sharing: findings)
  }

  /// The plaintext, or nil when the key is not the one that it was sealed with.
  public func openedBody(operation: OperationID, key: SealingKey) -> [UInt8]? {
    key.openBody(body, additionalData: header.additionalData(operation: operation))
  }

  /// Builds and signs a frame whose body is clear: an opening or a control frame.
  public static func clear(
    operation: OperationID, log: LogID, sequence: UInt64, previous: FrameHash, body: [UInt8],
    signedBy key: SigningKey
  ) -> Frame {
    let header = FrameHeader(log: log, sequence: sequence, previous: previous, epoch: nil)
    return signed(header, operation: operation, body: body, by: key)
  }

  /// Builds, seals and signs a frame.
  public static func sealed(
    operation: OperationID, log: LogID, sequence: UInt64, previous: FrameHash,
    epoch: EpochID, plaintext: [UInt8], key: SealingKey, nonce: Nonce24, signedBy signer: SigningKey
  ) -> Frame {
    let header = FrameHeader(log: log, sequence: sequence, previous: previous, epoch: epoch)
    let body = key.sealBody(
      plaintext, drawn: nonce, additionalData: header.additionalData(operation: operation))
    return signed(header, operation: operation, body: body, by: signer)
  }

  private static func signed(
    _ header: FrameHeader, operation: OperationID, body: [UInt8], by key: SigningKey
  ) -> Frame {
    precondition(body.count <= Limits.frameBodyBytes, "frame body of \(body.count) bytes")
    precondition(header.sequence <= Limits.lastSequence, "log \(header.log) is full")
    let hash = header.hash(operation: operation, body: body)
    return Frame(
      log: header.log, sequence: header.sequence, previous: header.previous, epoch: header.epoch,
      body: body, hash: hash, signature: key.sign(hash.bytes).bytes)
  }
}
