/// The address of a blob: a hash of its length and its Merkle root.
public struct BlobID: Identifier {
  /// BLAKE2b-128 of the tag, the length and the root.
  public let raw: Bytes16
  /// Wraps an address that was stored, received or typed; a new one is derived from a listing.
  public init(raw: Bytes16) { self.raw = raw }
}

/// What a blob is to its photo. Numbers are on the wire and append-only.
public enum BlobKind: UInt8, Codable, Sendable, CaseIterable, Hashable, Comparable {
  case thumbnail = 1
  case original = 2

  /// The largest ciphertext of this kind.
  public var mostBytes: Int {
    switch self {
    case .thumbnail: Limits.thumbnailBytes
    case .original: Limits.blobBytes
    }
  }

  /// The order of the numbers: thumbnails are transferred first.
  public static func < (left: BlobKind, right: BlobKind) -> Bool { left.rawValue < right.rawValue }
}

/// An entry of a frame's blob list, which is clear, so that relays know what to fetch.
public struct BlobListing: Hashable, Comparable, Sendable {
  /// The Merkle root of the ciphertext.
  public let root: Bytes32
  /// Bytes of ciphertext, as many as of plaintext: 1 to `BlobKind.mostBytes`.
  public let length: UInt32
  /// What the blob is to its photo.
  public let kind: BlobKind

  /// The width of an encoded entry.
  public static let encodedBytes = 37

  /// Returns nil for a length out of range.
  public init?(root: Bytes32, length: UInt32, kind: BlobKind) {
    guard (1...kind.mostBytes).contains(Int(length)) else { return nil }
    self.root = root
    self.length = length
    self.kind = kind
  }

  /// The blob's division into leaves and units.
  public var shape: BlobShape { BlobShape(length: Int(length)) }

  /// The order of the encoded entries.
  public static func < (left: BlobListing, right: BlobListing) -> Bool {
    if left.root != right.root { return left.root < right.root }
    return (left.length, left.kind) < (right.length, right.kind)
  }

  /// Encodes a list; empty for an empty one. It MUST be strictly ascending.
  public static func encoded(_ list: [BlobListing]) -> [UInt8] {
    var writer = ByteWriter(reservingCapacity: list.count * encodedBytes)
    for entry in list {
      writer.append(entry.root)
      writer.append(entry.length)
      writer.append(entry.kind.rawValue)
    }
    return writer.bytes
  }

  /// Decodes a list. Throws unless it has at most `Limits.blobsPerFrame` valid entries in strictly
  /// ascending order: each list has one encoding.
  public static func decode(_ bytes: [UInt8]) throws(DecodingFault) -> [BlobListing] {
    guard bytes.count <= Limits.blobsPerFrame * encodedBytes else { throw .invalid("blob list") }
    var reader = ByteReader(bytes)
    var list: [BlobListing] = []
    while reader.remaining > 0 {
      let root = try reader.bytes32()
      let length = try reader.integer(UInt32.self)
      guard let kind = BlobKind(rawValue: try reader.integer(UInt8.self)),
        let entry = BlobListing(root: root, length: length, kind: kind),
        list.last.map({ $0 < entry }) ?? true
      else { throw .invalid("blob list") }
      list.append(entry)
    }
    return list
  }
}

/// The division of a blob into leaves of 1,024 bytes, and of these into units of 16.
public struct BlobShape: Hashable, Sendable {
  /// Bytes of the blob, at least 1.
  public let length: Int

  /// Bytes of every leaf but the last.
  public static let leafBytes = 1024
  /// Leaves of every unit but the last.
  public static let leavesPerUnit = 16
  /// Bytes of every unit but the last.
  public static let unitBytes = leafBytes * leavesPerUnit

  /// `length` MUST be at least 1.
  public init(length: Int) {
    precondition(length >= 1, "a blob of \(length) bytes")
    self.length = length
  }

  /// The number of leaves.
  public var leaves: Int { (length + Self.leafBytes - 1) / Self.leafBytes }
  /// The number of units.
  public var units: Int { (length + Self.unitBytes - 1) / Self.unitBytes }

  /// The leaves of a unit.
  public func leaves(of unit: Int) -> Range<Int> {
    unit * Self.leavesPerUnit..<min((unit + 1) * Self.leavesPerUnit, leaves)
  }

