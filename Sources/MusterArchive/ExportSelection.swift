internal import MusterModel

/// What a bundle of an archive contains.
struct ExportSelection {
  /// The pieces of photos' ciphertext.
  enum Units {
    case all
    case none
    /// All that is archived of some blobs.
    case blobs(Set<BlobID>)
    /// Some pieces of some blobs, by number.
    case numbers([BlobID: [Int]])
  }

  /// By log, the first sequence; nil for all frames of all logs.
  var starts: [LogID: UInt64]?
  /// The most frames, except of logs that are included whole. The rest follows with the next
  /// bundle.
  var mostFrames = UInt64.max
  /// Logs of which all frames are needed, as where a branch may be missing.
  var whole: Set<LogID> = []
  var units = Units.all

  /// Whether frames are included, with what proves them and the keys to read them.
  var hasFrames: Bool { starts?.isEmpty != true }

  /// Returns which frames of a log are included; nil for none.
  ///
  /// - Parameter room: how many more frames are included.
  func part(of log: LogID, _ heads: BranchHeads, room: UInt64) -> ClosedRange<UInt64>? {
    guard room > 0, let newest = heads.tips.values.max() else { return nil }
    guard let starts else { return 0...newest }
    guard let first = starts[log], first <= newest else { return nil }
    let isWhole = !heads.forks.isEmpty || whole.contains(log)
    return first...(isWhole || newest - first < room ? newest : first + room - 1)
  }
}
