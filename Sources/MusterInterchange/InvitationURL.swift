internal import Foundation
public import MusterModel

/// An invitation as a URL: `muster://join/` and the invitation's bytes in base64url (RFC 4648 §5)
/// without padding. The node validates the bytes.
public struct InvitationURL: Hashable, Sendable, Redacted {
  /// Why a text is not an invite URL, in one line for the user.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Without the word "error".
    public let description: String

    fileprivate init(_ description: String) { self.description = description }
  }

  /// The bytes, which the node validates.
  public let invitation: [UInt8]

  /// Far more than an invitation needs.
  public static let mostBytes = 2048
  private static let prefix = "muster://join/"

  /// Creates a URL. Nothing is validated here.
  public init(_ invitation: [UInt8]) { self.invitation = invitation }

  /// Parses a URL. Spaces and line breaks are ignored, because mail programs insert them.
  public init(parsing text: String) throws(Fault) {
    let text = text.filter { !$0.isWhitespace }
    guard text.lowercased().hasPrefix(Self.prefix) else {
      throw Fault("an invite URL begins with \(Self.prefix)")
    }
    let code = text.dropFirst(Self.prefix.count)
    guard !code.isEmpty else { throw Fault("the invite URL has nothing after \(Self.prefix)") }
    if let wrong = code.first(where: { !Self.isDigit($0) }) {
      throw Fault("\"\(wrong)\" is not allowed in an invite URL")
    }
    let padding = String(repeating: "=", count: (4 - code.utf8.count % 4) % 4)
    let base64 =
      code.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    guard let data = Data(base64Encoded: base64 + padding) else {
      throw Fault("the invite URL is incomplete")
    }
    guard data.count <= Self.mostBytes else { throw Fault("the invite URL is too long") }
    invitation = Array(data)
  }

  /// The URL, which is a secret.
  public var text: String {
    Self.prefix
      + Data(invitation).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }

  /// The JSON that `invite` prints.
  public func json(id: InviteID, role: Role, expiresAt: Timestamp) -> JSON {
    .object([
      "url": .string(text), "id": .id(id), "expires": .time(expiresAt),
      "role": .string(role.name),
    ])
  }

  private static func isDigit(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
  }
}
