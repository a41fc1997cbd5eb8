internal import MusterCRDT
internal import MusterModel
internal import MusterStatus

/// The safety fields of a person: of a user's row, or of a tracker's, whose carrier has no device
/// with a key.
struct PersonFields {
  /// The claims of the person, then of their tracker's owner or of a login: the person's own device
  /// writes the first.
  let claims: [Field]
  let override: Field
  let signOff: Field

  init(_ kind: EntityKind) {
    if kind == .tracker {
      claims = [.trackerSafetyClaim]
      (override, signOff) = (.trackerSafetyOverride, .trackerSignOff)
    } else {
      claims = [.userSafetyClaim, .userRelayedClaim]
      (override, signOff) = (.userSafetyOverride, .userSignOff)
    }
  }
}

/// The statements about a person's safety that are shown. `PersonStatements` has those that decide.
struct SafetyStanding {
  /// The person's own claim, or that of their login, which is signed by a command post: one that
  /// calls for help and is answered by nothing goes before the others.
  let selfReport: LiveValue?
  /// Command's override, until the person's next claim.
  let override: LiveValue?

  /// - Parameter openCalls: of the same row.
  init(_ row: RowState, openCalls: [ClaimEvidence]) {
    let fields = PersonFields(row.key.kind)
    let open = Set(openCalls.map(\.dot))
    override = row.shown(fields.override)
    selfReport =
      fields.claims.flatMap { row.values(of: $0) }.first { open.contains($0.dot) }
      ?? fields.claims.reversed().lazy.compactMap { row.shown($0) }.first
  }

  static func claim(of value: Value) -> (claim: SafetyClaim, note: String)? {
    switch value {
    case .claim(let claim, let note), .overruling(let claim, let note, _),
      .relayedClaim(let claim, let note, _, _):
      (claim, note)
    case .accounting(let accounting): (.safe, accounting.note)
    default: nil
    }
  }
}
