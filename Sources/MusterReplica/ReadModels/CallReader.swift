internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// What became of a person's newest call for help, from rows, receipts and dated frames
/// (decision 0097).
///
///     claim of the person ─▶ its dot ─▶ acknowledgements that name the dot ─▶ seen by
///                              │         └ by the frame's author and role, never a claimed name
///                              ├─▶ receipts of its log ─▶ at command
///                              └─▶ later messages to this person alone ─▶ answers
struct CallReader {
  private let context: ReadContext
  private let ages: AgeReader
  private var delivery: DeliveryTracker

  init(context: ReadContext, ages: AgeReader, delivery: DeliveryTracker) {
    self.context = context
    self.ages = ages
    self.delivery = delivery
  }

  /// Returns the standing of the newest call that is in the person's row: open, or accounted for.
  /// Nil if there is none, such as after the person reported to be safe.
  mutating func standing(of user: UserID) throws -> CallStanding? {
    guard let row = try row(of: user), let call = Self.newestCall(in: row) else { return nil }
    let open = try StatementReader(context: context).statements(row).openCalls
    let seen = try sightings(of: call.dot, by: user)
    let reach = try delivery.delivery(ofFrame: call.dot.frame)
    return CallStanding(
      user: user, callsign: try context.callsign(of: user),
      note: SafetyStanding.claim(of: call.value)?.note ?? "",
      moment: try ages.moment(of: call), isOpen: open.contains { $0.dot == call.dot },
      isAtCommand: reach.commandPost || seen.contains { $0.role == .command },
      seen: Array(seen.prefix(CallStanding.mostListed)), answers: try answers(to: call, of: user))
  }

  private func row(of user: UserID) throws(StoreError) -> RowState? {
    if let tracker = try context.trackerRow(user), tracker.exists { return tracker }
    return try context.userRow(user)
  }

  /// Returns the person's own newest call, or that of their login or tracker's owner. That command
  /// reported for a person who did not call is none.
  private static func newestCall(in row: RowState) -> LiveValue? {
    PersonFields(row.key.kind).claims.flatMap { row.values(of: $0) }
      .filter { SafetyStanding.claim(of: $0.value)?.claim == .needsHelp }
      .max { ($0.writtenAt, $0.dot) < ($1.writtenAt, $1.dot) }
  }

  // MARK: Seen by

  /// Returns the people who acknowledged the call, other than the caller. An acknowledgement of a
  /// program names no person.
  private func sightings(of call: Dot, by caller: UserID) throws -> [CallStanding.Sighting] {
    let alert = AlertID(kind: .help, row: RowID(raw: caller.raw))
    let key = RowKey(
      kind: .alertAcknowledgement, id: RowID(operation: context.local.operation, alert: alert))
    var found: [(sighting: CallStanding.Sighting, by: [UserID], made: Int64, dot: Dot)] = []
    let values = try context.store.row(key)?.values(of: .alertAcknowledgements) ?? []
    guard !values.isEmpty else { return [] }
    let names = try context.namesakes()
    for value in values {
      guard case .alertReply(let reply) = value.value, reply.dots.contains(call),
        !reply.isByProgram, reply.user != caller, value.author != caller
      else { continue }
      found.append(
        (
          try sighting(value, reply, names), [value.author, reply.user],
          try ages.written(value) ?? .max, value.dot
        ))
    }
    let ordered = found.sorted { left, right in
      let (isFirst, isSecond) = (left.sighting.role == .command, right.sighting.role == .command)
      if isFirst != isSecond { return isFirst }
      return (left.made, left.dot) < (right.made, right.dot)
    }
    // Each person once, however often they wrote.
    var listed: Set<[UserID]> = []
    return ordered.filter { listed.insert($0.by).inserted }.map(\.sighting)
  }

  private func sighting(
    _ value: LiveValue, _ reply: AlertReply, _ names: Namesakes
  ) throws -> CallStanding.Sighting {
    let author = names.text(try context.callsign(of: value.author), of: value.author)
    // Only a command post has people of logins. Another device speaks for its own user.
    let isLogin = value.role == .command && value.author != reply.user
    // Under another name than the user's: the name is a claim.
    let isClaimed = value.author == reply.user && TextRule.line.accepts(reply.note)
    return CallStanding.Sighting(
      name: isLogin
        ? names.text(try context.callsign(of: reply.user), of: reply.user)
        : isClaimed ? "\(author)'s post" : author,
      role: value.role, via: isLogin ? author : nil, moment: try ages.moment(of: value))
  }

  // MARK: Answers

  private func answers(to call: LiveValue, of caller: UserID) throws -> [CallStanding.Text] {
    let called = try ages.written(call)
    var found: [(text: CallStanding.Text, made: Int64)] = []
    for row in try context.store.rows(.directive) where row.exists {
      guard row.directiveKind == .message, row.users(in: .directiveUsers) == [caller],
        let first = row.values(of: .directiveExistence).min(by: { $0.dot < $1.dot }),
        first.role == .command, let made = try ages.written(first),
        called.map({ made >= $0 }) ?? true
      else { continue }
      let isRead = row.answers(in: context.local.operation).contains { $0.user == caller }
      found.append(
        (
          CallStanding.Text(
            id: row.key.id, text: row.text(.directiveText) ?? "",
            name: try context.callsign(of: row.owner ?? first.author),
            moment: try ages.moment(of: first), isRead: isRead), made
        ))
    }
    return found.sorted { ($0.made, $0.text.id) > ($1.made, $1.text.id) }
      .prefix(CallStanding.mostListed).map(\.text)
  }
}
