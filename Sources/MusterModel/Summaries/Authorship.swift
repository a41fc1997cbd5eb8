/// Who wrote something, for display: the person, and through whose device if it is not their own.
///
/// That a person wrote through another's device is a claim of that device: its user is named too.
public struct Authorship: Codable, Hashable, Sendable {
  /// The callsign of the person, the name of a login without a person, or for a person whose row
  /// has not arrived `unknown person` and the first digits of the id.
  public var writtenBy: String
  /// The callsign of the user of the device that signed; nil for the person's own device.
  public var through: String?

  /// Creates an authorship.
  public init(_ writtenBy: String, through: String? = nil) {
    self.writtenBy = writtenBy
    self.through = through
  }

  /// The names in one text, such as `Rui, through Anna's laptop`.
  public var text: String {
    through.map { "\(writtenBy), through \($0)'s laptop" } ?? writtenBy
  }

  /// The names in a text of the node.
  public var value: Phrase.Value {
    guard let through else { return .text(writtenBy) }
    return .phrase(.throughLaptop, ["name": .text(writtenBy), "via": .text(through)])
  }
}

extension Authorship: ExpressibleByStringLiteral {
  /// Creates the authorship of a person on their own device.
  public init(stringLiteral callsign: String) { self.init(callsign) }
}
