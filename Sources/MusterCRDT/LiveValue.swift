public import MusterModel

/// A value that is not superseded, with the dot and the author of its write.
public struct LiveValue: Hashable, Sendable {
  /// The dot of the write, which a later write names to supersede it.
  public let dot: Dot
  /// Of the type that its field accepts: no other becomes live.
  public let value: Value
  /// Determines who may supersede it in a set.
  public let author: UserID
  /// The author's role at the time: of concurrent values that are equally safe, the one of the
  /// higher role is shown.
  public let role: Role
  /// By the author's clock: a label.
  public let writtenAt: Timestamp
  /// The person or login that the author's device claims to have written for; nil for its own
  /// user.
  public let onBehalfOf: Principal?

  /// Creates a value. The caller MUST have checked that its author is authorized to write it.
  public init(
    dot: Dot, value: Value, author: UserID, role: Role, writtenAt: Timestamp,
    onBehalfOf: Principal? = nil
  ) {
    self.dot = dot
    self.value = value
    self.author = author
    self.role = role
    self.writtenAt = writtenAt
    self.onBehalfOf = onBehalfOf
  }

  /// Who wrote it, as claimed.
  public var writer: Writer { Writer(author, onBehalfOf: onBehalfOf) }
}

/// Who wrote, as the signing device claims: it distinguishes the people and the logins that write
/// through one laptop. Permissions follow the signing device only.
public enum Writer: Hashable, Sendable {
  /// A person, on their own device or through another.
  case person(UserID)
  /// A login without a person, at a laptop of this user.
  case login(String, of: UserID)

  /// - Parameter user: the user of the signing device.
  public init(_ user: UserID, onBehalfOf principal: Principal?) {
    switch principal {
    case nil: self = .person(user)
    case .person(let person): self = .person(person)
    case .login(let name): self = .login(name, of: user)
    }
  }
}

/// The order that selects which of several concurrent values is shown: the safer, then the higher
/// role, then the greater dot. Clocks are not compared.
extension LiveValue {
  /// - Parameter isRefuge: whether the row is an assembly zone. For an assembly zone, inactive is
  ///   the safer value, because people are sent there; for any other zone, active is.
  static func isShownBefore(
    _ left: LiveValue, _ right: LiveValue, in field: Field, isRefuge: Bool
  ) -> Bool {
    let leftDanger = left.danger(in: field, isRefuge: isRefuge)
    let rightDanger = right.danger(in: field, isRefuge: isRefuge)
    if leftDanger != rightDanger { return leftDanger > rightDanger }
    if left.role != right.role { return left.role.rawValue < right.role.rawValue }
    return left.dot > right.dot
  }

  /// How cautious the value is: the greater wins.
  private func danger(in field: Field, isRefuge: Bool) -> Int64 {
    switch (field, value) {
    case (_, .claim(let claim, _)), (_, .overruling(let claim, _, _)),
      (_, .relayedClaim(let claim, _, _, _)):
      claim == .needsHelp ? 1 : 0
    case (_, .signOn): 1
    // The shorter duration raises the earlier alarm.
    case (.directiveDurationSeconds, .number(let seconds)),
      (.permitDurationSeconds, .number(let seconds)),
      (.checkInDurationSeconds, .number(let seconds)),
      (.checkInGraceSeconds, .number(let seconds)),
      (.checkInStillSeconds, .number(let seconds)):
      -Int64(seconds)
    case (.checkInReminderSeconds, .number(let seconds)): Int64(seconds)
    case (.checkInReport, .checkIn(let report)): Int64(report.nextSeconds)
    case (.reportStatus, .code(let code)): code == ReportStatus.open.rawValue ? 1 : 0
    case (.directiveStatus, .code(let code)): code == DirectiveStatus.open.rawValue ? 1 : 0
    case (.fenceKind, .code(let code)): code == FenceKind.hazard.rawValue ? 1 : 0
    case (.fenceActive, .code(let code)): Int64(isRefuge ? 1 - min(1, code) : code)
    case (.reportSeverity, .code(let code)), (.fenceEntryAlert, .code(let code)),
      (.checkInRepeats, .code(let code)):
      Int64(code)
    // The counts of a record never go back.
    case (.recordValue, .bytes(let bytes)):
      Int64(clamping: RecordEntry.syncCount(in: bytes))
    // A caller who is identified needs more than one who was dismissed.
    case (.unverifiedCallOutcome, .bytes(let bytes)): Int64(bytes.first ?? 0)
    default: 0
    }
  }
}
