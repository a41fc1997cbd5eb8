public import MusterModel
public import MusterStore

extension Replica {
  /// The outcome of a call, to be processed in order.
  public struct Outcome: Sendable {
    /// Datagrams to send now; everything that they acknowledge is durable.
    public var outgoing: [Outgoing] = []
    /// Crossings that are new to this node, in arrival order.
    public var crossings: [ArrivedCrossing] = []
    /// Dropped datagrams with reason and sender, to be counted.
    public var rejections: [(reason: String, from: Endpoint)] = []
    /// Lines for the log.
    public var remarks: [String] = []
    var contacts: [RememberedPeer] = []
    /// Rows whose state has changed, sorted within each commit.
    public var changedRows: [RowKey] = []
    /// Blobs of photos of which more is stored than before, here or at command.
    public var grownBlobs: Set<BlobID> = []
    /// Whether a person's position has changed.
    public var hasMovement = false
    /// Whether a peer connected or was lost, or published its neighbours.
    public var hasMeshChanged = false
    /// Open locate directives for this device that were not reported since the start: a fresh fix
    /// answers them.
    public var locationDemands: [RowID] = []
    /// Whether `uplinkCertificates` has changed.
    public var haveUplinksChanged = false
    /// Uplinks, and the devices that authenticated at their other ends.
    public var provenUplinks: [(endpoint: Endpoint, device: DeviceID)] = []
    /// Devices whose last session has ended.
    public var lostPeers: [DeviceID] = []
    /// Peers that were detected as stalled.
    public var accused: [(device: DeviceID, kind: StallSummary.Kind)] = []
    /// Alerts raised and cleared, in the order of their ids.
    public var alertChanges: [AlertChange] = []

    /// Creates an empty outcome.
    public init() {}
  }

  /// A datagram to send.
  public enum Outgoing: Hashable, Sendable {
    /// By the link of the recipient's last datagram; if unknown, the routing table decides.
    case to(Endpoint, LinkID, [UInt8])
    /// To the announce groups of one link, or of every link.
    case multicast(LinkID?, [UInt8])
  }

  /// The current incarnation of this device's database and its progress: the sentinel's record.
  public struct IncarnationState: Hashable, Sendable {
    /// Drawn at random when this incarnation began.
    public let incarnation: Incarnation
    /// 1 for a device's first incarnation; at most `Limits.lastGeneration`.
    public let generation: UInt32
    /// This device's newest sequence in each lane.
    public let sequences: [Lane: UInt64]

    /// Creates a value from a sentinel's record.
    public init(incarnation: Incarnation, generation: UInt32, sequences: [Lane: UInt64]) {
      self.incarnation = incarnation
      self.generation = generation
      self.sequences = sequences
    }
  }

  /// How a replica opens its store.
  public enum Start: Hashable, Sendable {
    case continues
    /// Starts a new incarnation, with a generation above all that the store knows, and above this
    /// one from the sentinel; 0 without a record.
    case startsIncarnation(above: UInt32)
  }
}

extension Replica.Outcome {
  /// The outcome of datagrams that are dropped while the disk fails.
  init(rejecting datagrams: [(bytes: [UInt8], from: Endpoint, link: LinkID)]) {
    rejections = datagrams.map { ("disk fails", $0.from) }
  }
}
