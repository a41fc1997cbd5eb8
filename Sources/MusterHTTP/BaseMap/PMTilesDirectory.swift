/// A directory of a PMTiles file: which tile, or which leaf directory, is where.
struct PMTilesDirectory {
  /// The most entries; writers use at most a few ten thousand.
  static let mostEntries = 250_000

  struct Entry: Hashable {
    /// The first tile.
    let tile: UInt64
    /// From the beginning of the tiles, or of the leaf directories.
    let offset: UInt64
    let length: UInt32
    /// How many tiles from the first one have this content; 0 for a leaf directory.
    let run: UInt32
  }

  /// In ascending order of their tiles.
  let entries: [Entry]

  /// Decodes a directory: the number of entries, then a column for each field, in variable-length
  /// integers.
  init(_ bytes: [UInt8]) throws(BaseMap.Fault) {
    var reader = Varints(bytes)
    let count = try reader.next()
    // Each entry has at least four bytes: a small file cannot claim much memory.
    guard count <= UInt64(Self.mostEntries), count * 4 <= UInt64(bytes.count) else {
      throw Self.damaged
    }
    var tiles: [UInt64] = []
    for index in 0..<Int(count) {
      let (tile, isOver) = (tiles.last ?? 0).addingReportingOverflow(try reader.next())
      guard !isOver, index == 0 || tile > tiles[index - 1] else { throw Self.damaged }
      tiles.append(tile)
    }
    let runs = try reader.small(Int(count))
    let lengths = try reader.small(Int(count))
    guard lengths.allSatisfy({ $0 > 0 }) else { throw Self.damaged }
    var entries: [Entry] = []
    entries.reserveCapacity(Int(count))
    for index in 0..<Int(count) {
      let word = try reader.next()
      var offset = word &- 1
      if word == 0 {
        guard let before = entries.last else { throw Self.damaged }
        let (end, isOver) = before.offset.addingReportingOverflow(UInt64(before.length))
        guard !isOver else { throw Self.damaged }
        offset = end
      }
      entries.append(
        Entry(tile: tiles[index], offset: offset, length: lengths[index], run: runs[index]))
    }
    self.entries = entries
  }

  /// Returns the entry that contains a tile, or leads to it; nil if there is none.
  func entry(of tile: UInt64) -> Entry? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].tile <= tile { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let entry = entries[low - 1]
    return entry.run == 0 || tile - entry.tile < UInt64(entry.run) ? entry : nil
  }

  static let damaged = BaseMap.Fault("a directory of it is damaged: copy the file again")

  /// The number of a tile: all tiles of lower zoom levels, then the position on a Hilbert curve.
  ///
  /// - Precondition: `zoom` is at most `BaseMap.mostZoom`, and `x` and `y` are below `1 << zoom`.
  static func tile(zoom: Int, x: Int, y: Int) -> UInt64 {
    let side = 1 << zoom
    var (x, y, distance) = (x, y, ((1 << (2 * zoom)) - 1) / 3)
    var step = side / 2
    while step > 0 {
      let (right, lower) = (x & step > 0, y & step > 0)
      distance += step * step * (right ? (lower ? 2 : 3) : (lower ? 1 : 0))
      if !lower {
        if right { (x, y) = (side - 1 - x, side - 1 - y) }
        (x, y) = (y, x)
      }
      step /= 2
    }
    return UInt64(distance)
  }
}

/// Reads variable-length integers, seven bits a byte with the least significant first.
private struct Varints {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() throws(BaseMap.Fault) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard offset < bytes.count else { throw PMTilesDirectory.damaged }
      let byte = bytes[offset]
      offset += 1
      // The tenth byte has room for one bit.
      guard shift < 63 || byte <= 1 else { throw PMTilesDirectory.damaged }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    throw PMTilesDirectory.damaged
  }

  mutating func small(_ count: Int) throws(BaseMap.Fault) -> [UInt32] {
    var values: [UInt32] = []
    values.reserveCapacity(count)
    for _ in 0..<count {
      guard let value = UInt32(exactly: try next()) else { throw PMTilesDirectory.damaged }
      values.append(value)
    }
    return values
  }
}
