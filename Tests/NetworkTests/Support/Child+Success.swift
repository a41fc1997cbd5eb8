import Foundation
import MusterTestKit

extension Child {
  /// Waits for its end; returns its output. One that takes too long, or fails, is an error.
  @discardableResult
  func succeed(within limit: Duration) async throws -> String {
    let ended = try await end(within: limit)
    guard ended.status == 0 else { throw Failed("\(ended)") }
    return ended.output.trimmingCharacters(in: .newlines)
  }
}
