internal import MusterModel
internal import MusterSync

/// Merges a piece of a bundle's file: its contents pass through the engine as if a peer had sent
/// them, and into the log in the same way. What becomes of them is counted (`BundleTally`).
struct BundleMerger {
  private var reader: BundleReader
  /// Nil before the end of the bundle.
  private var end: BundleEnd?
  private var tally = BundleTally()

  /// - Parameters:
  ///   - bytes: the bytes after those consumed before.
  ///   - position: empty at the beginning of the file, else the `next` of the previous result.
  init(_ bytes: [UInt8], at position: [UInt8], of local: LocalDevice) throws(Refusal) {
    guard let reader = BundleReader(bytes, at: position, of: local) else {
      throw Refusal("this is not a position in a bundle")
    }
    self.reader = reader
  }

  var progress: BundleProgress {
    BundleProgress(
      consumed: reader.consumed, next: reader.position, tally: tally, end: end)
  }

  /// Merges the complete parts, in the transaction of the caller.
  ///
  /// - Parameter isLast: whether the file ends with these bytes.
  mutating func merge(into core: inout ReplicaCore, isLast: Bool, now: ClockReading) throws {
    core.transaction.tally = BundleTally()
    defer { core.transaction.tally = nil }
    try takePieces(into: &core, isLast: isLast, now: now)
    try core.run(.carried(.end), now: now)
    core.records.hurry()
    tally = core.transaction.tally ?? tally
  }

  private mutating func takePieces(
    into core: inout ReplicaCore, isLast: Bool, now: ClockReading
  ) throws {
    do {
      while let piece = try reader.next() {
        switch piece {
        case .contents(let contents):
          for carried in contents { try Self.take(carried, into: &core, now: now) }
        case .damaged: core.transaction.tally?.damagedPieces += 1
        case .unreadable: core.transaction.tally?.unreadablePieces += 1
        case .end:
          end = .whole
          return
        }
      }
      end = isLast ? .cutShort : nil
    } catch let fault as BundleReader.Fault {
      end = try BundleEnd(by: fault, in: core.local.operationName)
    }
  }

  private static func take(
    _ carried: BundleItem, into core: inout ReplicaCore, now: ClockReading
  ) throws {
    // Held frames were verified on arrival: the hash of the last covers all previous ones.
    if case .frames(let frames) = carried, let last = frames.last,
      try core.store.strand(of: last.hash, in: last.log) != nil
    {
      core.transaction.tally?.frames.known += frames.count
      return
    }
    // The engine learns of a blob when the frame that lists it is durable.
    if case .unit = carried,
      core.transaction.batch.frames.contains(where: { !$0.frame.blobs.isEmpty })
    {
      try core.commit(now: now)
    }
    try core.run(.carried(carried), now: now)
  }
}

extension BundleEnd {
  /// Returns how a bundle with a fault ended. Throws if nothing of it was merged.
  fileprivate init(by fault: BundleReader.Fault, in operationName: String) throws(Refusal) {
    switch fault {
    case .lost: self = .damaged
    case .notABundle: throw Refusal("this is not a bundle: create one with `muster bundle create`")
    case .newerVersion:
      throw Refusal(
        "a newer version of muster made this bundle, and this one cannot read it: update this "
          + "device")
    case .otherRules(.thisLaptop):
      throw Refusal(
        "a newer version of muster made this bundle, and follows other rules: nothing was merged; "
          + "update this device, then merge it again")
    case .otherRules(.peer):
      throw Refusal(
        "an older version of muster made this bundle, and follows other rules: nothing was merged; "
          + "update the device that made it, and create it again there")
    case .damagedHeader:
      throw Refusal("the beginning of the bundle is damaged: create it again")
    case .otherOperation:
      throw Refusal(
        "the bundle is from another operation than \"\(operationName)\": nothing was merged")
    }
  }
}
