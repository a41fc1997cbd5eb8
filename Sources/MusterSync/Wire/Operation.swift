public import MusterModel

/// One operation of a frame: a write, a crossing, or a statement of the control lane.
public enum Operation: Hashable, Sendable {
  case write(Write)
  case crossing(Crossing)
  /// A crossing of a tracker that the author's node records. The nonce proves that the subject is a
  /// row of the author.
  case trackerCrossing(Crossing, nonce: Bytes16)
  case certificate(SignedCertificate)
  case epoch(EpochAnnouncement)
  case revocation(Revocation)
  case release(Release)
  case uplink(UplinkCertificate)
  /// A well-formed operation that violates the rules of its kind. Every node skips it.
  case invalid
  /// A kind or a field that this version does not know. It is stored, and applied after an upgrade.
  case unknown
}

/// The announcement of a new group key, sealed to command devices.
public struct EpochAnnouncement: Hashable, Sendable {
  /// The hash of the key. A device that opens a box verifies the key against it.
  public let id: EpochID
  /// Another epoch; this one also excludes all revocations that the other excludes. The number of
  /// excluded revocations is therefore not limited to what one announcement can name.
  public let base: EpochID?
  /// Frame hashes of the further revocations that this epoch excludes.
  public let excludes: [FrameHash]
  /// At most `Limits.sealedEpochKeys`, for different command devices. Other devices request the key
  /// from a peer that has it.
  public let sealed: [SealedEpochKey]

  /// 1 + the greatest generation that its author knew. New frames are sealed under the newest
  /// epoch.
  public let generation: UInt32

  /// Creates an announcement. It counts only in the log of a device that may read.
  public init(
    id: EpochID, generation: UInt32, base: EpochID?, excludes: [FrameHash],
    sealed: [SealedEpochKey]
  ) {
    self.id = id
    self.base = base
    self.generation = generation
    self.excludes = excludes
    self.sealed = sealed
  }
}

/// An epoch key in a `crypto_box_seal` for one device.
public struct SealedEpochKey: Hashable, Sendable {
  /// The device whose agreement key opens the box.
  public let device: DeviceID
  /// The sealed key, 48 bytes longer than the key.
  public let box: [UInt8]

  /// Creates a sealed key. `box` MUST be sealed to the agreement key in the certificate of the
  /// device.
  public init(device: DeviceID, box: [UInt8]) {
    self.device = device
    self.box = box
  }
}

/// The plaintext of a frame after the opening.
public struct FrameBody: Hashable, Sendable {
  /// The time by the author's wall clock when the frame was sealed: a label.
  public var writtenAt: Timestamp
  /// The operations, or a part of a larger body.
  public var contents: Contents
  /// The reading of the author's boot clock when the body was made. Ignored outside the urgent
  /// lane.
  public var stamp: RecordStamp?
  /// The person or login that the device wrote for; nil for its own user, and in a part.
  public let onBehalfOf: Principal?

  /// Complete operations, or one part of a body that is too large for a frame.
  public enum Contents: Hashable, Sendable {
    case operations([Operation])
    /// One of `count` parts, in consecutive frames, of a body that exceeds one frame.
    case part(index: Int, count: Int, content: [UInt8])
  }

  /// Creates a body. Its encoding MUST fit `Limits.framePlaintextBytes`; the author packs it
  /// accordingly.
  public init(
    writtenAt: Timestamp, contents: Contents, stamp: RecordStamp? = nil,
    onBehalfOf: Principal? = nil
  ) {
    self.writtenAt = writtenAt
    self.contents = contents
    self.stamp = stamp
    self.onBehalfOf = onBehalfOf
  }
}
