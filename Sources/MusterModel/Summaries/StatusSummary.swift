/// How a node is doing.
public struct StatusSummary: Hashable, Sendable {
  public var operation: OperationID
  public var operationName: String
  public var callsign: String
  public var device: DeviceID
  public var role: Role
  /// Equal on all nodes that hold the same frames and keys.
  public var stateHash: StateHash
  /// Frames are held that no key at hand opens: the hash speaks for less than is held.
  public var stateIsIncomplete: Bool
  /// The first eight bytes of each set's root, as they are compared with peers.
  public var root: [UInt8]
  public var logs: Int
  public var frames: Int
  /// Held and not applied yet.
  public var waitingFrames: Int
  public var users: Int
  public var reports: Int
  public var fences: Int
  public var crossings: Int
  public var peers: [PeerSummary]
  public var fix: PositionReport?
  /// Datagrams that were dropped, by reason; nothing where the node is not running.
  public var rejected: [String: UInt64]

  public init(
    operation: OperationID, operationName: String, callsign: String, device: DeviceID, role: Role,
    stateHash: StateHash, stateIsIncomplete: Bool, root: [UInt8], logs: Int, frames: Int,
    waitingFrames: Int, users: Int, reports: Int, fences: Int, crossings: Int,
    peers: [PeerSummary], fix: PositionReport?, rejected: [String: UInt64]
  ) {
    self.operation = operation
    self.operationName = operationName
    self.callsign = callsign
    self.device = device
    self.role = role
    self.stateHash = stateHash
    self.stateIsIncomplete = stateIsIncomplete
    self.root = root
    self.logs = logs
    self.frames = frames
    self.waitingFrames = waitingFrames
    self.users = users
    self.reports = reports
    self.fences = fences
    self.crossings = crossings
    self.peers = peers
    self.fix = fix
    self.rejected = rejected
  }
}

/// Another device that this node has met.
public struct PeerSummary: Hashable, Sendable {
  public var callsign: String
  public var device: DeviceID
  public var endpoint: Endpoint
  public var isConnected: Bool
  public var lastHeardSeconds: Int64
  /// Frames held here that it is not known to hold.
  public var behindFrames: UInt64

  public init(
    callsign: String, device: DeviceID, endpoint: Endpoint, isConnected: Bool,
    lastHeardSeconds: Int64, behindFrames: UInt64
  ) {
    self.callsign = callsign
    self.device = device
    self.endpoint = endpoint
    self.isConnected = isConnected
    self.lastHeardSeconds = lastHeardSeconds
    self.behindFrames = behindFrames
  }
}
