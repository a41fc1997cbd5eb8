internal import ArgumentParser
internal import MusterModel

/// A value of the model that people write by its name.
protocol NamedValue: CaseIterable, Hashable, Sendable {
  var name: String { get }
}

extension ReportCategory: NamedValue {}
extension ReportStatus: NamedValue {}
extension FenceKind: NamedValue {}
extension Role: NamedValue {}
extension LocationMode: NamedValue {}
extension Dataset: NamedValue {}

/// One of a few names. Wraps the value, since the parser has a rule of its own for enumerations
/// with raw values, by which these would be numbers.
struct NameArgument<Value: NamedValue>: Hashable, ExpressibleByArgument {
  let value: Value

  init(_ value: Value) { self.value = value }

  init?(argument: String) {
    guard let value = Value.allCases.first(where: { $0.name == argument }) else { return nil }
    self.init(value)
  }

  static var allValueStrings: [String] { Value.allCases.map(\.name) }
  var defaultValueDescription: String { value.name }
}

/// A member's own word.
enum ClaimArgument: String, CaseIterable, ExpressibleByArgument {
  case safe
  case help

  var claim: SafetyClaim { self == .safe ? .safe : .needsHelp }
}

/// Command's word on somebody.
enum OverrideArgument: String, CaseIterable, ExpressibleByArgument {
  case safe
  case help
  /// Theirs counts again.
  case clear
  /// As `clear`: what it was called before.
  case withdraw

  var claim: SafetyClaim? {
    switch self {
    case .safe: .safe
    case .help: .needsHelp
    case .clear, .withdraw: nil
    }
  }
}

/// How bad a hazard is.
struct SeverityArgument: Hashable {
  let value: UInt8

  init(parsing text: String) throws(BadArgument) {
    guard let value = UInt8(text), Limits.severity.contains(value) else {
      throw BadArgument("the severity is a whole number from 1 (slight) to 5 (deadly)")
    }
    self.value = value
  }
}

/// A row's id, or the beginning of it.
struct RowArgument: Hashable {
  /// 4 to 32 hexadecimal digits in lower case.
  let prefix: String

  init(parsing text: String) throws(BadArgument) {
    let digits = text.lowercased()
    guard (4...32).contains(digits.utf8.count),
      digits.allSatisfy({ "0123456789abcdef".contains($0) })
    else {
      throw BadArgument("an id is 32 hexadecimal digits, of which the first four may be enough")
    }
    prefix = digits
  }
}

/// Checks words before they are signed for ever.
enum TextArgument {
  /// Names the field that is wrong.
  static func check(_ text: String?, _ rule: TextRule, _ name: String) throws(ValidationError) {
    if let fault = text.flatMap(rule.fault(in:)) { throw ValidationError("the \(name) \(fault)") }
  }
}
