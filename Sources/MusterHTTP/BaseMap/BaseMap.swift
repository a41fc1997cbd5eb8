internal import Dispatch
internal import Foundation

/// A base map from a local file: MBTiles 1.3 with images (PNG, JPEG, WebP), because there is no
/// tile server in the field.
///
/// The file is only read, and it is not trusted: the type of a tile is determined from its first
/// bytes.
public final class BaseMap: @unchecked Sendable {
  // Unchecked: `file` is used only on `queue`.

  /// The limit of one tile.
  static let tileBytes = 1024 * 1024
  /// The greatest possible zoom: a tile is then less than a centimetre wide.
  static let mostZoom = 30
  private static let metadataRows = 100
  private static let textCharacters = 1000

  /// The file's metadata.
  struct About: Hashable, Sendable {
    var name = ""
    /// The attribution, which MUST be shown wherever the map is. As text: it often contains markup.
    var attribution = ""
    /// `png`, `jpg`, `webp`.
    var format = Picture.png
    var zooms = 0...0
    /// West, south, east, north in degrees; nil if the file does not state them.
    var bounds: [Double]?
  }

  /// The image format of a tile.
  enum Picture: String, Sendable {
    case png, jpg, webp

    var mediaType: String { self == .jpg ? "image/jpeg" : "image/\(rawValue)" }

    /// Determines the format from the first bytes.
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

  /// One image of the map.
  struct Tile: Hashable, Sendable {
    let bytes: [UInt8]
    let picture: Picture
  }

  /// Why a file cannot be used as a base map, or a tile not as an image.
  public struct Fault: Error, Hashable, CustomStringConvertible {
    /// One line for the user who named the file.
    public let description: String

    init(_ description: String) { self.description = description }
  }

  let about: About
  private let file: MBTilesFile
  private let queue = DispatchQueue(label: "muster.map")

  /// Opens a file. Throws a fault with its remedy.
  public init(opening path: String) throws(Fault) {
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw Fault("there is no file \(path) that can be read")
    }
    do {
      // By its absolute path: SQLite interprets some other names.
      let file = try MBTilesFile(opening: URL(filePath: path).standardizedFileURL.path)
      about = try Self.about(file)
      self.file = file
    } catch let fault as MBTilesFile.Fault {
      throw Fault("\(path) is not an MBTiles file: \(fault)")
    } catch let fault as Fault {
      throw Fault("\(path): \(fault)")
    } catch {
      throw Fault("\(path): \(error)")
    }
  }

  /// Returns the tile at a position, counted from the north-west as in browsers; nil if the file
  /// has none.
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
    guard let picture = Picture(of: bytes) else { throw Fault("the tile is not an image") }
    return Tile(bytes: bytes, picture: picture)
  }

  // MARK: Metadata

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
        "it contains vector tiles, which are not supported: use images (png, jpg, webp)")
    default: break
    }
    let first = try file.rows("SELECT tile_data FROM tiles", limit: 1).first?.first
    guard case .blob(let bytes)? = first else { throw Fault("it contains no tiles") }
    guard let picture = Picture(of: bytes) else {
      throw Fault(
        "its tiles are not images for browsers: use png, jpg or webp")
    }
    return picture
  }

  /// The zoom levels of the metadata, else those of the tiles.
  private static func zooms(
    _ entries: [String: String], _ file: MBTilesFile
  ) throws -> ClosedRange<Int> {
    func bound(_ name: String, _ function: String) throws -> Int {
      if let given = entries[name].flatMap({ Int($0) }) { return given }
      let query = "SELECT \(function)(zoom_level) FROM tiles"
      guard case .integer(let zoom)? = try file.rows(query, limit: 1).first?.first else {
        throw Fault("its zoom levels are not numbers")
      }
      return Int(clamping: zoom)
    }
    let (least, most) = (try bound("minzoom", "min"), try bound("maxzoom", "max"))
    guard least >= 0, least <= most, most <= mostZoom else {
      throw Fault("its zoom levels, \(least) to \(most), are not within 0 to \(mostZoom)")
    }
    return least...most
  }

  /// Parses the bounds; malformed ones count as missing.
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
