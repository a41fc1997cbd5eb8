internal import Synchronization

/// Bounds the bodies that are received at once. A signature covers its body and is verified after
/// it, so the id of an access key suffices to occupy a place: requests with one id leave half of
/// the places to others.
final class BodyPlaces: Sendable {
  static let most = 32
  static let mostPerSender = 16
  /// The bodies by the sender that they name; none is 0.
  private let counts = Mutex<[String: Int]>([:])

  /// Returns false at a limit.
  func enter(_ sender: String) -> Bool {
    counts.withLock { counts in
      let ofSender = counts[sender] ?? 0
      guard ofSender < Self.mostPerSender, counts.values.reduce(0, +) < Self.most else {
        return false
      }
      counts[sender] = ofSender + 1
      return true
    }
  }

  /// MUST follow each successful `enter`.
  func leave(_ sender: String) {
    counts.withLock { counts in
      let rest = (counts[sender] ?? 0) - 1
      counts[sender] = rest > 0 ? rest : nil
    }
  }
}
