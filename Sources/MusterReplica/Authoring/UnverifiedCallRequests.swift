internal import MusterCRDT
public import MusterModel
internal import MusterSync

/// Requests about calls for help whose callers are not proven (decision 0099): the device that
/// received one writes it, and command decides about it.
public enum UnverifiedCallRequests {
  /// Writes a call in the urgent lane. A credential has one open call at this device: a repetition
  /// of the same message changes nothing, and another message renews the call's place, time and
  /// note. A message after the end of the call opens it again.
  ///
  /// Beyond `Limits.unverifiedCallsPerDevice` open calls, the newest call and the number of the
  /// others share one row. Texts that no replica would accept are corrected, not refused.
  public static func raise(_ call: UnverifiedCall) -> WriteRequest<RowID> {
    WriteRequest { context in
      try context.require(.command, .member, .observer)
      return try UnverifiedCallDraft(call.salvaged, in: &context).draft(&context)
    }
  }

  /// Calls for help in the name of a person, as command, with all that the unverified call states,
  /// and marks the call as theirs: the person is a MAYDAY from now on.
  public static func confirm(_ id: RowID, as user: UserID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let call = try OwnRow(id, in: &context)
      let person = try context.person(user)
      var statement = Composer(person, origin: nil)
      statement.set(
        PersonFields(person.key.kind).override,
        to: .overruling(
          .needsHelp, note: call.entry.callNote,
          seen: PersonEvidenceReader.claimsSeen(in: person)))
      return Draft(
        rows: [statement.writes, call.outcome(.confirmed(user))].filter { !$0.isEmpty },
        lane: .urgent)
    }
  }

  /// Closes an open call as command, for a reason that all can read. A message that this device has
  /// not received opens it again.
  public static func close(_ id: RowID, reason: String) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let call = try OwnRow(id, in: &context)
      guard reason.contains(where: { !$0.isWhitespace }) else {
        throw Refusal("give a reason: --reason \"false alarm, spoke to the caller\"")
      }
      guard reason.utf8.count <= Limits.unverifiedNoteBytes else {
        throw Refusal("the reason has at most \(Limits.unverifiedNoteBytes) bytes: shorten it")
      }
      guard call.row.isOpenCall else {
        throw Refusal("the call \(id.short) has ended: see muster call list --all", .unfit)
      }
      return Draft(rows: [call.outcome(.closed(reason: reason))], lane: .urgent)
    }
  }

  /// The row of a call that command decides about.
  private struct OwnRow {
    let row: RowState
    let entry: UnverifiedCallEntry

    init(_ id: RowID, in context: inout RequestContext) throws {
      row = try context.settled(.unverifiedCall, id)
      guard let found = row.callEntry else {
        throw Refusal("the call \(id.short) has not arrived here in whole", .unknown)
      }
      entry = found
    }

    func outcome(_ decision: UnverifiedCallOutcome.Decision) -> [Write] {
      let seen = row.values(of: .unverifiedCallContent).map(\.dot)
      // The shown message first: it decides whether the call is open.
      let shown = row.shown(.unverifiedCallContent).map { [$0.dot] } ?? []
      let others = seen.filter { !shown.contains($0) }
      let outcome = UnverifiedCallOutcome(
        decision, seen: Array((shown + others).prefix(Limits.overruledClaims)))
      var composer = Composer(row, origin: nil)
      composer.set(.unverifiedCallOutcome, to: .bytes(outcome.encoded()))
      return composer.writes
    }
  }
}

/// Decides what a message of an unverified call changes.
private struct UnverifiedCallDraft {
  private let call: UnverifiedCall
  private let row: RowState
  private let isBeyondBound: Bool

  /// Messages of one call that are written at once; later ones at most once in an interval, so that
  /// a phone that repeats itself does not fill this device's log.
  private static let immediateMessages: UInt32 = 16
  private static let intervalMilliseconds: Int64 = 60_000
  /// The same for the row of calls beyond the bound.
  private static let othersIntervalMilliseconds: Int64 = 10_000

  init(_ call: UnverifiedCall, in context: inout RequestContext) throws {
    self.call = call
    let own = try context.settled(Self.key("credential \(call.credential)", in: context))
    if own.callEntry != nil {
      (row, isBeyondBound) = (own, false)
    } else {
      isBeyondBound = try !Self.hasRoom(for: call, in: &context)
      row =
        isBeyondBound
        ? try context.settled(Self.key("beyond \(call.cause.pool)", in: context)) : own
    }
  }

  private static func key(_ credential: String, in context: RequestContext) -> RowKey {
    RowKey(
      kind: .unverifiedCall,
      id: RowID(
        operation: context.operation, origin: origin(credential, in: context)))
  }

  private static func origin(_ credential: String, in context: RequestContext) -> RowOrigin {
    RowOrigin(
      unverifiedCallBy: credential, at: context.read.local.device, of: context.user,
      operation: context.operation)
  }

  /// Whether a call of a new credential gets a row of its own. Calls of removed logins have places
  /// that no other call takes.
  private static func hasRoom(
    for call: UnverifiedCall, in context: inout RequestContext
  ) throws -> Bool {
    let device = context.read.local.device
    var (open, all) = (0, 0)
    for row in try context.settledRows(.unverifiedCall) where row.owner == context.user {
      guard let entry = row.callEntry, entry.device == device,
        entry.call.cause.pool == call.cause.pool
      else { continue }
      all += 1
      if row.isOpenCall { open += 1 }
    }
    return open < Limits.unverifiedCallsPerDevice && all < Limits.unverifiedRowsPerDevice
  }

