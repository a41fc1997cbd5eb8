/// The header of a PMTiles file, version 3
/// (https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md).
struct PMTilesHeader: Hashable {
  /// The length of the header.
  static let bytes = 127
  static let magic = Array("PMTiles".utf8)
  private static let version: UInt8 = 3
  /// The beginning of versions 1 and 2, before a number of two bytes.
  static let oldMagic = Array("PM".utf8) + [2, 0]
  static let remedy = "convert it to version \(version) with `pmtiles convert OLD NEW`"

  /// A part of the file, in bytes.
  struct Section: Hashable {
    let offset: UInt64
    let length: UInt64
  }

  let root: Section
  let metadata: Section
  let leaves: Section
  let tiles: Section
  /// Whether directories and metadata are compressed with gzip; otherwise they are not compressed.
  let isGzipped: Bool
  let format: TileFormat
  let zooms: ClosedRange<Int>
  /// West, south, east, north in degrees; nil if they enclose no area.
  let bounds: [Double]?

  /// - Parameters:
  ///   - header: the first bytes of the file.
  ///   - fileBytes: the length of the file.
  init(_ header: [UInt8], fileBytes: UInt64) throws(BaseMap.Fault) {
    guard header.count >= Self.bytes, header.starts(with: Self.magic) else {
      throw BaseMap.Fault("it is not a PMTiles file")
    }
    guard header[7] == Self.version else {
      throw BaseMap.Fault(
        "it is PMTiles version \(header[7]): \(Self.remedy)")
    }
    func number(_ offset: Int, bytes: Int) -> UInt64 {
      (0..<bytes).reduce(0) { $0 | UInt64(header[offset + $1]) << UInt64(8 * $1) }
    }
    func section(_ offset: Int, _ name: String) throws(BaseMap.Fault) -> Section {
      let section = Section(offset: number(offset, bytes: 8), length: number(offset + 8, bytes: 8))
      let (end, isOver) = section.offset.addingReportingOverflow(section.length)
      guard !isOver, end <= fileBytes else {
        throw BaseMap.Fault("it is cut off in its \(name): copy the file again")
      }
      return section
    }
    root = try section(8, "root directory")
    metadata = try section(24, "metadata")
    leaves = try section(40, "leaf directories")
    tiles = try section(56, "tiles")
    isGzipped = try Self.isGzipped(header[97], "directories")
    _ = try Self.isGzipped(header[98], "tiles")
    format = try Self.format(header[99])
    let (least, most) = (Int(header[100]), Int(header[101]))
    guard least <= most, most <= BaseMap.mostZoom else {
      throw BaseMap.Fault(
        "its zoom levels, \(least) to \(most), are not within 0 to \(BaseMap.mostZoom)")
    }
    zooms = least...most
    bounds = MapMetadata.bounds(
      stride(from: 102, to: 118, by: 4).map { offset in
        Double(Int32(truncatingIfNeeded: number(offset, bytes: 4))) / 1e7
      })
  }

  /// - Parameter code: 0 unknown, 1 none, 2 gzip; the others are not supported.
  private static func isGzipped(_ code: UInt8, _ what: String) throws(BaseMap.Fault) -> Bool {
    switch code {
    case 0, 1: return false
    case 2: return true
    default:
      let name = [3: "Brotli", 4: "Zstandard"][code] ?? "method \(code)"
      throw BaseMap.Fault(
        "its \(what) are compressed with \(name), which is not supported: use gzip or none")
    }
  }

  private static func format(_ code: UInt8) throws(BaseMap.Fault) -> TileFormat {
    switch code {
    case 1: return .pbf
    case 2: return .png
    case 3: return .jpg
    case 4: return .webp
    default:
      throw BaseMap.Fault(
        "its tiles are of type \(code), which is not supported: use vector tiles (mvt), png, jpg "
          + "or webp")
    }
  }
}
