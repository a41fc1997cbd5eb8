/// Why a scenario file cannot be played: nothing of it is.
public struct ScenarioFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// As the file was named.
  public let file: String
  /// From 1; nil where it is about the file itself.
  public let line: Int?
  /// In one line.
  public let reason: String

  init(file: String, line: Int?, reason: String) {
    self.file = file
    self.line = line
    self.reason = reason
  }

  /// `file:line: reason`.
  public var description: String {
    line.map { "\(file):\($0): \(reason)" } ?? "\(file): \(reason)"
  }
}
