internal import MusterCRDT
internal import MusterModel

/// The fields that say how a person is: of a user's row, or of a tracker's, whose carrier has no
/// device with a key.
struct PersonFields {
  /// What the person said, or their tracker's owner or a login for them: the first is written by
  /// the person's own device.
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

/// What was said of a person's safety, and which of it decides.
///
/// People speak for themselves, with their own device or by a login at a command post, and command
/// may overrule what it has seen of that. An override names the claims that it answers, and the
/// person's next claim takes the overrides away that they have seen. So the newest by cause and
/// effect decides, without a clock. Of two that knew nothing of one another the call for help does:
/// nobody's is ever hidden by an override that was made before it was seen (decision 0017).
struct SafetyStanding {
  /// The person's own claim, or that of their login, which is signed by a command post.
  let word: LiveValue?
  /// Command's, as long as the person has said nothing since.
  let override: LiveValue?
  /// Whether command's is the one that decides.
  let isOverruled: Bool
  /// What calls for help and is answered by nothing: the cause of an alert.
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

  /// What decides; nil where nobody has said anything.
  var deciding: LiveValue? { isOverruled ? override : word }

  /// Whether a call for help stands.
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

  /// The claims that a value answers.
  private static func seen(by value: Value) -> [Dot] {
    switch value {
    case .overruling(_, _, let seen), .relayedClaim(_, _, _, let seen): seen
    case .accounting(let accounting): accounting.claims
    default: []
    }
  }
}
