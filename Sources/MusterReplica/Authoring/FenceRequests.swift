internal import MusterCRDT
public import MusterModel

/// Requests about fences, and their rules: elements of a set in the fence's row, so that concurrent
/// changes of several commanders merge.
public enum FenceRequests {
  /// Adds an active fence; command only. In the urgent lane if it is a hazard.
  public static func add(_ draft: FenceDraft) -> WriteRequest<RowID> {
    WriteRequest { context in
      try context.require(.command)
      return Draft(
        creating: try composer(of: draft, in: &context),
        lane: draft.kind == .hazard ? .urgent : .state)
    }
  }

  /// Composes a new fence's row.
  static func composer(
    of draft: FenceDraft, in context: inout RequestContext
  ) throws(Refusal) -> Composer {
    if let seconds = draft.reviewSeconds, !(1...Limits.spanSeconds).contains(seconds) {
      throw Refusal.reviewOutOfRange
    }
    var composer = context.compose(.fence)
    composer.create(draft, now: context.now.wall)
    return composer
  }

  /// Edits a fence; command only. In the urgent lane if it was or becomes a hazard. An edit without
  /// changes writes nothing, and no edit restores a deleted fence. A fence that becomes a hazard is
  /// written to that lane as a whole: its create may arrive much later.
  public static func edit(_ id: RowID, _ changes: FenceChanges) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let state = try context.settled(.fence, id)
      var composer = Composer(state, origin: nil)
      try composer.apply(changes, to: state, now: context.now.wall)
      guard changes.kind == .hazard, state.lane != .urgent, !composer.writes.isEmpty else {
        return Draft(composer, lane: state.lane)
      }
      composer.assertExistence()
      composer.writeAgain([
        .fenceName, .fenceGeometry, .fenceActive, .fenceDwellSeconds, .fenceRole, .fenceMode,
        .fenceEntryAlert,
      ])
      return Draft(composer, lane: .urgent)
    }
  }

  /// Activates or deactivates a fence; command only. An inactive fence stays on the map and is not
  /// evaluated.
  public static func setActive(_ id: RowID, _ isActive: Bool) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let state = try context.settled(.fence, id)
      var composer = Composer(state, origin: nil)
      composer.set(.fenceActive, to: .code(isActive ? 1 : 0))
      return Draft(composer, lane: state.lane)
    }
  }

  /// Deletes a fence permanently; command only. No edit restores it.
  public static func delete(_ id: RowID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let state = try context.settled(.fence, id)
      var composer = Composer(state, origin: nil)
      composer.setFlag(.fenceDeleted, to: true)
      return Draft(composer, lane: state.lane)
    }
  }

  // MARK: Rules

  /// Adds a rule to a zone; command only. In the urgent lane, so that it has a time that does not
  /// depend on wall clocks. A rule that the zone has already is written again, and its time begins
  /// again.
  public static func addRule(_ rule: ZoneRule, to id: RowID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      guard rule.isWithinLimits else {
        throw Refusal(
          "a rule of kind \(rule.kind.name) takes a number from \(rule.kind.numbers.lowerBound) to "
            + "\(rule.kind.numbers.upperBound), and a role or a team, not both")
      }
      let state = try context.settled(.fence, id)
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
      return Draft(composer, lane: .urgent)
    }
  }

  /// Removes a rule from a zone; command only.
  ///
  /// - Parameter reference: its id, or at least four of its digits; or its number in the list,
  ///   from 1.
  public static func removeRule(_ reference: String, from id: RowID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let state = try context.settled(.fence, id)
      let values = state.values(of: .fenceRules).sorted { $0.dot < $1.dot }
      var found = values.filter {
        reference.count >= 4 && $0.dot.name.hasPrefix(reference.lowercased())
      }
      if reference.count < 4, let number = Int(reference), values.indices.contains(number - 1) {
        found = [values[number - 1]]
      }
      guard let only = found.first, found.count == 1 else {
        throw Refusal(
          "the zone has no single rule \(reference): see muster zone rule list", .unknown)
      }
      var composer = Composer(state, origin: nil)
      composer.remove(.fenceRules, [only.dot])
      return Draft(composer, lane: .urgent)
    }
  }
}
