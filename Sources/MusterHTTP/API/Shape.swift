internal import Foundation
internal import MusterInterchange
internal import MusterModel

/// The schema of a JSON value. Requests are validated by it and the OpenAPI document is generated
/// from it, so that the two cannot differ.
indirect enum Shape: Sendable {
  /// A name or a title: one line that is not empty.
  case line
  /// A longer text.
  case paragraphs
  /// A longer text that is not empty.
  case remark
  /// `west,south,east,north`.
  case box
  /// Any text.
  case text
  /// An id, or a prefix of one.
  case reference
  /// RFC 3339.
  case time
  case choice([String])
  case integer(ClosedRange<Int64>)
  /// How many items are wanted, at least 1. More than the maximum means the maximum.
  case limit(most: Int64)
  case number(ClosedRange<Double>)
  case flag
  case list(Shape, most: Int)
  /// Exactly these members, and at least `least` of them.
  case object([Member], least: Int)
  /// These members, and perhaps others.
  case open([Member])
  /// The shape or null.
  case nullable(Shape)
  /// A schema by its name among the document's components.
  case named(String)
  /// Any value; its reader validates it.
  case anything

  /// One member of an object.
  struct Member: Sendable {
    let name: String
    let shape: Shape
    let isRequired: Bool
    /// Members that must be present together with this one.
    let with: [String]

    static func must(_ name: String, _ shape: Shape) -> Member {
      Member(name: name, shape: shape, isRequired: true, with: [])
    }

    static func may(_ name: String, _ shape: Shape, with others: String...) -> Member {
      Member(name: name, shape: shape, isRequired: false, with: others)
    }
  }

  static let anyInteger = Shape.integer(Int64.min...Int64.max)
  static let count = Shape.integer(0...Int64.max)
  static let anyNumber = Shape.number(-1e300...1e300)
  static let latitude = Shape.number(-90...90)
  static let longitude = Shape.number(-180...180)
}

// MARK: - Checking

extension Shape {
  /// Returns a checked value, a limit at most as its maximum.
  func clamped(_ value: JSON) -> JSON {
    guard case (.limit(let most), .number(let digits)) = (self, value) else { return value }
    return .integer(min(JSON.whole(digits) ?? most, most))
  }

  /// Throws a problem with the fault and its position.
  func check(_ value: JSON, at place: String) throws(Problem) {
    switch (self, value) {
    case (.line, .string(let text)): try check(text, .line, at: place)
    case (.paragraphs, .string(let text)): try check(text, .paragraphs, at: place)
    case (.remark, .string(let text)):
      guard !text.isEmpty else { throw Problem(.badRequest, "the text is empty", at: place) }
      try check(text, .paragraphs, at: place)
    case (.box, .string(let text)): try Box.check(text, at: place)
    case (.text, .string), (.flag, .bool), (.anything, _): return
    case (.named(let name), _):
      guard let shape = Components.shape(name) else { preconditionFailure("no shape \(name)") }
      try shape.check(value, at: place)
    case (.reference, .string(let text)):
      guard (4...32).contains(text.utf8.count), text.utf8.allSatisfy(\.isHexDigit) else {
        throw Problem(.badRequest, "an id is 4 to 32 hexadecimal digits", at: place)
      }
    case (.time, .string(let text)):
      guard Timestamp(rfc3339: text) != nil else {
        throw Problem(.badRequest, "write a time as 2010-08-05T14:23:59Z", at: place)
      }
    case (.choice(let names), .string(let text)):
      guard names.contains(text) else {
        throw Problem(.badRequest, "one of: \(names.joined(separator: ", "))", at: place)
      }
    case (.integer(let range), .number(let digits)):
      guard let number = JSON.whole(digits), range.contains(number) else {
        let (low, high) = (range.lowerBound, range.upperBound)
        throw Problem(.badRequest, "a whole number from \(low) to \(high)", at: place)
      }
    case (.limit, .number(let digits)):
      guard JSON.whole(digits).map({ $0 >= 1 }) ?? (Double(digits).map { $0 >= 0x1p63 } == true)
      else { throw Problem(.badRequest, "a whole number of at least 1", at: place) }
    case (.number(let range), .number(let digits)):
      guard let number = Double(digits), range.contains(number) else {
        let (low, high) = (range.lowerBound, range.upperBound)
        throw Problem(.badRequest, "a number from \(low) to \(high)", at: place)
      }
    case (.list(let shape, let most), .array(let elements)):
      guard elements.count <= most else {
        throw Problem(.badRequest, "at most \(most) elements are allowed", at: place)
      }
      for (index, element) in elements.enumerated() {
        try shape.check(element, at: "\(place)/\(index)")
      }
    case (.object(let members, let least), .object(let values)):
      try Self.check(values, members, isOpen: false, at: place)
      guard values.count >= least else {
        throw Problem(.badRequest, "at least \(least) member is required", at: place)
      }
    case (.open(let members), .object(let values)):
      try Self.check(values, members, isOpen: true, at: place)
    case (.nullable(let shape), _):
      if value != .null { try shape.check(value, at: place) }
    default: throw Problem(.badRequest, "\(words) is expected, not \(value.kind)", at: place)
    }
  }

