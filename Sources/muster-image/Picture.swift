import CVips

/// A picture that was read: two encodings without metadata, and what the metadata stated.
struct Picture {
  let format: PictureFormat
  /// Pixels as stored, before the picture is turned.
  let width: Int
  let height: Int
  let metadata: Metadata
  /// At most `mainPixels` each way, upright, in sRGB.
  let main: Encoding
  /// At most `thumbnailPixels` each way and `thumbnailBytes`.
  let thumbnail: Encoding

  /// A JPEG.
  struct Encoding {
    let width: Int
    let height: Int
    let bytes: [UInt8]
  }

  private static let mainPixels: Int32 = 2048
  private static let leastDecodedPixels = 1800
  private static let endOfJPEG: [UInt8] = [0xFF, 0xD9]
  private static let mainQuality: Int32 = 85
  /// `Limits.blobBytes` of the node.
  private static let mainBytes = 8 << 20
  private static let thumbnailBytes = 24 << 10
  /// The best one that fits is used. The last one fits whatever the picture shows.
  private static let thumbnailSteps: [(pixels: Int32, qualities: [Int32])] = [
    (320, [75, 60, 45]), (160, [60, 40]), (96, [30]),
  ]

  /// Reads the header, then decodes if its size is within the limit of the format.
  static func read(_ bytes: [UInt8]) throws(Rejection) -> Picture {
    guard let format = PictureFormat(of: bytes) else { throw .notAPicture }
    do {
      return try decode(bytes, as: format)
    } catch {
      // Some cameras leave out the end mark. With one, whatever else is missing is a warning.
      guard error == .damaged, format == .jpeg, bytes.suffix(2) != endOfJPEG[...] else {
        throw error
      }
      if let part = ProgressiveJPEG.readablePart(of: bytes) {
        return try decode(part + endOfJPEG, as: format)
      }
      return try decode(bytes + endOfJPEG, as: format, isStrict: true)
    }
  }

  /// Encodes and decodes a small picture, so that libraries are loaded and threads are started
  /// before the process gives up the right to do so.
  static func warmUp() -> Bool {
    var black: UnsafeMutablePointer<VipsImage>?
    guard muster_vips_black(64, &black) == 0, let black else { return false }
    defer { muster_vips_release(black) }
    guard let bytes = try? encode(black, quality: 50).bytes else { return false }
    return (try? read(bytes)) != nil
  }

  /// - Parameter isStrict: whether a warning about a JPEG is a failure.
  private static func decode(
    _ bytes: [UInt8], as format: PictureFormat, isStrict: Bool = false
  ) throws(Rejection) -> Picture {
    var outcome: Result<Picture, Rejection> = .failure(.damaged)
    var copy = bytes
    copy.withUnsafeMutableBytes { buffer in
      outcome = Result { () throws(Rejection) in try decode(buffer, as: format, isStrict) }
    }
    return try outcome.get()
  }

  private static func decode(
    _ bytes: UnsafeMutableRawBufferPointer, as format: PictureFormat, _ isStrict: Bool
  ) throws(Rejection) -> Picture {
    vips_error_clear()
    guard let header = muster_vips_open(bytes.baseAddress, bytes.count) else {
      throw failure
    }
    defer { muster_vips_release(header) }
    let (width, height) = (Int(vips_image_get_width(header)), Int(vips_image_get_height(header)))
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard width > 0, height > 0 else { throw .damaged }
    guard !overflow, pixels <= format.mostPixels else { throw .tooManyPixels }
    // Of several scans, the last ones may be missing without a warning.
    guard !isStrict || vips_image_get_typeof(header, "interlaced") == 0 else { throw .damaged }
    let metadata = Metadata(of: header)

    let scaled = try image { out in
      format == .jpeg
        ? muster_vips_shrink_jpeg(
          bytes.baseAddress, bytes.count, jpegFactor(width, height), isStrict ? 1 : 0,
          mainPixels, &out)
        : muster_vips_shrink(bytes.baseAddress, bytes.count, mainPixels, &out)
    }
    defer { muster_vips_release(scaled) }
    let opaque = try withoutTransparency(scaled)
    defer { muster_vips_release(opaque) }
    // Decoded once, for both encodings: HEIF would otherwise be decoded twice.
    guard let main = vips_image_copy_memory(opaque) else { throw failure }
    defer { muster_vips_release(main) }
    return Picture(
      format: format, width: width, height: height, metadata: metadata,
      main: try encode(main), thumbnail: try encodeThumbnail(of: main))
  }

  /// The fraction of its size at which a JPEG is decoded: the smallest with at least 1,800 pixels
  /// of the longer side, and one of the shorter. The pictures of most phones, 4,000 to 4,080 pixels
  /// wide, then need no further scaling.
  private static func jpegFactor(_ width: Int, _ height: Int) -> Int32 {
    [8, 4, 2].first { factor in
      max(width, height) / Int(factor) >= leastDecodedPixels && min(width, height) >= Int(factor)
    } ?? 1
  }

  private static func withoutTransparency(
    _ picture: UnsafeMutablePointer<VipsImage>
  ) throws(Rejection) -> UnsafeMutablePointer<VipsImage> {
    guard vips_image_hasalpha(picture) != 0 else {
      return try image { muster_vips_same(picture, &$0) }
    }
    return try image { out in muster_vips_flatten(picture, &out) }
  }

  private static func encode(
    _ picture: UnsafeMutablePointer<VipsImage>
  ) throws(Rejection) -> Encoding {
    for quality in [mainQuality, 60, 30] {
      let encoding = try encode(picture, quality: quality)
      if encoding.bytes.count <= mainBytes { return encoding }
    }
    throw .damaged
  }

  private static func encodeThumbnail(
    of picture: UnsafeMutablePointer<VipsImage>
  ) throws(Rejection) -> Encoding {
    for step in thumbnailSteps {
      let lazy = try image { out in muster_vips_shrink_image(picture, step.pixels, &out) }
      defer { muster_vips_release(lazy) }
      guard let small = vips_image_copy_memory(lazy) else { throw failure }
      defer { muster_vips_release(small) }
      for quality in step.qualities {
        let encoding = try encode(small, quality: quality)
        if encoding.bytes.count <= thumbnailBytes { return encoding }
      }
    }
    throw .damaged
  }

  private static func encode(
    _ picture: UnsafeMutablePointer<VipsImage>, quality: Int32
  ) throws(Rejection) -> Encoding {
    var start: UnsafeMutableRawPointer?
    var count = 0
    guard muster_vips_jpeg(picture, quality, &start, &count) == 0, let start else { throw failure }
    defer { g_free(start) }
    return Encoding(
      width: Int(vips_image_get_width(picture)), height: Int(vips_image_get_height(picture)),
      bytes: Array(UnsafeRawBufferPointer(start: start, count: count)))
  }

  private static func image(
    _ operation: (inout UnsafeMutablePointer<VipsImage>?) -> Int32
  ) throws(Rejection) -> UnsafeMutablePointer<VipsImage> {
    var out: UnsafeMutablePointer<VipsImage>?
    guard operation(&out) == 0, let out else { throw failure }
    return out
  }

  /// The reason for the last failure of libvips.
  private static var failure: Rejection { isOutOfMemory ? .outOfMemory : .damaged }

  private static var isOutOfMemory: Bool {
    guard let text = vips_error_buffer() else { return false }
    let lines = String(cString: text).lowercased()
    return lines.contains("out of memory") || lines.contains("memory allocation")
      || lines.contains("insufficient memory")
  }
}
