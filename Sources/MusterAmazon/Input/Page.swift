internal import Foundation

/// One page of a list, and the token of the next.
///
/// A token is the key after which the next page begins, in base64, so that a page continues the
/// previous one in spite of new rows.
struct Page<Element> {
  let elements: [Element]
  let next: String?

  private static var longestToken: Int { 2000 }

  /// - Parameters:
  ///   - sorted: the whole list in the order of its keys, which MUST be different.
  ///   - input: has `NextToken` and `MaxResults`.
  init(
    of sorted: [Element], by key: (Element) -> String, _ input: Input, most: Int = 100
  ) throws(ServiceFault) {
    let limit = try input.integer("MaxResults", in: 1...most) ?? most
    let after = try Self.key(of: input)
    let rest = after.map { after in sorted.drop { key($0) <= after } } ?? sorted[...]
    elements = Array(rest.prefix(limit))
    next = rest.count > limit ? elements.last.map { Self.token(of: key($0)) } : nil
  }

  /// Returns the key in `NextToken`; nil for the first page.
  static func key(of input: Input) throws(ServiceFault) -> String? {
    guard let token = try input.text("NextToken", length: 1...longestToken) else { return nil }
    guard let key = key(token) else {
      throw .invalid("NextToken", "is not a token of this service")
    }
    return key
  }

  /// Returns the key in a token; nil for any other text.
  static func key(_ token: String) -> String? {
    Data(base64Encoded: token).flatMap { String(validating: $0, as: UTF8.self) }
  }

  static func token(of key: String) -> String { Data(key.utf8).base64EncodedString() }
}
