internal import MusterCRDT
internal import MusterModel

/// What was said of a user's safety, and whose word decides.
///
/// A user speaks for themselves, and command may overrule what it has heard them say: an override
/// names the words that it answers, and the user's next word takes the overrides away that they
/// have heard of. So the newest word by cause and effect decides, without a clock. Of two that knew
/// nothing of one another the call for help does: nobody's is ever hidden by an override that was
/// made before it was heard (decision 0017).
struct SafetyStanding {
  /// The user's own.
  let word: LiveValue?
  /// Command's, as long as the user has said nothing since.
  let override: LiveValue?
  /// Whether command's is the one that decides.
  let isOverruled: Bool

  init(_ row: RowState) {
    let overrides = row.values(of: .userSafetyOverride)
    var answered: Set<Dot> = []
    for value in overrides.map(\.value) {
      if case .overruling(_, _, let seen) = value { answered.formUnion(seen) }
      if case .accounting(let accounting) = value { answered.formUnion(accounting.claims) }
    }
    override = row.shown(.userSafetyOverride)
    let unanswered = row.values(of: .userSafetyClaim).filter { !answered.contains($0.dot) }
    let cry = unanswered.first { Self.claim(of: $0.value)?.claim == .needsHelp }
    word = cry ?? row.shown(.userSafetyClaim)
    isOverruled = override != nil && cry == nil
  }

  /// What decides; nil where nobody has said anything.
  var deciding: LiveValue? { isOverruled ? override : word }

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
