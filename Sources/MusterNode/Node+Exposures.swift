internal import MusterModel
internal import MusterProximity
internal import MusterReplica

/// Exposures (decision 0060): the notices that concern this device's user, the note that this
/// device seals to command, and command's review.
extension Node {
  /// Performs a command about exposures.
  func exposureReply(to command: ProximityCommand) throws -> ProximityReply {
    switch command {
    case .consent(let isGiven, let count):
      try location.withProximity { try $0.consent(isGiven, count: count) }
      // The consent is kept; what it permits is sent later if command is not known yet.
      do { _ = try sendNote() } catch { logger.warning("not sent to command yet: \(error)") }
      return try statusReply()
    case .send: return .sent(recipients: try sendNote(sendsSessions: true))
    case .reportPositive(let kind, let text):
      return try sending { try $0.report(kind, text: text, wall: SystemClock.reading.wall) }
    case .withdrawReport: return try sending { try $0.withdrawReport() }
    case .notices:
      try searchExposures()
      return .notices(location.exposures.found)
    case .review: return .review(try exposureReview())
    case .publish(let reference, let text): return try publish(reference, text: text)
    case .withdrawNotice(let reference):
      let id = try item(named: reference).id
      try attempt { try $0.write(ExposureRequests.withdraw(id), now: $1) }
      return .published(id)
    case .status: return try statusReply()
    case .setOn, .devices, .sessions, .own:
      preconditionFailure("no command about exposures")
    }
  }

  private func statusReply() throws -> ProximityReply {
    try read { replica, now in
      var reply = try location.withProximity { try $0.reply(to: .status, now: now) }
      guard case .status(var status) = reply else { return reply }
      let own = location.withProximity { $0.ownReport?.id }
      status.report?.isPublished = try replica.queries.exposureNotices().contains {
        $0.notice.id == own
      }
      reply = .status(status)
      return reply
    }
  }

  // MARK: Notices

  /// Compares new notices with the log, and sends what the owner agreed to send.
  func reviewExposuresIfDue() {
    guard location.exposures.takeReview(now: SystemClock.instant) else { return }
    do {
      try searchExposures()
      try sendIfDue()
    } catch {
      logger.warning("exposure notices could not be reviewed: \(error)")
    }
  }

  private func searchExposures() throws {
    let notices = try read { replica, _ in try replica.queries.exposureNotices() }
    guard location.exposures.takeSearch(notices, now: SystemClock.instant) else { return }
    let wall = SystemClock.reading.wall
    let exposures = try location.withProximity { try $0.search(notices, wall: wall) }
    guard location.exposures.keep(exposures) else { return }
    // Subscribers are notified; what was found is read on this device only.
    changeNotifier.noteExposures()
  }

  // MARK: Notes to command

  private func sendIfDue() throws {
    let matches = location.exposures.found.map(\.id)
    let sent = location.exposures.sentMatches
    guard isRunning, mayWriteNow,
      location.withProximity({ $0.hasSomethingToSend(matches, sent: sent) }),
      location.exposures.takeSend(now: SystemClock.instant)
    else { return }
    _ = try sendNote()
  }

  /// Changes what the note contains and sends it. If it cannot be sent, the change is undone.
  private func sending(
    _ change: (inout ProximityRecorder) throws -> Void
  ) throws -> ProximityReply {
    let before = location.withProximity { $0.current() }
    try location.withProximity { try change(&$0) }
    do {
      return .sent(recipients: try sendNote())
    } catch {
      try location.withProximity { try $0.keep(before) }
      throw error
    }
  }

  /// Seals the note of this moment to command. Returns how many devices can read it.
  private func sendNote(sendsSessions: Bool = false) throws -> Int {
    let matches = location.exposures.found.map(\.id)
    let outgoing = try location.withProximity {
      try $0.note(matches, sendsSessions: sendsSessions)
    }
    var recipients = 0
    try attempt { replica, now in
      let (count, outcome) = try replica.write(ExposureRequests.send(outgoing.note), now: now)
      recipients = count
      return outcome
    }
    location.exposures.sent(outgoing.note.matched)
    try location.withProximity { try $0.sent(outgoing) }
    return recipients
  }

  // MARK: Command

  private func exposureReview() throws -> ExposureReview {
    try read { replica, _ in
      ExposureReview(
        try replica.queries.proximityNotes(), try replica.queries.exposureNotices())
    }
  }

  private func item(named reference: String) throws -> ExposureReview.Item {
    guard let prefix = IdentifierPrefix(reference) else {
      throw NodeError.refused("give at least four digits of the id that the review shows")
    }
    let found = try exposureReview().items.filter { prefix.begins($0.id) }
    guard let only = found.first, found.count == 1 else {
      throw NodeError.refused(
        found.isEmpty
          ? "no exposure report \(reference): it was withdrawn, or has not arrived here"
          : "\(found.count) exposure reports match \(reference): give more digits")
    }
    return only
  }

  /// Publishes the keys of a report that may be published now. The text is command's: that of the
  /// report may name the person.
  private func publish(_ reference: String, text: String) throws -> ProximityReply {
    let id = try item(named: reference).id
    try attempt { replica, now in
      guard let current = ProximityInterval(containing: now.wall) else {
        throw NodeError.refused("this device's clock shows \(now.wall): set it")
      }
      let report = try replica.queries.proximityNotes().compactMap(\.note.report)
        .first { $0.id == id }
      guard let report else {
        throw NodeError.refused("the report \(id.short) was withdrawn: withdraw its notice")
      }
      let oldest = ProximityInterval.oldestKept(at: current).dayStart
      let keys = report.keys.filter { key in
        let day = ProximityInterval(number: key.day)
        let known = DailyKey(bytes: key.key.bytes, dayStart: day)
        return day >= oldest && known?.hasEnded(at: current) == true
      }
      guard !keys.isEmpty else {
        throw NodeError.refused(
          "the report \(id.short) has no key of the last 14 ended days: ask for a new report")
      }
      return try replica.write(
        ExposureRequests.publish(report.changed(text: text, keys: keys), oldest: oldest.number),
        now: now)
    }
    return .published(id)
  }
}
