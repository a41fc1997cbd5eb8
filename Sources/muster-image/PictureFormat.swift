/// The formats that are read. The first bytes decide, never a name. Numbers are in answers.
enum PictureFormat: UInt8 {
  case jpeg = 1
  case png = 2
  case webp = 3
  case heif = 4

  /// Returns nil for anything else.
  init?(of bytes: [UInt8]) {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      self = .webp
    } else if bytes.count >= 12, bytes.dropFirst(4).starts(with: "ftyp".utf8),
      Self.heifBrands.contains(String(decoding: bytes[8..<12], as: UTF8.self))
    {
      self = .heif
    } else {
      return nil
    }
  }

  /// HEIC, AVIF and their sequences. Films have other brands.
  private static let heifBrands: Set = [
    "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "miaf", "avif", "avis",
  ]

  /// JPEG and PNG are decoded in strips. The decoders of WebP and HEIF keep the whole picture.
  var mostPixels: Int {
    switch self {
    case .jpeg, .png: 200_000_000
    case .webp, .heif: 50_000_000
    }
  }
}