  /// The bytes of a leaf.
  public func bytes(ofLeaf leaf: Int) -> Range<Int> {
    leaf * Self.leafBytes..<min((leaf + 1) * Self.leafBytes, length)
  }

  /// The bytes of a unit.
  public func bytes(of unit: Int) -> Range<Int> {
    unit * Self.unitBytes..<min((unit + 1) * Self.unitBytes, length)
  }

  /// The number of siblings in the path of a unit: one for each level at which its node has one.
  public func pathCount(of unit: Int) -> Int {
    var (index, width, count) = (unit, units, 0)
    while width > 1 {
      if index ^ 1 < width { count += 1 }
      index >>= 1
      width = (width + 1) / 2
    }
    return count
  }

  /// The length of the longest path, that of the first unit.
  public var mostPathCount: Int { pathCount(of: 0) }
}

/// Which units of a blob are held.
///
/// It has a bitmap only while some units are held and others are not: a node with 10,000 photos
/// keeps a set of each blob in memory.
public struct UnitSet: Hashable, Sendable {
  /// Empty unless the set is partial.
  private var bitmap: [UInt8] = []
  private let total: UInt16
  private var held: UInt16 = 0

  /// The number of units of the blob.
  public var units: Int { Int(total) }
  /// How many of them are in the set.
  public var count: Int { Int(held) }

  /// Creates an empty set. A blob has at most 512 units.
  public init(units: Int) {
    precondition((0...Int(UInt16.max)).contains(units), "\(units) units")
    total = UInt16(units)
  }

  /// Creates the set of all units.
  public static func all(_ units: Int) -> UnitSet {
    var set = UnitSet(units: units)
    set.held = set.total
    return set
  }

  /// Bit i of the bytes, least significant first, is unit i; as many bytes as the units need.
  public var bytes: [UInt8] {
    guard bitmap.isEmpty else { return bitmap }
    var bytes = [UInt8](repeating: isEmpty ? 0 : 0xFF, count: (units + 7) / 8)
    if !isEmpty, units % 8 != 0 { bytes[bytes.count - 1] = 1 << UInt8(units % 8) - 1 }
    return bytes
  }

  /// Returns nil for bytes of another length, or with bits beyond the last unit.
  public init?(bytes: [UInt8], units: Int) {
    guard bytes.count == (units + 7) / 8 else { return nil }
    if units % 8 != 0, let last = bytes.last, last >> UInt8(units % 8) != 0 { return nil }
    self.init(units: units)
    held = UInt16(bytes.reduce(0) { $0 + $1.nonzeroBitCount })
    if isPartial { bitmap = bytes }
  }

  private var isPartial: Bool { held != 0 && held != total }

  /// Whether every unit is in the set.
  public var isComplete: Bool { held == total }
  /// Whether no unit is in the set.
  public var isEmpty: Bool { held == 0 }

  /// Whether a unit is in the set.
  public func contains(_ unit: Int) -> Bool {
    guard unit >= 0, unit < units else { return false }
    return bitmap.isEmpty ? isComplete : bitmap[unit / 8] >> UInt8(unit % 8) & 1 == 1
  }

  /// Whether it has every unit of another set of the same blob.
  public func isSuperset(of other: UnitSet) -> Bool {
    isComplete || other.isEmpty || zip(bytes, other.bytes).allSatisfy { $0 & $1 == $1 }
  }

  /// Adds a unit. Returns whether it is new.
  @discardableResult
  public mutating func insert(_ unit: Int) -> Bool {
    guard unit >= 0, unit < units, !contains(unit) else { return false }
    change(unit, by: 1)
    return true
  }

  /// Removes a unit that turned out to be damaged. Returns whether it was there.
  @discardableResult
  public mutating func remove(_ unit: Int) -> Bool {
    guard contains(unit) else { return false }
    change(unit, by: -1)
    return true
  }

  private mutating func change(_ unit: Int, by difference: Int) {
    if bitmap.isEmpty { bitmap = bytes }
    bitmap[unit / 8] ^= 1 << UInt8(unit % 8)
    held = UInt16(count + difference)
    if !isPartial { bitmap = [] }
  }
}
