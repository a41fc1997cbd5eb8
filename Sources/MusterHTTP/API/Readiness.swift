internal import MusterModel

/// Whether a node can go on storing data.
enum Readiness {
  /// Returns why a node with this free disk space is not ready; nil if it is, or if the space is
  /// unknown.
  static func fault(freeBytes: UInt64?) -> String? {
    guard let freeBytes, freeBytes < Limits.leastFreeBytes else { return nil }
    return "the disk is almost full: \(freeBytes >> 20) MiB are free, free at least "
      + "\(Limits.leastFreeBytes >> 20) MiB"
  }
}
