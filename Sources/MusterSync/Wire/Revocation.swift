public import MusterModel

/// A revocation of a device. It states which frames still count, for each log that the revoker
/// knew. Of a log that it does not name, no frame counts.
///
/// It counts in a control log of the root, or of a `command` device whose rank is not greater than
/// the rank of the revoked device. Only the root and councils revoke members of a council.
public struct Revocation: Hashable, Sendable {
  /// The revoked device.
  public let device: DeviceID
  /// The last frame that counts of each log or, for a forked log, of each branch; in ascending
  /// order of logs and hashes.
  public let cuts: [Head]
  /// The certificates issued by the device that still count, in ascending order. Nil in revocations
  /// from before rules version 5, which leave the certificates in frames that count.
  public let keeps: [CertificateHash]?

  /// Sorts the cuts, so that equal revocations have equal encodings.
  public init(device: DeviceID, cuts: [Head], keeps: [CertificateHash]? = nil) {
    self.device = device
    self.cuts = cuts.sorted { $0.isBefore($1) }
    self.keeps = keeps?.sorted()
  }
}

/// A release of frames past a cut-off, such as late work of an honest device, which then count. It
/// counts in a control log of the root or of a `command` device. A repeated release has no effect.
public struct Release: Hashable, Sendable {
  /// The released frames. For a frame of a branch, `log` is the forked log.
  public let frames: [Head]

  /// Creates a release of at most `Limits.framesPerRelease` frames.
  public init(frames: [Head]) { self.frames = frames.sorted { $0.isBefore($1) } }
}

extension Head {
  func isBefore(_ other: Head) -> Bool {
    (log, hash) < (other.log, other.hash)
  }

  fileprivate var wire: WireHead {
    var wire = WireHead()
    wire.log = .init(log.bytes)
    wire.sequence = sequence
    wire.hash = .init(hash.bytes)
    return wire
  }

  fileprivate init?(_ wire: WireHead) {
    guard let log = LogID(bytes: wire.log), let hash = FrameHash(bytes: wire.hash),
      wire.sequence <= Limits.lastSequence
    else { return nil }
    self.init(log: log, sequence: wire.sequence, hash: hash)
  }

  /// Returns nil unless the heads are valid and in ascending order, each once.
  fileprivate static func decode(_ wires: [WireHead]) -> [Head]? {
    var heads: [Head] = []
    for wire in wires {
      guard let head = Head(wire), heads.last.map({ $0.isBefore(head) }) ?? true else {
        return nil
      }
      heads.append(head)
    }
    return heads
  }
}

extension Release {
  var wire: WireRelease {
    var wire = WireRelease()
    wire.frames = frames.map(\.wire)
    return wire
  }

  /// Returns nil for a malformed release.
  init?(_ wire: WireRelease) {
    guard wire.frames.count <= Limits.framesPerRelease, let frames = Head.decode(wire.frames)
    else { return nil }
    self.init(frames: frames)
  }
}

extension Revocation {
  var wire: WireRevocation {
    var wire = WireRevocation()
    wire.device = .init(device.bytes)
    wire.cuts = cuts.map(\.wire)
    if let keeps { wire.keeps.certificates = keeps.map { .init($0.bytes) } }
    return wire
  }

  /// Returns nil for a malformed revocation, such as one that names a frame or certificate twice.
  init?(_ wire: WireRevocation) {
    guard let device = DeviceID(bytes: wire.device), wire.cuts.count <= Limits.cutsPerRevocation,
      let cuts = Head.decode(wire.cuts)
    else { return nil }
    var keeps: [CertificateHash]?
    if wire.hasKeeps {
      guard let kept = Self.decode(wire.keeps) else { return nil }
      keeps = kept
    }
    self.init(device: device, cuts: cuts, keeps: keeps)
  }

  /// Returns nil unless the hashes are valid and in ascending order, each once.
  private static func decode(_ wire: WireKeptCertificates) -> [CertificateHash]? {
    guard wire.certificates.count <= Limits.keptCertificates else { return nil }
    var kept: [CertificateHash] = []
    for bytes in wire.certificates {
      guard let hash = CertificateHash(bytes: bytes), kept.last.map({ $0 < hash }) ?? true else {
        return nil
      }
      kept.append(hash)
    }
    return kept
  }
}
