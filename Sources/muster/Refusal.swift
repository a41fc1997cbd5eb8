/// Why a command was not carried out, in one line for the person who gave it.
struct Refusal: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// The node answered a question that was not asked.
  static let unexpectedReply = Refusal(
    "the node answered another question; is it of another version?")
}
