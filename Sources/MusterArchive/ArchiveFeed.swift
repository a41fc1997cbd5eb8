public import MusterModel
public import MusterNode
internal import MusterSync

/// Feeds an archive with bundles and with the data of nodes.
extension Archive {
  /// Archives a bundle's file.
  ///
  /// - Parameters:
  ///   - home: of a device of the operation, for its keys. Its node is not needed.
  ///   - read: returns the next bytes of the file; empty at its end.
  /// - Returns: the counts, and whether the bundle was complete. Throws `ArchiveFault`; what was
  ///   stored before stays.
  public func importBundle(
    keysOf home: NodeHome, passphrase: [UInt8]?, read: () throws -> [UInt8]
  ) throws -> (tally: BundleTally, isWhole: Bool) {
    let local = try ArchivePost.local(of: home, passphrase: passphrase)
    var archiver = try BundleArchiver(into: self, of: local)
    while true {
      let bytes = try read()
      guard !bytes.isEmpty else { break }
      try archiver.take(bytes)
    }
    let isWhole = try archiver.finish()
    return (archiver.tally, isWhole)
  }

  /// Archives what a node holds and the archive lacks. Asks only for that.
  ///
  /// - Returns: the counts; zero if nothing was missing.
  public func update(from post: ArchivePost) async throws -> BundleTally {
    var tally = try await pass(of: post, isWhole: false)
    // A branch that the archive does not know follows an earlier frame than its newest.
    if tally.frames.refused[.unattached] != nil { tally = try await pass(of: post, isWhole: true) }
    // Photos are requested by the lists of frames that are archived.
    if tally.frames.new > 0, try !missingBlobs(of: post.local.operation).isEmpty {
      tally.add(try await pass(of: post, isWhole: false))
    }
    return tally
  }

  private func pass(of post: ArchivePost, isWhole: Bool) async throws -> BundleTally {
    guard var pass = try await ArchivePass(of: post, into: self, isWhole: isWhole) else {
      return BundleTally()
    }
    try await pass.perform()
    return pass.tally
  }
}
