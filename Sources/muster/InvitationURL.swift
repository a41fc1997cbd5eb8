internal import Foundation

/// An invitation as people pass it on: `muster://join/` and the invitation's bytes in base64url
/// (RFC 4648 §5) without padding. What is in the bytes is for the node to judge.
struct InvitationURL: Hashable, CustomStringConvertible {
  let invitation: [UInt8]

  /// Far more than an invitation has.
  static let mostBytes = 2048
  private static let prefix = "muster://join/"

  init(_ invitation: [UInt8]) { self.invitation = invitation }

  /// Spaces and line breaks around it and in it are passed over: mail programs put them there.
  init(parsing text: String) throws(Refusal) {
    let text = text.filter { !$0.isWhitespace }
    guard text.lowercased().hasPrefix(Self.prefix) else {
      throw Refusal("an invite URL begins with \(Self.prefix)")
    }
    let code = text.dropFirst(Self.prefix.count)
    guard !code.isEmpty else { throw Refusal("nothing follows \(Self.prefix) in the invite URL") }
    if let wrong = code.first(where: { !Self.isDigit($0) }) {
      throw Refusal("\"\(wrong)\" does not belong into an invite URL")
    }
    let padding = String(repeating: "=", count: (4 - code.utf8.count % 4) % 4)
    let base64 =
      code.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    guard let data = Data(base64Encoded: base64 + padding) else {
      throw Refusal("the invite URL is incomplete")
    }
    guard data.count <= Self.mostBytes else { throw Refusal("the invite URL is too long") }
    invitation = Array(data)
  }

  var description: String {
    Self.prefix
      + Data(invitation).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }

  private static func isDigit(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
  }
}
