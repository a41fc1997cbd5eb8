internal import Foundation
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel

/// The body of a request in JSON.
///
/// A report of a person in danger must not be refused because a part that nothing needs is odd. A
/// route for one salvages: it uses a body as far as it can be used, and names what it left out.
struct RequestContent: Sendable {
  let json: JSON
  /// The names of the members that could not be used.
  let leftOut: [String]

  init(json: JSON, leftOut: [String] = []) {
    (self.json, self.leftOut) = (json, leftOut)
  }

  /// Reads a body; CR LF in its texts becomes a line feed. Throws if it is not JSON.
  init(_ bytes: [UInt8]) throws(Problem) {
    self.init(json: try Self.read(bytes, repairs: false).withLineFeeds)
  }

  /// Reads a body as far as it can be used: what the shape admits, or the fault of a part that is
  /// needed. Throws if it is not JSON, and cannot be repaired.
  ///
  /// - Parameter shape: what the body should be.
  init(salvaging bytes: [UInt8], as shape: Shape) throws(Problem) {
    let value = try Self.read(bytes, repairs: true)
    guard case .object(let members, _) = shape, case .object(let values) = value else {
      self.init(json: value)
      return
    }
    var (used, unused): ([String: JSON], [String]) = ([:], [])
    for (name, value) in values {
      let member = members.first { $0.name == name }
      if value == .null, member?.isRequired == false { continue }
      if let kept = member.flatMap({ Self.kept(value, of: $0) }) {
        used[name] = kept
      } else {
        unused.append(name)
      }
    }
    self.init(json: .object(used), leftOut: unused.sorted())
  }

  private static func read(_ bytes: [UInt8], repairs: Bool) throws(Problem) -> JSON {
    do {
      return try JSON.read(bytes)
    } catch {
      if repairs { return try read(PhoneMessages.repaired(bytes), repairs: false) }
      throw Problem(.badRequest, "\(error)")
    }
  }

  /// Returns the value in the form that the member requires; nil to leave it out.
  private static func kept(_ value: JSON, of member: Shape.Member) -> JSON? {
    let usual = usual(value, as: member.shape)
    do {
      try member.shape.check(usual, at: "")
      return usual
    } catch {
      return member.isRequired || member.shape.isDecisive ? value : nil
    }
  }

  private static func usual(_ value: JSON, as shape: Shape) -> JSON {
    switch (shape, value) {
    case (.paragraphs, .string(let text)): .string(TextRule.paragraphs.fitting(text))
    case (.paragraphs, .number(let digits)): .string(digits)
    case (.choice, .string(let word)):
      .string(word.trimmingCharacters(in: .whitespacesAndNewlines).lowercased())
    case (.number, .string(let digits)):
      Double(digits.trimmingCharacters(in: .whitespaces)).map(JSON.real) ?? value
    default: value
    }
  }
}

extension JSON {
  fileprivate var withLineFeeds: JSON {
    switch self {
    case .string(let text): .string(TextRule.withLineFeeds(text))
    case .array(let elements): .array(elements.map(\.withLineFeeds))
    case .object(let members): .object(members.mapValues(\.withLineFeeds))
    default: self
    }
  }
}

extension Shape {
  /// Whether a report without this member would mean something else: who it is about, or which
  /// check-in. A fault of it is stated, and not left out.
  fileprivate var isDecisive: Bool {
    switch self {
    case .paragraphs, .number, .time: false
    default: true
    }
  }
}

extension Answer {
  /// The response header with the names of the members that could not be used.
  private static let leftOutHeader = HeaderName("muster-left-out")
  private static let mostNames = 10

  /// The same answer, which names what could not be used.
  func naming(leftOut names: [String]) -> Answer {
    let isWord: (String) -> Bool = { name in
      (1...40).contains(name.utf8.count)
        && name.utf8.allSatisfy { Character(Unicode.Scalar($0)).isLetter && $0 < 0x80 }
    }
    let words = names.filter(isWord).prefix(Self.mostNames)
    guard let header = Self.leftOutHeader, !words.isEmpty else { return self }
    var answer = self
    answer.headers[header] = words.joined(separator: ", ")
    return answer
  }
}
