internal import MusterModel

/// Why a command was rejected, in one line for the user.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of reason, for programs.
  public enum Kind: String, Codable, Hashable, Sendable {
    /// The request is impossible for any user.
    case unfit
    /// The named item does not exist here.
    case unknown
    /// It requires another role, or belongs to another user.
    case notAllowed
    /// The row differs from the version that the client saw.
    case changed
    /// Temporarily impossible.
    case notNow
  }

  /// Printed on the terminal and sent to HTTP clients unchanged.
  public let description: String
  /// The kind of reason.
  public let kind: Kind

  init(_ description: String, _ kind: Kind = .unfit) {
    self.description = description
    self.kind = kind
  }

  /// Returns a refusal of a write to a row that has another version than its client saw.
  public static func changed(_ description: String) -> Refusal { Refusal(description, .changed) }

  static let reviewOutOfRange = Refusal(
    "the review must be between 1 second and 7 days from now, such as 2h")

  static func noID(_ reference: String) -> Refusal {
    Refusal("'\(reference)' is not an id: give at least four of its hexadecimal digits", .unknown)
  }
}
