internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// Self-reports of people, and statements of command about them, from their rows.
struct StatementReader {
  let context: ReadContext

  func statements(_ row: RowState) throws(StoreError) -> PersonStatements {
    let isTracker = row.key.kind == .tracker
    var statements = PersonStatements()
    for value in row.values(of: isTracker ? .trackerSafetyClaim : .userSafetyClaim) {
      guard case .claim(let claim, let note) = value.value else { continue }
      statements.claims.append(ClaimEvidence(dot: value.dot, claim: claim, note: note))
    }
    for value in row.values(of: isTracker ? .trackerSafetyOverride : .userSafetyOverride) {
      try add(value, to: &statements)
    }
    if !isTracker {
      for value in row.values(of: .userRelayedClaim) {
        guard case .relayedClaim(let claim, let note, let login, let seen) = value.value
        else { continue }
        statements.relayed.append(
          ClaimEvidence(
            dot: value.dot, claim: claim, note: note,
            by: .phrase(
              .viaPost,
              [
                "name": .text(ShownName.text(of: login)),
                "post": .text(try context.callsign(of: value.author)),
              ]), seen: Set(seen)))
      }
    }
    if case .signOff(let reason, let seen)? =
      row.shown(isTracker ? .trackerSignOff : .userSignOff)?.value
    {
      statements.signOff = SignOffEvidence(reason: reason, rows: Set(seen))
    }
    return statements
  }

  /// Adds an override of command: that a person needs help, or is accounted for.
  private func add(
    _ value: LiveValue, to statements: inout PersonStatements
  ) throws(StoreError) {
    let by = try context.authorship(of: value).value
    switch value.value {
    case .overruling(.needsHelp, let note, let seen):
      statements.helpOverrides.append(
        ClaimEvidence(dot: value.dot, claim: .needsHelp, note: note, by: by, seen: Set(seen)))
    case .overruling(.safe, let note, let seen):
      // From a program that names no orders and positions.
      statements.accountings.append(
        AccountingEvidence(
          by: by, note: note, claims: Set(seen), rows: [], positions: [:], away: []))
    case .accounting(let accounting):
      statements.accountings.append(
        AccountingEvidence(
          by: by, note: accounting.note, claims: Set(accounting.claims),
          rows: Set(accounting.rows),
          positions: Dictionary(
            accounting.positions.map { ($0.device, $0.order) }, uniquingKeysWith: max),
          away: Set(accounting.away)))
    default: break
    }
  }
}
