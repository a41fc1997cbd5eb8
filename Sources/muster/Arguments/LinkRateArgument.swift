internal import MusterModel

/// The rate limit of a link: `64kbit`, `1.5Mbit`, `8kB`.
struct LinkRateArgument {
  let text: String
  let rate: LinkRate

  private static let units: [(suffix: String, bitsPerUnit: Double)] = [
    ("kbit", 1e3), ("mbit", 1e6), ("gbit", 1e9), ("bit", 1),
    ("kb", 8e3), ("mb", 8e6), ("b", 8),
  ]

  @Sendable init(parsing text: String) throws {
    let word = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
    let lower = word.lowercased()
    guard let unit = Self.units.first(where: { lower.hasSuffix($0.suffix) }),
      // `8Kb` is ambiguous.
      unit.suffix.hasSuffix("bit") || word.hasSuffix("B"),
      let number = Double(lower.dropLast(unit.suffix.count)), number.isFinite, number > 0
    else {
      throw BadArgument("'\(text)' is not a rate: write it as 64kbit, 1Mbit or 8kB")
    }
    let bytes = number * unit.bitsPerUnit / 8
    let range = LinkRate.range
    guard bytes >= Double(range.lowerBound), bytes <= Double(range.upperBound),
      let rate = LinkRate(bytesPerSecond: Int(bytes))
    else { throw BadArgument("the rate must be from 960bit to 10Gbit, not \(text)") }
    self.text = text
    self.rate = rate
  }
}
