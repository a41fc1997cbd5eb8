import Foundation
import Testing
import TestSupport

extension Ended {
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
