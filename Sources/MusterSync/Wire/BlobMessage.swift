internal import MusterModel

/// A message about a blob between two peers. Numbers are on the wire (docs/wire.md §11).
enum BlobMessage: Hashable, Sendable {
  /// The sender is missing it, and is to be notified of the units that the receiver holds.
  case query(BlobID)
  case holding(BlobID, BlobHolding)
  case want(BlobWant)
  /// The hashes of the leaves of a unit, then its path.
  case proof(BlobID, unit: Int, hashes: [Bytes32])
  case leaf(BlobID, number: Int, bytes: [UInt8])
  /// The sender reads the forms below, which name the request instead of the blob.
  case readsShortForms
  case request(BlobRequest)
  /// Hashes of the path of the requested unit, lowest first.
  case path(request: UInt16, hashes: [Bytes32])
  /// The leaf with this index in the requested unit.
  case piece(request: UInt16, index: Int, bytes: [UInt8])
  /// The sender reads parts.
  case readsParts
  /// Bytes of the requested unit from a place on, across leaves.
  case part(request: UInt16, place: Int, bytes: [UInt8])
  /// The sender reads datagrams of up to `Limits.largestDatagramBytes`.
  case readsLargeDatagrams
  /// So many bytes without meaning: its datagram shows whether the path carries one of that size.
  case padding(Int)

  /// Whether it states what the sender reads.
  var isForm: Bool {
    self == .readsShortForms || self == .readsParts || self == .readsLargeDatagrams
  }
}

/// What a peer holds of a blob.
enum BlobHolding: Hashable, Sendable {
  case none
  case complete
  /// The bytes of a `UnitSet`.
  case units([UInt8])

  init(_ set: UnitSet) {
    self = set.isEmpty ? .none : set.isComplete ? .complete : .units(set.bytes)
  }

  /// Returns nil for a bitmap of another blob's length.
  func set(units: Int) -> UnitSet? {
    switch self {
    case .none: UnitSet(units: units)
    case .complete: .all(units)
    case .units(let bytes): UnitSet(bytes: bytes, units: units)
    }
  }
}

/// A request for leaves of one unit.
struct BlobWant: Hashable, Sendable {
  let blob: BlobID
  let unit: Int
  /// Whether the proof is missing too.
  let wantsProof: Bool
  /// Bit i is leaf i of the unit.
  let leaves: UInt16
}

/// A request for leaves of one unit that is proved as a whole.
struct BlobRequest: Hashable, Sendable {
  let blob: BlobID
  /// Chosen by the sender, and repeated in the answers.
  let number: UInt16
  let unit: Int
  /// How many hashes of the path are missing, from the lowest one on.
  let hashes: Int
  /// Bit i is leaf i of the unit.
  let leaves: UInt16
}

extension BlobShape {
  /// The usual size of a part: 15 have all of a unit. Their datagrams have room for a hash of the
  /// path, a request or an acknowledgement, which fourteen larger ones would not have.
  static let partBytes = (unitBytes + 14) / 15
  /// The same in large datagrams: 12 have all of a unit.
  static let largestPartBytes = (unitBytes + 11) / 12
  /// No datagram has room for a larger one.
  static let mostPartBytes = largestPacketBytes - BlobMessage.partHeaderBytes

