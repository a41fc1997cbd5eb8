import Testing

/// No function has more than 60 lines: a longer one does several things.
@Suite struct FunctionSizeTests {
  private static let mostLines = 60

  /// Functions that are longer today, with their length, which must not grow.
  private static let longer: [String: Int] = [:]

  @Test func `no function is longer than its limit`() throws {
    let functions = try Measurements.ofSources().functions
    #expect(functions.count > 3000)
    for function in functions where function.lines > Self.mostLines {
      let name = "\(function.file): \(function.name)"
      if function.lines > Self.longer[name] ?? Self.mostLines {
        Issue.record("\(name) has \(function.lines) lines")
      }
    }
  }

  @Test func `every function that may be longer still is`() throws {
    let functions = try Measurements.ofSources().functions.filter { $0.lines > Self.mostLines }
    let names = Set(functions.map { "\($0.file): \($0.name)" })
    for name in Self.longer.keys.sorted() where !names.contains(name) {
      Issue.record("\(name) is within the limit: remove it from the list")
    }
  }

  @Test func `a function ends with its brace, and a requirement has none`() {
    let text = """
      protocol Pot {
        func fill()
        func pour(
          into cup: Cup
        ) throws
      }
      struct Cup {
        func sip() { drink() }
        init?(
          size: Int
        ) {
          func inner() {
            drink()
          }
          inner()
        }
        var isEmpty: Bool {
          true
        }
      }
      """
    var measured = Measurements()
    measured.add(text.split(separator: "\n"), of: "T", file: "Cup.swift")
    #expect(
      measured.functions == [
        Measurements.Function(file: "Cup.swift", name: "inner", lines: 3),
        Measurements.Function(file: "Cup.swift", name: "init", lines: 8),
      ])
  }
}
