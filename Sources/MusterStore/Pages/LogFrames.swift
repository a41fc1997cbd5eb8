internal import Synchronization

/// Which sealed page each frame of a write-ahead log holds, as this process wrote it or read it
/// when it recovered the log: what lies there now and is another is damage, though it opens. All
/// connections of a database share it.
final class LogFrames: Sendable {
  /// What one frame holds.
  struct Held {
    /// The page's number in the database; 0 where nothing is known.
    var number: UInt32 = 0
    /// What tells the sealed page from every other (`PageSeal.mark`).
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
