public import MusterModel

/// Takes a device's standing away: of each of its logs that the revoker knew, what still counts.
/// Logs that are not named count for nothing from their first frame on.
///
/// It counts in the control log of a `command` device that is no further from the root than the
/// device that it names, and in the root's.
public struct Revocation: Hashable, Sendable {
  /// Whose frames no longer count past the cuts.
  public let device: DeviceID
  /// The last frame that counts, one a log, in ascending order of logs.
  public let cuts: [Head]

  /// Sorted by log, so that the same cuts are written alike.
  public init(device: DeviceID, cuts: [Head]) {
    self.device = device
    self.cuts = cuts.sorted { $0.log < $1.log }
  }
}

extension Revocation {
  var wire: WireRevocation {
    var wire = WireRevocation()
    wire.device = .init(device.bytes)
    wire.cuts = cuts.map { cut in
      var head = WireHead()
      head.log = .init(cut.log.bytes)
      head.sequence = cut.sequence
      head.hash = .init(cut.hash.bytes)
      return head
    }
    return wire
  }

  /// Nil for what no honest writer makes: a log named twice, a sequence beyond the last.
  init?(_ wire: WireRevocation) {
    guard let device = DeviceID(bytes: wire.device), wire.cuts.count <= Limits.cutsPerRevocation
    else { return nil }
    var cuts: [Head] = []
    for cut in wire.cuts {
      guard let log = LogID(bytes: cut.log), let hash = FrameHash(bytes: cut.hash),
        cut.sequence <= Limits.lastSequence, cuts.last.map({ $0.log < log }) ?? true
      else { return nil }
      cuts.append(Head(log: log, sequence: cut.sequence, hash: hash))
    }
    self.init(device: device, cuts: cuts)
  }
}