  /// Divides the leaves of a mask into parts of about the same size.
  ///
  /// - Parameters:
  ///   - most: the usual size of a part in bytes.
  ///   - first: the largest size of the first part, beside which a path is sent. The others make
  ///     up for it.
  /// - Returns: places in the unit.
  func parts(
    of unit: Int, leaves mask: UInt16, most: Int = partBytes, first: Int = .max
  ) -> [Range<Int>] {
    let (leaves, start) = (leaves(of: unit), bytes(of: unit).lowerBound)
    var spans: [Range<Int>] = []
    for leaf in leaves where mask >> UInt16(leaf - leaves.lowerBound) & 1 == 1 {
      let bytes = bytes(ofLeaf: leaf)
      let place = bytes.lowerBound - start..<bytes.upperBound - start
      if let last = spans.last, last.upperBound == place.lowerBound {
        spans[spans.count - 1] = last.lowerBound..<place.upperBound
      } else {
        spans.append(place)
      }
    }
    return spans.enumerated().flatMap { index, span in
      var (rest, parts) = (span, [Range<Int>]())
      var count = (span.count + most - 1) / most
      while !rest.isEmpty {
        var size = (rest.count + count - 1) / count
        if index == 0, parts.isEmpty, count > 1 { size = min(size, first) }
        parts.append(rest.prefix(size))
        rest = rest.dropFirst(size)
        count -= 1
      }
      return parts
    }
  }
}

extension BlobMessage {
  /// What a part has in a packet besides its bytes: field, length, number, request and place.
  static let partHeaderBytes = 3 + 1 + 2 + 2

  /// The bytes of a path in a packet.
  static func pathBytes(hashes: Int) -> Int { 3 + 1 + 2 + 32 * hashes }

  private enum Number: UInt8 {
    case query = 1
    case holding = 2
    case want = 3
    case proof = 4
    case leaf = 5
    case readsShortForms = 6
    case request = 7
    case path = 8
    case piece = 9
    case readsParts = 10
    case part = 11
    case readsLargeDatagrams = 12
    case padding = 13
  }

  private static let mostHashes = 26
  /// The longest path, that of a blob of 512 units.
  private static let mostPath = 9

