public import MusterModel
internal import MusterStore

/// Alerts of this device: a function of what it holds, never sent. An acknowledgement is sent if
/// the alert's cause is known to all nodes (decision 0042).
extension Replica {
  /// Returns the active alerts at `now`, in the order of every list; changes nothing.
  public mutating func alerts(now: ClockReading) throws -> [Alert] {
    let statuses = try statuses(now: now)
    return try statuses.completed(alertReview(of: statuses).update.standing)
  }

  /// What a copy of the replica that read its alerts returns to the original, so that the next
  /// answer states the same times.
  public var alertDates: AlertDates { core.derived.alertMemory.dates }

  /// Keeps the dates that a copy found.
  public mutating func keep(_ dates: AlertDates) { core.derived.alertMemory.keep(dates) }

  /// Returns the active alerts of the last review, also after a restart, with the emergency
  /// contacts as of now.
  public mutating func raisedAlerts(now: ClockReading) throws -> [Alert] {
    let alerts = try queries.raisedAlerts()
    return alerts.isEmpty ? [] : try statuses(now: now).completed(alerts)
  }

  /// Reviews the alerts and stores the raised ones; the outcome lists those raised and cleared.
  /// MUST be called after changes, and from time to time, since silence raises alerts too.
  public mutating func reviewAlerts(now: ClockReading) throws -> Outcome {
    try reviewAlerts(storing: nil, now: now)
  }

  /// - Parameter calls: calls under duress that changed.
  private mutating func reviewAlerts(storing calls: [UInt8]?, now: ClockReading) throws -> Outcome {
    var update = try alertReview(now: now).update
    let dates = core.derived.checkIns.takeUnsaved(
      at: core.records.ages.reading(now), wall: now.wall, boot: core.own.boot)
    guard update.isNew || !dates.isEmpty || calls != nil else { return Outcome() }
    update.others = dates
    update.others[DuressLedger.key] = calls
    return try store(update, now: now)
  }

  /// Acknowledges an alert: it stays active until its matter is over, without a sound. The first
  /// acknowledgement keeps its name; a repeated one changes nothing.
  ///
  /// If all nodes can know the alert's cause, the acknowledgement is replicated, and counts only
  /// for this occurrence of the alert. Of an alert that several calls for help share, each call is
  /// acknowledged, at most 64 at once. Any other alert concerns only this device, and its
  /// acknowledgement is not sent.
  ///
  /// - Parameters:
  ///   - reference: its id (`help:3f9a…`), or at least four of the row's digits if they identify
  ///     one alert.
  ///   - name: the acknowledging person, in one line; nil for this device's own user.
  ///   - user: the user that the name belongs to, if a command post relays it.
  ///   - isByProgram: whether no person acknowledges: the caller of a call for help is then not
  ///     shown that it was seen (decision 0097).
  ///   - answer: a message to the caller of a call for help alone, in the same commit, by command.
  ///     A further answer sends a message, and keeps the acknowledgement.
  ///   - onBehalfOf: the person or login that this device writes for; nil for its own user.
  public mutating func acknowledgeAlert(
    _ reference: String, by name: String?, for user: UserID? = nil, isByProgram: Bool = false,
    answer: String? = nil, onBehalfOf principal: Principal? = nil, now: ClockReading
  ) throws -> Outcome {
    let review = try alertReview(now: now)
    let acknowledgement = try review.acknowledgement(
      of: reference, by: name, for: user, isByProgram: isByProgram)
    if let answer {
      let request = try review.answer(answer, to: reference, with: acknowledgement)
      return try write(request, onBehalfOf: principal, now: now).outcome
    }
    switch acknowledgement {
    case .nothing: return Outcome()
    case .shared(let rows):
      return try write(Draft(rows: rows, lane: .urgent, onBehalfOf: principal), now: now)
    case .local(let update): return try store(update, now: now)
    }
  }

  /// As command, puts a warning aside at this device only, or takes that back. It returns by itself
  /// when the time is over, and at once when it becomes more urgent or grows (`ShelvedAlerts`).
  ///
  /// - Parameters:
  ///   - reference: its id (`silent:3f9a…`), or at least four of the row's digits if they identify
  ///     one alert.
  ///   - order: nil to take it back.
  /// - Throws: `Refusal` for an alert that is never shelved (`AlarmRule.isShelvable`).
  public mutating func shelveAlert(
    _ reference: String, _ order: ShelvingOrder?, now: ClockReading
  ) throws -> Outcome {
    try core.context.require(.command)
    return try store(alertReview(now: now).shelving(reference, order), now: now)
  }

  private mutating func store(_ update: AlertReview.Update, now: ClockReading) throws -> Outcome {
    var outcome = try transact(now: now) { replica in
      replica.core.transaction.batch.local.merge(update.stored) { _, new in new }
      // What raised an alert is as durable as the alert.
      replica.core.records.hurry()
    }
    outcome.alertChanges = update.changes
    return outcome
  }

  /// Ends the alarm about a person who called under duress, at this command device only, until the
  /// next call. Nothing of it is sent.
  public mutating func clearDuress(of user: UserID, now: ClockReading) throws -> Outcome {
    try core.context.require(.command)
    guard let calls = core.derived.clearCalls(of: user) else {
      throw Refusal("\(try core.context.callsign(of: user)) has no open call under duress here")
    }
    do {
      return try reviewAlerts(storing: calls, now: now)
    } catch {
      core.derived.restoreCalls(try core.store.local(DuressLedger.key))
      throw error
    }
  }

  private mutating func alertReview(now: ClockReading) throws -> AlertReview {
    try alertReview(of: statuses(now: now))
  }

  private mutating func alertReview(of statuses: StatusQueries) throws -> AlertReview {
    try AlertReview(
      of: statuses, core.queries, home: core.recovery.home, readmissions: core.own.readmissions,
      memory: &core.derived.alertMemory)
  }
}
