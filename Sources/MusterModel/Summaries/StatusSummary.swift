/// The status of a node.
public struct StatusSummary: Codable, Hashable, Sendable {
  /// The operation of the node; nodes of other operations cannot communicate with it.
  public var operation: OperationID
  /// The name that the root's holder gave: two operations may share a name, never an id.
  public var operationName: String
  /// The callsign of this device's user; the first digits of the user's id while none is known.
  public var callsign: String
  /// The device that answers the request.
  public var device: DeviceID
  /// The role of this device's certificate.
  public var role: Role
  /// Equal on all nodes that hold the same frames and keys.
  public var stateHash: StateHash
  /// Whether frames are held that no available key opens: the hash does not cover them.
  public var stateIsIncomplete: Bool
  /// The first eight bytes of each set's root hash, as they are compared with peers.
  @ByteString public var root: [UInt8]
  /// Logs held, in all lanes and of all incarnations.
  public var logs: Int
  /// Frames held, applied or not.
  public var frames: Int
  /// Frames held and not applied yet.
  public var waitingFrames: Int
  /// Writes to rows whose create has not arrived.
  public var waitingWrites = 0
  /// Frames held without effect: of revoked devices, after their cut-offs.
  public var quarantinedFrames: Int
  /// Frames that were held or written here, then lost to damage, and not received again yet.
  public var missingFrames: Int
  /// People with a valid certificate, whether or not anything was received from them.
  public var users: Int
  /// Reports that users see: deleted ones are not counted.
  public var reports: Int
  /// Fences that users see, including inactive ones.
  public var fences: Int
  /// All stored crossings of all subjects.
  public var crossings: Int
  /// Peers met since the node started, by device; empty if it is not running.
  public var peers: [PeerSummary]
  /// This device's newest position; nil before the first.
  public var fix: PositionReport?
  /// The state of the position source; nil if the node is not running.
  public var location: LocationStatus?
  /// The state of the connections to command posts over HTTPS; nil if the node is not running, or
  /// uses and provides none.
  public var uplink: UplinkSummary?
  /// Dropped datagrams, by reason; empty if the node is not running.
  public var rejected: [String: UInt64]
  /// Messages dropped because a peer's send queue was full; anti-entropy repairs the loss.
  public var droppedForLackOfRoom: UInt64
  /// What was sent again although it had arrived; zeros if the node is not running.
  public var retransmissions = RetransmissionCounts()
  /// Logs with two frames at one position, by log: restored or cloned databases, or equivocation.
  public var forks: [ForkSummary]
  /// Whether this device was revoked, and knows it: it writes no more.
  public var isRevoked = false
  /// This device's clock relative to its peers' clocks; nil while none is known.
  public var clockLead: ClockLead?
  /// Why the folder of the sentinel cannot be written, and what to do, in one line; nil while it
  /// can.
  public var stateFolderProblem: String?
  /// Cloned devices, by device.
  public var clones: [CloneSummary] = []
  /// Devices that are not revoked and have reached a limit on their data here; empty if the node is
  /// not running.
  public var bounds: [BoundSummary] = []
  /// The epoch that seals new frames; nil while no key is available.
  public var epoch: EpochSummary?
  /// Stalled peers, by device; empty if the node is not running.
  public var withholding: [StallSummary] = []
  /// Devices from which nothing new has arrived for ten minutes, the longest first; empty if the
  /// node is not running.
  public var stale: [SilenceSummary] = []
  /// Free space of the disk of the database; nil if unknown.
  public var diskFreeBytes: UInt64?

  /// Creates a summary of one moment, so that the counts and the hash describe the same state.
  public init(
    operation: OperationID, operationName: String, callsign: String, device: DeviceID, role: Role,
    stateHash: StateHash, stateIsIncomplete: Bool, root: [UInt8], logs: Int, frames: Int,
    waitingFrames: Int, quarantinedFrames: Int, missingFrames: Int, users: Int, reports: Int,
    fences: Int, crossings: Int,
    peers: [PeerSummary], fix: PositionReport?, rejected: [String: UInt64],
    droppedForLackOfRoom: UInt64, forks: [ForkSummary], diskFreeBytes: UInt64?
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
    self.quarantinedFrames = quarantinedFrames
    self.missingFrames = missingFrames
    self.users = users
    self.reports = reports
    self.fences = fences
    self.crossings = crossings
    self.peers = peers
    self.fix = fix
    self.rejected = rejected
    self.droppedForLackOfRoom = droppedForLackOfRoom
    self.forks = forks
    self.diskFreeBytes = diskFreeBytes
  }
}
