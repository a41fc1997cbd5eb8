internal import MusterCrypto
internal import MusterModel

/// Handshakes that are not finished, by local index.
///
/// Invariant: at most `Limits.handshakesInFlight`; the oldest makes room for a new one.
struct HandshakeTable: Sendable {
  private var pending: [UInt32: SessionHandshake] = [:]
  /// Datagrams of the new session that overtook the last message of their handshake.
  private var early: [UInt32: [[UInt8]]] = [:]

  var count: Int { pending.count }

  /// Whether so many are unfinished that strangers must prove their address first.
  var isCrowded: Bool { count > Limits.handshakesInFlight / 2 }

  /// The handshake at an index. An assigned one replaces a handshake that is in the table; `keep`
  /// adds one.
  subscript(index: UInt32) -> SessionHandshake? {
    get { pending[index] }
    set {
      guard pending[index] != nil else { return }
      pending[index] = newValue
      if newValue == nil { early[index] = nil }
    }
  }

  mutating func keep(_ handshake: SessionHandshake) {
    if pending.count >= Limits.handshakesInFlight {
      let oldest = pending.min { ($0.value.startedAt, $0.key) < ($1.value.startedAt, $1.key) }
      if let oldest { self[oldest.key] = nil }
    }
    pending[handshake.localIndex] = handshake
  }

  /// An initiation to an address that is not answered yet.
  func initiation(to endpoint: Endpoint) -> SessionHandshake? {
    pending.values.first { $0.endpoint == endpoint && $0.remoteIndex == nil }
  }

  /// The handshake that an initiation began, which is received again.
  func response(to initiation: Bytes16, of remoteIndex: UInt32, at endpoint: Endpoint)
    -> SessionHandshake?
  {
    pending.values.first {
      $0.answeredHash == initiation && $0.remoteIndex == remoteIndex && $0.endpoint == endpoint
    }
  }

  func contains(_ endpoint: Endpoint) -> Bool {
    pending.values.contains { $0.endpoint == endpoint }
  }

  mutating func removeAll(at endpoint: Endpoint) {
    for (index, handshake) in pending where handshake.endpoint == endpoint { self[index] = nil }
  }

  /// Keeps a datagram of a session whose handshake the other side has yet to finish. Returns false
  /// if there is none, or no room.
  mutating func keep(early datagram: [UInt8], on index: UInt32, from endpoint: Endpoint) -> Bool {
    guard let handshake = pending[index], handshake.remoteIndex != nil,
      handshake.purpose == .session, handshake.endpoint == endpoint,
      early[index, default: []].count < Limits.earlyDatagrams
    else { return false }
    early[index, default: []].append(datagram)
    return true
  }

  func early(on index: UInt32) -> [[UInt8]] { early[index] ?? [] }
}
