public import MusterModel

/// The content of one session datagram. Packets are independent of one another: the content of a
/// lost one is requested again.
struct Packet: Hashable, Sendable {
  var digest: [DigestNode] = []
  var wants: [Want] = []
  var runs: [Run] = []
  var records: [LatestRecord] = []
  var recordWants: [RecordTopic] = []
  var keyRequests: [EpochID] = []
  var keys: [EpochKey] = []
  var joinAnswer: JoinAnswer?
  /// The root of each set: a heartbeat.
  var roots: Roots?
  /// The sender's wall clock, sent with the roots.
  var clock: Timestamp?
  var heads: [LeafHint] = []
  var acknowledgement: Acknowledgement?
  /// A path challenge, which the peer returns from its address (RFC 9000 §8.2); never 0.
  var challenge: UInt64?
  /// The received challenge, returned to the address from which it came.
  var response: UInt64?
  /// A probe: the receiver responds at once, so that the sender knows that the path works.
  var answer = false
  /// Addresses of devices to which the sender has a session.
  var peers: [PeerAddress] = []
  var pushed: [PushedRecords] = []
  /// Certificates that the sender is missing, by the first half of their hashes.
  var certificateWants: [Bytes16] = []
  /// Certificate chains up to the root, leaf first.
  var chains: [[SignedCertificate]] = []
  /// Requests for membership evidence.
  var evidenceWants: [EvidenceWant] = []
  /// Pieces of membership evidence.
  var evidence: [EvidencePiece] = []
  var blobs: [BlobMessage] = []

  /// Whether the sender retransmits the packet until it is acknowledged. Content that is repeated
  /// anyway, and acknowledgements, are not retransmitted.
  var isToBeAcknowledged: Bool {
    !(runs.isEmpty && wants.isEmpty && records.isEmpty && recordWants.isEmpty && keys.isEmpty
      && keyRequests.isEmpty && digest.isEmpty && heads.isEmpty && pushed.isEmpty
      && certificateWants.isEmpty && chains.isEmpty && evidenceWants.isEmpty && evidence.isEmpty
      && blobs.isEmpty)
  }
}

extension Packet {
  /// A packet of the largest size, whose content has no meaning. The tag, the length and the number
  /// of its message take five bytes.
  static var padded: Packet {
    var packet = Packet()
    packet.blobs = [.padding(largestPacketBytes - 5)]
    return packet
  }
}

extension Packet {
  /// A packet without content that is acknowledged.
  static var probe: Packet {
    var packet = Packet()
    packet.blobs = [.padding(0)]
    return packet
  }
}

/// The received datagrams of a session: the greatest counter, and which of the 128 before it.
struct Acknowledgement: Hashable, Sendable {
  var largest: UInt64
  /// The delay from the arrival of the greatest counter to the creation of the acknowledgement.
  var delayMicroseconds: UInt32
  /// Bit i: the counter `largest - 1 - i` was received.
  var before: UInt128
  /// Every run that was received on this session is stored durably. This includes the runs in the
  /// acknowledged datagrams.
  var holdsRuns: Bool

  func covers(_ counter: UInt64) -> Bool {
    guard counter < largest else { return counter == largest }
    let distance = largest - counter - 1
    return distance < 128 && before >> UInt128(distance) & 1 == 1
  }
}

/// Records that are sent without a request.
struct PushedRecords: Hashable, Sendable {
  var records: [LatestRecord]
  /// Tags, for the topic of the first record, of devices to which the receiver need not relay them.
  var covered: Set<DeviceTag> = []
}

/// Sixteen bits of a hash of a device and of a log or topic. A list of tags names the devices to
/// which fresh data need not be relayed. If two devices have the same tag, the second one waits for
/// the next heads or roots. Their tags for another log usually differ.
struct DeviceTag: Hashable, Comparable, Sendable {
  let raw: UInt16

  init(raw: UInt16) { self.raw = raw }

  /// - Parameter key: the id of the log, or the topic.
  init(_ device: DeviceID, about key: Bytes16) {
    let mixed = (device.raw.high ^ key.high) &* 0x9E37_79B9_7F4A_7C15
    raw = UInt16(truncatingIfNeeded: mixed >> 48)
  }

  static func < (left: DeviceTag, right: DeviceTag) -> Bool { left.raw < right.raw }
}

/// The address of a device to which the sender has a session.
struct PeerAddress: Hashable, Sendable {
  var device: DeviceID
  var endpoint: Endpoint
}

/// The sets that two devices reconcile, each with a hash trie of its own. Numbers are on the wire.
enum SetID: UInt8, CaseIterable, Hashable, Comparable, Sendable {
  case control = 1
  case urgent = 2
  case state = 3
  case history = 4
  case records = 5
  /// Frames past a cut-off. They are transferred, so that they reach command, but have no effect
  /// and are not part of the state.
  case quarantine = 6
  /// Certificates, so that a device is known where the control log of its issuer is missing.
  case certificates = 7
  /// Membership evidence.
  case evidence = 8

