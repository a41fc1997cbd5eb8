/// Base64 with padding (RFC 4648 §4); Foundation is not available in this module.
enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let pad = UInt8(ascii: "=")

  /// Encodes four digits for each group of up to three bytes.
  static func encode(_ bytes: [UInt8]) -> String {
    let length = (bytes.count + 2) / 3 * 4
    return String(unsafeUninitializedCapacity: length) { text in
      bytes.withUnsafeBufferPointer { bytes in
        digits.withUnsafeBufferPointer { digits in
          var (index, next) = (0, 0)
          while index < bytes.count {
            let left = bytes.count - index
            var group = UInt32(bytes[index]) << 16
            if left > 1 { group |= UInt32(bytes[index + 1]) << 8 }
            if left > 2 { group |= UInt32(bytes[index + 2]) }
            text[next] = digits[Int(group >> 18)]
            text[next + 1] = digits[Int(group >> 12 & 63)]
            text[next + 2] = left > 1 ? digits[Int(group >> 6 & 63)] : pad
            text[next + 3] = left > 2 ? digits[Int(group & 63)] : pad
            index += 3
            next += 4
          }
        }
      }
      return length
    }
  }

  /// Returns nil unless the text is the canonical encoding of some bytes.
  static func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decode($0) }
  }

  private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    guard let last = text.last else { return [] }
    let padding = last != pad ? 0 : text[text.count - 2] != pad ? 1 : 2
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3) { bytes, count in
      values.withUnsafeBufferPointer { values in
        var index = 0
        while index < text.count {
          let isLast = index + 4 == text.count
          let digitCount = isLast ? 4 - padding : 4
          var group: UInt32 = 0
          for place in 0..<4 {
            let value = place < digitCount ? values[Int(text[index + place])] : 0
            if value > 63 { isWhole = false }
            group = group << 6 | UInt32(value & 63)
          }
          bytes[count] = UInt8(truncatingIfNeeded: group >> 16)
          bytes[count + 1] = UInt8(truncatingIfNeeded: group >> 8)
          bytes[count + 2] = UInt8(truncatingIfNeeded: group)
          count += isLast ? 3 - padding : 3
          // Nonzero bits after the last byte would give one value two encodings.
          if isLast, group & (1 << UInt32(8 * padding) - 1) != 0 { isWhole = false }
          index += 4
        }
      }
    }
    return isWhole ? bytes : nil
  }

  /// The value of each digit, and 64 for any other character.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()
}
