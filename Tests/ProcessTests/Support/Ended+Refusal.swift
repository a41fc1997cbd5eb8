import Foundation
import MusterTestKit
import Testing

extension Ended {
  /// The rule for every mistake of a user: one line marked as ours, for bad usage a second one that
  /// names the help, and nothing on standard output.
  func expectRefusal(
    status expected: Int32 = 1, containing part: String? = nil,
    at place: SourceLocation = #_sourceLocation
  ) {
    #expect(status == expected, "\(self)", sourceLocation: place)
    #expect(output.isEmpty, "\(self)", sourceLocation: place)
    #expect(
      part.map(complaint.localizedStandardContains) ?? true, "\(self)", sourceLocation: place)
    let lines = complaint.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(complaint.hasPrefix("muster: "), "\(self)", sourceLocation: place)
    #expect(lines.count == (expected == 1 ? 1 : 2), "\(self)", sourceLocation: place)
    if expected != 1 {
      #expect(lines.last?.hasPrefix("See: muster") == true, "\(self)", sourceLocation: place)
    }
    #expect(errors.utf8.count < 2000, "\(self)", sourceLocation: place)
  }
}
