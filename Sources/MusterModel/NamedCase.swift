/// An enumeration whose cases have names in JSON, in paths and on the command line.
public protocol NamedCase: CaseIterable {
  /// The name; that of the case unless the type has another.
  var name: String { get }
}

extension NamedCase {
  /// The name of the case.
  public var name: String { String(describing: self) }

  /// Returns nil for any other text. Case matters.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
