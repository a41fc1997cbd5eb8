/// What a write puts into a field.
public enum Value: Hashable, Sendable {
  case text(String)
  /// An enumeration's code, or a severity of 1 to 5.
  case code(UInt8)
  case position(Coordinate)
  case geometry(FenceGeometry)
  case claim(SafetyClaim, note: String)
  /// A set flag, an existence, a confirmation: being there is all that it says.
  case mark
}

extension Field {
  /// Whether a value is of this field's type, in range and within `Limits`. A write whose value
  /// is not is held and never applied, on every node alike.
  public func accepts(_ value: Value) -> Bool {
    switch (self, value) {
    case (.userCallsign, .text(let text)), (.userTeam, .text(let text)),
      (.reportTitle, .text(let text)), (.fenceName, .text(let text)),
      (.fenceCollection, .text(let text)):
      TextRule.line.accepts(text)
    case (.userContact, .text(let text)), (.userEmergencyContact, .text(let text)),
      (.reportDescription, .text(let text)), (.reportComments, .text(let text)),
      (.fenceProperties, .text(let text)):
      TextRule.paragraphs.accepts(text)
    case (.userSafetyClaim, .claim(_, let note)):
      TextRule.paragraphs.accepts(note)
    case (.reportCategory, .code(let code)): ReportCategory(rawValue: code) != nil
    case (.reportSeverity, .code(let code)): Limits.severity.contains(code)
    case (.reportStatus, .code(let code)): ReportStatus(rawValue: code) != nil
    case (.fenceKind, .code(let code)): FenceKind(rawValue: code) != nil
    case (.fenceActive, .code(let code)): code <= 1
    case (.reportPosition, .position): true
    case (.fenceGeometry, .geometry(let geometry)): geometry.isWithinLimits
    case (.userDeactivated, .mark), (.reportExistence, .mark), (.reportToEvacuate, .mark),
      (.reportConfirmations, .mark), (.fenceExistence, .mark), (.fenceDeleted, .mark):
      true
    default: false
    }
  }
}
