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
    var result: Result<Int, any Error> = .success(0)

    init(_ archive: Archive) { self.archive = archive }
  }

  private let work: Work
  private let frameCount: Int
  private let group = DispatchGroup()

  /// Begins to store a batch.
  init(_ batch: ArchiveBatch, into archive: Archive, from post: DeviceID, in operation: OperationID)
  {
    let work = Work(archive)
    (self.work, frameCount) = (work, batch.frameCount)
    DispatchQueue.global().async(group: group) {
      work.result = Result { try work.archive.store(batch, from: post, in: operation) }
    }
  }

  // Who gives up an import may use the archive again.
  deinit { group.wait() }

  /// Waits until the batch is stored.
  ///
  /// - Returns: how many of its frames were new, and how many there are.
  func wait() throws -> (new: Int, all: Int) {
    group.wait()
    return (try work.result.get(), frameCount)
  }
}
