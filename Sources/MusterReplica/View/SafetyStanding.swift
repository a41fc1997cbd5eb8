internal import MusterCRDT
internal import MusterModel

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

/// The statements about a person's safety, and which of them decides.
///
/// People report for themselves, with their own device or by a login at a command post, and command
/// may override what it has seen. An override names the claims that it answers, and the person's
/// next claim supersedes the overrides that it has seen. Therefore the causally newest statement
/// decides, without a clock. Of concurrent statements the help claim decides: an override never
/// hides a claim that its author had not seen (decision 0017).
struct SafetyStanding {
  /// The person's own claim, or that of their login, which a command post signs.
  let word: LiveValue?
  /// Command's override, until the person's next claim.
  let override: LiveValue?
  /// Whether command's override decides.
  let isOverruled: Bool
  /// Unanswered help claims: the cause of an alert.
  let calls: [Dot]

  init(_ row: RowState) {
    let fields = PersonFields(row.key.kind)
    let spoken = fields.claims.flatMap { row.values(of: $0) }
    var answered: Set<Dot> = []
    for value in row.values(of: fields.override) + spoken {
      answered.formUnion(Self.seen(by: value.value))
    }
    override = row.shown(fields.override)
    func callsForHelp(_ value: LiveValue) -> Bool {
      Self.claim(of: value.value)?.claim == .needsHelp
    }
    let cries = spoken.filter { !answered.contains($0.dot) && callsForHelp($0) }
    let cry = cries.first
    calls = (cries + row.values(of: fields.override).filter(callsForHelp)).map(\.dot).sorted()
    word = cry ?? fields.claims.reversed().lazy.compactMap { row.shown($0) }.first
    isOverruled = override != nil && cry == nil
  }

  /// The deciding statement; nil without any.
  var deciding: LiveValue? { isOverruled ? override : word }

  /// Whether there is an unanswered help claim.
  var isDistress: Bool {
    deciding.flatMap { Self.claim(of: $0.value) }?.claim == .needsHelp
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

  /// Returns the claims that a value answers.
  private static func seen(by value: Value) -> [Dot] {
    switch value {
    case .overruling(_, _, let seen), .relayedClaim(_, _, _, let seen): seen
    case .accounting(let accounting): accounting.claims
    default: []
    }
  }
}