  func draft(_ context: inout RequestContext) throws -> Draft<RowID> {
    let before = row.callEntry
    let isOpen = row.isOpenCall
    guard isBeyondBound || before.map({ !isRepeated($0, isOpen: isOpen) }) ?? true else {
      return Draft(answer: row.key.id, rows: [], lane: .urgent)
    }
    var others: UInt32 = 0
    var local: [String: [UInt8]] = [:]
    if isBeyondBound {
      others = try countOthers(isOpen: isOpen, in: context)
      local = [countKey: ByteWriter.bytes(of: others)]
    }
    let messages =
      isOpen ? min((before?.messages ?? 0) + 1, Limits.unverifiedMessages) : 1
    let isDoubled = isBeyondBound && others >= 2 * (before?.others ?? 0)
    guard !isOpen || isDoubled || isDue(after: messages, now: context.now.wall) else {
      return Draft(answer: row.key.id, rows: [], lane: .urgent, local: local)
    }
    let entry = UnverifiedCallEntry(
      device: context.read.local.device,
      call: isOpen && !isBeyondBound ? call.completed(by: before?.call) : call,
      messages: messages, others: others)
    var composer = Composer(row, origin: origin(in: context))
    // The existence names the call: a message of an open call leaves it.
    if !isOpen { composer.assertExistence() }
    composer.set(.unverifiedCallContent, to: .bytes(entry.encoded()))
    return Draft(
      answer: row.key.id, rows: [composer.writes], lane: .urgent, local: local)
  }

  private func origin(in context: RequestContext) -> RowOrigin {
    row.origin
      ?? Self.origin(
        isBeyondBound ? "beyond \(call.cause.pool)" : "credential \(call.credential)", in: context)
  }

  /// Whether the message is one that was written. Without a time of its own it is of now: of an
  /// open call it is repeated if it states nothing else.
  private func isRepeated(_ before: UnverifiedCallEntry, isOpen: Bool) -> Bool {
    let known = before.call
    if let madeAt = call.madeAt, known.madeAt == madeAt {
      return !isOpen || (call.note == known.note && call.position == known.position)
    }
    return isOpen && call.madeAt == nil && known.madeAt == nil && call.name == known.name
      && call.note == known.note && call.position == known.position
      && call.address == known.address
  }

  /// Whether a further message of an open call is written, apart from one that doubles the number
  /// of others: a flood is counted without a write for each. A clock that was set back delays none.
  private func isDue(after messages: UInt32, now: Timestamp) -> Bool {
    guard messages > Self.immediateMessages,
      let written = row.shown(.unverifiedCallContent)?.writtenAt
    else { return true }
    let interval =
      isBeyondBound ? Self.othersIntervalMilliseconds : Self.intervalMilliseconds
    return !(0..<interval).contains(now.milliseconds(since: written))
  }

  // MARK: Calls beyond the bound

  private var countKey: String { "unverified calls beyond \(call.cause.pool)" }

  /// Returns the number of other calls that share the row: those since the row was last ended.
  private func countOthers(isOpen: Bool, in context: RequestContext) throws -> UInt32 {
    guard isOpen else { return 0 }
    let stored = try context.local(countKey).flatMap(UInt32.init(countIn:))
    return min((stored ?? row.callEntry?.others ?? 0) + 1, Limits.unverifiedMessages)
  }
}

extension UnverifiedCause {
  /// Calls of one pool share a bound.
  fileprivate var pool: String { self == .removedLogin ? "removed logins" : "others" }
}

extension UnverifiedCall {
  /// The call with what an earlier message of it stated and this one does not.
  fileprivate func completed(by earlier: UnverifiedCall?) -> UnverifiedCall {
    guard let earlier else { return self }
    return UnverifiedCall(
      credential: credential, name: name.isEmpty ? earlier.name : name,
      address: address.isEmpty ? earlier.address : address,
      note: note.isEmpty ? earlier.note : note, position: position ?? earlier.position,
      madeAt: madeAt, cause: cause)
  }
}

extension UnverifiedCallEntry {
  /// The note of the call for help that command makes of it: what the caller wrote, then what the
  /// message states.
  fileprivate var callNote: String {
    var parts: [Phrase.Value] = call.note.isEmpty ? [] : [.text(call.note)]
    parts.append(.phrase(.unverifiedNote, ["name": .text(call.name)]))
    if let madeAt = call.madeAt { parts.append(.phrase(.madeAt, ["time": .text("\(madeAt)")])) }
    if let place = call.position {
      parts.append(
        .phrase(.atPosition, ["position": .text("\(place.latitude),\(place.longitude)")]))
    }
    if !call.address.isEmpty {
      parts.append(.phrase(.fromAddress, ["address": .text(call.address)]))
    }
    return CallNote(parts).text
  }
}

extension ByteWriter {
  fileprivate static func bytes(of count: UInt32) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(count)
    return writer.bytes
  }
}

extension UInt32 {
  fileprivate init?(countIn bytes: [UInt8]) {
    guard bytes.count == 4 else { return nil }
    self = bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
