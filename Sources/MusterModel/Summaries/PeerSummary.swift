/// A peer that this node has met.
public struct PeerSummary: Codable, Hashable, Sendable {
  /// Whether the peer is reachable. Numbers are on the control socket.
  public enum State: UInt8, Codable, Hashable, Sendable {
    /// A session is open and validated.
    case connected = 1
    /// Its announces arrive; in a large mesh not all peers have a session.
    case discovered = 2
    /// Nothing was received recently.
    case silent = 3
  }

  /// The user's callsign; the first digits of the device's id while its certificate is unknown.
  public var callsign: String
  /// By its certificate, which its session or its announce proved.
  public var device: DeviceID
  /// The current state.
  public var state: State
  /// The address of its last datagram.
  public var endpoint: Endpoint
  /// The link of its last datagram.
  public var link: LinkID
  /// This machine's name for that link; empty if unknown.
  public var interface: String
  /// Seconds since its last authenticated datagram, by a clock that includes sleep.
  public var lastHeardSeconds: Int64
  /// The age of the session in seconds; nil without one.
  public var connectedSeconds: Int64?
  /// The last measured round-trip time; nil if not measured.
  public var roundTripMicroseconds: Int64?
  /// Held frames that it is not known to hold.
  public var behindFrames: UInt64
  /// Bytes sent in its sessions since the start, with IP and UDP headers; nil if not counted.
  public var sentBytes: UInt64?
  /// Bytes received, like `sentBytes`.
  public var receivedBytes: UInt64?

  /// Which of the two needs an update before they synchronize; nil if their rules are the same.
  public var needsUpdate: UpdateNeed?

  /// Whether the device is revoked: it may still have a session and relay encrypted data.
  public var isRevoked = false

  /// Whether a session is open; announces do not create one.
  public var isConnected: Bool { state == .connected }

  /// Whether the device is connected and belongs to the operation: data has reached no one by a
  /// revoked device.
  public var isConnectedMember: Bool { isConnected && !isRevoked }

  /// Creates a summary. Durations MUST NOT be negative.
  public init(
    callsign: String, device: DeviceID, state: State, endpoint: Endpoint, link: LinkID,
    interface: String, lastHeardSeconds: Int64, connectedSeconds: Int64?,
    roundTripMicroseconds: Int64?, behindFrames: UInt64, sentBytes: UInt64?, receivedBytes: UInt64?
  ) {
    self.callsign = callsign
    self.device = device
    self.state = state
    self.endpoint = endpoint
    self.link = link
    self.interface = interface
    self.lastHeardSeconds = lastHeardSeconds
    self.connectedSeconds = connectedSeconds
    self.roundTripMicroseconds = roundTripMicroseconds
    self.behindFrames = behindFrames
    self.sentBytes = sentBytes
    self.receivedBytes = receivedBytes
  }
}
