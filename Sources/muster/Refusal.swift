/// Why a command failed, in one line for the user: what is wrong, and what to do next.
struct Refusal: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// The reply of the node does not fit the command.
  static let unexpectedReply = Refusal(
    "the node sent an unexpected reply: check that its version is that of this program")
}
