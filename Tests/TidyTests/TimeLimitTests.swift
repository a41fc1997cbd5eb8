import Testing

/// The time of a test counts from when it is started, and `swift test` starts all at once unless
/// limited: on two processors a short test may then wait a quarter of an hour for its first turn.
@Suite struct TimeLimitTests {
  @Test func `a time limit leaves room for the tests before it`() throws {
    for file in try SourceTree(below: ["Tests"]).files {
      for (index, line) in file.lines.enumerated() {
        guard let limit = line.firstMatch(of: /timeLimit\(\.minutes\((\d+)\)\)/) else { continue }
        if Int(limit.1) ?? 0 < 30 {
          Issue.record("\(file.path):\(index + 1) permits less than 30 minutes")
        }
      }
    }
  }
}
