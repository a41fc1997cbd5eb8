/// Another device that this node has met.
public struct PeerSummary: Codable, Hashable, Sendable {
  /// Whether words reach it. Numbers are on the control socket.
  public enum State: UInt8, Codable, Hashable, Sendable {
    /// A session is open, and answered.
    case connected = 1
    /// Its announces are heard; in a large mesh not everybody keeps a session with everybody.
    case heard = 2
    /// Nothing has come of late.
    case silent = 3
  }

  /// Of its user; the first digits of its id while its certificate is not known here.
  public var callsign: String
  /// By its certificate, which its session or its announce proved.
  public var device: DeviceID
  /// How it stands now.
  public var state: State
  /// Where it was heard from last.
  public var endpoint: Endpoint
  /// By which it was heard last.
  public var link: LinkID
  /// What this machine calls that link; empty where it cannot tell.
  public var interface: String
  /// Since anything of it was authenticated, by the clock that also counts sleep.
  public var lastHeardSeconds: Int64
  /// How long a session has been open; nil while none is.
  public var connectedSeconds: Int64?
  /// There and back, as last measured; nil where it was not.
  public var roundTripMicroseconds: Int64?
  /// Frames held here that it is not known to hold.
  public var behindFrames: UInt64
  /// On its sessions since the start, IP and UDP headers counted; nil where nobody counts.
  public var sentBytes: UInt64?
  /// Likewise.
  public var receivedBytes: UInt64?

  /// Which of the two needs an update before they synchronize; nil where their rules are the same.
  public var needsUpdate: UpdateNeed?

  /// Whether a session is open; announces alone do not make one.
  public var isConnected: Bool { state == .connected }

  /// No length of time is negative.
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