  init(_ lane: Lane) {
    switch lane {
    case .control: self = .control
    case .urgent: self = .urgent
    case .state: self = .state
    case .history: self = .history
    }
  }

  static func < (left: SetID, right: SetID) -> Bool { left.rawValue < right.rawValue }
}

/// The root hash of each set; zero for an empty set.
struct Roots: Hashable, Sendable {
  var hashes: [UInt64]

  /// The number of sets that make up the state, which come first: the four lanes and the records.
  static let stateSets = 5

  subscript(set: SetID) -> UInt64 {
    let index = Int(set.rawValue) - 1
    return index < hashes.count ? hashes[index] : 0
  }

  /// Returns whether the root of any set differs. Compares the records only if `inRecords` is true.
  func differs(from other: Roots, inRecords: Bool) -> Bool {
    SetID.allCases.contains {
      ($0 != .records || inRecords) && self[$0] != other[$0]
    }
  }
}

/// A trie leaf or a head: what a device has stored under a key, such as the newest frame of a log.
struct LeafHint: Hashable, Sendable {
  let key: Bytes16
  let number: UInt32
  /// Eight bytes of the frame hash, of the hash of a record's order, or of the name of a
  /// certificate or an item of evidence.
  let hash: UInt64
}

/// A node of a hash trie. It describes everything under its prefix, and nothing else.
struct DigestNode: Hashable, Sendable {
  var set: SetID
  var prefix: NibblePrefix
  var contents: Contents
  /// The sender has compared already: the receiver requests what it is missing, and does not
  /// answer. The node then has only the leaves that the receiver is missing.
  var answers: Bool
  /// With leaves: how many bytes of bodies, of what the sender is missing under the prefix, the
  /// receiver may send without a request.
  var credit = 0

  enum Contents: Hashable, Sendable {
    /// The hashes of the sixteen subtrees, zero where empty.
    case children([UInt64])
    /// All leaves under the prefix; with `answers`, those that the receiver is missing.
    case leaves([LeafHint])
  }
}

/// A request for a range of frames of a log. A frame has at most `Limits.frameBodyBytes`, so the
/// range is also the credit that the requester gives.
struct Want: Hashable, Sendable {
  var log: LogID
  var from: UInt64
  /// The last requested frame. The answer continues to the next frame with a signature.
  var through: UInt64
  /// Without effect; nil in requests of this version.
  var set: SetID?
  /// Searches for the frame at which two branches diverge. The answer begins after a sequence at
  /// which every node keeps a signature, and states the previous hash.
  var isSearch = false
}

/// Consecutive frames of one log.
struct Run: Hashable, Sendable {
  var log: LogID
  var first: UInt64
  /// The hash of the frame before `first`, in an unrequested push that does not begin its log. It
  /// distinguishes a fork from a forgery.
  var previous: FrameHash?
  var frames: [RunFrame]
  /// Tags, for the log, of devices that have the run or were sent it.
  var covered: Set<DeviceTag> = []
  /// The forked log, if the run may belong to a branch that the receiver does not have. Then
  /// `previous` is present, and `log` is the requested strand.
  var origin: LogID?
}

/// A frame within a run, which implies its other fields.
struct RunFrame: Hashable, Sendable {
  var epoch: EpochID?
  var body: [UInt8]
  var signature: [UInt8]?
  var blobs: [BlobListing] = []
}

extension Run {
  /// Creates a run of at least one frame, with the previous hash unless the run begins its log.
  init(_ frames: [Frame], of log: LogID, after previous: FrameHash) {
    let last = frames.count - 1
    self.init(
      log: log, first: frames[0].sequence,
      previous: frames[0].sequence == 0 ? nil : previous,
      frames: frames.enumerated().map { RunFrame($1, isLast: $0 == last) })
  }
}

extension RunFrame {
  /// Omits the signatures of inner frames, except at the interval at which every node keeps one.
  init(_ frame: Frame, isLast: Bool) {
    let keepsSignature = isLast || frame.sequence % Limits.signatureInterval == 0
    self.init(
      epoch: frame.epoch, body: frame.body, signature: keepsSignature ? frame.signature : nil,
      blobs: frame.blobs)
  }
}

/// An epoch key in transit to a device that is entitled to it.
public struct EpochKey: Hashable, Sendable {
  /// The hash of the key. The receiver verifies the key against it.
  public let id: EpochID
  /// 32 bytes for XChaCha20-Poly1305.
  public let key: [UInt8]

  /// Creates a key without verification. A received key is accepted only if its hash is the id.
  public init(id: EpochID, key: [UInt8]) {
    self.id = id
    self.key = key
  }
}

extension Packet {
  /// Creates a packet with the roots of this device's sets and its wall clock.
  init(roots: Roots, clock: Timestamp, asksForAnswer: Bool) {
    self.init()
    self.roots = roots
    self.clock = clock
    answer = asksForAnswer
  }
}
