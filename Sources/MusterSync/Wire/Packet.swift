public import MusterModel

/// What one session datagram says. Every part of it stands alone: losing a packet loses nothing
/// that is not asked for again.
struct Packet: Hashable, Sendable {
  var digest: [DigestNode] = []
  var wants: [Want] = []
  var runs: [Run] = []
  var records: [LatestRecord] = []
  var recordWants: [RecordTopic] = []
  var keyRequests: [EpochID] = []
  var keys: [EpochKey] = []
  var joinAnswer: JoinAnswer?
  /// The root of every set: a heartbeat.
  var roots: Roots?
  /// With the roots: what the sender's wall clock shows.
  var clock: Timestamp?
  var heads: [LeafHint] = []
  var acknowledgement: Acknowledgement?
  /// Whoever is at this address says it again, from there: not 0.
  var challenge: UInt64?
  /// The challenge that came, said to the address that it came from.
  var response: UInt64?
  /// A probe: the receiver says something at once, so that the sender knows that it is heard.
  var answer = false
  /// Where the sender talks with others right now.
  var peers: [PeerAddress] = []
  var pushed: [PushedRecords] = []
  /// Certificates that the sender lacks, by the first half of their hashes.
  var certificateWants: [Bytes16] = []
  /// Certificates with those of their issuers up to the root, leaf first.
  var chains: [[SignedCertificate]] = []
  /// Requests for membership evidence.
  var evidenceWants: [EvidenceWant] = []
  /// Pieces of membership evidence.
  var evidence: [EvidencePiece] = []

  /// Whether its sender repeats it until it is acknowledged: what is merely said again later, and
  /// acknowledgements themselves, are not.
  var isToBeAcknowledged: Bool {
    !(runs.isEmpty && wants.isEmpty && records.isEmpty && recordWants.isEmpty && keys.isEmpty
      && keyRequests.isEmpty && digest.isEmpty && heads.isEmpty && pushed.isEmpty
      && certificateWants.isEmpty && chains.isEmpty && evidenceWants.isEmpty && evidence.isEmpty)
  }
}

/// Which datagrams of a session came: the greatest counter, and which of the 128 before it.
struct Acknowledgement: Hashable, Sendable {
  var largest: UInt64
  /// From the arrival of the greatest to the making of this.
  var delayMicroseconds: UInt32
  /// Bit i: `largest - 1 - i` came.
  var before: UInt128
  /// Every run that ever came from the receiver of this is held and durable.
  var holdsRuns: Bool

  func covers(_ counter: UInt64) -> Bool {
    guard counter < largest else { return counter == largest }
    let distance = largest - counter - 1
    return distance < 128 && before >> UInt128(distance) & 1 == 1
  }
}

/// Records that nobody asked for.
struct PushedRecords: Hashable, Sendable {
  var records: [LatestRecord]
  /// Tags for the first one's topic.
  var covered: Set<DeviceTag> = []
}

/// A few bits that a device's id gives for one log, or one record's topic: enough to tell who need
/// not be passed something fresh on to. Two devices with one tag cost the second a wait for the
/// next heads or roots, and nothing else; for another log their tags differ.
struct DeviceTag: Hashable, Comparable, Sendable {
  let raw: UInt16

  init(raw: UInt16) { self.raw = raw }

  /// - Parameter key: the log's id, or the topic.
  init(_ device: DeviceID, about key: Bytes16) {
    let mixed = (device.raw.high ^ key.high) &* 0x9E37_79B9_7F4A_7C15
    raw = UInt16(truncatingIfNeeded: mixed >> 48)
  }

  static func < (left: DeviceTag, right: DeviceTag) -> Bool { left.raw < right.raw }
}

/// Where a device was heard, by one who talks with it.
struct PeerAddress: Hashable, Sendable {
  var device: DeviceID
  var endpoint: Endpoint
}

/// The sets that two devices compare, each with a hash trie of its own. Numbers are on the wire.
enum SetID: UInt8, CaseIterable, Hashable, Comparable, Sendable {
  case control = 1
  case urgent = 2
  case state = 3
  case history = 4
  case records = 5
  /// Frames past a cut: carried to command, counted nowhere, and no part of an operation's root.
  case quarantine = 6
  /// Certificates, so that whom a device admitted is known where its control log has not come.
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

/// The root hash of each set, zero where the set is empty.
struct Roots: Hashable, Sendable {
  var hashes: [UInt64]

