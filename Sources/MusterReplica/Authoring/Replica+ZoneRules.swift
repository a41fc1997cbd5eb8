internal import MusterCRDT
public import MusterModel
internal import MusterStore

/// The rules of zones: elements of a set in the zone's row, so that concurrent changes of several
/// commanders merge.
extension Replica {
  /// Adds a rule to a zone; command only. In the urgent lane, so that it has a time that does not
  /// depend on wall clocks. A rule that the zone has already is written again, and its time begins
  /// again.
  public mutating func addRule(
    _ rule: ZoneRule, to id: RowID, now: ClockReading
  ) throws -> Outcome {
    try require(.command)
    guard rule.isWithinLimits else {
      throw Refusal(
        "a rule of kind \(rule.kind.name) takes a number from \(rule.kind.numbers.lowerBound) to "
          + "\(rule.kind.numbers.upperBound), and a role or a team, not both")
    }
    let state = try settled(.fence, id, now: now)
    let same = state.values(of: .fenceRules).filter { $0.value == .bytes(rule.encoded()) }
    let count = state.values(of: .fenceRules).count - same.count
    guard count < Limits.rulesPerZone else {
      throw Refusal(
        "a zone has at most \(Limits.rulesPerZone) rules: remove one first", .unfit)
    }
    var composer = Composer(state, origin: nil)
    composer.insert(
      .fenceRules, .bytes(rule.encoded()),
      replacing: same.prefix(Limits.supersededDots).map(\.dot))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  /// Removes a rule from a zone; command only.
  ///
  /// - Parameter reference: its id, or at least four of its digits; or its number in the list,
  ///   from 1.
  public mutating func removeRule(
    _ reference: String, from id: RowID, now: ClockReading
  ) throws -> Outcome {
    try require(.command)
    let state = try settled(.fence, id, now: now)
    let values = state.values(of: .fenceRules).sorted { $0.dot < $1.dot }
    var found = values.filter {
      reference.count >= 4 && $0.dot.name.hasPrefix(reference.lowercased())
    }
    if reference.count < 4, let number = Int(reference), values.indices.contains(number - 1) {
      found = [values[number - 1]]
    }
    guard let only = found.first, found.count == 1 else {
      throw Refusal(
        "the zone has no single rule \(reference): see muster fence rule list", .unknown)
    }
    var composer = Composer(state, origin: nil)
    composer.remove(.fenceRules, [only.dot])
    return try write(composer.writes, lane: .urgent, now: now)
  }
}
