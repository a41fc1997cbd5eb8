internal import Foundation
public import MusterModel

/// An invitation as people pass it on: `muster://join/` and the invitation's bytes in base64url
/// (RFC 4648 §5) without padding. What is in the bytes is for the node to judge.
public struct InvitationURL: Hashable, Sendable, CustomStringConvertible {
  /// Why a text is no invite URL, in one line for the person who gave it.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Without the word "error".
    public let description: String

    fileprivate init(_ description: String) { self.description = description }
  }

  /// For the node to judge.
  public let invitation: [UInt8]

  /// Far more than an invitation has.
  public static let mostBytes = 2048
  private static let prefix = "muster://join/"

  /// Nothing is checked here.
  public init(_ invitation: [UInt8]) { self.invitation = invitation }

  /// Spaces and line breaks around it and in it are passed over: mail programs put them there.
  public init(parsing text: String) throws(Fault) {
    let text = text.filter { !$0.isWhitespace }
    guard text.lowercased().hasPrefix(Self.prefix) else {
      throw Fault("an invite URL begins with \(Self.prefix)")
    }
    let code = text.dropFirst(Self.prefix.count)
    guard !code.isEmpty else { throw Fault("nothing follows \(Self.prefix) in the invite URL") }
    if let wrong = code.first(where: { !Self.isDigit($0) }) {
      throw Fault("\"\(wrong)\" does not belong into an invite URL")
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

  /// The URL.
  public var description: String {
    Self.prefix
      + Data(invitation).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }

  /// As `invite` prints it.
  public func json(role: Role, expiresAt: Timestamp) -> JSON {
    .object([
      "url": .string(description), "expires": .time(expiresAt), "role": .string(role.name),
    ])
  }

  private static func isDigit(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
  }
}
