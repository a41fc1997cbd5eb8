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
    self.value = value.rounded()
    self.unit = unit
    self.limit = limit?.rounded()
    ratio = limit.map { (value / $0 * 100).rounded() / 100 }
    self.note = note
  }

  func print() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var line = try encoder.encode(self)
    line.append(UInt8(ascii: "\n"))
    try FileHandle.standardOutput.write(contentsOf: line)
  }
}

/// Seconds that a piece of work took, and what it gave.
func timed<Result>(_ work: () throws -> Result) rethrows -> (result: Result, seconds: Double) {
  let clock = ContinuousClock()
  let start = clock.now
  let result = try work()
  let duration = clock.now - start
  return (result, duration / .seconds(1))
}
