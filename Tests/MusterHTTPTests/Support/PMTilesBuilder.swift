import Foundation

/// Writes a PMTiles file of a test, as the specification describes it, without the reader's code.
struct PMTilesBuilder {
  var version: UInt8 = 3
  /// 1: none; 2: gzip, with stored blocks.
  var compression: UInt8 = 2
  /// 1: vector, 2: png, 3: jpg, 4: webp.
  var type: UInt8 = 2
  var zooms: ClosedRange<UInt8> = 0...14
  /// In 1e-7 degrees.
  var bounds: [Int32] = [-85_000_000, 400_000_000, -70_000_000, 410_000_000]
  var metadata = #"{"name": "Valley", "attribution": "© me", "vector_layers": [{"id": "water"}]}"#
  /// The content of each tile, by its number on the curve.
  var tiles: [(id: UInt64, run: UInt64, content: Data)] = []
  /// How many tiles a leaf directory has; nil for a root directory only.
  var leafTiles: Int?

  func file() -> Data {
    var data = Data()
    var entries: [(id: UInt64, run: UInt64, offset: UInt64, length: UInt64)] = []
    for tile in tiles {
      entries.append((tile.id, tile.run, UInt64(data.count), UInt64(tile.content.count)))
      data += tile.content
    }
    var leaves = Data()
    if let leafTiles {
      let groups = stride(from: 0, to: entries.count, by: leafTiles).map {
        entries[$0..<min($0 + leafTiles, entries.count)]
      }
      entries = groups.map { group in
        let leaf = packed(Self.directory(Array(group)))
        defer { leaves += leaf }
        return (group.first?.id ?? 0, 0, UInt64(leaves.count), UInt64(leaf.count))
      }
    }
    let parts = [packed(Self.directory(entries)), packed(Data(metadata.utf8)), leaves, data]
    var header = Data("PMTiles".utf8) + [version]
    var offset: UInt64 = 127
    for part in parts {
      header += Self.little(offset, 8) + Self.little(UInt64(part.count), 8)
      offset += UInt64(part.count)
    }
    header += Data(count: 24) + [1, compression, 1, type, zooms.lowerBound, zooms.upperBound]
    for degree in bounds { header += Self.little(UInt64(UInt32(bitPattern: degree)), 4) }
    header += Data(count: 9)
    return parts.reduce(header, +)
  }

  func packed(_ data: Data) -> Data { compression == 2 ? Self.gzip(data) : data }

  static func directory(
    _ entries: [(id: UInt64, run: UInt64, offset: UInt64, length: UInt64)]
  ) -> Data {
    var bytes = varint(UInt64(entries.count))
    var last: UInt64 = 0
    for entry in entries {
      bytes += varint(entry.id - last)
      last = entry.id
    }
    for entry in entries { bytes += varint(entry.run) }
    for entry in entries { bytes += varint(entry.length) }
    for (index, entry) in entries.enumerated() {
      let end = index > 0 ? entries[index - 1].offset + entries[index - 1].length : .max
      let follows = end == entry.offset
      bytes += varint(follows ? 0 : entry.offset + 1)
    }
    return bytes
  }

  static func varint(_ value: UInt64) -> Data {
    var (bytes, rest) = (Data(), value)
    while rest > 127 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static func little(_ value: UInt64, _ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) })
  }

  /// Gzip (RFC 1952) with stored blocks only.
  static func gzip(_ data: Data) -> Data {
    var packed = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    let blocks = stride(from: 0, to: max(1, data.count), by: 65535).map {
      data.dropFirst($0).prefix(65535)
    }
    for (index, block) in blocks.enumerated() {
      let length = UInt64(block.count)
      packed += [index == blocks.count - 1 ? 1 : 0] + little(length, 2) + little(~length, 2) + block
    }
    return packed + little(UInt64(crc(data)), 4) + little(UInt64(data.count), 4)
  }

  private static func crc(_ data: Data) -> UInt32 {
    ~data.reduce(UInt32.max) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in
        crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0)
      }
    }
  }
}

/// A folder of a test, deleted with the object.
final class TestFolder {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory.appending(path: "mf\(UInt32.random(in: 0 ... .max))")
      .path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("\(error)") }
  }

  /// Writes a file and returns its path.
  func write(_ data: Data, as name: String) throws -> String {
    try data.write(to: URL(filePath: path + "/" + name))
    return path + "/" + name
  }

  var names: [String] {
    get throws {
      FileManager.default.fileExists(atPath: path + "/maps")
        ? try FileManager.default.contentsOfDirectory(atPath: path + "/maps").sorted() : []
    }
  }
}
