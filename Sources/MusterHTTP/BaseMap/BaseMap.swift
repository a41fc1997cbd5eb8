internal import Dispatch
internal import Foundation

/// A map to look at beneath all else, from a file that somebody brought along: MBTiles 1.3 with
/// pictures (PNG, JPEG, WebP). There is no tile server in the field.
///
/// The file is only read, and trusted in nothing: what a tile is, its own first bytes say.
public final class BaseMap: @unchecked Sendable {
  // Unchecked: `file` is touched on `queue` alone.

  /// Of one tile.
  static let tileBytes = 1024 * 1024
  /// As deep as maps go: a tile is then less than a centimetre wide.
  static let mostZoom = 30
  private static let metadataRows = 100
  private static let textCharacters = 1000

  /// What the file says of itself.
  struct About: Hashable, Sendable {
    var name = ""
    /// Whose work it is; MUST be shown wherever the map is. As text: it often holds markup.
    var attribution = ""
    /// `png`, `jpg`, `webp`.
    var format = Picture.png
    var zooms = 0...0
    /// West, south, east, north in degrees; nil where the file does not say.
    var bounds: [Double]?
  }

  /// What a tile is.
  enum Picture: String, Sendable {
    case png, jpg, webp

    var mediaType: String { self == .jpg ? "image/jpeg" : "image/\(rawValue)" }

    /// By its first bytes.
    init?(of bytes: [UInt8]) {
      if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
        self = .png
      } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
        self = .jpg
      } else if bytes.starts(with: Array("RIFF".utf8)), bytes.count > 12,
        Array(bytes[8..<12]) == Array("WEBP".utf8)
      {
        self = .webp
      } else {
        return nil
      }
    }
  }

  /// One picture of the map.
  struct Tile: Hashable, Sendable {
    let bytes: [UInt8]
    let picture: Picture
  }

  /// Why a file is no map that can be shown, or one of its tiles no picture.
  public struct Fault: Error, Hashable, CustomStringConvertible {
    /// In one line, for the person who named the file.
    public let description: String

    init(_ description: String) { self.description = description }
  }

  let about: About
  private let file: MBTilesFile
  private let queue = DispatchQueue(label: "muster.map")

  /// Throws what is wrong with the file, and what to do.
  public init(opening path: String) throws(Fault) {
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw Fault("there is no file \(path) that can be read")
    }
    do {
      // By its whole path: SQLite takes some names for something else than files.
      let file = try MBTilesFile(opening: URL(filePath: path).standardizedFileURL.path)
      about = try Self.about(file)
      self.file = file
    } catch let fault as MBTilesFile.Fault {
      throw Fault("\(path) is no MBTiles file: \(fault)")
    } catch let fault as Fault {
      throw Fault("\(path): \(fault)")
    } catch {
      throw Fault("\(path): \(error)")
    }
  }

  /// The tile of a place, counted from the north-west as browsers do; nil where the file has none.
  func tile(zoom: Int, x: Int, y: Int) async throws -> Tile? {
    guard about.zooms.contains(zoom), (0..<1 << zoom).contains(x), (0..<1 << zoom).contains(y)
    else { return nil }
    return try await withCheckedThrowingContinuation { done in
      queue.async { done.resume(with: Result { try self.read(zoom, x, y) }) }
    }
  }

  private func read(_ zoom: Int, _ x: Int, _ y: Int) throws -> Tile? {
    // MBTiles counts rows from the south.
    let place = [Int64(zoom), Int64(x), Int64((1 << zoom) - 1 - y)]
    guard case .blob(let bytes)? = try file.rows(Self.oneTile, place, limit: 1).first?.first else {
      return nil
    }
    guard bytes.count <= Self.tileBytes else {
      throw Fault("the tile is larger than \(Self.tileBytes / 1024) KiB")
    }
    guard let picture = Picture(of: bytes) else { throw Fault("the tile is no picture") }
    return Tile(bytes: bytes, picture: picture)
  }

  // MARK: What the file says of itself

  private static let oneTile = """
    SELECT tile_data FROM tiles WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row = ?3
    """

  private static func about(_ file: MBTilesFile) throws -> About {
    var entries: [String: String] = [:]
    let rows = try file.rows("SELECT name, value FROM metadata", limit: metadataRows)
    for row in rows {
      guard row.count == 2, case .text(let name) = row[0] else { continue }
      switch row[1] {
      case .text(let value): entries[name] = String(value.prefix(textCharacters))
      case .integer(let value): entries[name] = "\(value)"
      case .none, .blob: continue
      }
    }
    var about = About()
    about.name = entries["name"] ?? ""
    about.attribution = entries["attribution"] ?? ""
    about.format = try format(entries["format"], file)
    about.zooms = try zooms(entries, file)
    about.bounds = bounds(entries["bounds"])
    return about
  }

  private static func format(_ word: String?, _ file: MBTilesFile) throws -> Picture {
    switch word?.lowercased() {
    case "pbf", "mvt", "application/vnd.mapbox-vector-tile":
      throw Fault(
        "it holds vector tiles, which cannot be shown: bring one with pictures (png, jpg, webp)")
    default: break
    }
    let first = try file.rows("SELECT tile_data FROM tiles", limit: 1).first?.first
    guard case .blob(let bytes)? = first else { throw Fault("there is no tile in it") }
    guard let picture = Picture(of: bytes) else {
      throw Fault(
        "its tiles are no pictures that a browser shows: bring one with png, jpg or webp")
    }
    return picture
  }

  /// As the file says, else as deep as it has tiles.
  private static func zooms(
    _ entries: [String: String], _ file: MBTilesFile
  ) throws -> ClosedRange<Int> {
    func bound(_ name: String, _ function: String) throws -> Int {
      if let given = entries[name].flatMap({ Int($0) }) { return given }
      let query = "SELECT \(function)(zoom_level) FROM tiles"
      guard case .integer(let zoom)? = try file.rows(query, limit: 1).first?.first else {
        throw Fault("its zoom levels are no numbers")
      }
      return Int(clamping: zoom)
    }
    let (least, most) = (try bound("minzoom", "min"), try bound("maxzoom", "max"))
    guard least >= 0, least <= most, most <= mostZoom else {
      throw Fault("its zoom levels, \(least) to \(most), are not within 0 to \(mostZoom)")
    }
    return least...most
  }

  /// What is no box is as good as none.
  private static func bounds(_ text: String?) -> [Double]? {
    let numbers = (text ?? "").split(separator: ",").compactMap {
      Double($0.trimmingCharacters(in: .whitespaces))
    }
    guard numbers.count == 4, (-180...180).contains(numbers[0]), (-180...180).contains(numbers[2]),
      (-90...90).contains(numbers[1]), (-90...90).contains(numbers[3]),
      numbers[0] < numbers[2], numbers[1] < numbers[3]
    else { return nil }
    return numbers
  }
}
