internal import MusterModel
internal import MusterProximity
internal import MusterReplica

/// Performs the commands about the proximity log and exposures at a node (decision 0060): the
/// notices that concern this device's user, the note that this device seals to command, and
/// command's review.
enum ProximityHandler {
  static func reply(
    to command: ProximityCommand, at node: isolated Node
  ) throws -> ProximityReply {
    switch command {
    case .consent(let isGiven, let count):
      try node.location.withProximity { try $0.consent(isGiven, count: count) }
      // The consent is kept; what it permits is sent later if command is not known yet.
      do {
        _ = try sendNote(at: node)
      } catch {
        node.logger.warning("not sent to command yet: \(error)")
      }
      return try recorded(.status, at: node)
    case .send: return .sent(recipients: try sendNote(at: node, sendsSessions: true))
    case .reportPositive(let kind, let text):
      return try sending(at: node) {
        try $0.report(kind, text: text, wall: SystemClock.reading.wall)
      }
    case .withdrawReport: return try sending(at: node) { try $0.withdrawReport() }
    case .notices:
      try search(at: node)
      return .notices(node.location.withExposures { $0.found })
    case .review: return .review(try review(at: node))
    case .publish(let reference, let text): return try publish(reference, text: text, at: node)
    case .withdrawNotice(let reference):
      let id = try item(named: reference, at: node).id
      try node.attempt { try $0.write(ExposureRequests.withdraw(id), now: $1) }
      return .published(id)
    case .status, .setOn, .showName, .keep, .devices, .sessions, .own:
      return try recorded(command, at: node)
    }
  }

  /// A reply of the log, with what the replica knows: whether command published the report and has
  /// the sessions, and the user's name.
  private static func recorded(
    _ command: ProximityCommand, at node: isolated Node
  ) throws -> ProximityReply {
    if command == .sessions { try followNote(at: node) }
    return try node.read { replica, now in
      let reply = try node.location.withProximity { try $0.reply(to: command, now: now) }
      switch reply {
      case .status(var status):
        let own = node.location.withProximity { $0.ownReport?.id }
        status.report?.isPublished = try replica.queries.exposureNotices().contains {
          $0.notice.id == own
        }
        return .status(status)
      case .own(var own):
        if node.location.withProximity({ $0.current().showsName }) {
          own.name = try replica.queries.ownCallsign()
        }
        return .own(own)
      default: return reply
      }
    }
  }

  /// Records whether a device of command acknowledged the note.
  private static func followNote(at node: isolated Node) throws {
    let note = try node.read { replica, now in try replica.queries.ownProximityNote(now: now) }
    guard let note, note.isAtCommand else { return }
    try node.location.withProximity { try $0.acknowledge(note.frame) }
  }

  // MARK: Notices

  /// Compares new notices with the log, and sends what the owner agreed to send, when that is due.
  static func reviewIfDue(at node: isolated Node) {
    let isDue = node.location.withExposures { $0.takeReview(now: SystemClock.instant) }
    guard isDue else { return }
    do {
      try followNote(at: node)
      try search(at: node)
      try sendIfDue(at: node)
    } catch {
      node.logger.warning("exposure notices could not be reviewed: \(error)")
    }
  }

  private static func search(at node: isolated Node) throws {
    let notices = try node.read { replica, _ in try replica.queries.exposureNotices() }
    let isDue = node.location.withExposures {
      $0.takeSearch(notices, now: SystemClock.instant)
    }
    guard isDue else { return }
    let wall = SystemClock.reading.wall
    let exposures = try node.location.withProximity { try $0.search(notices, wall: wall) }
    guard node.location.withExposures({ $0.keep(exposures) }) else { return }
    // Subscribers are notified; what was found is read on this device only.
    node.changeNotifier.noteExposures()
  }

  // MARK: Notes to command

  private static func sendIfDue(at node: isolated Node) throws {
    let matches = node.location.withExposures { $0.found.map(\.id) }
    let sent = node.location.withExposures { $0.sentMatches }
    guard node.isRunning, try node.read({ $0.mayWrite(now: $1.instant) }),
      node.location.withProximity({ $0.hasSomethingToSend(matches, sent: sent) }),
      node.location.withExposures({ $0.takeSend(now: SystemClock.instant) })
    else { return }
    _ = try sendNote(at: node)
  }

  /// Changes what the note contains and sends it. If it cannot be sent, the change is undone.
  private static func sending(
    at node: isolated Node, _ change: (inout ProximityRecorder) throws -> Void
  ) throws -> ProximityReply {
    let before = node.location.withProximity { $0.current() }
    try node.location.withProximity { try change(&$0) }
    do {
      return .sent(recipients: try sendNote(at: node))
    } catch {
      try node.location.withProximity { try $0.keep(before) }
      throw error
    }
  }

  /// Seals the note of this moment to command. Returns how many devices can read it.
  private static func sendNote(
    at node: isolated Node, sendsSessions: Bool = false
  ) throws -> Int {
    // Sightings of the last minute are part of a session too.
    node.writeNearby(isLast: true)
    let matches = node.location.withExposures { $0.found.map(\.id) }
    let outgoing = try node.location.withProximity {
      try $0.note(matches, sendsSessions: sendsSessions)
    }
    var recipients = 0
    try node.attempt { replica, now in
      let (count, outcome) = try replica.write(ExposureRequests.send(outgoing.note), now: now)
      recipients = count
      return outcome
    }
    node.location.withExposures { $0.sent(outgoing.note.matched) }
    let written = try node.read { replica, now in try replica.queries.ownProximityNote(now: now) }
    try node.location.withProximity { try $0.sent(outgoing, as: written?.frame ?? .zero) }
    return recipients
  }

  // MARK: Command

  private static func review(at node: isolated Node) throws -> ExposureReview {
    try node.read { replica, _ in
      ExposureReview(
        try replica.queries.proximityNotes(), try replica.queries.exposureNotices())
    }
  }

  private static func item(
    named reference: String, at node: isolated Node
  ) throws -> ExposureReview.Item {
    guard let prefix = IdentifierPrefix(reference) else {
      throw NodeError.refused("give at least four digits of the id that the review shows")
    }
    let found = try review(at: node).items.filter { prefix.begins($0.id) }
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
  private static func publish(
    _ reference: String, text: String, at node: isolated Node
  ) throws -> ProximityReply {
    let id = try item(named: reference, at: node).id
    try node.attempt { replica, now in
      guard let current = ProximityInterval(containing: now.wall) else {
        throw NodeError.refused("this device's clock shows \(now.wall): set it")
      }
      let reports = try replica.queries.proximityNotes().compactMap(\.note.report)
        .filter { $0.id == id }
      guard let report = reports.first else {
        throw NodeError.refused("the report \(id.short) was withdrawn: withdraw its notice")
      }
      // Once a notice is published, its id can be copied into a report with other keys.
      guard reports.count == 1 else {
        throw NodeError.refused(
          "\(reports.count) laptops send the report \(id.short), and one person made it: ask them")
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
