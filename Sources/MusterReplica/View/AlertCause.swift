internal import MusterModel

/// What an alert was raised by, as far as every node can know it: values of rows, and position
/// records. An acknowledgement names it, so that it counts on every node for this occurrence of the
/// alert and for no later one (decision 0042).
struct AlertCause: Hashable, Sendable {
  static let none = AlertCause(dots: [], positions: [])

  /// In order.
  let dots: [Dot]
  /// By device.
  let positions: [SeenPosition]

  /// Of more than an acknowledgement may name, nothing is shared: those are this node's alone.
  init(dots: [Dot], positions: [SeenPosition]) {
    let fits = dots.count <= Limits.overruledClaims && positions.count <= Limits.seenPositions
    self.dots = fits ? dots.sorted() : []
    self.positions = fits ? positions.sorted { $0.device < $1.device } : []
  }

  /// Whether an acknowledgement of it means anything to other nodes.
  var isShared: Bool { !dots.isEmpty || !positions.isEmpty }

  /// Whether the author of a reply had received all of this, or something newer of what is `held`
  /// here now. A reply that names a position nobody has sent yet would acknowledge the future.
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
