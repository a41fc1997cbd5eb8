import Foundation
import Testing

/// A command that has run to its end.
struct Ended: Sendable {
  let words: [String]
  let status: Int32
  let output: String
  let errors: String

  func json() throws -> JSON { try JSONDecoder().decode(JSON.self, from: Data(output.utf8)) }

  /// Standard error without its last line break, and without what `join` says while it tries.
  var complaint: String {
    errors.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("muster: asking ") }.joined(separator: "\n")
      .trimmingCharacters(in: .newlines)
  }

  /// The rule for whatever a person gets wrong: one line that is ours, and nothing on the output.
  func expectRefusal(
    status expected: Int32 = 1, saying part: String? = nil,
    at place: SourceLocation = #_sourceLocation
  ) {
    #expect(status == expected, "\(self)", sourceLocation: place)
    #expect(output.isEmpty, "\(self)", sourceLocation: place)
    #expect(
      part.map(complaint.localizedStandardContains) ?? true, "\(self)", sourceLocation: place)
    if expected == 1 {
      #expect(complaint.hasPrefix("muster: "), "\(self)", sourceLocation: place)
      #expect(!complaint.contains("\n"), "more than one line: \(self)", sourceLocation: place)
    } else {
      // The parser adds how the command is used.
      #expect(complaint.hasPrefix("Error: "), "\(self)", sourceLocation: place)
    }
    #expect(errors.utf8.count < 2000, "\(self)", sourceLocation: place)
  }
}

extension Ended: CustomStringConvertible {
  var description: String {
    let words = words.map { $0.count > 80 ? $0.prefix(80) + "…" : $0 }.joined(separator: " ")
    return "`muster \(words)` ended with \(status): \(output.prefix(400)) \(errors.prefix(800))"
  }
}

/// A command that should have been carried out was not.
struct Failed: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
