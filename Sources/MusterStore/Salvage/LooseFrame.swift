public import MusterModel

/// A frame that was read out of a damaged database: nothing is known but that it lay there. It may
/// be held once it is shown to follow the frame before it and to be signed.
public struct LooseFrame: Hashable, Sendable {
  /// The log that it was held in.
  public let log: LogID
  /// Its place in that log.
  public let sequence: UInt64
  /// What it was sealed under; nil for a clear body.
  public let epoch: EpochID?
  /// Nonce and ciphertext, or the clear body.
  public let body: [UInt8]
  /// What was stored as its hash.
  public let hash: FrameHash
  /// What was stored as its signature.
  public let signature: [UInt8]?

  /// The frame, if it follows the one of this hash: the caller MUST compute its hash anew.
  public func following(_ previous: FrameHash) -> Frame {
    Frame(
      log: log, sequence: sequence, previous: previous, epoch: epoch, body: body, hash: hash,
      signature: signature)
  }
}

/// A frame that was set aside and is done with.
public struct SettledFrame: Hashable, Sendable {
  /// What it was set aside under.
  public let log: LogID
  /// Its place in that log.
  public let sequence: UInt64
  /// What was stored as its hash.
  public let hash: FrameHash

  /// Its frame is held, or it is worthless.
  public init(log: LogID, sequence: UInt64, hash: FrameHash) {
    self.log = log
    self.sequence = sequence
    self.hash = hash
  }
}

/// How far a log is known to have been held, or written, before damage.
public struct KnownHead: Hashable, Sendable {
  /// The log that reached so far.
  public let log: LogID
  /// On whose authority it is written.
  public let certificate: CertificateHash
  /// Of the newest frame.
  public let sequence: UInt64

  /// Somebody who may be believed says so.
  public init(log: LogID, certificate: CertificateHash, sequence: UInt64) {
    self.log = log
    self.certificate = certificate
    self.sequence = sequence
  }
}
