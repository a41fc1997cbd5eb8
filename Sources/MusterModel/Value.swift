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

/// Which of the values' types a field takes, and so how its values are packed.
public enum ValueForm: Sendable {
  case text, code, position, geometry, claim, mark
}

extension Field {
  /// Fixed for ever, like the field's kind: a field of another type is another field.
  public var form: ValueForm {
    switch self {
    case .userCallsign, .userTeam, .userContact, .userEmergencyContact, .reportTitle,
      .reportDescription, .reportComments, .fenceName, .fenceCollection, .fenceProperties:
      .text
    case .userSafetyClaim: .claim
    case .reportCategory, .reportSeverity, .reportStatus, .fenceKind, .fenceActive: .code
    case .reportPosition: .position
    case .fenceGeometry: .geometry
    case .userDeactivated, .reportExistence, .reportToEvacuate, .reportConfirmations,
      .fenceExistence, .fenceDeleted:
      .mark
    }
  }

  /// Whether a value is of this field's type, in range and within `Limits`. A write whose value
  /// is not is held and never applied, on every node alike.
  public func accepts(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .text(let text)): textRule?.accepts(text) ?? false
    case (.userSafetyClaim, .claim(_, let note)): TextRule.note.accepts(note)
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

  /// What may be written into a text field; nil for fields of other types.
  public var textRule: TextRule? {
    switch self {
    case .userCallsign, .userTeam, .reportTitle, .fenceName, .fenceCollection: .line
    case .userContact, .userEmergencyContact, .reportDescription, .reportComments,
      .fenceProperties:
      .paragraphs
    default: nil
    }
  }

  /// What people and JSON call it.
  public var name: String {
    switch self {
    case .userCallsign: "callsign"
    case .userTeam: "team"
    case .userContact: "contact"
    case .userEmergencyContact: "emergencyContact"
    case .userSafetyClaim: "status"
    case .userDeactivated: "deactivated"
    case .reportExistence, .fenceExistence: "existence"
    case .reportTitle: "title"
    case .reportDescription: "description"
    case .reportCategory: "category"
    case .reportSeverity: "severity"
    case .reportPosition: "position"
    case .reportToEvacuate: "toEvacuate"
    case .reportStatus: "status"
    case .reportConfirmations: "confirmations"
    case .reportComments: "comments"
    case .fenceName: "name"
    case .fenceCollection: "collection"
    case .fenceKind: "kind"
    case .fenceGeometry: "geometry"
    case .fenceActive: "active"
    case .fenceProperties: "properties"
    case .fenceDeleted: "deleted"
    }
  }
}
