internal import MusterModel
internal import MusterNode
internal import MusterSync

/// What a node holds and an archive lacks, on its way there: one comparison, and one or more turns
/// of the connection.
struct ArchivePass {
  /// Whether logs are requested from their beginnings, as after a rejected attempt to continue one.
  let isWhole: Bool
  private(set) var isComplete = false
  private let post: ArchivePost
  private let wanted: BundleSelection
  private var archiver: BundleArchiver
  private var place: [UInt8] = []

  /// Returns nil if nothing is missing.
  init?(of post: ArchivePost, into archive: Archive, isWhole: Bool) async throws {
    guard case .logStates(let states) = try await post.ask(.logStates) else {
      throw ArchivePost.unexpectedReply
    }
    let wanted = try archive.missing(of: states, in: post.local.operation, isWhole: isWhole)
    guard let wanted else { return nil }
    (self.isWhole, self.post, self.wanted) = (isWhole, post, wanted)
    archiver = try BundleArchiver(into: archive, of: post.local)
  }

  /// The counts so far.
  var tally: BundleTally { archiver.tally }

  /// Archives what is missing. What it has sent is committed on return.
  ///
  /// - Parameter deadline: when to stop after the current piece; nil for no limit.
  mutating func perform(until deadline: ContinuousClock.Instant? = nil) async throws {
    while !isComplete {
      guard
        case .bundlePiece(let piece) = try await post.ask(
          .bundlePiece(at: ByteString(place), only: wanted))
      else { throw ArchivePost.unexpectedReply }
      try archiver.take(piece.bytes)
      (place, isComplete) = (piece.next, piece.next.isEmpty)
      if let deadline, deadline < .now { break }
    }
    _ = try archiver.finish()
  }
}