  var bytes: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .query(let blob): Self.begin(.query, blob, &writer)
    case .holding(let blob, let holding):
      Self.begin(.holding, blob, &writer)
      switch holding {
      case .none: writer.append(UInt8(0))
      case .complete: writer.append(UInt8(1))
      case .units(let bytes):
        writer.append(UInt8(2))
        writer.append(fixed: bytes)
      }
    case .want(let want):
      Self.begin(.want, want.blob, &writer)
      writer.append(UInt16(want.unit))
      writer.append(UInt8(want.wantsProof ? 1 : 0))
      writer.append(want.leaves)
    case .proof(let blob, let unit, let hashes):
      Self.begin(.proof, blob, &writer)
      writer.append(UInt16(unit))
      for hash in hashes { writer.append(hash) }
    case .leaf(let blob, let number, let bytes):
      Self.begin(.leaf, blob, &writer)
      writer.append(UInt16(number))
      writer.append(fixed: bytes)
    case .readsShortForms: writer.append(Number.readsShortForms.rawValue)
    case .request(let request):
      Self.begin(.request, request.blob, &writer)
      writer.append(request.number)
      writer.append(UInt16(request.unit))
      writer.append(UInt8(request.hashes))
      writer.append(request.leaves)
    case .path(let request, let hashes):
      writer.append(Number.path.rawValue)
      writer.append(request)
      for hash in hashes { writer.append(hash) }
    case .piece(let request, let index, let bytes):
      writer.append(Number.piece.rawValue)
      writer.append(request)
      writer.append(UInt8(index))
      writer.append(fixed: bytes)
    case .readsParts: writer.append(Number.readsParts.rawValue)
    case .part(let request, let place, let bytes):
      writer.append(Number.part.rawValue)
      writer.append(request)
      writer.append(UInt16(place))
      writer.append(fixed: bytes)
    case .readsLargeDatagrams: writer.append(Number.readsLargeDatagrams.rawValue)
    case .padding(let count):
      writer.append(Number.padding.rawValue)
      writer.append(fixed: [UInt8](repeating: 0, count: count))
    }
    return writer.bytes
  }

  private static func begin(_ number: Number, _ blob: BlobID, _ writer: inout ByteWriter) {
    writer.append(number.rawValue)
    writer.append(blob)
  }

  /// Returns nil for a message of a later version.
  init?(decoding bytes: [UInt8]) throws(WireError) {
    do {
      var reader = ByteReader(bytes)
      guard let number = Number(rawValue: try reader.integer(UInt8.self)) else { return nil }
      switch number {
      case .readsShortForms: self = .readsShortForms
      case .readsParts: self = .readsParts
      case .readsLargeDatagrams: self = .readsLargeDatagrams
      case .padding: self = .padding(try reader.fixed(reader.remaining).count)
      case .path, .piece, .part: self = try Self.readAnswer(number, from: &reader)
      case .query, .holding, .want, .proof, .leaf, .request:
        let blob = try reader.identifier(BlobID.self)
        self = try Self.read(number, of: blob, from: &reader)
      }
      try reader.expectEnd()
    } catch {
      throw .malformed("blob message")
    }
  }

  private static func read(
    _ number: Number, of blob: BlobID, from reader: inout ByteReader
  ) throws(DecodingFault) -> BlobMessage {
    switch number {
    case .query: return .query(blob)
    case .holding:
      switch try reader.integer(UInt8.self) {
      case 0: return .holding(blob, .none)
      case 1: return .holding(blob, .complete)
      case 2: return .holding(blob, .units(try reader.fixed(reader.remaining)))
      default: throw .invalid("holding")
      }
    case .want:
      let unit = Int(try reader.integer(UInt16.self))
      let flags = try reader.integer(UInt8.self)
      guard flags <= 1 else { throw .invalid("want") }
      return .want(
        BlobWant(
          blob: blob, unit: unit, wantsProof: flags == 1,
          leaves: try reader.integer(UInt16.self)))
    case .proof:
      let unit = Int(try reader.integer(UInt16.self))
      return .proof(blob, unit: unit, hashes: try readHashes(atMost: mostHashes, from: &reader))
    case .leaf:
      let leaf = Int(try reader.integer(UInt16.self))
      guard (1...BlobShape.leafBytes).contains(reader.remaining) else { throw .invalid("leaf") }
      return .leaf(blob, number: leaf, bytes: try reader.fixed(reader.remaining))
    case .request:
      let (number, unit) = (try reader.integer(UInt16.self), try reader.integer(UInt16.self))
      let hashes = Int(try reader.integer(UInt8.self))
      guard hashes <= mostPath else { throw .invalid("request") }
      return .request(
        BlobRequest(
          blob: blob, number: number, unit: Int(unit), hashes: hashes,
          leaves: try reader.integer(UInt16.self)))
    case .readsShortForms, .path, .piece, .readsParts, .part, .readsLargeDatagrams, .padding:
      throw .invalid("blob message")
    }
  }

  private static func readAnswer(
    _ number: Number, from reader: inout ByteReader
  ) throws(DecodingFault) -> BlobMessage {
    let request = try reader.integer(UInt16.self)
    if number == .path {
      return .path(request: request, hashes: try readHashes(atMost: mostPath, from: &reader))
    }
    if number == .part {
      let place = Int(try reader.integer(UInt16.self))
      guard (1...BlobShape.mostPartBytes).contains(reader.remaining),
        place + reader.remaining <= BlobShape.unitBytes
      else { throw .invalid("part") }
      return .part(request: request, place: place, bytes: try reader.fixed(reader.remaining))
    }
    let index = Int(try reader.integer(UInt8.self))
    guard index < BlobShape.leavesPerUnit, (1...BlobShape.leafBytes).contains(reader.remaining)
    else { throw .invalid("piece") }
    return .piece(request: request, index: index, bytes: try reader.fixed(reader.remaining))
  }

  private static func readHashes(
    atMost most: Int, from reader: inout ByteReader
  ) throws(DecodingFault) -> [Bytes32] {
    guard reader.remaining % 32 == 0, reader.remaining / 32 <= most else {
      throw .invalid("hashes")
    }
    var hashes: [Bytes32] = []
    while reader.remaining > 0 { hashes.append(try reader.bytes32()) }
    return hashes
  }
}
