internal import MusterModel

/// A post's turn to verify and store frames of an operation: an advisory lock of its connection.
///
/// Several posts often send the same frames at once. By turns, one of them verifies and copies
/// them, and the others then ask what is archived and skip it. The lock on the operation's row
/// keeps the heads right, with or without turns: a turn saves work, and nothing else.
///
/// - A turn ends after a second, between two groups of frames: others may have something new.
/// - A post that waits longer than several turns, as while another program hangs, continues
///   without turns.
///
/// Its functions use the connection: no batch may be stored meanwhile.
final class ArchivingTurn {
  private let database: DatabaseConnection
  private let lock: String
  private var begun: ContinuousClock.Instant?
  /// Whether this post waited in vain.
  private(set) var isGivenUp = false

  private static let longest = Duration.seconds(1)
  /// The first half of the lock's key. The second is of the operation: two operations with the
  /// same one take turns too, which does no harm.
  private static let kind: Int32 = 0x6D75_7374

  init(of operation: OperationID, in database: DatabaseConnection) {
    self.database = database
    lock = "(\(Self.kind), \(Int32(truncatingIfNeeded: operation.raw.high)))"
  }

  deinit { end() }

  /// Whether it is this post's turn.
  var isHeld: Bool { begun != nil }

  /// Whether it has lasted long enough.
  var isOver: Bool { begun.map { $0.duration(to: .now) > Self.longest } ?? false }

  /// Waits for the turn, but not for ever.
  ///
  /// - Parameter patience: the longest wait, as PostgreSQL writes it.
  func begin(within patience: String = "5s") throws {
    if try database.lock("SELECT pg_advisory_lock\(lock)", within: patience) {
      begun = .now
    } else {
      isGivenUp = true
    }
  }

  /// Ends the turn.
  func end() {
    guard isHeld else { return }
    begun = nil
    database.release("SELECT pg_advisory_unlock\(lock)")
  }
}
