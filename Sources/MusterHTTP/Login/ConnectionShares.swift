internal import NIOCore
internal import Synchronization

/// The connections of a listener that authenticated clients hold, by login or access key: one that
/// opens many leaves places for the others, for phones that connect and for uplinks. Urgent
/// requests pass without a place, each on a connection that ends after it (`APIRouter.isUrgent`).
final class ConnectionShares: Sendable {
  private struct State {
    var owners: [ObjectIdentifier: String] = [:]
    var counts: [String: Int] = [:]
  }

  private let state = Mutex(State())
  private let mostPerOwner: Int
  private let most: Int

  /// - Parameters:
  ///   - mostPerOwner: the connections of one login or access key. A phone's browser opens up to
  ///     six, and several phones may share a login.
  ///   - most: those of all of them. MUST leave a reserve of the listener's places.
  init(perOwner mostPerOwner: Int, all most: Int) {
    (self.mostPerOwner, self.most) = (mostPerOwner, most)
  }

  /// Counts a connection as one of an owner until it closes. Returns false, without effect, if the
  /// owner, or all owners together, hold as many as they may.
  func admit(_ channel: any Channel, of owner: String) -> Bool {
    let id = ObjectIdentifier(channel)
    let (isAdmitted, isNew) = state.withLock { state -> (Bool, Bool) in
      let before = state.owners[id]
      if before == owner { return (true, false) }
      let isFull =
        state.counts[owner, default: 0] >= mostPerOwner
        || (before == nil && state.owners.count >= most)
      if isFull { return (false, false) }
      if let before { Self.leave(before, &state) }
      state.owners[id] = owner
      state.counts[owner, default: 0] += 1
      return (true, before == nil)
    }
    if isNew { channel.closeFuture.whenComplete { [weak self] _ in self?.remove(id) } }
    return isAdmitted
  }

  private func remove(_ id: ObjectIdentifier) {
    state.withLock { state in
      guard let owner = state.owners.removeValue(forKey: id) else { return }
      Self.leave(owner, &state)
    }
  }

  private static func leave(_ owner: String, _ state: inout State) {
    let left = (state.counts[owner] ?? 1) - 1
    state.counts[owner] = left > 0 ? left : nil
  }
}
