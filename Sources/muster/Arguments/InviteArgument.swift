internal import Foundation
internal import MusterInterchange

/// The invite URL of a command line, or `-` for one on standard input, which other users of the
/// machine cannot read.
enum InviteArgument: Hashable, Sendable {
  case url(InvitationURL)
  case standardInput

  private static let mostBytes = 8192

  @Sendable init(parsing text: String) throws {
    self = text == "-" ? .standardInput : .url(try InvitationURL(parsing: text))
  }

  /// Returns the invitation. Reads standard input up to the end of the first line with text, and
  /// asks first on a terminal.
  func invitation() throws -> InvitationURL {
    guard case .standardInput = self else {
      guard case .url(let url) = self else { throw Refusal("give an invite URL") }
      return url
    }
    if isatty(STDIN_FILENO) == 1 { try Standard.ask("Invite URL: ") }
    var count = 0
    while count < Self.mostBytes, let line = readLine() {
      count += line.utf8.count + 1
      guard line.contains(where: { !$0.isWhitespace }) else { continue }
      do {
        return try InvitationURL(parsing: String(line.drop { $0 == "\u{FEFF}" }))
      } catch {
        throw Refusal("standard input: \(error)")
      }
    }
    throw Refusal("standard input has no invite URL: paste the one that `muster invite` printed")
  }
}
