internal import Synchronization

/// How much of an archive one agency uses at a time, so that its requests delay no other agency and
/// fill no memory.
///
///     request ─▶ place ─▶ turn ─▶ queries ─▶ answer ─▶ sent
///                  │        └── at most `running` ─┘      │
///                  └────────── at most `open` ────────────┘
final class AgencyShares: Sendable {
  private struct Share {
    var open = 0
    var running = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let shares = Mutex<[String: Share]>([:])
  private let mostRunning: Int
  private let mostOpen: Int

  init(running: Int, open: Int) { (mostRunning, mostOpen) = (max(1, running), open) }

  /// The place of a request until its answer is sent or dropped.
  final class Place: Sendable {
    fileprivate let agency: String
    private let shares: AgencyShares

    fileprivate init(_ agency: String, in shares: AgencyShares) {
      (self.agency, self.shares) = (agency, shares)
    }

    deinit { shares.leave(agency) }
  }

  /// Returns a place; nil if the agency has as many open requests as it may.
  func place(for agency: String) -> Place? {
    let isFree = shares.withLock { shares in
      guard shares[agency, default: Share()].open < mostOpen else { return false }
      shares[agency, default: Share()].open += 1
      return true
    }
    return isFree ? Place(agency, in: self) : nil
  }

  /// Performs queries when it is the request's turn.
  func perform<Result>(at place: Place, _ work: () async throws -> Result) async throws -> Result {
    await withCheckedContinuation { continuation in
      let isNext = shares.withLock { shares in
        guard shares[place.agency, default: Share()].running < mostRunning else {
          shares[place.agency]?.waiting.append(continuation)
          return false
        }
        shares[place.agency]?.running += 1
        return true
      }
      if isNext { continuation.resume() }
    }
    defer { endTurn(of: place.agency) }
    return try await work()
  }

  /// Gives the turn to the request that has waited longest.
  private func endTurn(of agency: String) {
    let next = shares.withLock { shares -> CheckedContinuation<Void, Never>? in
      guard shares[agency]?.waiting.isEmpty == false else {
        shares[agency]?.running -= 1
        return nil
      }
      return shares[agency]?.waiting.removeFirst()
    }
    next?.resume()
  }

  private func leave(_ agency: String) {
    shares.withLock { shares in
      shares[agency]?.open -= 1
      if shares[agency]?.open == 0 { shares[agency] = nil }
    }
  }
}
