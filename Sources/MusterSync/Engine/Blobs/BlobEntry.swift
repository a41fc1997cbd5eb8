public import MusterModel

/// A listed blob as the engine knows it.
public struct BlobEntry: Hashable, Sendable {
  /// The entry in the list of a stored frame.
  public let listing: BlobListing
  /// Its address.
  public let id: BlobID
  /// Its turns, in order: one of each certificate that lists it.
  let turns: [BlobTurn]
  /// The units that are durable here.
  public private(set) var units: UnitSet
  /// Whether and when it is fetched: the first class of its turns, unless a peer requested it.
  public private(set) var goal: BlobGoal

  /// Creates an entry. `id` MUST be the address of the listing.
  ///
  /// - Parameter turns: one of each certificate that lists it, in order; without any it is not
  ///   fetched.
  public init(listing: BlobListing, id: BlobID, units: UnitSet, turns: [BlobTurn]) {
    self.listing = listing
    self.id = id
    self.units = units
    self.turns = turns
    goal = turns.first?.goal ?? .none
  }

  /// Creates the entry of a blob that one certificate lists.
  public init(
    listing: BlobListing, id: BlobID, certificate: CertificateHash, number: Int64, units: UnitSet,
    goal: BlobGoal
  ) {
    self.init(
      listing: listing, id: id, units: units,
      turns: [BlobTurn(certificate: certificate, number: number, goal: goal)])
  }

  /// The certificate of its first turn; nil if none lists it.
  var certificate: CertificateHash? { turns.first?.certificate }
  /// Its number in its first turn.
  var number: Int64 { turns.first?.number ?? 0 }

  /// Whether a certificate lists it.
  func isListed(by certificate: CertificateHash?) -> Bool {
    turns.contains { $0.certificate == certificate }
  }

  /// Its turns, with the class in which they wait now: a request of a peer raises all of them.
  var waitingTurns: [BlobTurn] {
    goal == turns.first?.goal ? turns : turns.map { $0.raised(to: goal) }
  }

  var isWanted: Bool { goal < .onRequest && !units.isComplete }

  mutating func insert(_ unit: Int) { units.insert(unit) }
  mutating func remove(_ unit: Int) { units.remove(unit) }
  mutating func change(to goal: BlobGoal) { self.goal = goal }
}

/// When a blob is fetched for one of the certificates that list it. Each is a turn of its own, and
/// the first that comes decides: a list by another author delays no blob.
public struct BlobTurn: Hashable, Comparable, Sendable {
  /// Of the log of the list.
  let certificate: CertificateHash
  /// Increases in the order in which the certificate lists blobs.
  let number: Int64
  /// The class by this list.
  let goal: BlobGoal

  /// Creates a turn.
  public init(certificate: CertificateHash, number: Int64, goal: BlobGoal) {
    self.certificate = certificate
    self.number = number
    self.goal = goal
  }

  func raised(to goal: BlobGoal) -> BlobTurn {
    BlobTurn(certificate: certificate, number: number, goal: min(goal, self.goal))
  }

  /// The order of the classes, then of the numbers.
  public static func < (left: BlobTurn, right: BlobTurn) -> Bool {
    (left.goal, left.number, left.certificate) < (right.goal, right.number, right.certificate)
  }
}

/// The class of a blob, in the order in which classes are fetched.
public enum BlobGoal: UInt8, Hashable, Comparable, CaseIterable, Sendable {
  /// A thumbnail that an urgent log lists.
  case urgentThumbnail
  case thumbnail
  /// An original that the user or a peer requested.
  case requested
  /// An original, at a command device.
  case command
  /// An original, at any other device.
  case rest
  /// Fetched only while a peer requests it.
  case onRequest
  /// Not fetched, also not on request.
  case none

  /// The order of the classes.
  public static func < (left: BlobGoal, right: BlobGoal) -> Bool { left.rawValue < right.rawValue }
}

/// The leaves of a unit that a peer requested, to be read from the store.
public struct BlobFetch: Hashable, Sendable {
  /// The peer to answer. It may have disconnected by the time the unit is read.
  public let device: DeviceID
  /// The blob, of which this unit is stored as far as the engine knows.
  public let listing: BlobListing
  /// The number of the unit.
  public let unit: Int
  let form: Form
  let leaves: UInt16

  /// How the answer is proved.
  enum Form: Hashable, Sendable {
    /// Each leaf alone, by hashes that the peer may have.
    case leaves(wantsProof: Bool)
    /// The unit as a whole, by so many hashes of its path.
    case whole(request: UInt16, hashes: Int)

    /// Whether something is sent besides leaves.
    var hasHashes: Bool {
      switch self {
      case .leaves(let wantsProof): wantsProof
      case .whole(_, let hashes): hashes > 0
      }
    }
  }
}

/// The progress of a blob at this device.
public struct BlobProgress: Hashable, Sendable {
  /// Units that are stored, and all units.
  public let units: UnitSet
  /// Connected peers that reported the whole blob since they connected.
  public let holders: [DeviceID]
  /// Why nothing arrives; nil while something does, and for a complete blob.
  public let stall: BlobStall?
}

/// Why a blob makes no progress.
public enum BlobStall: Hashable, Sendable {
  /// It is not fetched here unless it is requested.
  case notRequested
  /// The link is narrow: originals are fetched on request.
  case narrowLink
  /// No peer is connected.
  case noPeer
  /// No connected peer has reported a unit that is missing here.
  case noHolder
  /// Other blobs are fetched first.
  case waiting
}

/// One unit of a blob.
struct BlobUnitKey: Hashable, Comparable, Sendable {
  let blob: BlobID
  let unit: Int

  /// Returns a number that orders devices differently for each unit, and units for each device.
  func draw(by device: DeviceID) -> UInt64 {
    var bits = device.raw.high ^ blob.raw.low ^ UInt64(unit) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  static func < (left: Self, right: Self) -> Bool {
    (left.blob, left.unit) < (right.blob, right.unit)
  }
}
