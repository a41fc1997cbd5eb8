internal import MusterCRDT
public import MusterModel

/// Requests about reports.
public enum ReportRequests {
  /// Adds a report; command and members. In the urgent lane if people must evacuate.
  public static func add(_ draft: ReportDraft) -> WriteRequest<RowID> {
    WriteRequest { context in
      try context.require(.command, .member)
      var composer = context.compose(.report)
      composer.create(draft)
      return Draft(creating: composer, lane: draft.toEvacuate ? .urgent : .state)
    }
  }

  /// Edits a report; its owner and command. Restores a report that another user deletes
  /// concurrently. An edit without changes writes nothing. With the demand to evacuate, the report
  /// moves to the urgent lane: what it is about arrives there before its create.
  public static func edit(_ id: RowID, _ changes: ReportChanges) -> WriteRequest<Void> {
    WriteRequest { context in
      let state = try context.settled(.report, id)
      try context.read.requireOwner(of: state)
      var composer = Composer(state, origin: nil)
      composer.apply(changes)
      guard !composer.writes.isEmpty else { return .nothing }
      #if Canary
        if Canary.deleteWins.isPlanted { return Draft(composer, lane: .state) }
      #endif
      composer.assertExistence()
      guard changes.toEvacuate == true, state.lane != .urgent else {
        return Draft(composer, lane: state.lane)
      }
      composer.writeAgain([
        .reportTitle, .reportCategory, .reportSeverity, .reportPosition, .reportStatus,
      ])
      return Draft(composer, lane: .urgent)
    }
  }

  /// Deletes a report; its owner and command. Supersedes what is known of it here: a concurrent
  /// edit elsewhere restores it.
  public static func delete(_ id: RowID) -> WriteRequest<Void> {
    WriteRequest { context in
      let state = try context.settled(.report, id)
      try context.read.requireOwner(of: state)
      var composer = Composer(state, origin: nil)
      composer.removeExistence()
      return Draft(composer, lane: state.lane)
    }
  }

  /// Confirms what a report shows; command and members. Once per person: repeating it writes
  /// nothing, unless the report shows something else by now. What another device claims about the
  /// person counts as no repetition. No one confirms their own report.
  ///
  /// - Parameter seen: the `ReportSummary.content` that the user saw; nil for what is shown now.
  public static func confirm(_ id: RowID, seen: String? = nil) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command, .member)
      let (state, user, writer) = (try context.settled(.report, id), context.user, context.writer)
      guard !state.isOwn(writer: writer, of: user, context.read.local.author.role) else {
        throw Refusal(
          "you filed this report: others confirm it",
          context.onBehalfOf == nil ? .unfit : .notAllowed)
      }
      let shown = state.content(in: context.operation).encoded
      guard seen == nil || seen == Hex.encode(shown) else {
        throw Refusal.changed("report \(id.short) was changed meanwhile: read it again")
      }
      let content = Value.bytes(shown)
      func own(_ field: Field) -> [LiveValue] {
        state.values(of: field).filter { $0.author == user && $0.writer == writer }
      }
      let earlier = own(.reportContentConfirmations)
      guard !earlier.contains(where: { $0.value == content }) else { return .nothing }
      var composer = Composer(state, origin: nil)
      composer.insert(
        .reportContentConfirmations, content,
        replacing: earlier.prefix(Limits.supersededDots).map(\.dot))
      composer.remove(.reportConfirmations, own(.reportConfirmations).map(\.dot))
      return Draft(composer, lane: .state)
    }
  }

  /// Comments on a report; command and members. Does not restore a report that is deleted
  /// concurrently.
  public static func comment(_ id: RowID, text: String) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command, .member)
      let row = try context.settled(.report, id)
      let author = context.read.local.author
      let count = row.values(of: .reportComments).count { $0.author == author.user }
      guard author.role == .command || count < Limits.commentsOfAuthor else {
        throw Refusal(
          "you added \(count) comments to report \(id.short): add a new report, or call command")
      }
      var composer = Composer(row, origin: nil)
      composer.insert(.reportComments, .text(text))
      return Draft(composer, lane: .state)
    }
  }

  // MARK: Logins

  /// Adds a report that a login of this node files, which may then correct and withdraw it.
  public static func add(_ draft: ReportDraft, by login: String) -> WriteRequest<RowID> {
    WriteRequest { context in
      let reports = try context.reports(of: login)
      var added = try add(draft).draft(&context)
      added.local = reports.adding(added.answer)
      return added
    }
  }

  /// Corrects a report for the login that filed it. Only command closes or reopens a report.
  public static func edit(
    _ id: RowID, _ changes: ReportChanges, by login: String
  ) -> WriteRequest<Void> {
    WriteRequest { context in
      try requireFiled(id, by: login, in: &context)
      guard changes.status == nil else {
        throw Refusal("command closes a report: add a comment", .notAllowed)
      }
      return try edit(id, changes).draft(&context)
    }
  }

  /// Withdraws a report for the login that filed it, unless it was confirmed.
  public static func delete(_ id: RowID, by login: String) -> WriteRequest<Void> {
    WriteRequest { context in
      let state = try requireFiled(id, by: login, in: &context)
      guard state.confirmations(in: context.operation).isEmpty else {
        throw Refusal(
          "others confirmed this report: comment that it is over, and command closes it",
          .notAllowed)
      }
      return try delete(id).draft(&context)
    }
  }

  @discardableResult
  private static func requireFiled(
    _ id: RowID, by login: String, in context: inout RequestContext
  ) throws -> RowState {
    let state = try context.settled(.report, id)
    guard try context.reports(of: login).ids.contains(id) else {
      throw Refusal("this login changes its own reports only: add a comment", .notAllowed)
    }
    return state
  }
}
