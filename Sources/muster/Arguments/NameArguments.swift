internal import ArgumentParser
internal import MusterModel

/// One of a few names. It wraps the value because the parser reads enumerations with integer raw
/// values as numbers.
struct NameArgument<Value: NamedCase & Hashable & Sendable>: Hashable, ExpressibleByArgument {
  let value: Value

  init(_ value: Value) { self.value = value }

  init?(argument: String) {
    guard let value = Value(name: argument) else { return nil }
    self.init(value)
  }

  static var allValueStrings: [String] { Value.allCases.map(\.name) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
  var defaultValueDescription: String { value.name }
}

/// The self-reported status of a member.
enum ClaimArgument: String, CaseIterable, ExpressibleByArgument {
  case safe
  case help

  var claim: SafetyClaim { self == .safe ? .safe : .needsHelp }
}

/// `[PERSON] VALUE`, the form of commands about people: you without a person.
struct PersonWords {
  let person: String?
  let value: String

  /// - Parameters:
  ///   - option: the person by an option, the old form.
  ///   - name: what the value is.
  init(
    _ first: String?, _ second: String?, person option: String?, _ name: String
  ) throws(ValidationError) {
    guard let value = second ?? first else {
      throw ValidationError("Missing expected argument '<\(name)>'")
    }
    guard second == nil || option == nil else {
      throw ValidationError("name the person once")
    }
    (self.value, person) = (value, second == nil ? option : first)
  }
}

/// An override by command.
enum OverrideArgument: String, CaseIterable, ExpressibleByArgument {
  case safe
  case help
  /// Removes the override.
  case clear
  /// The old name of `clear`.
  case withdraw

  static let allValueStrings = [safe, help, clear].map(\.rawValue)

  var claim: SafetyClaim? {
    switch self {
    case .safe: .safe
    case .help: .needsHelp
    case .clear, .withdraw: nil
    }
  }
}

/// The kind of a zone.
enum ZoneKindArgument: String, CaseIterable, ExpressibleByArgument {
  case assembly
  case hazard
  case info
  /// The old name of `assembly`.
  case muster

  static let allValueStrings = [assembly, hazard, info].map(\.rawValue)

  var value: FenceKind {
    switch self {
    case .assembly, .muster: .muster
    case .hazard: .hazard
    case .info: .info
    }
  }
}

/// The severity of a hazard.
struct SeverityArgument: Hashable {
  let value: UInt8

  init(parsing text: String) throws(BadArgument) {
    guard let value = UInt8(text), Limits.severity.contains(value) else {
      throw BadArgument("the severity must be a whole number from 1 (slight) to 5 (deadly)")
    }
    self.value = value
  }
}

/// `--severity` of reports.
struct SeverityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("From 1 (slight) to 5 (deadly).", valueName: "1-5"),
    completion: .list((1...5).map(String.init)),
    transform: SeverityArgument.init(parsing:))
  var severity: SeverityArgument?
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
      throw BadArgument("give the id, or at least its first four hexadecimal digits")
    }
    prefix = digits
  }
}

/// Checks text before it is signed.
enum TextArgument {
  /// Throws an error that names the field.
  static func check(_ text: String?, _ rule: TextRule, _ name: String) throws(ValidationError) {
    if let fault = text.flatMap(rule.fault(in:)) { throw ValidationError("the \(name) \(fault)") }
  }
}
