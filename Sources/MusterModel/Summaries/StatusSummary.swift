/// How a node is doing.
public struct StatusSummary: Codable, Hashable, Sendable {
  /// What the node takes part in; nodes of another operation are silent to it.
  public var operation: OperationID
  /// As the root's holder named it: two operations may share a name, never an id.
  public var operationName: String
  /// Of this device's user; the first digits of the user's id while none is known.
  public var callsign: String
  /// The one that was asked.
  public var device: DeviceID
  /// What this device's certificate grants.
  public var role: Role
  /// Equal on all nodes that hold the same frames and keys.
  public var stateHash: StateHash
  /// Frames are held that no key at hand opens: the hash speaks for less than is held.
  public var stateIsIncomplete: Bool
  /// The first eight bytes of each set's root, as they are compared with peers.
  @ByteString public var root: [UInt8]
  /// Held, in all lanes and of all lives.
  public var logs: Int
  /// Held, applied or not.
  public var frames: Int
  /// Held and not applied yet.
  public var waitingFrames: Int
  /// Held, and counted nowhere: of revoked devices, past their cuts.
  public var quarantinedFrames: Int
  /// Known to have been held or written here, lost to damage, and brought back by nobody yet.
  public var missingFrames: Int
  /// People with a certificate that counts, whether heard of since or not.
  public var users: Int
  /// Those that people see: deleted ones are not counted.
  public var reports: Int
  /// Those that people see, inactive ones too.
  public var fences: Int
  /// All that are kept, everybody's.
  public var crossings: Int
  /// Devices met since the node started, by device; empty where it is not running.
  public var peers: [PeerSummary]
  /// This device's newest; nil before the first.
  public var fix: PositionReport?
  /// How the node learns of fixes; nil where it is not running.
  public var location: LocationStatus?
  /// How it stands with command posts over HTTPS; nil where the node is not running, or goes to
  /// none and is none.
  public var uplink: UplinkSummary?
  /// Datagrams that were dropped, by reason; nothing where the node is not running.
  public var rejected: [String: UInt64]
  /// Of what was to be said to peers, parts that found no room to wait; digests make up for them.
  public var droppedForLackOfRoom: UInt64
  /// Logs with two frames for one place, by log: their authors' databases were restored or
  /// cloned, or they lie.
  public var forks: [ForkSummary]
  /// This device was revoked, and knows it: it writes no more.
  public var isRevoked = false
  /// How this device's clock stands to its peers'; nil while none has told its own.
  public var clockLead: ClockLead?
  /// Why the folder of the sentinel cannot be written, and what to do, in one line; nil while it
  /// can.
  public var stateFolderProblem: String?
  /// Devices that are in use twice at once, by device.
  public var clones: [CloneSummary] = []
  /// Devices that are not revoked and have reached a bound for what is kept of them here; empty
  /// where the node is not running.
  public var bounds: [BoundSummary] = []
  /// What new frames are sealed under; nil while no key is at hand.
  public var epoch: EpochSummary?
  /// Peers that withhold for minutes, by device; empty where the node is not running.
  public var withholding: [StandstillSummary] = []
  /// Of whom nothing new has come for ten minutes, the longest first; empty where the node is not
  /// running.
  public var stale: [SilenceSummary] = []
  /// Of the disk that the database is on; nil where it could not be told.
  public var diskFreeBytes: UInt64?

  /// Taken at one moment, so that the counts and the hash speak of the same state.
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
