internal import Foundation
public import MusterModel

/// An invitation as a URL: `muster://join/` and the invitation's bytes in base64url (RFC 4648 §5)
/// without padding. The node validates the bytes.
///
/// A camera that does not know this scheme opens a link instead: `https://ADDRESS/join#invite=` and
/// the same characters. Browsers do not send what is after `#`.
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
  private static let (webPrefix, mark) = ("https://", "#invite=")

  /// Creates a URL. Nothing is validated here.
  public init(_ invitation: [UInt8]) { self.invitation = invitation }

  /// Parses a URL or a link. Spaces and line breaks are ignored, because mail programs insert them.
  public init(parsing text: String) throws(Fault) {
    let text = text.filter { !$0.isWhitespace }
    let code: Substring
    if text.lowercased().hasPrefix(Self.webPrefix), let mark = text.firstRange(of: Self.mark) {
      code = text[mark.upperBound...]
    } else if text.lowercased().hasPrefix(Self.prefix) {
      code = text.dropFirst(Self.prefix.count)
    } else {
      throw Fault("an invite URL begins with \(Self.prefix)")
    }
    guard !code.isEmpty else { throw Fault("the invite URL is incomplete") }
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
  public var text: String { Self.prefix + code }

  /// The link to the page of a node that shows the invite, which is a secret too; nil for an invite
  /// that gives the rights of command. An attacker between a phone and the node can show another
  /// page at this address, after a warning of the browser, and read it.
  ///
  /// - Parameter address: where other machines reach the node, such as `https://10.0.0.5:7443`.
  public func link(at address: String, role: Role) -> String? {
    role == .command ? nil : "\(address)/join\(Self.mark)\(code)"
  }

  private var code: String {
    Data(invitation).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }

  /// The JSON that `invite` prints, with `link` if there is one.
  ///
  /// - Parameter address: as for `link`; nil if other machines do not reach the node.
  public func json(id: InviteID, role: Role, expiresAt: Timestamp, address: String?) -> JSON {
    var members: [String: JSON] = [
      "url": .string(text), "id": .id(id), "expires": .time(expiresAt),
      "role": .string(role.name),
    ]
    members["link"] = address.flatMap { link(at: $0, role: role) }.map(JSON.string)
    return .object(members)
  }

  private static func isDigit(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
  }
}
