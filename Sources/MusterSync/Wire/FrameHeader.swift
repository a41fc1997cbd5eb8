public import MusterCrypto
public import MusterModel

/// The fixed-width header that the author of a frame signs (docs/wire.md §3):
///
///     tag ‖ operation ‖ log ‖ sequence ‖ previous hash ‖ epoch ‖ blob list hash ‖ body hash
///      14 ‖    16     ‖ 16  ‖    8     ‖      32       ‖  16   ‖       32       ‖    32
///
/// Its BLAKE2b-256 is the frame hash. Without the body hash, it is the additional data of the
/// sealed body. The epoch is zero if the body is clear. The blob list hash is zero without a list.
struct FrameHeader {
  let log: LogID
  let sequence: UInt64
  let previous: FrameHash
  let epoch: EpochID?
  /// `BlobListing.hash` of the frame's list.
  var blobList = Bytes32.zero

  /// The width of the header, which every frame is hashed with: its buffer never grows.
  private static let byteCount = Tag.frame.count + 16 + 16 + 8 + 32 + 16 + 32 + 32

  func additionalData(operation: OperationID) -> [UInt8] { encoded(operation: operation).bytes }

  /// Returns everything before the body hash, and room for it.
  private func encoded(operation: OperationID) -> ByteWriter {
    var writer = ByteWriter(reservingCapacity: Self.byteCount)
    writer.append(fixed: Tag.frame)
    writer.append(operation)
    writer.append(log)
    writer.append(sequence)
    writer.append(previous)
    writer.append(epoch?.raw ?? .zero)
    writer.append(blobList)
    return writer
  }

  func hash(operation: OperationID, body: [UInt8]) -> FrameHash {
    hash(operation: operation, bodyHash: body.withUnsafeBytes { Blake2b.hash256($0) })
  }

  func hash(operation: OperationID, bodyHash: Bytes32) -> FrameHash {
    var writer = encoded(operation: operation)
    writer.append(bodyHash)
    return FrameHash(raw: writer.bytes.withUnsafeBytes { Blake2b.hash256($0) })
  }
}

extension Frame {
  var header: FrameHeader {
    FrameHeader(
      log: log, sequence: sequence, previous: previous, epoch: epoch,
      blobList: BlobListing.hash(blobs))
  }

  /// Returns the hash of the frame's contents, which may differ from `hash`.
  public func computedHash(operation: OperationID) -> FrameHash {
    header.hash(operation: operation, body: body)
  }

  /// Returns whether the signature over `hash` is valid. The caller MUST have verified `hash`
  /// itself. Returns false for a frame without a signature, which a later frame of its run proves.
  public func isSigned(by key: VerifyingKey) -> Bool { isSigned(by: key, sharing: nil) }

  func isSigned(by key: VerifyingKey, sharing cache: (any VerificationCache)?) -> Bool {
    guard let signature, let parsed = Signature(bytes: signature) else { return false }
    return key.isValid(parsed, for: hash.bytes, sharing: cache)
  }

  /// Decrypts the body. Returns nil if it was sealed with another key.
  public func openedBody(operation: OperationID, key: SealingKey) -> [UInt8]? {
    key.openBody(body, additionalData: header.additionalData(operation: operation))
  }

  /// Creates and signs a frame with a clear body: an opening or a control frame.
  public static func clear(
    operation: OperationID, log: LogID, sequence: UInt64, previous: FrameHash, body: [UInt8],
    signedBy key: SigningKey
  ) -> Frame {
    let header = FrameHeader(log: log, sequence: sequence, previous: previous, epoch: nil)
    return signed(header, operation: operation, body: body, by: key)
  }

  /// Creates, seals and signs a frame.
  ///
  /// - Parameter nonce: drawn bytes, from which the nonce of the seal is derived together with the
  ///   content.
  /// - Parameter blobs: the blobs that the plaintext refers to, in ascending order.
  public static func sealed(
    operation: OperationID, log: LogID, sequence: UInt64, previous: FrameHash,
    epoch: EpochID, plaintext: [UInt8], key: SealingKey, nonce: Nonce24,
    blobs: [BlobListing] = [], signedBy signer: SigningKey
  ) -> Frame {
    let header = FrameHeader(
      log: log, sequence: sequence, previous: previous, epoch: epoch,
      blobList: BlobListing.hash(blobs))
    let body = key.sealBody(
      plaintext, drawn: nonce, additionalData: header.additionalData(operation: operation))
    return signed(header, operation: operation, body: body, blobs: blobs, by: signer)
  }

  private static func signed(
    _ header: FrameHeader, operation: OperationID, body: [UInt8], blobs: [BlobListing] = [],
    by key: SigningKey
  ) -> Frame {
    let room = blobs.isEmpty ? Limits.frameBodyBytes : Limits.listedBodyBytes
    precondition(body.count <= room, "frame body of \(body.count) bytes")
    precondition(header.sequence <= Limits.lastSequence, "log \(header.log) is full")
    let hash = header.hash(operation: operation, body: body)
    var frame = Frame(
      log: header.log, sequence: header.sequence, previous: header.previous, epoch: header.epoch,
      body: body, hash: hash, signature: key.sign(hash.bytes).bytes)
    frame.blobs = blobs
    return frame
  }
}
