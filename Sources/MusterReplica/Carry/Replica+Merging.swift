internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Merges bundles: their contents pass through the engine as if a peer had sent them, and into the
/// log in the same way.
extension Replica {
  /// Merges the complete parts of a piece of a bundle's file, in one transaction.
  ///
  /// - Parameters:
  ///   - bytes: the bytes after those consumed before.
  ///   - position: empty at the beginning of the file, else the `next` of the previous result.
  ///   - isLast: whether the file ends with these bytes.
  public mutating func merge(
    _ bytes: [UInt8], at position: [UInt8], isLast: Bool, now: ClockReading
  ) throws -> (progress: BundleProgress, outcome: Outcome) {
    guard var reader = BundleReader(bytes, at: position, of: local) else {
      throw Refusal("this is not a position in a bundle")
    }
    var end: BundleEnd?
    var tally = BundleTally()
    let outcome = try transact(now: now) { replica in
      replica.transaction.tally = BundleTally()
      defer { replica.transaction.tally = nil }
      end = try replica.take(&reader, isLast: isLast, now: now)
      try replica.run(.carried(.end), now: now)
      replica.records.hurry()
      tally = replica.transaction.tally ?? tally
    }
    let progress = BundleProgress(
      consumed: reader.consumed, next: reader.position, tally: tally, end: end)
    return (progress, outcome)
  }

  private mutating func take(
    _ reader: inout BundleReader, isLast: Bool, now: ClockReading
  ) throws -> BundleEnd? {
    do {
      while let piece = try reader.next() {
        switch piece {
        case .contents(let contents): for carried in contents { try take(carried, now: now) }
        case .damaged: transaction.tally?.damagedPieces += 1
        case .unreadable: transaction.tally?.unreadablePieces += 1
        case .end: return .whole
        }
      }
      return isLast ? .cutShort : nil
    } catch let fault as BundleReader.Fault {
      return try BundleEnd(by: fault, in: local.operationName)
    }
  }

  private mutating func take(_ carried: BundleItem, now: ClockReading) throws {
    // Held frames were verified on arrival: the hash of the last covers all previous ones.
    if case .frames(let frames) = carried, let last = frames.last,
      try store.strand(of: last.hash, in: last.log) != nil
    {
      transaction.tally?.frames.known += frames.count
      return
    }
    // The engine learns of a blob when the frame that lists it is durable.
    if case .unit = carried, transaction.batch.frames.contains(where: { !$0.frame.blobs.isEmpty }) {
      try commit(now: now)
    }
    try run(.carried(carried), now: now)
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
