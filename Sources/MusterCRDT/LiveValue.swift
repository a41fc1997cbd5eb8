public import MusterModel

/// A value that nobody has superseded, with the name and the author of the write that put it there.
public struct LiveValue: Hashable, Sendable {
  public let dot: Dot
  public let value: Value
  public let author: UserID
  public let role: Role
  public let writtenAt: Timestamp

  public init(dot: Dot, value: Value, author: UserID, role: Role, writtenAt: Timestamp) {
    self.dot = dot
    self.value = value
    self.author = author
    self.role = role
    self.writtenAt = writtenAt
  }
}

/// Which of several concurrent values is shown: the safer, then the higher role, then the greater
/// dot. No clock has a say.
extension LiveValue {
  static func isShownBefore(_ left: LiveValue, _ right: LiveValue, in field: Field) -> Bool {
    let (leftDanger, rightDanger) = (left.danger(in: field), right.danger(in: field))
    if leftDanger != rightDanger { return leftDanger > rightDanger }
    if left.role != right.role { return left.role.rawValue < right.role.rawValue }
    return left.dot > right.dot
  }

  /// Greater is what a careful person would rather believe.
  private func danger(in field: Field) -> UInt8 {
    switch (field, value) {
    case (.userSafetyClaim, .claim(let claim, _)): claim == .needsHelp ? 1 : 0
    case (.reportStatus, .code(let code)): code == ReportStatus.open.rawValue ? 1 : 0
    case (.reportSeverity, .code(let code)), (.fenceActive, .code(let code)): code
    default: 0
    }
  }
}
