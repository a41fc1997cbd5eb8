internal import Dispatch
internal import MusterModel

/// A batch that is stored on a thread of its own, while the next one is verified.
///
/// From `init` until `wait` returns, the archive belongs to that thread: the owner MUST NOT use it.
final class StoringBatch {
  /// `@unchecked Sendable`: one thread works until it leaves the group, and the owner reads after
  /// that.
  private final class Work: @unchecked Sendable {
    let archive: Archive
    var result: Result<Archive.Stored, any Error> = .success(.init())

    init(_ archive: Archive) { self.archive = archive }
  }

  private let work: Work
  private let all: Archive.Stored
  private let group = DispatchGroup()

  /// Begins to store a batch.
  init(_ batch: ArchiveBatch, into archive: Archive, from post: DeviceID, in operation: OperationID)
  {
    let work = Work(archive)
    self.work = work
    all = Archive.Stored(frames: batch.frameCount, units: batch.units.count)
    DispatchQueue.global().async(group: group) {
      work.result = Result { try work.archive.store(batch, from: post, in: operation) }
    }
  }

  // Who gives up an import may use the archive again.
  deinit { group.wait() }

  /// Waits until the batch is stored.
  ///
  /// - Returns: how much of it was new, and how much there is.
  func wait() throws -> (new: Archive.Stored, all: Archive.Stored) {
    group.wait()
    return (try work.result.get(), all)
  }
}
