internal import MusterModel

/// The cause of an alert, as far as every node can know it: values of rows, and position records.
/// An acknowledgement names it, so that it counts on every node for this occurrence of the alert
/// only (decision 0042).
struct AlertCause: Hashable, Sendable {
  static let none = AlertCause(dots: [], positions: [])

  /// In order.
  let dots: [Dot]
  /// By device.
  let positions: [SeenPosition]

  /// Creates a cause. If it exceeds what an acknowledgement may name, it is empty: the alert is
  /// then local to this node.
  init(dots: [Dot], positions: [SeenPosition]) {
    let fits = dots.count <= Limits.overruledClaims && positions.count <= Limits.seenPositions
    self.dots = fits ? dots.sorted() : []
    self.positions = fits ? positions.sorted { $0.device < $1.device } : []
  }

  /// Returns what an acknowledgement names that is to count for this and for what it has become.
  func continued(by current: AlertCause) -> AlertCause {
    AlertCause(dots: Array(Set(dots).union(current.dots)), positions: current.positions)
  }

  /// Whether an acknowledgement of it has a meaning on other nodes.
  var isShared: Bool { !dots.isEmpty || !positions.isEmpty }

  /// Whether the author of a reply had received all of this, or newer parts of what is `held` here
  /// now. A reply that names a position that was not sent yet would acknowledge the future.
  func isCovered(by reply: AlertReply, held: AlertCause) -> Bool {
    guard isShared, Set(dots).isSubset(of: reply.dots) else { return false }
    return positions.allSatisfy { position in
      reply.positions.contains { named in
        named.device == position.device && named.order >= position.order
          && held.positions.contains { $0.device == named.device && $0.order >= named.order }
      }
    }
  }
}
