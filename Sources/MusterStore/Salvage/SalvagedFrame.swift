public import MusterModel

/// An unverified frame from a damaged database. It may be stored once it is shown to follow its
/// predecessor and to be signed.
public struct SalvagedFrame: Hashable, Sendable {
  /// The log in which it was stored.
  public let log: LogID
  /// Its sequence in that log.
  public let sequence: UInt64
  /// The epoch of its key; nil for a plaintext body.
  public let epoch: EpochID?
  /// Nonce and ciphertext, or the plaintext body.
  public let body: [UInt8]
  /// The stored hash, not verified.
  public let hash: FrameHash
  /// The stored signature, not verified.
  public let signature: [UInt8]?
  /// The stored list of blobs, not verified.
  public private(set) var blobs: [BlobListing] = []

  /// Returns the frame as the successor of the frame with this hash. The caller MUST compute its
  /// hash again.
  public func following(_ previous: FrameHash) -> Frame {
    var frame = Frame(
      log: log, sequence: sequence, previous: previous, epoch: epoch, body: body, hash: hash,
      signature: signature)
    frame.blobs = blobs
    return frame
  }
}

/// A salvaged frame that needs no further processing.
public struct ProcessedFrame: Hashable, Sendable {
  /// The log under which it was salvaged.
  public let log: LogID
  /// Its sequence in that log.
  public let sequence: UInt64
  /// The stored hash.
  public let hash: FrameHash

  /// Creates a reference to a frame that is stored or unusable.
  public init(log: LogID, sequence: UInt64, hash: FrameHash) {
    self.log = log
    self.sequence = sequence
    self.hash = hash
  }
}

/// How far a log is known to have been stored or written before damage.
public struct KnownHead: Hashable, Sendable {
  /// The log.
  public let log: LogID
  /// The certificate of its author.
  public let certificate: CertificateHash
  /// The sequence of the newest frame.
  public let sequence: UInt64

  /// Creates a head from a trusted source.
  public init(log: LogID, certificate: CertificateHash, sequence: UInt64) {
    self.log = log
    self.certificate = certificate
    self.sequence = sequence
  }
}
