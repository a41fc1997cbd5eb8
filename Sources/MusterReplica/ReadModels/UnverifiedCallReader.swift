internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// The unverified calls that this node holds.
struct UnverifiedCallReader {
  let context: ReadContext

  /// Returns the open calls, the first `Limits.shownUnverifiedCalls` in the order in which devices
  /// take turns, so that no device hides the calls of another, and the number of further ones.
  ///
  /// - Parameter includesEnded: whether as many ended calls follow, newest first.
  func calls(includesEnded: Bool) throws -> UnverifiedCalls {
    let all = try rows()
    let open = all.filter(\.row.isOpenCall)
    let shown = Self.taking(turnsIn: open)
    let others = open.reduce(0) { $0 + Int($1.entry.others) }
    var items = try shown.map(summary)
    if includesEnded {
      let ended = all.filter { !$0.row.isOpenCall }.sorted { $0.writtenAt > $1.writtenAt }
      items += try ended.prefix(Limits.shownUnverifiedCalls).map(summary)
    }
    return UnverifiedCalls(items: items, further: open.count - shown.count + others)
  }

  /// Returns what raises the one alert about all open calls: at command, and where one was
  /// received.
  func finding() throws -> AlertTracker.Finding? {
    let isCommand = context.local.author.role == .command
    let open = try rows().filter {
      $0.row.isOpenCall && (isCommand || $0.row.owner == context.local.author.user)
    }
    guard let newest = open.max(by: { $0.writtenAt < $1.writtenAt }) else { return nil }
    let count = open.reduce(open.count) { $0 + Int($1.entry.others) }
    let name = Phrase.Value.text(newest.entry.call.name)
    let phrase =
      count == 1
      ? Phrase(.unverifiedCall, ["name": name])
      : Phrase(.unverifiedCalls, ["count": .count(count), "name": name])
    return AlertTracker.Finding(
      id: AlertID(kind: .unverifiedCall, row: RowID(raw: context.local.operation.raw)),
      level: .warning, phrase: phrase,
      cause: AlertCause(
        dots: open.flatMap { $0.row.values(of: .unverifiedCallExistence).map(\.dot) },
        positions: []))
  }

  // MARK: Rows

  private struct Call {
    let row: RowState
    let entry: UnverifiedCallEntry
    let writtenAt: Timestamp
  }

  private func rows() throws -> [Call] {
    try context.store.rows(.unverifiedCall).compactMap { row in
      guard row.exists, let entry = row.callEntry,
        let written = row.shown(.unverifiedCallContent)?.writtenAt
      else { return nil }
      return Call(row: row, entry: entry, writtenAt: written)
    }
  }

  private struct Turn: Hashable {
    let owner: UserID?
    let device: DeviceID
    let isOfLogin: Bool
  }

  /// Returns the calls that are shown, newest first: the newest of each device, and of removed
  /// logins there, before the second newest of any.
  private static func taking(turnsIn calls: [Call]) -> [Call] {
    var counts: [Turn: Int] = [:]
    let newestFirst = calls.sorted {
      ($0.writtenAt, $0.entry.others, $0.row.key.id)
        > ($1.writtenAt, $1.entry.others, $1.row.key.id)
    }
    let ranked = newestFirst.map { call in
      let turn = Turn(
        owner: call.row.owner, device: call.entry.device,
        isOfLogin: call.entry.call.cause == .removedLogin)
      defer { counts[turn, default: 0] += 1 }
      return (rank: counts[turn, default: 0], call: call)
    }
    let chosen = ranked.enumerated().sorted {
      ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
    }.prefix(Limits.shownUnverifiedCalls).map(\.offset)
    return Set(chosen).sorted().map { ranked[$0].call }
  }

  private func summary(_ call: Call) throws -> UnverifiedCallSummary {
    let (row, entry) = (call.row, call.entry)
    var summary = UnverifiedCallSummary(
      id: row.key.id, name: entry.call.name, address: entry.call.address, note: entry.call.note,
      cause: entry.call.cause, position: entry.call.position, madeAt: entry.call.madeAt,
      receivedAt: call.writtenAt, messages: entry.messages, others: entry.others,
      receivedBy: try context.callsign(of: row.owner ?? UserID(raw: .zero)))
    guard let (value, outcome) = row.callEnd else { return summary }
    summary.decidedBy = try context.callsign(of: value.author)
    summary.decidedAt = value.writtenAt
    switch outcome.decision {
    case .closed(let reason): (summary.state, summary.reason) = (.closed, reason)
    case .confirmed(let user):
      (summary.state, summary.person) = (.confirmed, user)
      summary.personName = try context.callsign(of: user)
    }
    return summary
  }
}

extension RowState {
  /// The newest message of an unverified call; nil while none has arrived.
  var callEntry: UnverifiedCallEntry? {
    guard case .bytes(let bytes)? = shown(.unverifiedCallContent)?.value else { return nil }
    do throws(DecodingFault) {
      return try UnverifiedCallEntry(decoding: bytes)
    } catch {
      return nil
    }
  }

  /// The decision of command that ends an unverified call; nil while it is open. A decision whose
  /// author had not received the newest message ends nothing.
  var callEnd: (value: LiveValue, outcome: UnverifiedCallOutcome)? {
    guard let newest = shown(.unverifiedCallContent)?.dot else { return nil }
    let decisions = values(of: .unverifiedCallOutcome).compactMap {
      value -> (value: LiveValue, outcome: UnverifiedCallOutcome)? in
      guard case .bytes(let bytes) = value.value else { return nil }
      do throws(DecodingFault) {
        let outcome = try UnverifiedCallOutcome(decoding: bytes)
        return outcome.seen.contains(newest) ? (value, outcome) : nil
      } catch {
        return nil
      }
    }
    let shown = shown(.unverifiedCallOutcome)
    return decisions.first { $0.value == shown } ?? decisions.first
  }

  /// Whether an unverified call waits for a decision of command.
  var isOpenCall: Bool { callEntry != nil && callEnd == nil }
}
