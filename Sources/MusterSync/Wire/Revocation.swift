public import MusterModel

/// Takes a device's standing away: of each of its logs that the revoker knew, what still counts.
/// Logs that are not named count for nothing from their first frame on.
///
/// It counts in the control log of a `command` device that is no further from the root than the
/// device that it names, and in the root's.
public struct Revocation: Hashable, Sendable {
  /// Whose frames no longer count past the cuts.
  public let device: DeviceID
  /// The last frame that counts of each log, or, where it is forked, of each of its branches; in
  /// ascending order of logs and hashes.
  public let cuts: [Head]
  /// Of the certificates that the device issued, those that still count, in ascending order. Nil in
  /// revocations of before rules version 5: then those in its control logs within the cuts do.
  public let keeps: [CertificateHash]?

  /// Sorted, so that the same cuts are written alike.
  public init(device: DeviceID, cuts: [Head], keeps: [CertificateHash]? = nil) {
    self.device = device
    self.cuts = cuts.sorted { $0.isBefore($1) }
    self.keeps = keeps?.sorted()
  }
}

/// Lets frames count that stand past a cut: late work of an honest device. In the control log of a
/// `command` device or the root's; releasing again changes nothing.
public struct Release: Hashable, Sendable {
  /// The frames; of a branch's, the log that is forked.
  public let frames: [Head]

  /// At most `Limits.framesPerRelease`.
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

  /// Nil where they are not in ascending order, each once.
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

  /// Nil for what no honest writer makes.
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

  /// Nil for what no honest writer makes: a frame or certificate named twice, a sequence beyond the
  /// last.
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

  /// Nil where they are not in ascending order, each once.
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
