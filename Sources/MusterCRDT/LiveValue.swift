public import MusterModel

/// A value that nobody has superseded, with the name and the author of the write that put it there.
public struct LiveValue: Hashable, Sendable {
  /// The write that put it there: what a later write names to take it away.
  public let dot: Dot
  /// Of the type that its field accepts: no other becomes live.
  public let value: Value
  /// Decides who may take it away from a set.
  public let author: UserID
  /// The author's when it was written: of concurrent values that are equally safe, the higher
  /// role's is shown.
  public let role: Role
  /// As the author's clock claimed: a label.
  public let writtenAt: Timestamp

  /// The caller MUST have checked that its author may write it.
  public init(dot: Dot, value: Value, author: UserID, role: Role, writtenAt: Timestamp) {
    self.dot = dot
    self.value = value
    self.author = author
    self.role = role
    self.writtenAt = writtenAt
  }
}

/// Which of several concurrent values is shown: the safer, then the higher role, then the greater
/// dot. Clocks do not matter.
extension LiveValue {
  /// - Parameter isRefuge: the row is an assembly zone: a zone that people are sent to is the safer
  ///   for being inactive, any other for being active.
  static func isShownBefore(
    _ left: LiveValue, _ right: LiveValue, in field: Field, isRefuge: Bool
  ) -> Bool {
    let leftDanger = left.danger(in: field, isRefuge: isRefuge)
    let rightDanger = right.danger(in: field, isRefuge: isRefuge)
    if leftDanger != rightDanger { return leftDanger > rightDanger }
    if left.role != right.role { return left.role.rawValue < right.role.rawValue }
    return left.dot > right.dot
  }

  /// Greater is what a careful person would rather believe.
  private func danger(in field: Field, isRefuge: Bool) -> Int64 {
    switch (field, value) {
    case (_, .claim(let claim, _)), (_, .overruling(let claim, _, _)),
      (_, .relayedClaim(let claim, _, _, _)):
      claim == .needsHelp ? 1 : 0
    case (_, .signOn): 1
    case (.permitDurationSeconds, .number(let seconds)): -Int64(seconds)
    case (.reportStatus, .code(let code)): code == ReportStatus.open.rawValue ? 1 : 0
    case (.directiveStatus, .code(let code)): code == DirectiveStatus.open.rawValue ? 1 : 0
    case (.fenceKind, .code(let code)): code == FenceKind.hazard.rawValue ? 1 : 0
    case (.fenceActive, .code(let code)): Int64(isRefuge ? 1 - min(1, code) : code)
    case (.reportSeverity, .code(let code)), (.fenceEntryAlert, .code(let code)): Int64(code)
    // The shorter deadline is the earlier alarm.
    case (.directiveDurationSeconds, .number(let seconds)): -Int64(seconds)
    default: 0
    }
  }
}
