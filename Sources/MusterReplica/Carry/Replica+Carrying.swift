public import MusterModel

/// Bundles on a memory stick. See `BundleSource` and `BundleMerger`.
extension Replica {
  /// Returns the next piece of a bundle.
  ///
  /// - Parameters:
  ///   - place: empty for the first piece, else the `next` of the previous one.
  ///   - selection: what the bundle contains; nil for everything. The same for every piece.
  public mutating func bundlePiece(
    at place: [UInt8], only selection: BundleSelection? = nil
  ) throws -> BundlePiece {
    let source = BundleSource(
      context: core.context, engine: core.engine, keyring: core.epochKeys.keyring,
      selection: selection)
    return try source.piece(at: place, random: &core.own.random)
  }

  /// Merges the complete parts of a piece of a bundle's file, in one transaction.
  ///
  /// - Parameters:
  ///   - bytes: the bytes after those consumed before.
  ///   - position: empty at the beginning of the file, else the `next` of the previous result.
  ///   - isLast: whether the file ends with these bytes.
  public mutating func merge(
    _ bytes: [UInt8], at position: [UInt8], isLast: Bool, now: ClockReading
  ) throws -> (progress: BundleProgress, outcome: Outcome) {
    var merger = try BundleMerger(bytes, at: position, of: core.local)
    let outcome = try transact(now: now) { replica in
      try merger.merge(into: &replica.core, isLast: isLast, now: now)
    }
    return (merger.progress, outcome)
  }
}
