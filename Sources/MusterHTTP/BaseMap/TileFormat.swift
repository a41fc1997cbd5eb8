/// The format of a map's tiles.
enum TileFormat: String, Sendable {
  case png, jpg, webp
  /// Vector tiles (Mapbox Vector Tile 2).
  case pbf

  var mediaType: String {
    switch self {
    case .jpg: "image/jpeg"
    case .png, .webp: "image/\(rawValue)"
    case .pbf: "application/vnd.mapbox-vector-tile"
    }
  }

  /// Determines the format of an image from its first bytes; nil for anything else.
  init?(ofImage bytes: [UInt8]) {
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

  /// The byte with which a vector tile begins: field 3, a layer.
  static let layerTag: UInt8 = 0x1A
}
