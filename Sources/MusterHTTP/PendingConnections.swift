internal import NIOCore
internal import Synchronization

/// The connections of a listener without an accepted request yet. If there are too many, the oldest
/// one ends: a client that is slow on purpose displaces others of its kind, and never takes the
/// whole listener for a minute.
final class PendingConnections: Sendable {
  private struct State {
    var latest: UInt64 = 0
    var channels: [UInt64: any Channel] = [:]
  }
  private let state = Mutex(State())
  private let bound: Int

  /// - Parameter bound: the most of them.
  init(bound: Int) { self.bound = bound }

  /// Adds a new connection, and closes the oldest one if it exceeds the bound.
  ///
  /// - Returns: its number, for `remove`.
  func add(_ channel: any Channel) -> UInt64 {
    let (number, displaced) = state.withLock { state in
      state.latest += 1
      state.channels[state.latest] = channel
      let oldest = state.channels.count > bound ? state.channels.keys.min() : nil
      return (state.latest, oldest.flatMap { state.channels.removeValue(forKey: $0) })
    }
    displaced?.close(promise: nil)
    return number
  }

  /// Removes a connection that has ended, or whose request was accepted.
  func remove(_ number: UInt64) { state.withLock { $0.channels[number] = nil } }
}
