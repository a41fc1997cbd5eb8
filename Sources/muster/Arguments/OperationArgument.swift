internal import ArgumentParser
internal import Foundation
internal import MusterModel
internal import MusterNode

/// The id of an operation, whole or its first half: too long to be found by trial.
struct OperationArgument: Hashable {
  /// Lower-case hexadecimal digits.
  let prefix: String

  private static let leastDigits = 16
  private static let allDigits = 32

  init(parsing text: String) throws {
    prefix = text.lowercased().filter { !$0.isWhitespace }
    guard (Self.leastDigits...Self.allDigits).contains(prefix.count),
      prefix.allSatisfy(\.isHexDigit)
    else {
      throw ValidationError(
        "the id of an operation has 32 hexadecimal digits: give at least 16 of them")
    }
  }

  func matches(_ operation: OperationID) -> Bool { operation.description.hasPrefix(prefix) }
}

/// The comparison of the operation of a grant with the one that was meant. The grant names its own
/// root key, so that it proves nothing about the operation itself.
struct OperationCheck {
  private let operation: OperationID
  private let name: String

  init(_ membership: Membership) {
    operation = membership.operation
    name = membership.operationName
  }

  /// Returns if the operation is the expected one or was confirmed. Without a terminal and without
  /// an expectation it writes a warning, since scripts rely on `join --grant`.
  func confirm(_ expected: OperationArgument?, isConfirmed: Bool) throws {
    if let expected {
      guard expected.matches(operation) else {
        throw Refusal(
          "the grant is for operation \(operation), not \(expected.prefix): nothing was changed;"
            + " ask the commander for the right grant")
      }
      return
    }
    if isConfirmed { return }
    guard isatty(STDIN_FILENO) == 1 else {
      return Standard.complain(
        "the operation was not compared: check that it is \(operation), or give --operation")
    }
    try Standard.ask(Self.question(name: name, operation: operation))
    guard Self.accepts(readLine()) else {
      throw Refusal("not confirmed: nothing was changed")
    }
  }

  /// The id in groups of four digits, to be read aloud.
  static func question(name: String, operation: OperationID) -> String {
    let digits = Array(operation.description)
    let groups = stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<$0 + 4]) }
    return "The grant is for \"\(SafeText.line(name))\", operation\n"
      + "  \(groups.joined(separator: " "))\n"
      + "Compare it with the id that `muster admit` printed. Type yes if it is the same: "
  }

  /// Whether the typed line confirms.
  static func accepts(_ line: String?) -> Bool {
    line?.trimmingCharacters(in: .whitespaces).lowercased() == "yes"
  }
}