  /// The sets that make up an operation's state: all but the quarantine.
  static let stateSets = 5

  subscript(set: SetID) -> UInt64 {
    let index = Int(set.rawValue) - 1
    return index < hashes.count ? hashes[index] : 0
  }

  /// Whether any set differs; that of the records only where it is asked for.
  func differs(from other: Roots, inRecords: Bool) -> Bool {
    SetID.allCases.contains {
      ($0 != .records || inRecords) && self[$0] != other[$0]
    }
  }
}

/// The newest thing that somebody holds under a key: a log's head, or a record's order.
struct LeafHint: Hashable, Sendable {
  let key: Bytes16
  let number: UInt32
  /// The first eight bytes of the frame hash, or of the hash of the record's order.
  let hash: UInt64
}

/// A part of a hash trie that speaks for everything under its prefix, and for nothing else.
struct DigestNode: Hashable, Sendable {
  var set: SetID
  var prefix: NibblePrefix
  var contents: Contents
  /// The sender has compared already: want what you lack, and do not answer. Of leaves it gives
  /// only those that the receiver lacks.
  var answers: Bool
  /// With leaves: bytes of bodies that may come at once of what the sender lacks under the prefix.
  var credit = 0

  enum Contents: Hashable, Sendable {
    /// The hashes of the sixteen subtrees, zero where empty.
    case children([UInt64])
    /// All that there is under the prefix.
    case leaves([LeafHint])
  }
}

/// Asks for a range of a log's frames, each of at most `Limits.frameBodyBytes`: the range is the
/// credit that the receiver gives.
struct Want: Hashable, Sendable {
  var log: LogID
  var from: UInt64
  /// The last that is wanted; the answer goes on to the next that a signature proves.
  var through: UInt64
  /// Nil for the log's own set.
  var set: SetID?
  /// Where two branches part is looked for: the answer begins where everybody keeps a signature,
  /// and says what it goes on from.
  var isSearch = false
}

/// Consecutive frames of one log.
struct Run: Hashable, Sendable {
  var log: LogID
  var first: UInt64
  /// The hash before `first`, where the run is pushed unasked and does not begin its log: by it a
  /// fork is known from a forgery.
  var previous: FrameHash?
  var frames: [RunFrame]
  /// Who need not be passed it on to: they hold it, or were sent it.
  var covered: Set<DeviceTag> = []
  /// Where the run may be another branch than is held: the log that is forked. Then `previous` is
  /// given, and `log` names the strand that was asked for.
  var origin: LogID?
}

/// A frame as it travels within a run, which implies the rest.
struct RunFrame: Hashable, Sendable {
  var epoch: EpochID?
  var body: [UInt8]
  var signature: [UInt8]?
}

extension Run {
  /// Consecutive frames, never none, that say what they follow unless they begin their log.
  init(_ frames: [Frame], of log: LogID, after previous: FrameHash) {
    let last = frames.count - 1
    self.init(
      log: log, first: frames[0].sequence,
      previous: frames[0].sequence == 0 ? nil : previous,
      frames: frames.enumerated().map { RunFrame($1, isLast: $0 == last) })
  }
}

extension RunFrame {
  /// Inner signatures stay behind, but for those at the intervals at which every holder keeps one.
  init(_ frame: Frame, isLast: Bool) {
    let keepsSignature = isLast || frame.sequence % Limits.signatureInterval == 0
    self.init(
      epoch: frame.epoch, body: frame.body, signature: keepsSignature ? frame.signature : nil)
  }
}

/// A group content key on its way to a device that is entitled to it.
public struct EpochKey: Hashable, Sendable {
  /// A hash of the key, which whoever takes it checks.
  public let id: EpochID
  /// 32 bytes for XChaCha20-Poly1305.
  public let key: [UInt8]

  /// Nothing is checked here: a key that came from outside is believed once it gives its id.
  public init(id: EpochID, key: [UInt8]) {
    self.id = id
    self.key = key
  }
}
