import CVips

/// What a picture's Exif data states, as libvips (libexif) reads it. None of it is in the output.
struct Metadata {
  /// 1 to 8, as in Exif; 1 for upright.
  let orientation: UInt8
  let position: Position?
  /// RFC 3339; without an offset if the camera recorded local time only.
  let time: String?

  /// Units of 1e-7 degree.
  struct Position: Equatable {
    let latitudeE7: Int32
    let longitudeE7: Int32
  }

  init(of image: UnsafeMutablePointer<VipsImage>) {
    let turned = vips_image_get_orientation(image)
    orientation = (1...8).contains(turned) ? UInt8(turned) : 1
    let fields = ExifFields { name in Self.text(of: name, in: image) }
    position = fields.position
    time = fields.time
  }

  private static func text(
    of name: String, in image: UnsafeMutablePointer<VipsImage>
  ) -> String? {
    guard vips_image_get_typeof(image, name) != 0 else { return nil }
    var text: UnsafeMutablePointer<CChar>?
    guard vips_image_get_as_string(image, name, &text) == 0, let text else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }
}

/// Converts the texts of Exif fields, such as `46/1 30/1 1234/100 (46, 30, 12.34, Rational, 3
/// components, 24 bytes)`: the value, and a description in parentheses.
struct ExifFields {
  /// Returns the text of a field such as `exif-ifd3-GPSLatitude`; nil if the picture has none.
  let field: (String) -> String?

  private static let longest = 256

  /// Nil unless both angles and both references are valid. 0° N 0° E is what some cameras record
  /// without a fix.
  var position: Metadata.Position? {
    guard let latitude = angle("GPSLatitude", "N", "S", most: 90),
      let longitude = angle("GPSLongitude", "E", "W", most: 180), latitude != 0 || longitude != 0
    else { return nil }
    return Metadata.Position(latitudeE7: latitude, longitudeE7: longitude)
  }

  /// The first of: local time with its offset, time of the receiver, local time.
  var time: String? {
    // Digitized: when a camera stored what it saw.
    let locals = ["DateTimeOriginal", "DateTimeDigitized"].lazy.compactMap { name in
      value("exif-ifd2-\(name)").flatMap(Self.localTime)
    }
    let local = locals.first
    let offsets = ["OffsetTimeOriginal", "OffsetTimeDigitized", "OffsetTime"].lazy.compactMap {
      name in
      value("exif-ifd2-\(name)").flatMap(Self.offset)
    }
    if let local, let offset = offsets.first { return local + offset }
    return receiverTime ?? local
  }

  private var receiverTime: String? {
    guard let date = value("exif-ifd3-GPSDateStamp"),
      let parts = value("exif-ifd3-GPSTimeStamp").flatMap(Self.rationals)
    else { return nil }
    let clock = parts.map { part in
      let whole = String(Int(part))
      return (whole.count < 2 ? "0" : "") + whole
    }
    return Self.localTime("\(date) \(clock.joined(separator: ":"))").map { $0 + "Z" }
  }

  private func angle(_ name: String, _ plus: String, _ minus: String, most: Double) -> Int32? {
    guard let sign = value("exif-ifd3-\(name)Ref"), sign == plus || sign == minus,
      let parts = value("exif-ifd3-\(name)").flatMap(Self.rationals)
    else { return nil }
    let degrees = parts[0] + parts[1] / 60 + parts[2] / 3600
    guard degrees <= most else { return nil }
    let units = Int32((degrees * 1e7).rounded())
    return sign == plus ? units : -units
  }

  private func value(_ name: String) -> String? {
    guard let text = field(name), text.utf8.count <= Self.longest else { return nil }
    return Self.trimmed(text[..<(text.firstIndex(of: "(") ?? text.endIndex)])
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let last = text.last, last == " " || last == "\0" { text.removeLast() }
    while text.first == " " { text.removeFirst() }
    return String(text)
  }

  /// Three of them, none negative, each less than 100,000.
  private static func rationals(_ text: String) -> [Double]? {
    let numbers = text.split(separator: " ").compactMap { part -> Double? in
      let halves = part.split(separator: "/").compactMap { UInt32($0) }
      guard halves.count == 2, halves[1] != 0 else { return nil }
      let number = Double(halves[0]) / Double(halves[1])
      return number < 100_000 ? number : nil
    }
    return numbers.count == 3 ? numbers : nil
  }

  /// Converts `2026:11:25 04:10:00`, with any separators, to `2026-11-25T04:10:00`. The
  /// node checks the calendar.
  private static func localTime(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    let digits = Set([0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18])
    guard bytes.count == 19, digits.allSatisfy({ (48...57).contains(bytes[$0]) }) else {
      return nil
    }
    func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    let date = "\(part(0..<4))-\(part(5..<7))-\(part(8..<10))"
    guard date != "0000-00-00" else { return nil }
    return "\(date)T\(part(11..<13)):\(part(14..<16)):\(part(17..<19))"
  }

  /// Converts `+02:00`, `+0200` or `Z` to the first or the last.
  private static func offset(_ text: String) -> String? {
    if text == "Z" { return text }
    var bytes = Array(text.utf8)
    if bytes.count == 6, bytes[3] == 58 { bytes.remove(at: 3) }
    guard bytes.count == 5, bytes[0] == 43 || bytes[0] == 45,
      bytes.dropFirst().allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return String(decoding: bytes[..<3] + [58] + bytes[3...], as: UTF8.self)
  }
}
