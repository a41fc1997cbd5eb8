internal import Dispatch
internal import Foundation
internal import MusterInterchange
internal import MusterNode

/// An open file of tiles. Not thread-safe: the owner serializes access.
protocol TileFile: AnyObject {
  var about: BaseMap.About { get }
  /// Returns the tile as it is in the file, perhaps empty; nil if the file has none.
  ///
  /// - Parameter y: counted from the north.
  func tile(zoom: Int, x: Int, y: Int) throws -> [UInt8]?
}

/// A base map from a local file, because there is no tile server in the field: MBTiles 1.3 or
/// PMTiles 3, with images (PNG, JPEG, WebP) or vector tiles.
///
/// The file is only read, and it is not trusted: the type of an image is determined from its first
/// bytes, and a compressed tile is decompressed once to check its size.
public final class BaseMap: @unchecked Sendable {
  // Unchecked: `file` is used only on `queue`.

  /// The limit of one tile.
  static let tileBytes = 1024 * 1024
  /// The limit of one vector tile when decompressed.
  static let inflatedBytes = 8 * 1024 * 1024
  /// The greatest possible zoom: a tile is then less than a centimetre wide.
  static let mostZoom = 30

  /// The file's metadata.
  struct About: Hashable, Sendable {
    var name = ""
    /// The attribution, which MUST be shown wherever the map is. As text: it often contains markup.
    var attribution = ""
    var format = TileFormat.png
    var zooms = 0...0
    /// West, south, east, north in degrees; nil if the file does not state them.
    var bounds: [Double]?
    /// The layers of vector tiles, as far as the file names them.
    var layers: [String] = []
  }

  /// One tile of the map.
  struct Tile: Hashable, Sendable {
    let bytes: [UInt8]
    let format: TileFormat
    /// Whether the bytes are compressed; of vector tiles only.
    let isGzipped: Bool

    /// The bytes without compression.
    var inflated: [UInt8] {
      get throws { isGzipped ? try Gzip.inflated(bytes, limit: BaseMap.inflatedBytes) : bytes }
    }
  }

  /// Why a file cannot be used as a base map, or a tile not as an image.
  public struct Fault: Error, Hashable, CustomStringConvertible {
    /// One line for the user who named the file.
    public let description: String

    init(_ description: String) { self.description = description }
  }

  let about: About
  private let file: any TileFile
  private let queue = DispatchQueue(label: "muster.map")

  /// Opens a file. Throws a fault with its remedy.
  public init(opening path: String) throws(Fault) {
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw Fault("there is no file \(path) that can be read")
    }
    let absolute = URL(filePath: path).standardizedFileURL.path
    do {
      if Self.begins(absolute, with: PMTilesHeader.magic) {
        file = try PMTilesFile(opening: absolute)
      } else {
        file = try MBTilesMap(opening: absolute)
      }
      about = file.about
    } catch let fault as ForeignFileFault {
      throw Fault("\(path) is not an MBTiles or PMTiles file: \(fault)")
    } catch let fault as Fault {
      throw Fault("\(path): \(fault)")
    } catch {
      throw Fault("\(path): \(error)")
    }
  }

  private static func begins(_ path: String, with magic: [UInt8]) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    do {
      return try Array(file.read(upToCount: magic.count) ?? Data()) == magic
    } catch {
      return false
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
    guard let bytes = try file.tile(zoom: zoom, x: x, y: y) else { return nil }
    guard bytes.count <= Self.tileBytes else {
      throw Fault("the tile is larger than \(Self.tileBytes / 1024) KiB")
    }
    let isGzipped = Gzip.isGzip(bytes)
    let content = isGzipped ? try Gzip.inflated(bytes, limit: Self.inflatedBytes) : bytes
    // Some programs store an empty tile where there is nothing to show.
    guard let first = content.first else { return nil }
    if about.format == .pbf {
      guard first == TileFormat.layerTag else {
        throw Fault("the tile is not a vector tile")
      }
      return Tile(bytes: bytes, format: .pbf, isGzipped: isGzipped)
    }
    guard let format = TileFormat(ofImage: content) else { throw Fault("the tile is not an image") }
    return Tile(bytes: content, format: format, isGzipped: false)
  }
}
