/// A rule about the people in a zone: each node raises an alert while it is violated there.
public struct ZoneRule: Codable, Hashable, Sendable {
  /// What is required.
  public let kind: ZoneRuleKind
  /// People, seconds or metres, by kind.
  public let number: UInt32
  /// Only people of this role count; nil for any. At most one of role and team is given.
  public let role: Role?
  /// Only people of this team count; empty for any.
  public let team: String

  /// Creates a rule. Nothing is validated here: a value out of range is rejected on write.
  public init(kind: ZoneRuleKind, number: UInt32, role: Role? = nil, team: String = "") {
    self.kind = kind
    self.number = number
    self.role = role
    self.team = team
  }

  /// Whether all replicas accept it.
  public var isWithinLimits: Bool {
    guard team.isEmpty || (role == nil && TextRule.line.accepts(team)) else { return false }
    return kind.numbers.contains(number)
  }

  /// The rule in a few words: `at least 1 of role command`.
  public var words: String {
    let people = number == 1 ? "person" : "people"
    let words =
      switch kind {
      case .atLeast: "at least \(number) \(people)"
      case .atMost: "at most \(number) \(people)"
      case .entryBy: "an entry within \(RoundedSpan(seconds: UInt64(number)))"
      case .within: "no one within \(number) m"
      }
    return words + (audience.map { " of \($0.text)" } ?? "")
  }

  /// `role command` or `team North`; nil for everyone.
  public var audience: Phrase.Value? {
    if let role { return .phrase(.ofRole, ["role": .phrase(Phrase("as", role))]) }
    return team.isEmpty ? nil : .phrase(.ofTeam, ["team": .text(team)])
  }
}

/// The kinds of rules of a zone. Numbers are on the wire and append-only.
public enum ZoneRuleKind: UInt8, Codable, Sendable, NamedCase, Hashable {
  /// So many people must be inside.
  case atLeast = 1
  /// No more people than this may be inside.
  case atMost = 2
  /// Someone must enter within so many seconds from the rule's write.
  case entryBy = 3
  /// No one may be inside or within so many metres.
  case within = 4

  /// The numbers that a rule of this kind may have.
  public var numbers: ClosedRange<UInt32> {
    switch self {
    case .atLeast: 1...Limits.zoneRulePeople
    case .atMost: 0...Limits.zoneRulePeople
    case .entryBy: 1...Limits.spanSeconds
    case .within: 1...Limits.zoneRuleMetres
    }
  }
}

// MARK: Encoding

extension ZoneRule {
  /// Kind, role or 0, number, team as text.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(kind.rawValue)
    writer.append(role?.rawValue ?? UInt8(0))
    writer.append(number)
    writer.append(team)
    return writer.bytes
  }

  /// Reads what `encoded` returned. Throws for an unknown kind or role, and for values that are not
  /// within the limits.
  public init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    let kind = ZoneRuleKind(rawValue: try reader.integer(UInt8.self))
    let code = try reader.integer(UInt8.self)
    let role = Role(rawValue: code)
    let number = try reader.integer(UInt32.self)
    let team = try reader.text()
    try reader.expectEnd()
    guard let kind, code == 0 || role != nil else { throw .invalid("zone rule") }
    self.init(kind: kind, number: number, role: role, team: team)
    guard isWithinLimits else { throw .invalid("zone rule out of range") }
  }

  /// Whether bytes are a rule that all replicas accept.
  static func accepts(_ bytes: [UInt8]) -> Bool {
    do throws(DecodingFault) {
      _ = try ZoneRule(decoding: bytes)
      return true
    } catch {
      return false
    }
  }
}

/// A rule of a zone, as known to this node.
public struct ZoneRuleSummary: Codable, Hashable, Sendable {
  /// The dot of its write, in hexadecimal: names the rule in commands.
  public var id: String
  /// The rule.
  public var rule: ZoneRule
  /// The author.
  public var callsign: String
  /// By the author's clock: a label.
  public var writtenAt: Timestamp

  /// Creates a summary.
  public init(id: String, rule: ZoneRule, callsign: String, writtenAt: Timestamp) {
    self.id = id
    self.rule = rule
    self.callsign = callsign
    self.writtenAt = writtenAt
  }
}
