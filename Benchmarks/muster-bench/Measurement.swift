import Foundation

/// One line of output.
struct Measurement: Encodable {
  var bench: String
  var value: Double
  var unit: String
  /// What it is divided by, in the same unit; absent where there is nothing to compare with.
  var limit: Double?
  var ratio: Double?
  var note: String

  init(bench: String, value: Double, unit: String, limit: Double? = nil, note: String) {
    self.bench = bench
    self.value = Self.rounded(value)
    self.unit = unit
    self.limit = limit.map(Self.rounded)
    ratio = limit.map { (value / $0 * 1000).rounded() / 1000 }
    self.note = note
  }

  /// Four digits or more.
  private static func rounded(_ number: Double) -> Double {
    abs(number) >= 1000 ? number.rounded() : (number * 1000).rounded() / 1000
  }

  func print() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var line = try encoder.encode(self)
    line.append(UInt8(ascii: "\n"))
    try FileHandle.standardOutput.write(contentsOf: line)
  }
}