  private static func check(
    _ values: [String: JSON], _ members: [Member], isOpen: Bool, at place: String
  ) throws(Problem) {
    for member in members {
      guard let value = values[member.name] else {
        if !member.isRequired { continue }
        throw Problem(.badRequest, "the member \(member.name) is missing", at: place)
      }
      try member.shape.check(value, at: "\(place)/\(member.name)")
      if let missing = member.with.first(where: { values[$0] == nil }) {
        throw Problem(.badRequest, "\(member.name) requires \(missing)", at: place)
      }
    }
    guard !isOpen else { return }
    let known = Set(members.map(\.name))
    if let unknown = values.keys.sorted().first(where: { !known.contains($0) }) {
      throw Problem(
        .badRequest, "the member \(unknown.prefix(40)) is unknown", at: place)
    }
  }

  /// Forbidden characters violate the shape. The length in bytes, and whether a text is blank,
  /// cannot be expressed in JSON Schema.
  private func check(_ text: String, _ rule: TextRule, at place: String) throws(Problem) {
    guard let fault = rule.fault(in: text) else { return }
    let most = rule == .line ? Limits.lineBytes : Limits.paragraphBytes
    let isShapely =
      text.unicodeScalars.count <= most && !text.isEmpty
      && !fault.hasPrefix("contains")
    throw Problem(isShapely ? .unprocessableContent : .badRequest, "the text \(fault)", at: place)
  }

  private var words: String {
    switch self {
    case .line, .paragraphs, .remark, .box, .text, .reference, .time, .choice: "a text"
    case .integer, .limit: "a whole number"
    case .number: "a number"
    case .flag: "true or false"
    case .list: "a list"
    case .object, .open, .named: "an object"
    case .nullable(let shape): shape.words
    case .anything: "something"
    }
  }
}

extension JSON {
  /// Returns the integer that a JSON number represents, also as `3.0` or `3e2`.
  static func whole(_ digits: String) -> Int64? {
    Int64(digits) ?? Double(digits).flatMap { Int64(exactly: $0) }
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool { Character(Unicode.Scalar(self)).isHexDigit && self < 0x80 }
}

// MARK: - Describing

extension Shape {
  /// Excludes control characters and bidirectional controls.
  private static let plain =
    "^[^\\u0000-\\u001F\\u007F-\\u009F\\u2028-\\u202E\\u2066-\\u2069]*$"
  private static let plainWithBreaks =
    "^[^\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u2028-\\u202E\\u2066-\\u2069]*$"

  /// The JSON Schema 2020-12 of this shape.
  var schema: JSON {
    switch self {
    case .line:
      Self.typed(
        "string",
        [
          "minLength": .count(1), "maxLength": .count(Limits.lineBytes),
          "pattern": .string(Self.plain),
        ])
    case .paragraphs:
      Self.typed(
        "string",
        ["maxLength": .count(Limits.paragraphBytes), "pattern": .string(Self.plainWithBreaks)])
    case .remark: Self.paragraphs.schema.adding(["minLength": .count(1)])
    case .box: Self.typed("string", ["pattern": .string(Box.pattern)])
    case .text: Self.typed("string", [:])
    case .reference: Self.typed("string", ["pattern": .string("^[0-9a-fA-F]{4,32}$")])
    case .time: Self.typed("string", ["format": .string("date-time")])
    case .choice(let names): Self.typed("string", ["enum": .strings(names)])
    case .integer(let range):
      Self.typed(
        "integer",
        ["minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
    case .limit: Self.typed("integer", ["minimum": .count(1)])
    case .number(let range):
      Self.typed(
        "number", ["minimum": .real(range.lowerBound), "maximum": .real(range.upperBound)])
    case .flag: Self.typed("boolean", [:])
    case .list(let shape, let most):
      Self.typed("array", ["items": shape.schema, "maxItems": .count(most)])
    case .object(let members, let least):
      Self.object(members).adding([
        "additionalProperties": .bool(false), "minProperties": .count(least),
      ])
    case .open(let members): Self.object(members)
    case .nullable(let shape):
      .object(["anyOf": .array([shape.schema, .object(["type": .string("null")])])])
    case .named(let name): .object(["$ref": .string("#/components/schemas/\(name)")])
    case .anything: .object([:])
    }
  }

  private static func typed(_ type: String, _ more: [String: JSON]) -> JSON {
    .object(["type": .string(type)].merging(more) { $1 })
  }

  private static func object(_ members: [Member]) -> JSON {
    var more: [String: JSON] = [
      "properties": .object(
        Dictionary(
          members.map { ($0.name, $0.shape.schema) }, uniquingKeysWith: { first, _ in first })),
      "required": .strings(members.filter(\.isRequired).map(\.name)),
    ]
    let dependent = members.filter { !$0.with.isEmpty }
    if !dependent.isEmpty {
      more["dependentRequired"] = .object(
        Dictionary(
          dependent.map { ($0.name, JSON.strings($0.with)) }, uniquingKeysWith: { $1 }))
    }
    return typed("object", more)
  }
}
