public import MusterModel

/// One thing that a frame says.
public enum Operation: Hashable, Sendable {
  case write(Write)
  case crossing(Crossing)
  case certificate(SignedCertificate)
  case epoch(EpochAnnouncement)
  /// Well-formed Protocol Buffers, and yet not what its kind requires: applied nowhere, on every
  /// node alike.
  case invalid
  /// A kind, or a field, that this version does not know: held, and applied after an upgrade.
  case unknown
}

/// A new group content key, by the hash that names it, sealed to command devices.
public struct EpochAnnouncement: Hashable, Sendable {
  public let id: EpochID
  /// Frame hashes of the revocations that it shuts out.
  public let excludes: [FrameHash]
  public let sealed: [SealedEpochKey]

  public init(id: EpochID, excludes: [FrameHash], sealed: [SealedEpochKey]) {
    self.id = id
    self.excludes = excludes
    self.sealed = sealed
  }
}

/// An epoch key in a `crypto_box_seal` for one device.
public struct SealedEpochKey: Hashable, Sendable {
  public let device: DeviceID
  public let box: [UInt8]

  public init(device: DeviceID, box: [UInt8]) {
    self.device = device
    self.box = box
  }
}

/// The plaintext of a frame after the opening.
public struct FrameBody: Hashable, Sendable {
  public var writtenAt: Timestamp
  public var contents: Contents

  public enum Contents: Hashable, Sendable {
    case operations([Operation])
    /// One of `count` pieces, in consecutive frames, of a body that no frame can hold.
    case part(index: Int, count: Int, content: [UInt8])
  }

  public init(writtenAt: Timestamp, contents: Contents) {
    self.writtenAt = writtenAt
    self.contents = contents
  }
}
