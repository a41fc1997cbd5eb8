import Yams

/// A mapping of a scenario file, read strictly: known keys are removed as they are read, and any
/// that remain are unknown.
struct Fields {
  let file: String
  let line: Int?
  private var rest: [(key: String, line: Int?, value: Node)] = []

  init(_ node: Node, what: String, file: String) throws(ScenarioFault) {
    self.file = file
    line = node.mark?.line
    guard let mapping = node.mapping else {
      throw ScenarioFault(file: file, line: line, reason: "\(what) has to be a list of keys")
    }
    for (key, value) in mapping {
      guard let name = key.string else {
        throw ScenarioFault(file: file, line: key.mark?.line, reason: "a key has to be a word")
      }
      guard !rest.contains(where: { $0.key == name }) else {
        throw ScenarioFault(file: file, line: key.mark?.line, reason: "'\(name)' is given twice")
      }
      rest.append((name, key.mark?.line, value))
    }
  }

  /// Removes and returns a value; nil if the key is absent.
  mutating func take(_ key: String) -> Node? {
    guard let index = rest.firstIndex(where: { $0.key == key }) else { return nil }
    return rest.remove(at: index).value
  }

  /// Throws if keys remain. MUST be called after all known keys were read.
  func finish() throws(ScenarioFault) {
    guard let unknown = rest.first else { return }
    throw ScenarioFault(file: file, line: unknown.line, reason: "unknown key '\(unknown.key)'")
  }

  func fault(_ reason: String, at node: Node? = nil) -> ScenarioFault {
    ScenarioFault(file: file, line: node?.mark?.line ?? line, reason: reason)
  }

  // MARK: Values

  mutating func require(_ key: String) throws(ScenarioFault) -> Node {
    guard let node = take(key) else { throw fault("'\(key)' is missing") }
    return node
  }

  mutating func text(_ key: String) throws(ScenarioFault) -> String? {
    guard let node = take(key) else { return nil }
    guard let text = node.scalar?.string else {
      throw fault("'\(key)' has to be a text", at: node)
    }
    return text
  }

  mutating func flag(_ key: String) throws(ScenarioFault) -> Bool? {
    try value(key, "true or false") { $0 == "true" ? true : $0 == "false" ? false : nil }
  }

  mutating func number(
    _ key: String, within range: ClosedRange<Int64>
  ) throws(ScenarioFault) -> Int64? {
    try value(key, "a number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int64(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Reads a duration. Negative values are allowed only where they have a meaning.
  mutating func milliseconds(
    _ key: String, mayBeNegative: Bool
  ) throws(ScenarioFault) -> Int64? {
    try value(key, "a time like 250ms, 20s, 10m, 2h, 30d or 10y") { text in
      Quantity.milliseconds(text).flatMap { mayBeNegative || $0 >= 0 ? $0 : nil }
    }
  }

  mutating func perMillion(_ key: String) throws(ScenarioFault) -> Int64? {
    try value(key, "a share like 1% or 0.05%", Quantity.perMillion)
  }

  mutating func value<T>(
    _ key: String, _ form: String, _ parse: (String) -> T?
  ) throws(ScenarioFault) -> T? {
    guard let node = take(key) else { return nil }
    guard let text = node.scalar?.string, let value = parse(text) else {
      throw fault("'\(key)' has to be \(form)", at: node)
    }
    return value
  }
}
