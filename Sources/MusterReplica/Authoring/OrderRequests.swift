internal import MusterCRDT
public import MusterModel

/// Requests about directives and their answers.
public enum OrderRequests {
  // MARK: Directives

  /// Issues a directive, in the urgent lane; command only. An order to a zone supersedes the open
  /// ones for the same audience; a roll call is for the people that it addresses now.
  public static func issue(_ draft: DirectiveDraft) -> WriteRequest<RowID> {
    WriteRequest { context in
      Draft(creating: try composer(of: draft, in: &context), lane: .urgent)
    }
  }

  /// Issues a directive in one commit with other writes, which are applied first.
  static func issue(
    _ draft: DirectiveDraft, after writes: [[Write]]
  ) -> WriteRequest<RowID> {
    WriteRequest { context in
      let composer = try composer(of: draft, in: &context)
      return Draft(
        answer: composer.row, rows: writes + [composer.writes], lane: .urgent)
    }
  }

  /// Adds an assembly zone and orders people to it; command only. The order is sent first.
  public static func issue(
    _ order: DirectiveDraft, to draft: FenceDraft
  ) -> WriteRequest<(fence: RowID, directive: RowID)> {
    WriteRequest { context in
      try context.require(.command)
      guard draft.kind == .muster else {
        throw Refusal("people can only be sent to an assembly zone: make it of kind muster")
      }
      let fence = try FenceRequests.composer(of: draft, in: &context)
      let directive = try composer(of: order, to: fence.row, in: &context)
      return Draft(
        answer: (fence.row, directive.row), rows: [directive.writes, fence.writes], lane: .urgent)
    }
  }

  /// - Parameter zone: a zone that is about to be added, besides those that the draft names.
  private static func composer(
    of draft: DirectiveDraft, to zone: RowID? = nil, in context: inout RequestContext
  ) throws -> Composer {
    try context.require(.command)
    var draft = draft
    var zones: [RowState] = []
    for zone in draft.zones { zones.append(try context.settled(.fence, zone)) }
    if let zone { draft.zones.append(zone) }
    let plan = try OrderPlan(
      draft, by: context.user, zones: zones, people: try context.statuses().users(),
      directives: try context.settledRows(.directive))
    var composer = context.compose(.directive)
    plan.write(to: &composer)
    return composer
  }

  /// Closes a directive; command only. Answers remain.
  public static func close(_ id: RowID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      var composer = Composer(try context.settled(.directive, id), origin: nil)
      composer.set(.directiveStatus, to: .code(DirectiveStatus.closed.rawValue))
      return Draft(composer, lane: .urgent)
    }
  }

  // MARK: Answers

  /// Acknowledges a directive for this device's own user, for the carrier of one of the user's
  /// trackers, or by command for another, such as one who answered by radio. Repeating it writes
  /// nothing; another note replaces the first.
  ///
  /// - Parameter user: nil for this device's own.
  public static func acknowledge(
    _ id: RowID, note: String, for user: UserID?
  ) -> WriteRequest<Void> {
    WriteRequest { context in
      let own = context.user
      let asked = user ?? own
      let tracker = try ownTracker(asked, in: &context)
      if asked == own || tracker != nil {
        try context.require(.command, .member)
      } else {
        try context.require(.command)
      }
      let state = try context.settled(.directive, id)
      let reply: Value =
        tracker.map { .trackerReply($0, note: note) } ?? .reply(asked, note: note)
      let before = state.answers(in: context.operation)
        .filter { $0.user == asked && $0.value.author == own }.map(\.value)
      if before.contains(where: { $0.value == reply }) { return .nothing }
      var composer = Composer(state, origin: nil)
      composer.insert(
        tracker == nil ? .directiveAcknowledgements : .directiveTrackerReplies, reply,
        replacing: before.prefix(Limits.supersededDots).map(\.dot))
      return Draft(composer, lane: .urgent)
    }
  }

  /// Withdraws the own user's answer or that for an own tracker, or by command all answers for a
  /// user.
  ///
  /// - Parameter user: nil for this device's own.
  public static func withdrawAcknowledgement(
    _ id: RowID, of user: UserID?
  ) -> WriteRequest<Void> {
    WriteRequest { context in
      let own = context.user
      let asked = user ?? own
      let isOwn = try asked == own || ownTracker(asked, in: &context) != nil
      if isOwn {
        try context.require(.command, .member)
      } else {
        try context.require(.command)
      }
      let state = try context.settled(.directive, id)
      let answers = state.answers(in: context.operation).filter { $0.user == asked }.map(\.value)
      let isCommand = context.read.local.author.role == .command
      let removable = answers.filter { isCommand || $0.author == own }
      guard !removable.isEmpty else {
        let name = asked == own ? "you have" : "\(try context.read.callsign(of: asked)) has"
        throw answers.isEmpty
          ? Refusal("\(name) not answered order \(id.short): there is nothing to withdraw")
          : Refusal("command answered for you: only command can withdraw that", .notAllowed)
      }
      var composer = Composer(state, origin: nil)
      for field in [Field.directiveAcknowledgements, .directiveTrackerReplies] {
        let dots = Set(state.values(of: field).map(\.dot))
        composer.remove(field, removable.map(\.dot).filter(dots.contains))
      }
      return Draft(composer, lane: .urgent)
    }
  }

  /// Returns the nonce of a tracker's row that this device's user owns; nil for anyone else.
  private static func ownTracker(
    _ user: UserID, in context: inout RequestContext
  ) throws -> Bytes16? {
    guard user != context.user else { return nil }
    let row = try context.person(user)
    guard row.key.kind == .tracker, row.owner == context.user else { return nil }
    return row.origin?.nonce
  }
}
