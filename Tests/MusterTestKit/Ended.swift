import Foundation

/// A command that has ended.
package struct Ended: Sendable {
  package let words: [String]
  package let status: Int32
  package let output: String
  package let errors: String

  package func json() throws -> JSON {
    try JSONDecoder().decode(JSON.self, from: Data(output.utf8))
  }

  /// The standard error without its last line break and without the progress of `join`.
  package var complaint: String {
    errors.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("muster: joining ") }.joined(separator: "\n")
      .trimmingCharacters(in: .newlines)
  }
}

extension Ended: CustomStringConvertible {
  package var description: String {
    let words = words.map { $0.count > 80 ? $0.prefix(80) + "…" : $0 }.joined(separator: " ")
    return "`muster \(words)` ended with \(status): \(output.prefix(400)) \(errors.prefix(800))"
  }
}
