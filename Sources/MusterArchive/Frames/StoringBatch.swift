internal import Dispatch
internal import MusterModel
internal import MusterSync

/// A batch that is stored on a thread of its own, while the next one is verified.
///
/// From `init` until `wait` returns, the archive belongs to that thread: the owner MUST NOT use it.
final class StoringBatch {
  /// `@unchecked Sendable`: one thread works until it leaves the group, and the owner reads after
  /// that.
  private final class Work: @unchecked Sendable {
    let archive: Archive
    var result: Result<BatchWriter.Stored, any Error> = .success(.init())

    init(_ archive: Archive) { self.archive = archive }
  }

  private let work: Work
  private let all: BatchWriter.Stored
  private let group = DispatchGroup()
  /// It uses the same connection when it ends, thus not before the batch is stored.
  private let turn: ArchivingTurn

  /// Begins to store a batch of a device.
  init(_ batch: ArchiveBatch, of local: LocalDevice, into archive: Archive, turn: ArchivingTurn) {
    self.turn = turn
    let work = Work(archive)
    self.work = work
    all = BatchWriter.Stored(frames: batch.frameCount, units: batch.units.count)
    // A database that hangs would take the shared threads, on which uplinks are served.
    DispatchQueue(label: "muster.archive-batch").async(group: group) {
      work.result = Result {
        try BatchWriter(archive: work.archive).store(
          batch, from: local.device, in: local.operation)
      }
    }
  }

  // Who gives up an import may use the archive again.
  deinit { group.wait() }

  /// Waits until the batch is stored.
  ///
  /// - Returns: how much of it was new, and how much there is.
  func wait() throws -> (new: BatchWriter.Stored, all: BatchWriter.Stored) {
    group.wait()
    return (try work.result.get(), all)
  }
}
