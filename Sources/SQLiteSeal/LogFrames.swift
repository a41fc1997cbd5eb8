internal import Synchronization

/// Tracks which sealed page each frame of a write-ahead log contains, as this process wrote it or
/// read it during recovery. Another page in its position is damage, even if it authenticates. All
/// connections of a database share it.
final class LogFrames: Sendable {
  /// The contents of one frame.
  struct Held {
    /// The page's number in the database; 0 if unknown.
    var number: UInt32 = 0
    /// Identifies the sealed page (`PageSeal.mark`).
    var mark: UInt64 = 0
  }

  private let frames = Mutex<[Held]>([])

  /// - Parameter frame: counted from 0.
  subscript(frame: Int) -> Held? {
    frames.withLock { $0.indices.contains(frame) && $0[frame].number > 0 ? $0[frame] : nil }
  }

  func set(_ frame: Int, _ held: Held) {
    frames.withLock { frames in
      if frame >= frames.count {
        let missing = frame + 1 - frames.count
        frames.append(contentsOf: repeatElement(Held(), count: missing))
      }
      frames[frame] = held
    }
  }
}
