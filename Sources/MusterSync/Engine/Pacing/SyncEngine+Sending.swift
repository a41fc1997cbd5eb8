internal import MusterModel

/// The one way out.
extension SyncEngine {
  /// Everything that leaves passes here. No IP fragment is ever sent, so a larger datagram is a
  /// programmer's error.
  mutating func transmit(_ datagram: [UInt8], to destination: Destination) {
    precondition(datagram.count <= Limits.datagramBytes, "datagram of \(datagram.count) bytes")
    effects.append(.send(datagram, to: destination))
  }
}
