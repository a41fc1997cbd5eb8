/// The reason why a scenario file is invalid. No part of it is run.
public struct ScenarioFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file name as given.
  public let file: String
  /// From 1; nil if it concerns the file itself.
  public let line: Int?
  /// The reason in one line.
  public let reason: String

  /// `file:line: reason`.
  public var description: String {
    line.map { "\(file):\($0): \(reason)" } ?? "\(file): \(reason)"
  }
}
