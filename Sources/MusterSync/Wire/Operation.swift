public import MusterModel

/// One thing that a frame says.
public enum Operation: Hashable, Sendable {
  case write(Write)
  case crossing(Crossing)
  /// Of a tracker that the author's node listens to; by the nonce anybody can check that the
  /// subject is a row of the author's.
  case trackerCrossing(Crossing, nonce: Bytes16)
  case certificate(SignedCertificate)
  case epoch(EpochAnnouncement)
  case revocation(Revocation)
  case release(Release)
  case uplink(UplinkCertificate)
  /// Well-formed Protocol Buffers, and yet not what its kind requires: applied nowhere, on every
  /// node alike.
  case invalid
  /// A kind, or a field, that this version does not know: held, and applied after an upgrade.
  case unknown
}

/// A new group content key, by the hash that names it, sealed to command devices.
public struct EpochAnnouncement: Hashable, Sendable {
  /// A hash of the key: who opens a box can tell whether it is the right one.
  public let id: EpochID
  /// Another epoch, all of whose excluded revocations this one excludes too: so there may be more
  /// than one announcement can name.
  public let base: EpochID?
  /// Frame hashes of the revocations that it shuts out, besides.
  public let excludes: [FrameHash]
  /// At most `Limits.sealedEpochKeys`, each to another command device; others ask a holder.
  public let sealed: [SealedEpochKey]

  /// 1 + the greatest that its maker knew of: what is written goes under the newest.
  public let generation: UInt32

  /// Counts in a log of a device that may read.
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
  /// Whose agreement key opens the box.
  public let device: DeviceID
  /// The sealed key, 48 bytes longer than the key.
  public let box: [UInt8]

  /// `box` MUST be sealed to the agreement key in the device's certificate.
  public init(device: DeviceID, box: [UInt8]) {
    self.device = device
    self.box = box
  }
}

/// The plaintext of a frame after the opening.
public struct FrameBody: Hashable, Sendable {
  /// As the author's clock claimed when the frame was sealed: a label.
  public var writtenAt: Timestamp
  /// What the frame says.
  public var contents: Contents
  /// When it was made by its author's boot clock: read in the urgent lane alone.
  public var stamp: RecordStamp?

  /// Whole operations, or a piece of one that is too large.
  public enum Contents: Hashable, Sendable {
    case operations([Operation])
    /// One of `count` pieces, in consecutive frames, of a body that no frame can hold.
    case part(index: Int, count: Int, content: [UInt8])
  }

  /// What it makes MUST fit `Limits.framePlaintextBytes`: the author packs accordingly.
  public init(writtenAt: Timestamp, contents: Contents, stamp: RecordStamp? = nil) {
    self.writtenAt = writtenAt
    self.contents = contents
    self.stamp = stamp
  }
}
