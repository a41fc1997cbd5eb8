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
}
