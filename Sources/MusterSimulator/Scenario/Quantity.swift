/// Parsing and formatting of quantities in scenario files.
enum Quantity {
  private static let durations: [(unit: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ("y", 31_557_600_000),
  ]

  /// `250ms`, `20s`, `10m`, `2h`, `30d`, `10y`; nil for anything else, or over a thousand years.
  static func milliseconds(_ text: String) -> Int64? {
    for (unit, factor) in durations where text.hasSuffix(unit) {
      guard let value = decimal(text.dropLast(unit.count), places: 3) else { continue }
      let (product, overflow) = value.multipliedReportingOverflow(by: factor)
      guard !overflow, abs(product / 1000) <= 1000 * 31_557_600_000 else { return nil }
      return product / 1000
    }
    return nil
  }

  /// Formats a duration in the largest unit without a fraction.
  static func duration(_ milliseconds: Int64) -> String {
    guard milliseconds != 0 else { return "0s" }
    for (unit, factor) in durations.dropLast().reversed() where milliseconds % factor == 0 {
      return "\(milliseconds / factor)\(unit)"
    }
    return "\(milliseconds)ms"
  }

  /// `1%` or `0.05%` as parts in a million; nil outside 0 to 100 %.
  static func perMillion(_ text: String) -> Int64? {
    guard text.hasSuffix("%"), let value = decimal(text.dropLast(), places: 4) else { return nil }
    return (0...1_000_000).contains(value) ? value : nil
  }

  static func percent(_ perMillion: Int64) -> String {
    let whole = perMillion / 10_000
    let rest = perMillion % 10_000
    guard rest != 0 else { return "\(whole)%" }
    var digits = String(10_000 + rest).dropFirst()
    while digits.hasSuffix("0") { digits = digits.dropLast() }
    return "\(whole).\(digits)%"
  }

  /// `64kbit/s` or `1Mbit/s`, as bits in a second.
  static func bitsPerSecond(_ text: String) -> Int64? {
    for (unit, factor) in [("kbit/s", Int64(1000)), ("Mbit/s", 1_000_000), ("bit/s", 1)]
    where text.hasSuffix(unit) {
      guard let value = decimal(text.dropLast(unit.count), places: 0),
        (1...10_000_000_000 / factor).contains(value)
      else { return nil }
      return value * factor
    }
    return nil
  }

  static func bitRate(_ bitsPerSecond: Int64) -> String {
    bitsPerSecond % 1000 == 0 ? "\(bitsPerSecond / 1000)kbit/s" : "\(bitsPerSecond)bit/s"
  }

  /// `800m` or `2km`, in metres.
  static func metres(_ text: String) -> Int64? {
    for (unit, factor) in [("km", Int64(1000)), ("m", 1)] where text.hasSuffix(unit) {
      guard let value = decimal(text.dropLast(unit.count), places: 0),
        (1...20_000_000 / factor).contains(value)
      else { continue }
      return value * factor
    }
    return nil
  }

  /// `1.4m/s`, in millimetres a second.
  static func millimetresPerSecond(_ text: String) -> Int64? {
    guard text.hasSuffix("m/s"), let value = decimal(text.dropLast(3), places: 3),
      (1...300_000).contains(value)
    else { return nil }
    return value
  }

  /// Parses a decimal number times ten to the power of `places`; nil if it has more places.
  private static func decimal(_ text: Substring, places: Int) -> Int64? {
    let isNegative = text.hasPrefix("-")
    let parts = (isNegative ? text.dropFirst() : text)
      .split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, !whole.isEmpty, whole.count <= 12,
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
      var value = Int64(whole)
    else { return nil }
    var fraction = parts.count == 2 ? parts[1] : ""
    guard fraction.count <= places, parts.count == 1 || !fraction.isEmpty else { return nil }
    fraction += String(repeating: "0", count: places - fraction.count)
    for digit in fraction.utf8 { value = value * 10 + Int64(digit - 48) }
    return isNegative ? -value : value
  }
}
